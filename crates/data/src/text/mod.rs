//! Text of any grammar: cut into blocks of whole lines, parsed apart from each other, joined in order.

pub(crate) mod blocks;
pub(crate) mod number;
pub(crate) mod pipeline;
pub(crate) mod quotes;

use crate::ReadError;
use blocks::Block;

/// A grammar: what the pool's threads do to a block.
pub(crate) trait Grammar: Sync {
    /// What comes out of a block. Used again for other blocks.
    type Rows: Default + Send;

    /// Parses the first `len` bytes of `text`, which are whole lines each ended by a newline; at least
    /// [`PADDING`](number::PADDING) bytes follow. A fault is kept among the rows.
    fn parse(&self, text: &[u8], len: usize, rows: &mut Self::Rows);

    /// What separates values that may stand in double quotes, where a newline does not end a line.
    fn quoting(&self) -> Option<u8> {
        None
    }
}

/// Where the rows go, block by block in the order of the file.
pub(crate) trait Sink<R>: Send {
    /// Takes blocks that follow each other, up to the first fault.
    fn append(&mut self, blocks: &mut [Block<R>]) -> Result<(), ReadError>;
}
