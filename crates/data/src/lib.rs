//! Readers that turn files into sparsvm data sets.
//!
//! [`read`] takes any [`Format`], plain or compressed, from a file or from standard input. Text is never held
//! as a whole: one thread reads and decompresses blocks of lines, the others parse them, and the rows are
//! joined in the order of the file, so the result does not depend on the number of threads.
//!
//! [`spv`] maps binary files that hold rows and columns, and writes them; [`read`] takes them too.
//!
//! [`synthetic`] makes data sets of a given shape for tests and benchmarks.

mod array;
mod compression;
mod error;
mod format;
mod growing;
mod guard;
mod labels;
mod libsvm;
mod market;
mod matrix;
mod open;
mod quote;
mod random;
mod source;
pub mod spv;
mod stream;
pub mod synthetic;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod write;

use std::io::Read;
use std::path::PathBuf;

use sparsvm_core::Dataset;

pub use error::ReadError;
pub use format::{Format, UnknownFormat};
pub use source::Source;
#[doc(hidden)]
pub use stream::stream_in_blocks;
pub use stream::{StreamError, stream};
pub use table::{Expected, Missing, TableOptions, UnknownMissing};
pub use write::{WriteError, write};

use open::Opened;

/// How to read data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// The format; otherwise the file's content tells it, and its name where that leaves a doubt.
    pub format: Option<Format>,
    /// Indices in LIBSVM text count from 0: index k is column k. Otherwise they count from 1, and 0 is an error.
    pub zero_based: bool,
    /// The number of columns. Without it, the largest index in the file decides.
    pub features: Option<usize>,
    /// The most bytes that the matrix may take: its rows, and one pointer a column, which whoever looks at
    /// columns needs.
    pub memory_limit: Option<u64>,
    /// Which column of a table is what.
    pub table: TableOptions,
    /// The features that a model wants of a table whose columns have names.
    pub expected: Option<Expected>,
    /// Labels need not be there.
    pub unlabelled: bool,
    /// A file of labels for data that has none: one a line of text, or an array of NumPy.
    pub labels: Option<PathBuf>,
}

/// Reads a file or standard input in any [`Format`], decompressing it if it is compressed. A file in the
/// format [`spv`] is verified and mapped; the memory limit counts what is copied from it. Other data is held densely if no entry
/// is missing.
///
/// # Errors
/// The first fault in the order of the file, with its place and what to do about it.
pub fn read(source: &Source, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let name = source.to_string();
    dispatch(Opened::new(source)?, &name, options)
}

/// Reads data from anything; `name` stands for the file in errors.
///
/// # Errors
/// As [`read`].
pub fn read_from(input: impl Read + Send, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    dispatch(Opened::from_reader(input, None, name)?, name, options)
}

/// [`read_from`], with LIBSVM text and CSV in blocks of about so many bytes. For tests: blocks of the usual size take
/// longer to make than small files to read, and have no edges in them.
///
/// # Errors
/// As [`read`].
#[doc(hidden)]
pub fn read_in_blocks(
    input: impl Read + Send,
    name: &str,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<Dataset, ReadError> {
    let opened = Opened::from_reader(input, None, name)?;
    match opened.format(options) {
        Format::Libsvm => libsvm::read_in(opened.text(name), options, block_bytes),
        Format::Csv => table::csv::read_in(opened.text(name), options, block_bytes),
        _ => dispatch(opened, name, options),
    }
}

fn dispatch(opened: Opened<'_>, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    if let Some(path) = &options.labels {
        let bare = labels::without(name, opened.format(options), options)?;
        return labels::attach(name, dispatch(opened, name, &bare)?, path, options);
    }
    let data = match opened.format(options) {
        // What is mapped stays where it is.
        Format::Spv => {
            return match opened.path {
                Some(path) => spv::read(&path, options),
                None => Err(spv::not_a_file(name)),
            };
        }
        Format::Libsvm => libsvm::read(opened.text(name), options),
        Format::Csv => table::csv::read(opened.text(name), options),
        Format::Npy => array::read_npy(opened, name, options),
        Format::Npz => array::read_npz(opened, name, options),
        Format::MatrixMarket => market::read(opened.text(name), options),
        Format::Parquet => table::parquet::read(opened, name, options),
        Format::Arrow => table::arrow_ipc::read(opened, name, options),
    }?;
    Ok(data.dense_if_full(options.memory_limit))
}
