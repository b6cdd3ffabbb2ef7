//! Formats that are read by one call: arrays of NumPy, Matrix Market text, Parquet and Arrow.

use sparsvm_data::{Format, Missing, ReadOptions, TableOptions, read_from};
use twox_hash::XxHash3_64;

use crate::holds;

/// One array of NumPy.
pub(crate) fn npy(bytes: &[u8]) -> bool {
    any(bytes, Format::Npy)
}

/// Arrays of NumPy in a zip archive, or a sparse matrix of SciPy.
pub(crate) fn npz(bytes: &[u8]) -> bool {
    any(bytes, Format::Npz)
}

/// Matrix Market text.
pub(crate) fn mtx(bytes: &[u8]) -> bool {
    any(bytes, Format::MatrixMarket)
}

/// Apache Parquet.
pub(crate) fn parquet(bytes: &[u8]) -> bool {
    any(bytes, Format::Parquet)
}

/// Apache Arrow IPC.
pub(crate) fn arrow(bytes: &[u8]) -> bool {
    any(bytes, Format::Arrow)
}

/// As it comes, and with the help that text and missing values need, of a kind that the bytes choose.
fn any(bytes: &[u8], format: Format) -> bool {
    let lenient = ReadOptions { unlabelled: true, ..holds::options(format) };
    let choice = XxHash3_64::oneshot(bytes);
    let helped = ReadOptions {
        table: TableOptions {
            label: (choice & 1 != 0).then(|| "-1".into()),
            one_hot: vec!["color".into()],
            missing: [Missing::Mean, Missing::Zero, Missing::DropRows][(choice >> 1) as usize % 3],
            ..TableOptions::default()
        },
        ..lenient.clone()
    };
    let taken = [lenient, helped].map(|options| holds::read(read_from(bytes, holds::NAME, &options), format));
    taken.contains(&true)
}
