//! LIBSVM text and CSV. They are cut into blocks, so that they are read in two sizes of blocks, both small: the
//! result, and every word of an error, is the same.

use sparsvm_core::Dataset;
use sparsvm_data::{Format, ReadError, ReadOptions, read_in_blocks};

use crate::holds;

/// LIBSVM text.
pub(crate) fn libsvm(bytes: &[u8]) -> bool {
    let mut options = holds::options(Format::Libsvm);
    let found = in_blocks(bytes, &options);
    let taken = holds::read(found, Format::Libsvm);
    // Indices from 0, and a width that is given.
    options.zero_based = bytes.len() % 2 == 1;
    options.features = Some(8);
    taken | holds::sound(read_in_blocks(bytes, holds::NAME, &options, 64)).is_some()
}

/// CSV as it is usually read.
pub(crate) fn csv(bytes: &[u8]) -> bool {
    let found = in_blocks(bytes, &holds::options(Format::Csv));
    holds::read(found, Format::Csv)
}

/// Reads in blocks of two sizes, which must not matter.
pub(crate) fn in_blocks(bytes: &[u8], options: &ReadOptions) -> Result<Dataset, ReadError> {
    let whole = read_in_blocks(bytes, holds::NAME, options, bytes.len() + 64);
    let pieces = read_in_blocks(bytes, holds::NAME, options, 1 + bytes.len() % 61);
    match (&whole, pieces) {
        (Ok(whole), pieces) => holds::same(whole, pieces),
        // Memory is counted where a block ends.
        (Err(ReadError::Memory { .. }), Err(_)) | (Err(_), Err(ReadError::Memory { .. })) => {}
        (Err(ReadError::Table { what, .. }), Err(ReadError::Table { what: other, .. })) => {
            // A quote that is left open spoils all of its block, and each column of a block is named that does not fit.
            let first = |text: &str| text.split([',', ';']).next().map(str::to_owned);
            let open = [what, &other].iter().any(|text| text.contains("a quote"));
            assert!(open || first(what) == first(&other), "{what}\n{other}");
        }
        (Err(fault), Err(other)) => assert_eq!(fault.to_string(), other.to_string()),
        (Err(fault), Ok(_)) => assert!(fault.to_string().is_empty(), "only whole it is a fault: {fault}"),
    }
    whole
}
