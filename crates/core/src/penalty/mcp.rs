//! The minimax concave penalty.

use super::{Family, Penalty, best_of};
use crate::Result;
use crate::error::check;

/// p(t) = λt - t²/(2θ) up to θλ, θλ²/2 from there (Zhang 2010); θ > 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mcp {
    lambda: f64,
    theta: f64,
}

impl Mcp {
    /// # Errors
    /// Unless λ ≥ 0 and θ > 0.
    pub fn new(lambda: f64, theta: f64) -> Result<Self> {
        check(lambda >= 0.0, "lambda", lambda, "a penalty's strength is 0 or more")?;
        check(theta > 0.0, "theta", theta, "MCP needs theta > 0 (3 is usual)")?;
        Ok(Self { lambda, theta })
    }
}

impl Penalty for Mcp {
    #[inline]
    fn value_at(&self, t: f64) -> f64 {
        let t = t.min(self.theta * self.lambda);
        t * (self.lambda - t / (2.0 * self.theta))
    }

    #[inline]
    fn slope_at(&self, t: f64) -> f64 {
        (self.lambda - t / self.theta).max(0.0)
    }

    /// The inner piece is convex in h only while step < θ; past that it is best at an end, 0 or θλ.
    #[inline]
    fn prox_at(&self, u: f64, step: f64) -> f64 {
        let Self { lambda, theta } = *self;
        let outer = u.max(theta * lambda);
        let inner = if step < theta {
            (theta * (u - step * lambda) / (theta - step)).clamp(0.0, theta * lambda)
        } else {
            0.0
        };
        best_of(self, u, step, &[inner, outer])
    }

    fn concavity(&self) -> f64 {
        1.0 / self.theta
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Mcp)
    }
}
