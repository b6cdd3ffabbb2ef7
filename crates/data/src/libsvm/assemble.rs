//! Rows of blocks joined to one data set.

use sparsvm_core::design::Sparse;
use sparsvm_core::{Dataset, Labels};

use super::explain::Fault;
use super::parse::Rows;
use crate::growing::{Growing, grow};
use crate::text::Sink;
use crate::text::blocks::Block;
use crate::{ReadError, ReadOptions};

/// The data set so far.
#[derive(Debug)]
pub(crate) struct Assembly<'a> {
    matrix: Growing<'a>,
    features: Option<usize>,
    order: Order,
    labels: Vec<f64>,
    queries: Vec<u64>,
}

/// What is counted from block to block.
#[derive(Debug, Default)]
pub(crate) struct Order {
    lines: u64,
    pub(crate) has_query: Option<bool>,
}

impl Order {
    /// Goes past the rows of a block, or says what is wrong with them.
    pub(crate) fn pass(&mut self, name: &str, rows: &Rows) -> Result<(), ReadError> {
        if let Some(first) = rows.first {
            let expected = *self.has_query.get_or_insert(first.has_query);
            if expected != first.has_query {
                return Err(self.syntax(name, Fault::mixed_queries(first)));
            }
        }
        if let Some(fault) = &rows.fault {
            return Err(self.syntax(name, fault.clone()));
        }
        self.lines += rows.lines;
        Ok(())
    }

    fn syntax(&self, name: &str, fault: Fault) -> ReadError {
        let Fault { line, column, found, expected } = fault;
        ReadError::Syntax { name: name.to_owned(), line: self.lines + line, column, found, expected }
    }
}

impl Sink<Rows> for Assembly<'_> {
    fn append(&mut self, blocks: &mut [Block<Rows>]) -> Result<(), ReadError> {
        let Some(last) = blocks.last() else { return Ok(()) };
        let entries = blocks.iter().map(|block| block.rows.values.len()).sum();
        let rows = blocks.iter().map(|block| block.rows.labels.len()).sum();
        if let Some(room) = self.matrix.reserve(rows, entries, last.read_so_far)? {
            grow(&mut self.labels, room).map_err(|_| self.matrix.out_of_memory(entries))?;
        }
        for block in blocks {
            let rows = &block.rows;
            self.order.pass(self.matrix.name(), rows)?;
            self.labels.extend_from_slice(&rows.labels);
            self.queries.extend_from_slice(&rows.queries);
            self.matrix.extend(&rows.ends, &rows.columns, &rows.values, rows.width);
            self.matrix.check_memory(self.features, block.read_so_far)?;
        }
        Ok(())
    }
}

impl<'a> Assembly<'a> {
    /// Nothing yet of a file of `size` bytes.
    pub(crate) fn new(name: &'a str, options: &ReadOptions, size: Option<u64>) -> Self {
        Self {
            matrix: Growing::new(name, options.memory_limit, size),
            features: options.features,
            order: Order::default(),
            labels: Vec::new(),
            queries: Vec::new(),
        }
    }

    /// The data set.
    pub(crate) fn finish(mut self) -> Result<Dataset, ReadError> {
        let name = self.matrix.name();
        if self.labels.is_empty() {
            return Err(ReadError::Empty { name: name.to_owned() });
        }
        let failed = |source| ReadError::Data { name: name.to_owned(), source };
        let labels = Labels::from_numbers(&self.labels);
        drop(std::mem::take(&mut self.labels));
        let width = self.features.unwrap_or(self.matrix.width as usize);
        let rows = self.matrix.finish(width)?;
        let dataset = Dataset::new(Sparse::from_rows(rows), labels).map_err(failed)?;
        if self.order.has_query == Some(true) {
            dataset.with_queries(self.queries).map_err(failed)
        } else {
            Ok(dataset)
        }
    }
}
