//! What the proximal gradient solvers share: the smooth part with its intercept eliminated ([`Smooth`],
//! [`Point`], [`intercept`]), proximal steps with backtracking ([`descent`]), the accelerated method
//! ([`fista`]), the rule that ends them ([`Settled`]), and what makes a solver of one ([`Method`]).
//!
//! The intercept is not penalised, so it is not stepped but minimised over: with
//!
//!   f(w) = min over b of (1/n) Σ_i c_i ℓ(y_i(x_iᵀw + b))
//!
//! f is convex, its gradient is the loss's at the best b, and its curvature is no larger than the loss's.
//! The scale of b then plays no part in the step, and yᵀβ = 0 in every iterate.

mod descent;
mod fista;
mod intercept;
mod method;
mod point;
mod settled;
mod smooth;

pub(super) use descent::Descent;
pub(super) use fista::Fista;
pub(super) use method::Method;
pub(super) use point::{Found, Point};
pub(super) use settled::Settled;
pub(super) use smooth::Smooth;
