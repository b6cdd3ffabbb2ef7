//! Rows of blocks joined to one matrix.
//!
//! The matrix grows in place. Where the size of the file is known, the space for all of it is reserved after
//! the first blocks, at the density found there: memory that is reserved and never written costs nothing,
//! and nothing is copied a second time.

use std::collections::TryReserveError;

use sparsvm_core::design::{Compressed, Sparse};
use sparsvm_core::{Dataset, Labels};

use crate::blocks::Block;
use crate::error::mib;
use crate::explain::Fault;
use crate::{ReadError, ReadOptions};

/// Bytes of an entry: its column and its value.
const ENTRY_BYTES: u64 = 12;

/// Bytes of a row besides its entries: its pointer and its label.
const ROW_BYTES: u64 = 16;

/// Bytes of a column: a pointer, or a weight.
const COLUMN_BYTES: u64 = 8;

/// The matrix so far.
#[derive(Debug)]
pub(crate) struct Assembly<'a> {
    name: &'a str,
    features: Option<usize>,
    memory_limit: Option<u64>,
    size: Option<u64>,
    lines: u64,
    width: u64,
    has_query: Option<bool>,
    labels: Vec<f64>,
    queries: Vec<u64>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl<'a> Assembly<'a> {
    /// Nothing yet of a file of `size` bytes.
    pub(crate) fn new(name: &'a str, options: &ReadOptions, size: Option<u64>) -> Self {
        Self {
            name,
            features: options.features,
            memory_limit: options.memory_limit,
            size,
            lines: 0,
            width: 0,
            has_query: None,
            labels: Vec::new(),
            queries: Vec::new(),
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Appends blocks that follow each other, up to the first fault.
    pub(crate) fn append(&mut self, blocks: &[Block]) -> Result<(), ReadError> {
        let Some(last) = blocks.last() else { return Ok(()) };
        let entries = blocks.iter().map(|block| block.rows.values.len()).sum();
        let rows = blocks.iter().map(|block| block.rows.labels.len()).sum();
        self.reserve(rows, entries, last.read_so_far)?;
        for block in blocks {
            self.append_one(block)?;
        }
        Ok(())
    }

    fn append_one(&mut self, block: &Block) -> Result<(), ReadError> {
        let rows = &block.rows;
        if let Some(first) = rows.first {
            let expected = *self.has_query.get_or_insert(first.has_query);
            if expected != first.has_query {
                return Err(self.syntax(Fault::mixed_queries(first)));
            }
        }
        if let Some(fault) = &rows.fault {
            return Err(self.syntax(fault.clone()));
        }
        let before = self.values.len();
        self.labels.extend_from_slice(&rows.labels);
        self.queries.extend_from_slice(&rows.queries);
        self.starts.extend(rows.ends.iter().map(|end| before + end));
        self.columns.extend_from_slice(&rows.columns);
        self.values.extend_from_slice(&rows.values);
        self.width = self.width.max(rows.width);
        self.lines += rows.lines;
        self.check_memory(block.read_so_far)
    }

    fn syntax(&self, fault: Fault) -> ReadError {
        let Fault { line, column, found, expected } = fault;
        ReadError::Syntax { name: self.name.to_owned(), line: self.lines + line, column, found, expected }
    }

    /// How many of something there may be in the whole file, if there are `count` in the part read so far.
    fn estimate(&self, count: usize, read_so_far: u64) -> Option<u64> {
        let size = self.size.filter(|&size| size > 0 && read_so_far > 0)?;
        Some((count as f64 * (size as f64 / read_so_far as f64)) as u64)
    }

    /// Makes room for more rows and entries.
    fn reserve(&mut self, rows: usize, entries: usize, read_so_far: u64) -> Result<(), ReadError> {
        let target = |have: usize, capacity: usize, more: usize| {
            let needed = have + more;
            (needed > capacity).then(|| {
                // 3 % more than estimated, as the density varies; without an estimate, steps of a quarter.
                let wanted = self.estimate(needed, read_so_far).map(|total| (total as f64 * 1.03) as usize);
                (needed, wanted.unwrap_or(needed).max(needed + have / 4))
            })
        };
        let for_rows = target(self.labels.len(), self.labels.capacity(), rows);
        let for_entries = target(self.values.len(), self.values.capacity(), entries);
        let mut done = Ok(());
        if let Some(room) = for_rows {
            done =
                done.and_then(|()| grow(&mut self.labels, room)).and_then(|()| grow(&mut self.starts, room));
        }
        if let Some(room) = for_entries {
            done =
                done.and_then(|()| grow(&mut self.columns, room)).and_then(|()| grow(&mut self.values, room));
        }
        let bytes = ((self.values.len() + entries) as u64) * ENTRY_BYTES;
        done.map_err(|_| ReadError::OutOfMemory { name: self.name.to_owned(), needed_mib: mib(bytes) })
    }

    fn check_memory(&self, read_so_far: u64) -> Result<(), ReadError> {
        let Some(limit) = self.memory_limit else { return Ok(()) };
        let rows = self.labels.len() as u64 * ROW_BYTES + self.values.len() as u64 * ENTRY_BYTES;
        let columns = self.features.map_or(self.width, |features| features as u64) * COLUMN_BYTES;
        if rows + columns <= limit {
            return Ok(());
        }
        let (what, needed) = if columns > rows {
            (format!("a matrix with {} features takes", columns / COLUMN_BYTES), columns)
        } else {
            let total = self.estimate(rows as usize, read_so_far).unwrap_or(rows);
            ("the matrix takes".into(), total.max(rows) + columns)
        };
        Err(ReadError::Memory {
            name: self.name.to_owned(),
            what,
            needed_mib: mib(needed),
            limit_mib: limit >> 20,
        })
    }

    /// The data set.
    pub(crate) fn finish(mut self) -> Result<Dataset, ReadError> {
        if self.labels.is_empty() {
            return Err(ReadError::Empty { name: self.name.to_owned() });
        }
        let failed = |source| ReadError::Data { name: self.name.to_owned(), source };
        let labels = Labels::from_numbers(&self.labels);
        drop(std::mem::take(&mut self.labels));
        self.starts.shrink_to_fit();
        self.columns.shrink_to_fit();
        self.values.shrink_to_fit();
        let width = self.features.unwrap_or(self.width as usize);
        let rows = Compressed::new(self.starts, self.columns, self.values, width).map_err(failed)?;
        let dataset = Dataset::new(Sparse::from_rows(rows), labels).map_err(failed)?;
        if self.has_query == Some(true) {
            dataset.with_queries(self.queries).map_err(failed)
        } else {
            Ok(dataset)
        }
    }
}

/// Room for `wanted` elements, or at least for as many as are `needed`.
fn grow<T>(vec: &mut Vec<T>, (needed, wanted): (usize, usize)) -> Result<(), TryReserveError> {
    // One more than asked, as there is one more pointer than rows.
    let more = |total: usize| total.saturating_add(1).saturating_sub(vec.len());
    let (needed, wanted) = (more(needed), more(wanted));
    vec.try_reserve_exact(wanted).or_else(|_| vec.try_reserve_exact(needed))
}
