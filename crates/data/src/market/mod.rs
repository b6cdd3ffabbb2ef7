//! Matrix Market text: a banner, comments, the sides, and then an entry a line, or every value down the columns.
//! Entries of one place are summed.

mod body;
mod header;

use sparsvm_core::Dataset;

use crate::array::Beside;
use crate::compression::Compression;
use crate::matrix::{ENTRY_BYTES, Entries, Sides};
use crate::text::Sink;
use crate::text::blocks::{BLOCK_BYTES, Block};
use crate::text::pipeline::{self, Input};
use crate::{ReadError, ReadOptions};
use body::{Body, Rows};
use header::{Header, Symmetry};

/// The longest line. Entries are short.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a data set.
pub(crate) fn read(input: Input<'_>, options: &ReadOptions) -> Result<Dataset, ReadError> {
    read_in(input, options, BLOCK_BYTES)
}

/// [`read`] in blocks of this size.
pub(crate) fn read_in(
    mut input: Input<'_>,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<Dataset, ReadError> {
    let (name, limit) = (input.name, options.memory_limit);
    let header = Header::begin(&mut input)?;
    let sides = Sides::new(name, header.rows, header.cols, limit)?;
    let size = input.size.filter(|_| input.compression == Compression::Plain);
    header.check_size(name, size)?;
    let mut sink = Joining {
        name,
        limit,
        sides,
        entries: Entries::default(),
        count: 0,
        lines: header.lines,
        next: (0, 0),
        header,
    };
    if sink.header.coordinate {
        let held = sink.header.entries.saturating_mul(sink.header.copies());
        sides.check_memory(name, held.saturating_mul(ENTRY_BYTES), limit)?;
        if size.is_some() {
            sink.reserve(held as usize)?;
        }
    }
    if sink.header.symmetry == Symmetry::Skew {
        // The diagonal is 0, and not in the file.
        sink.next = (1, 0);
    }
    let body = Body::new(&sink.header);
    pipeline::run(input, &body, &mut sink, (block_bytes, MOST_BYTES))?;
    sink.finish(options)
}

/// The entries so far.
struct Joining<'a> {
    name: &'a str,
    limit: Option<u64>,
    header: Header,
    sides: Sides,
    entries: Entries,
    /// Entries of the file, zeros included.
    count: u64,
    /// Lines of the file.
    lines: u64,
    /// The row and the column of the next value of an array.
    next: (usize, usize),
}

impl Sink<Rows> for Joining<'_> {
    fn append(&mut self, blocks: &mut [Block<Rows>]) -> Result<(), ReadError> {
        for block in blocks {
            let rows = &block.rows;
            self.count += rows.count;
            if self.count > self.header.entries {
                return Err(self.miscounted());
            }
            self.reserve(rows.values.len())?;
            if self.header.coordinate {
                self.entries.rows.extend_from_slice(&rows.rows);
                self.entries.columns.extend_from_slice(&rows.columns);
                self.entries.values.extend_from_slice(&rows.values);
            } else {
                rows.values.iter().for_each(|&value| self.put(value));
            }
            if let Some(fault) = &rows.fault {
                return Err(ReadError::Syntax {
                    name: self.name.to_owned(),
                    line: self.lines + fault.line,
                    column: fault.column,
                    found: fault.found.clone(),
                    expected: fault.expected.clone(),
                });
            }
            self.lines += rows.lines;
            self.sides.check_memory(self.name, self.entries.values.len() as u64 * ENTRY_BYTES, self.limit)?;
        }
        Ok(())
    }
}

impl Joining<'_> {
    /// Makes room for more entries.
    fn reserve(&mut self, more: usize) -> Result<(), ReadError> {
        let Entries { rows, columns, values } = &mut self.entries;
        let done = rows.try_reserve(more).and_then(|()| columns.try_reserve(more));
        done.and_then(|()| values.try_reserve(more)).map_err(|_| ReadError::OutOfMemory {
            name: self.name.to_owned(),
            needed_mib: crate::error::mib((self.count + more as u64) * ENTRY_BYTES),
        })
    }

    /// The next value of an array, which goes down the columns.
    fn put(&mut self, value: f64) {
        let (i, j) = self.next;
        let symmetry = self.header.symmetry;
        if value != 0.0 {
            let entries = &mut self.entries;
            entries.rows.push(i as u32);
            entries.columns.push(j as u32);
            entries.values.push(value);
            if i != j && symmetry != Symmetry::General {
                entries.rows.push(j as u32);
                entries.columns.push(i as u32);
                entries.values.push(if symmetry == Symmetry::Skew { -value } else { value });
            }
        }
        self.next = match (i + 1 < self.sides.rows, symmetry) {
            (true, _) => (i + 1, j),
            (false, Symmetry::General) => (0, j + 1),
            (false, Symmetry::Symmetric) => (j + 1, j + 1),
            (false, Symmetry::Skew) => (j + 2, j + 1),
        };
    }

    fn miscounted(&self) -> ReadError {
        let promised = self.header.entries;
        let found = match self.count > promised {
            true => "has more".into(),
            false => format!("has {}", self.count),
        };
        ReadError::Table {
            name: self.name.to_owned(),
            what: format!(
                "line {} promises {promised} entries, but the file {found}: it is truncated or damaged, so fetch \
                 or write it again",
                self.header.lines
            ),
        }
    }

    fn finish(self, options: &ReadOptions) -> Result<Dataset, ReadError> {
        if self.count != self.header.entries {
            return Err(self.miscounted());
        }
        self.entries.into_data(self.name, self.sides, Beside::default(), options)
    }
}
