//! The first pass over a file: every checksum, and then what the bytes say, block by block in parallel.
//!
//! A block's numbers are checked while they are still in the cache, so a file is read once.

use bytemuck::AnyBitPattern;
use rayon::prelude::*;
use sparsvm_core::design::Width;
use twox_hash::XxHash3_64;

use super::layout::{BLOCK_BYTES, HEADER_BYTES, Kind, Layout, Section, number};
use super::write::index_sum;
use super::{Damage, texts};

/// Entries of a matrix that are checked together: those of one block of positions.
const TASK_ENTRIES: usize = BLOCK_BYTES as usize / 4;

/// A file whose header was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) all: &'a [u8],
    pub(super) layout: &'a Layout,
}

impl<'a> View<'a> {
    /// Checks the index against its own checksum.
    pub(super) fn check_index(&self) -> Result<(), Damage> {
        let index = &self.all[self.layout.index as usize..];
        let (sums, own) = index.split_at(index.len() - 8);
        if index_sum(sums, &self.all[..HEADER_BYTES]) == number(own, 0) {
            Ok(())
        } else {
            Err(Damage { section: "index", found: "its checksum is wrong".into() })
        }
    }

    /// The bytes of a section; none if the file does not have it.
    pub(super) fn section(&self, kind: Kind) -> &'a [u8] {
        let section = self.layout.section(kind);
        section.map_or(&[], |s| &self.all[s.offset as usize..(s.offset + s.bytes) as usize])
    }

    /// A section as numbers. Offsets are multiples of 64 and a map begins at a page, so that it never fails.
    fn numbers<T: AnyBitPattern>(&self, kind: Kind) -> Result<&'a [T], Damage> {
        bytemuck::try_cast_slice(self.section(kind)).map_err(|_| damage(kind, "it is misaligned".into()))
    }

    /// Checks one block of a section, and that what fills up its end is zero.
    fn check_block(&self, section: &Section, block: u64) -> Result<(), Damage> {
        let from = section.offset + block * BLOCK_BYTES;
        let end = section.offset + section.padded();
        let to = end.min(from + BLOCK_BYTES);
        let expected = number(self.all, (self.layout.index + 8 * (section.first_block + block)) as usize);
        if XxHash3_64::oneshot(&self.all[from as usize..to as usize]) != expected {
            let found = format!("the checksum of the bytes from {from} to {} is wrong", to - 1);
            return Err(damage(section.kind, found));
        }
        let padding = &self.all[(section.offset + section.bytes).min(to) as usize..to as usize];
        if to == end && padding.iter().any(|&byte| byte != 0) {
            return Err(damage(section.kind, "it is not filled up with zeros".into()));
        }
        Ok(())
    }

    /// Checks all blocks of a section.
    pub(super) fn check_blocks(&self, kind: Kind) -> Result<(), Damage> {
        let Some(section) = self.layout.section(kind) else { return Ok(()) };
        let faults = (0..section.blocks()).into_par_iter().map(|block| self.check_block(section, block));
        faults.reduce(|| Ok(()), |a, b| a.and(b))
    }

    /// Classes and how many rows each has.
    pub(super) fn classes(&self) -> Result<Vec<(String, u64)>, Damage> {
        self.check_blocks(Kind::Classes)?;
        let (bytes, count) = (self.section(Kind::Classes), self.layout.shape.classes as usize);
        let Some((counts, rest)) = bytes.split_at_checked(8 * count) else {
            return Err(damage(Kind::Classes, format!("{count} counts do not fit in {} bytes", bytes.len())));
        };
        let texts = texts::read(rest, count).map_err(|found| damage(Kind::Classes, found))?;
        let mut distinct: Vec<&String> = texts.iter().collect();
        distinct.sort_unstable();
        if let Some(pair) = distinct.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(damage(Kind::Classes, format!("the class {:?} stands twice", pair[0])));
        }
        let counts = (0..count).map(|k| number(counts, 8 * k));
        Ok(texts.into_iter().zip(counts).collect())
    }

    /// The names of the features, whose blocks were checked.
    pub(super) fn names(&self) -> Result<Option<Vec<String>>, Damage> {
        let named = self.layout.section(Kind::Names).is_some();
        let read = || texts::read(self.section(Kind::Names), self.layout.shape.columns as usize);
        named.then(read).transpose().map_err(|found| damage(Kind::Names, found))
    }

    /// Checks everything but header, index and classes, which were checked before.
    pub(super) fn check(&self, classes: &[(String, u64)]) -> Result<(), Damage> {
        for kind in [Kind::Codes, Kind::Queries, Kind::Names, Kind::RowStarts, Kind::ColumnStarts] {
            self.check_blocks(kind)?;
        }
        self.check_codes(classes)?;
        self.names()?;
        let [rows, columns] = match self.layout.shape.width {
            Width::F64 => [self.check_axis::<f64>(Axis::Rows)?, self.check_axis::<f64>(Axis::Columns)?],
            Width::F32 => [self.check_axis::<f32>(Axis::Rows)?, self.check_axis::<f32>(Axis::Columns)?],
        };
        if rows != columns {
            let found = "rows and columns hold different matrices".into();
            return Err(damage(Kind::ColumnPositions, found));
        }
        Ok(())
    }

    fn check_codes(&self, classes: &[(String, u64)]) -> Result<(), Damage> {
        let mut counts = vec![0u64; classes.len()];
        for (i, &code) in self.numbers::<u32>(Kind::Codes)?.iter().enumerate() {
            let Some(count) = counts.get_mut(code as usize) else {
                let found = format!("row {i}, counting from 0, has code {code} of {} classes", classes.len());
                return Err(damage(Kind::Codes, found));
            };
            *count += 1;
        }
        for ((class, said), found) in classes.iter().zip(counts) {
            if *said != found {
                let found = format!("{found} rows are of class {class:?}, but {said} are promised");
                return Err(damage(Kind::Codes, found));
            }
        }
        Ok(())
    }

    /// Checks rows or columns; gives a sum over all entries that does not depend on their order.
    fn check_axis<T>(&self, axis: Axis) -> Result<u64, Damage>
    where
        T: AnyBitPattern + Into<f64> + Send + Sync,
    {
        let shape = &self.layout.shape;
        let (kinds, across) = match axis {
            Axis::Rows => ([Kind::RowStarts, Kind::RowPositions, Kind::RowValues], shape.columns),
            Axis::Columns => ([Kind::ColumnStarts, Kind::ColumnPositions, Kind::ColumnValues], shape.rows),
        };
        let starts = self.numbers::<u64>(kinds[0])?;
        let at = self.numbers::<u32>(kinds[1])?;
        let values = self.numbers::<T>(kinds[2])?;
        if starts.first() != Some(&0) || starts.last() != Some(&shape.entries) {
            return Err(damage(kinds[0], format!("they do not lead from 0 to {}", shape.entries)));
        }
        if let Some(k) = starts.par_windows(2).position_first(|pair| pair[0] > pair[1]) {
            return Err(damage(kinds[0], format!("pointer {k}, counting from 0, is above the next")));
        }
        let vectors = Vectors { kinds, axis, across, starts, at, values };
        let (Some(positions), Some(numbers)) = (self.layout.section(kinds[1]), self.layout.section(kinds[2]))
        else {
            return Ok(0);
        };
        // A task has one block of positions, and as many of values as that takes.
        let ratio = size_of::<T>() as u64 / 4;
        let task = |block: u64| {
            self.check_block(positions, block)?;
            for block in ratio * block..numbers.blocks().min(ratio * (block + 1)) {
                self.check_block(numbers, block)?;
            }
            vectors.check(block as usize * TASK_ENTRIES)
        };
        let sums = (0..positions.blocks()).into_par_iter().map(task);
        sums.reduce(|| Ok(0), |a, b| Ok(a?.wrapping_add(b?)))
    }
}

#[derive(Debug, Clone, Copy)]
enum Axis {
    Rows,
    Columns,
}

/// Rows or columns whose pointers were checked.
struct Vectors<'a, T> {
    kinds: [Kind; 3],
    axis: Axis,
    across: u64,
    starts: &'a [u64],
    at: &'a [u32],
    values: &'a [T],
}

impl<T: AnyBitPattern + Into<f64>> Vectors<'_, T> {
    /// Checks the entries of one task: positions ascend strictly and lie in range, values are finite.
    fn check(&self, from: usize) -> Result<u64, Damage> {
        let to = self.at.len().min(from + TASK_ENTRIES);
        let mut sum = 0u64;
        let mut k = self.starts.partition_point(|&start| start as usize <= from).saturating_sub(1);
        while k + 1 < self.starts.len() && (self.starts[k] as usize) < to {
            let begin = self.starts[k] as usize;
            let (low, high) = (begin.max(from), to.min(self.starts[k + 1] as usize));
            // The entry before comes along if it is of the same vector.
            let inside = &self.at[low - usize::from(low > begin)..high];
            if inside.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(self.fault(1, k, "positions that do not ascend strictly"));
            }
            if let Some(&last) = inside.last().filter(|&&last| u64::from(last) >= self.across) {
                return Err(self.fault(1, k, &format!("the position {last} of {}", self.across)));
            }
            for (&at, &value) in self.at[low..high].iter().zip(&self.values[low..high]) {
                let value: f64 = value.into();
                if !value.is_finite() {
                    return Err(self.fault(2, k, &format!("the value {value}")));
                }
                let (row, column) = match self.axis {
                    Axis::Rows => (k as u64, u64::from(at)),
                    Axis::Columns => (u64::from(at), k as u64),
                };
                sum = sum.wrapping_add(mixed(row << 32 | column, value.to_bits()));
            }
            k += 1;
        }
        Ok(sum)
    }

    fn fault(&self, kind: usize, k: usize, what: &str) -> Damage {
        let vector = match self.axis {
            Axis::Rows => "row",
            Axis::Columns => "column",
        };
        damage(self.kinds[kind], format!("{vector} {k}, counting from 0, has {what}"))
    }
}

/// An entry as a number that looks random, so that sums of different entries differ.
fn mixed(place: u64, bits: u64) -> u64 {
    let mut x = (place ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 32) ^ bits).wrapping_mul(0x94d0_49bb_1331_11eb);
    x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

fn damage(kind: Kind, found: String) -> Damage {
    Damage { section: kind.name(), found }
}
