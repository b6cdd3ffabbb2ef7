//! Compressed streams of any kind, and formats told by their content.

use sparsvm_data::{Format, ReadOptions, read_from};

use crate::holds;

/// Whatever it is.
pub(crate) fn compressed(bytes: &[u8]) -> bool {
    let options = ReadOptions { format: None, ..holds::options(Format::Libsvm) };
    holds::sound(read_from(bytes, holds::NAME, &options)).is_some()
}
