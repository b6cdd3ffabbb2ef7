//! The design matrix X: n rows (samples), d columns (features), dense or sparse behind one trait.
//!
//! The trait acts on whole vectors, columns and rows, so a `&dyn Design` costs nothing in a solver.
//! Every result is the same to the last bit for any number of threads: work is split so that each
//! output element is summed by one thread in one order.

mod compressed;
mod dense;
mod full;
mod gram;
mod pairs;
mod picked;
pub(crate) mod shares;
mod slice;
mod sparse;
mod storage;
mod transpose;
mod turn;

use std::fmt::Debug;

use faer::MatMut;

pub use compressed::Compressed;
pub(crate) use compressed::Parts;
pub use dense::Dense;
pub(crate) use dense::lower_product;
pub(crate) use full::dense_if_full;
pub use pairs::PairDesign;
pub use slice::Slice;
pub(crate) use slice::dot;
pub use sparse::Sparse;
pub use storage::{Array, Shared, Values, Width};

/// Below this many stored entries a product runs on the calling thread: waking others costs more.
pub const PARALLEL_ENTRIES: usize = 1 << 16;

/// Which Gram matrix: XXᵀ over samples, or XᵀX over features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// XXᵀ, n × n.
    Samples,
    /// XᵀX, d × d.
    Features,
}

/// A read-mostly n × d matrix.
pub trait Design: Debug + Send + Sync {
    /// n, the number of samples.
    fn rows(&self) -> usize;

    /// d, the number of features.
    fn cols(&self) -> usize;

    /// Entries held: n·d if dense, the stored ones if sparse.
    fn stored(&self) -> usize;

    /// True if zeros are not held. Rows are then the cheap way in, and columns otherwise.
    fn is_sparse(&self) -> bool;

    /// out = X v, with `v` of length d and `out` of length n. Zeros in `v` are skipped where that pays.
    fn matvec(&self, v: &[f64], out: &mut [f64]);

    /// out = Xᵀ u, with `u` of length n and `out` of length d.
    fn rmatvec(&self, u: &[f64], out: &mut [f64]);

    /// Column j, of length n.
    fn column(&self, j: usize) -> Slice<'_>;

    /// Row i, of length d.
    fn row(&self, i: usize) -> Slice<'_>;

    /// The lower triangle of XXᵀ or XᵀX into `out`; what stands above the diagonal is unspecified.
    /// `out` is all the memory that this takes, but for a few rows.
    fn gram(&self, side: Side, out: MatMut<'_, f64>);

    /// Multiplies column j by `factors[j]`, in place: a sparse matrix stays sparse.
    fn scale_columns(&mut self, factors: &[f64]);

    /// Bytes that use of both rows and columns will still allocate: what is made on first use, and copies of
    /// values that are not ours if columns are to be `scaled`.
    fn bytes_to_come(&self, _scaled: bool) -> u64 {
        0
    }

    /// True if rows need not be made first.
    fn has_rows(&self) -> bool {
        true
    }

    /// True if columns need not be made first.
    fn has_columns(&self) -> bool {
        true
    }

    /// Lets go of the rows for the columns, if it holds rows of its own: for who works by columns. They are made again if they are
    /// asked for.
    fn turn_to_columns(&mut self) {}

    /// A matrix of the named columns, which ascend, for use by columns: where they lie if they lie apart, else a new one. Nothing where
    /// that is no cheaper than to ask for each of them.
    fn select_columns(&self, _columns: &[usize]) -> Option<Box<dyn Design + '_>> {
        None
    }

    /// A new matrix of the named rows, in that order.
    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design>;
}
