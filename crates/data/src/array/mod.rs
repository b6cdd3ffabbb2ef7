//! Arrays of NumPy and SciPy: .npy, .npz, and the sparse matrices of scipy.sparse.save_npz.
//!
//! A dense matrix is a table whose columns are numbered, or named by an array `feature_names`, so that labels,
//! missing values and the rest are as in [`table`](crate::table). A sparse one goes to [`matrix`](crate::matrix).

mod dense;
mod dtype;
pub(crate) mod header;
pub(crate) mod npy;
mod npz;
mod scipy;

use sparsvm_core::Dataset;

use crate::compression::Compression;
use crate::open::Opened;
use crate::{ReadError, ReadOptions};
use npy::{Array, Place};

pub(crate) use dense::Beside;
pub(crate) use npz::read as read_npz;

/// Reads a matrix from a .npy file.
pub(crate) fn read_npy(opened: Opened<'_>, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    dense::read(open(opened, name)?, dense::Beside::default(), options)
}

/// A .npy file up to its header.
pub(crate) fn open<'a>(opened: Opened<'a>, name: &'a str) -> Result<Array<'a>, ReadError> {
    let input = opened.text(name);
    let size = input.size.filter(|_| input.compression == Compression::Plain);
    Array::open(input.text, Place { file: name, key: None, compression: input.compression }, size)
}
