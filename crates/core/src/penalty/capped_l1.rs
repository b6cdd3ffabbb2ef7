//! The capped ℓ1 penalty.

use super::{Family, Penalty, best_of};
use crate::Result;
use crate::error::check;

/// p(t) = λ·min(t, θ) (Zhang 2010); θ > 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CappedL1 {
    lambda: f64,
    theta: f64,
}

impl CappedL1 {
    /// # Errors
    /// Unless λ ≥ 0 and θ > 0.
    pub fn new(lambda: f64, theta: f64) -> Result<Self> {
        check(lambda >= 0.0, "lambda", lambda, "a penalty's strength is 0 or more")?;
        check(theta > 0.0, "theta", theta, "the capped l1 penalty needs theta > 0")?;
        Ok(Self { lambda, theta })
    }
}

impl Penalty for CappedL1 {
    #[inline]
    fn value_at(&self, t: f64) -> f64 {
        self.lambda * t.min(self.theta)
    }

    #[inline]
    fn slope_at(&self, t: f64) -> f64 {
        if t < self.theta { self.lambda } else { 0.0 }
    }

    #[inline]
    fn prox_at(&self, u: f64, step: f64) -> f64 {
        let Self { lambda, theta } = *self;
        let inner = (u - step * lambda).clamp(0.0, theta);
        let outer = u.max(theta);
        best_of(self, u, step, &[inner, outer])
    }

    /// The kink at θ is concave: no quadratic makes it convex.
    fn concavity(&self) -> f64 {
        if self.lambda == 0.0 { 0.0 } else { f64::INFINITY }
    }

    fn family(&self) -> Option<Family> {
        Some(Family::CappedL1)
    }
}
