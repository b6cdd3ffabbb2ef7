//! LIBSVM (svmlight) text: LABEL [qid:QUERY] INDEX:VALUE INDEX:VALUE …

pub(crate) mod assemble;
mod explain;
pub(crate) mod parse;

use sparsvm_core::Dataset;

use crate::text::blocks::BLOCK_BYTES;
use crate::text::pipeline::{self, Input};
use crate::{ReadError, ReadOptions};
use assemble::Assembly;
use parse::Rules;

/// Reads a data set.
pub(crate) fn read(input: Input<'_>, options: &ReadOptions) -> Result<Dataset, ReadError> {
    read_in(input, options, BLOCK_BYTES)
}

/// [`read`] in blocks of this size.
pub(crate) fn read_in(
    input: Input<'_>,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<Dataset, ReadError> {
    let mut assembly = Assembly::new(input.name, options, input.size);
    pipeline::run(input, &Rules::new(options), &mut assembly, (block_bytes, most_bytes(options)))?;
    assembly.finish()
}

/// The longest line.
pub(crate) fn most_bytes(options: &ReadOptions) -> u64 {
    options.memory_limit.unwrap_or(u64::MAX)
}
