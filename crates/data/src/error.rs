//! What can go wrong while reading. Each text names the file and can be printed as it is.

use std::io;

use thiserror::Error;

/// Why a file could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be opened.
    #[error("cannot open {name}: {source}")]
    Open {
        /// The file.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// The operating system refused a read.
    #[error("cannot read {name}: {source}")]
    Io {
        /// The file.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// A compressed file that ends too early.
    #[error("{name}: the {format} data ends too early: the file is truncated, so fetch or compress it again")]
    Truncated {
        /// The file.
        name: String,
        /// What it is compressed with.
        format: &'static str,
    },
    /// A compressed file that cannot be decompressed.
    #[error("{name}: the {format} data cannot be decompressed ({reason}): fetch or compress the file again")]
    Damaged {
        /// The file.
        name: String,
        /// What it is compressed with.
        format: &'static str,
        /// What the decompressor said.
        reason: String,
    },
    /// A file of a kind that is not read.
    #[error("{name}: this is {format}, which is not read: {remedy}")]
    Format {
        /// The file.
        name: String,
        /// What the file seems to be.
        format: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A binary file whose decoder gave up.
    #[error(
        "{name}: the {format} data cannot be decoded ({reason}): the file is truncated, damaged or of a kind that \
         is not read, so fetch or write it again"
    )]
    Undecodable {
        /// The file.
        name: String,
        /// Its format.
        format: &'static str,
        /// What the decoder said.
        reason: String,
    },
    /// Text that is no LIBSVM text.
    #[error("{name}, line {line}, column {column}: found {found}, but expected {expected}")]
    Syntax {
        /// The file.
        name: String,
        /// The line, counting from 1.
        line: u64,
        /// The column in bytes, counting from 1; a byte-order mark does not count.
        column: u64,
        /// What stands there.
        found: String,
        /// What should stand there and, where that helps, what to do.
        expected: String,
    },
    /// A table that cannot be taken as data.
    #[error("{name}: {what}")]
    Table {
        /// The file.
        name: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// No row at all.
    #[error("{name}: no rows found: the file is empty or has only blank lines and comments")]
    Empty {
        /// The file.
        name: String,
    },
    /// More data than allowed.
    #[error(
        "{name}: {what} about {needed_mib} MiB, more than the limit of {limit_mib} MiB: \
         raise --memory-limit, or use fewer rows or features"
    )]
    Memory {
        /// The file.
        name: String,
        /// What takes the memory, with a verb.
        what: String,
        /// How much it would take.
        needed_mib: u64,
        /// How much it may take.
        limit_mib: u64,
    },
    /// More data than there is memory.
    #[error(
        "{name}: out of memory: {needed_mib} MiB could not be had for the matrix; use fewer rows or features"
    )]
    OutOfMemory {
        /// The file.
        name: String,
        /// What was asked for.
        needed_mib: u64,
    },
    /// A .spv file that is not as it was written.
    #[error(
        "{name}, {section}: {found}: the file is damaged or cut short, so convert the original data again"
    )]
    DamagedSpv {
        /// The file.
        name: String,
        /// The part of the file.
        section: &'static str,
        /// What was found there.
        found: String,
    },
    /// A file that is fine, but cannot be used here or in this way.
    #[error("{name}: {found}: {remedy}")]
    Refused {
        /// The file.
        name: String,
        /// What was found.
        found: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Rows that make no data set.
    #[error("{name}: {source}")]
    Data {
        /// The file.
        name: String,
        /// Why.
        source: sparsvm_core::Error,
    },
}

/// Bytes as MiB, rounded up.
pub(crate) fn mib(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}
