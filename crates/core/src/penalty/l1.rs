//! The convex one: p(t) = λt.

use super::{Family, Penalty};
use crate::Result;
use crate::error::check;

/// p(t) = λt, λ ≥ 0 (Tibshirani 1996).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L1 {
    lambda: f64,
}

impl L1 {
    /// # Errors
    /// Unless λ ≥ 0.
    pub fn new(lambda: f64) -> Result<Self> {
        check(lambda >= 0.0, "lambda", lambda, "a penalty's strength is 0 or more")?;
        Ok(Self { lambda })
    }
}

impl Penalty for L1 {
    #[inline]
    fn value_at(&self, t: f64) -> f64 {
        self.lambda * t
    }

    #[inline]
    fn slope_at(&self, _t: f64) -> f64 {
        self.lambda
    }

    #[inline]
    fn prox_at(&self, u: f64, step: f64) -> f64 {
        (u - step * self.lambda).max(0.0)
    }

    fn concavity(&self) -> f64 {
        0.0
    }

    fn family(&self) -> Option<Family> {
        Some(Family::L1)
    }
}
