//! Sparse linear support vector machines with nonconvex penalties: the mathematics of sparsvm.
//!
//!   minimise  F(w,b) = (1/n) Σ_i c_i ℓ(y_i(x_iᵀw + b)) + Σ_j κ_j p_λ(|w_j|) + (μ/2)‖w‖²
//!
//! with ℓ a [`Loss`], p_λ a [`Penalty`], and everything else a part of the [`Problem`]. Data flows one way:
//! a [`Dataset`] gives a problem, a [solver](solver::Solver) a [`Solution`] with its [`Certificate`], and
//! that a [`Model`]. This crate prints nothing and reads no file. With query numbers, [`rank`] learns to
//! order rows instead of telling two classes apart.
//!
//! ```
//! use sparsvm_core::design::Dense;
//! use sparsvm_core::solver::{Exact, Silent, solve};
//! use sparsvm_core::{Family, Loss, PenaltySpec, Problem, Regularizer, Status};
//!
//! // Six samples of three features; the first one tells the classes apart.
//! let x = Dense::from_rows(6, 3, &[
//!     1.2, 0.3, -0.1, 0.9, -0.4, 0.2, 1.5, 0.1, 0.4, -1.1, 0.2, 0.3, -0.8, -0.3, -0.2, -1.4, 0.4, 0.1,
//! ])?;
//! let y = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0];
//! let penalty = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, 0.1))?;
//! let problem = Problem::new(&x, &y, Loss::Hinge, penalty)?;
//! let found = solve(&Exact::default(), &problem, None, &mut Silent)?;
//! assert_eq!(found.status, Status::Converged);
//! assert_eq!(found.nonzeros(), 1);
//! # Ok::<(), sparsvm_core::Error>(())
//! ```

pub mod calibrate;
mod certificate;
mod dataset;
pub mod design;
mod error;
mod goal;
mod intercept;
pub mod linsys;
mod loss;
pub mod model;
pub mod path;
pub mod penalty;
mod pool;
mod problem;
pub mod rank;
mod scaling;
pub mod select;
mod solution;
pub mod solver;
pub mod team;

pub use certificate::{Certificate, certify};
pub use dataset::{Dataset, Labels, Table};
pub use design::Design;
pub use error::{Error, Result};
pub use goal::Goal;
pub use intercept::Intercept;
pub use loss::Loss;
pub use model::{Model, Saved};
pub use penalty::{Family, Penalty, PenaltySpec, Regularizer};
pub use problem::{Problem, balanced_by_class, balanced_weights};
pub use scaling::Scaling;
pub use solution::{Solution, Start, Status};
