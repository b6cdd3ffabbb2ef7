//! Tables: columns with names, of which one is the label. CSV, Parquet and Arrow fill [`Piece`](piece::Piece)s
//! by a [`Plan`](plan::Plan); [`join`] makes a data set of them. Entries of 0 are not held, as in LIBSVM text, so
//! that the same data has the same bits in every format.

pub(crate) mod arrow_ipc;
mod cells;
mod columnar;
pub(crate) mod csv;
mod expected;
mod gaps;
mod head;
mod ipc_messages;
pub(crate) mod join;
mod options;
pub(crate) mod parquet;
mod parquet_kinds;
pub(crate) mod piece;
pub(crate) mod place;
pub(crate) mod plan;
mod thrift;

pub use expected::Expected;
pub use options::{Missing, TableOptions, UnknownMissing};
