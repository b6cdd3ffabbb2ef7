//! Sparse linear support vector machines with nonconvex penalties: the mathematics of sparsvm.

mod certificate;
mod dataset;
pub mod design;
mod error;
pub mod linsys;
mod loss;
pub mod model;
pub mod path;
pub mod penalty;
mod problem;
mod scaling;
mod solution;
pub mod solver;

pub use certificate::{Certificate, certify};
pub use dataset::{Dataset, Labels};
pub use design::Design;
pub use error::{Error, Result};
pub use loss::Loss;
pub use model::Model;
pub use penalty::{Family, Penalty, PenaltySpec, Regularizer};
pub use problem::{Problem, balanced_weights};
pub use scaling::Scaling;
pub use solution::{Solution, Start, Status};
