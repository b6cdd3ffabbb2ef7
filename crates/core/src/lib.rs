//! Sparse linear support vector machines with nonconvex penalties: the mathematics of sparsvm.

mod dataset;
pub mod design;
mod error;

pub use dataset::{Dataset, Labels};
pub use design::Design;
pub use error::{Error, Result};
