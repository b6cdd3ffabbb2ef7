//! Data sets into files, in every format that is read.

mod arrow_ipc;
mod columnar;
mod csv;
mod libsvm;
mod market;
mod npy;
mod npz;
mod parquet;

use std::io::{self, Write};

use sparsvm_core::Dataset;
use sparsvm_core::design::Width;
use thiserror::Error;

use crate::Format;

/// Why a data set could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The writer failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format cannot hold this data.
    #[error("the {format} format cannot hold this data: {why}")]
    Unfit {
        /// The format.
        format: Format,
        /// Why not, and what to do.
        why: String,
    },
}

/// Writes a data set in a format.
///
/// # Errors
/// If the writer fails, or the format cannot hold the data.
pub fn write(data: &Dataset, format: Format, to: &mut (dyn Write + Send)) -> Result<(), WriteError> {
    match format {
        Format::Libsvm => libsvm::write(data, to),
        Format::Csv => csv::write(data, to),
        Format::Spv => Ok(crate::spv::write(data, Width::F64, to).map_err(io::Error::from)?),
        Format::Npy => npy::write(data, to),
        Format::Npz => npz::write(data, to),
        Format::MatrixMarket => market::write(data, to),
        Format::Parquet => parquet::write(data, to),
        Format::Arrow => arrow_ipc::write(data, to),
    }
}

/// The label of row i; empty if nobody knows it.
fn label(data: &Dataset, i: usize) -> &str {
    let labels = data.labels();
    labels.classes().get(labels.codes()[i] as usize).map_or("", String::as_str)
}

/// Refuses to lose what is there besides the matrix.
fn refuse_more_than_matrix(data: &Dataset, format: Format, others: &str) -> Result<(), WriteError> {
    let lost = [
        ("labels", data.labels().are_known()),
        ("names of features", data.names().is_some()),
        ("query numbers", data.queries().is_some()),
    ];
    match lost.iter().find(|(_, there)| *there) {
        Some((what, _)) => {
            let why = format!(
                "it has a place for the matrix only, and there are {what}: leave them out with --matrix-only, or choose \
                 {others}"
            );
            Err(WriteError::Unfit { format, why })
        }
        None => Ok(()),
    }
}
