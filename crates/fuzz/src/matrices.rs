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

/// As it comes, and with options that the bytes choose.
fn any(bytes: &[u8], format: Format) -> bool {
    let lenient = ReadOptions { unlabelled: true, ..holds::options(format) };
    let taken = holds::read(read_from(bytes, holds::NAME, &lenient), format);
    let choice = XxHash3_64::oneshot(bytes);
    if taken || choice & 1 == 0 {
        let mut options = holds::options(format);
        options.table = TableOptions {
            label: (choice & 2 != 0).then(|| "-1".into()),
            one_hot: if choice & 4 != 0 { vec!["color".into()] } else { Vec::new() },
            missing: [Missing::Refuse, Missing::Mean, Missing::Zero, Missing::DropRows]
                [(choice >> 3 & 3) as usize],
            ..TableOptions::default()
        };
        holds::read(read_from(bytes, holds::NAME, &options), format);
    }
    taken
}
