//! Readers that turn files into sparsvm data sets.
//!
//! [`read`] takes LIBSVM (svmlight) text, plain or compressed, from a file or from standard input. The text
//! is never held as a whole: one thread reads and decompresses blocks of lines, the others parse them, and
//! the rows are joined in the order of the file, so the result does not depend on the number of threads.
//!
//! [`spv`] maps binary files that hold rows and columns, and writes them; [`read`] takes them too.
//!
//! [`synthetic`] makes data sets of a given shape for tests and benchmarks.

mod assemble;
mod blocks;
mod compression;
mod error;
mod explain;
mod number;
mod parse;
mod pipeline;
mod random;
mod source;
pub mod spv;
pub mod synthetic;
#[cfg(test)]
mod tests;

use std::io::Read;

use sparsvm_core::Dataset;

pub use error::ReadError;
pub use source::Source;

/// How to read LIBSVM text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Indices count from 0: index k is column k. Otherwise they count from 1, and 0 is an error.
    pub zero_based: bool,
    /// The number of columns. Without it, the largest index in the file decides.
    pub features: Option<usize>,
    /// The most bytes that the matrix may take: its rows, and one pointer a column, which whoever looks at
    /// columns needs.
    pub memory_limit: Option<u64>,
}

/// Reads LIBSVM text from a file or from standard input, decompressing it if it is compressed. A file in the
/// format [`spv`] is verified and mapped; the memory limit counts what is copied from it, and the base of
/// indices does not matter.
///
/// # Errors
/// The first fault in the order of the file, with its line and column and what to do about it.
pub fn read(source: &Source, options: &ReadOptions) -> Result<Dataset, ReadError> {
    if let Source::Path(path) = source
        && spv::is_spv(path)
    {
        return spv::read(path, options);
    }
    let name = source.to_string();
    let (input, size) = source.open()?;
    pipeline::read(input, size, &name, options, blocks::BLOCK_BYTES)
}

/// Reads LIBSVM text, plain or compressed, from anything; `name` stands for the file in errors.
///
/// # Errors
/// As [`read`].
pub fn read_from(input: impl Read + Send, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    pipeline::read(input, None, name, options, blocks::BLOCK_BYTES)
}
