//! Tests of the reader as a whole.

mod blocks;
mod compressed;
mod csv;
mod faults;
mod label_files;
mod market;
mod numpy;
mod options;
mod round_trip;
mod stream;
mod syntax;

use sparsvm_core::Dataset;

use crate::open::Opened;
use crate::{ReadError, ReadOptions, libsvm};

/// Columns from 0, and values.
type Entries = Vec<(usize, f64)>;

/// All of a data set in a form that can be compared.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) cols: usize,
    /// Label, query number and entries.
    pub(crate) rows: Vec<(String, Option<u64>, Entries)>,
}

pub(crate) fn seen(data: &Dataset) -> Seen {
    let rows = (0..data.design().rows()).map(|i| {
        let mut entries = Vec::new();
        data.design().row(i).for_each(|j, x| entries.push((j, x)));
        let label = data.labels().classes()[data.labels().codes()[i] as usize].clone();
        (label, data.queries().map(|queries| queries[i]), entries)
    });
    Seen { cols: data.design().cols(), rows: rows.collect() }
}

/// Reads `text` in blocks of `block_bytes`.
pub(crate) fn read_in(text: &[u8], options: &ReadOptions, block_bytes: usize) -> Result<Dataset, ReadError> {
    let opened = Opened::from_reader(text, None, "data")?;
    libsvm::read_in(opened.text("data"), options, block_bytes)
}

pub(crate) fn read(text: &[u8]) -> Result<Dataset, ReadError> {
    read_in(text, &ReadOptions::default(), crate::text::blocks::BLOCK_BYTES)
}

/// The rows of `text` without their queries.
pub(crate) fn rows(text: &str) -> Vec<(String, Entries)> {
    let data = read(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    seen(&data).rows.into_iter().map(|(label, _, entries)| (label, entries)).collect()
}

/// Where the fault is, and its whole text.
pub(crate) fn fault_in(text: &[u8], options: &ReadOptions, block_bytes: usize) -> (u64, u64, String) {
    match read_in(text, options, block_bytes) {
        Err(error) => {
            let whole = error.to_string();
            let ReadError::Syntax { line, column, .. } = error else { panic!("not a syntax error: {whole}") };
            assert!(whole.starts_with(&format!("data, line {line}, column {column}: found ")), "{whole}");
            (line, column, whole)
        }
        Ok(_) => panic!("{:?} is no fault", String::from_utf8_lossy(text)),
    }
}
