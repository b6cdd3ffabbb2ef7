//! A matrix that grows row by row, within a limit.
//!
//! It grows in place. Where the size of the file is known, the space for all of it is reserved after the
//! first rows, at the density found there: memory that is reserved and never written costs nothing, and
//! nothing is copied a second time.

use std::collections::TryReserveError;

use sparsvm_core::design::Compressed;

use crate::ReadError;
use crate::error::mib;

/// Bytes of an entry: its column and its value.
const ENTRY_BYTES: u64 = 12;

/// Bytes of a row besides its entries: its pointer and its label.
const ROW_BYTES: u64 = 16;

/// Bytes of a column: a pointer, or a weight.
const COLUMN_BYTES: u64 = 8;

/// How many elements are needed, and for how many room is wanted.
pub(crate) type Room = (usize, usize);

/// The matrix so far.
#[derive(Debug)]
pub(crate) struct Growing<'a> {
    name: &'a str,
    memory_limit: Option<u64>,
    /// Bytes of the whole file, if that is known.
    size: Option<u64>,
    /// One more than the largest column so far.
    pub(crate) width: u64,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl<'a> Growing<'a> {
    /// Nothing yet of a file of `size` bytes.
    pub(crate) fn new(name: &'a str, memory_limit: Option<u64>, size: Option<u64>) -> Self {
        Self { name, memory_limit, size, width: 0, starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// The file, in errors.
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many of something there may be in the whole file, if there are `count` in the part read so far.
    fn estimate(&self, count: usize, read_so_far: u64) -> Option<u64> {
        let size = self.size.filter(|&size| size > 0 && read_so_far > 0)?;
        Some((count as f64 * (size as f64 / read_so_far as f64)) as u64)
    }

    /// Makes room for more rows and entries; says so if what else is held for each row should grow too.
    pub(crate) fn reserve(
        &mut self,
        rows: usize,
        entries: usize,
        read_so_far: u64,
    ) -> Result<Option<Room>, ReadError> {
        let target = |have: usize, capacity: usize, more: usize| {
            let needed = have + more;
            (needed > capacity).then(|| {
                // 3 % more than estimated, as the density varies; without an estimate, steps of a quarter.
                let wanted = self.estimate(needed, read_so_far).map(|total| (total as f64 * 1.03) as usize);
                (needed, wanted.unwrap_or(needed).max(needed + have / 4))
            })
        };
        let for_rows = target(self.starts.len(), self.starts.capacity(), rows);
        let for_entries = target(self.values.len(), self.values.capacity(), entries);
        let mut done = Ok(());
        if let Some(room) = for_rows {
            done = grow(&mut self.starts, room);
        }
        if let Some(room) = for_entries {
            done =
                done.and_then(|()| grow(&mut self.columns, room)).and_then(|()| grow(&mut self.values, room));
        }
        match done {
            Ok(()) => Ok(for_rows),
            Err(_) => Err(self.out_of_memory(entries)),
        }
    }

    /// What to say if memory for `entries` more cannot be had.
    pub(crate) fn out_of_memory(&self, entries: usize) -> ReadError {
        let bytes = ((self.values.len() + entries) as u64) * ENTRY_BYTES;
        ReadError::OutOfMemory { name: self.name.to_owned(), needed_mib: mib(bytes) }
    }

    /// Appends rows, given where each of them ends.
    pub(crate) fn extend(&mut self, ends: &[usize], columns: &[u32], values: &[f64], width: u64) {
        let before = self.values.len();
        self.starts.extend(ends.iter().map(|end| before + end));
        self.columns.extend_from_slice(columns);
        self.values.extend_from_slice(values);
        self.width = self.width.max(width);
    }

    /// Refuses what is past the limit, with `features` columns if their number is known.
    pub(crate) fn check_memory(&self, features: Option<usize>, read_so_far: u64) -> Result<(), ReadError> {
        let Some(limit) = self.memory_limit else { return Ok(()) };
        let rows = self.rows() as u64 * ROW_BYTES + self.values.len() as u64 * ENTRY_BYTES;
        let width = features.map_or(self.width, |features| features as u64);
        let columns = width.saturating_mul(COLUMN_BYTES);
        if rows.saturating_add(columns) <= limit {
            return Ok(());
        }
        let (what, needed) = if columns > rows {
            (format!("a matrix with {width} features takes"), columns)
        } else {
            let total = self.estimate(rows as usize, read_so_far).unwrap_or(rows);
            ("the matrix takes".into(), total.max(rows).saturating_add(columns))
        };
        Err(ReadError::Memory {
            name: self.name.to_owned(),
            what,
            needed_mib: mib(needed),
            limit_mib: limit >> 20,
        })
    }

    /// The arrays: where rows start, columns and values.
    pub(crate) fn into_parts(mut self) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        self.starts.shrink_to_fit();
        self.columns.shrink_to_fit();
        self.values.shrink_to_fit();
        (self.starts, self.columns, self.values)
    }

    /// The matrix, with so many columns.
    pub(crate) fn finish(self, width: usize) -> Result<Compressed<'static>, ReadError> {
        let name = self.name;
        let (starts, columns, values) = self.into_parts();
        Compressed::new(starts, columns, values, width)
            .map_err(|source| ReadError::Data { name: name.to_owned(), source })
    }
}

/// Room for `wanted` elements, or at least for as many as are `needed`.
pub(crate) fn grow<T>(vec: &mut Vec<T>, (needed, wanted): Room) -> Result<(), TryReserveError> {
    let more = |total: usize| total.saturating_sub(vec.len());
    let (needed, wanted) = (more(needed), more(wanted));
    vec.try_reserve_exact(wanted).or_else(|_| vec.try_reserve_exact(needed))
}
