//! The log-sum penalty.

use super::{Family, Penalty, best_of};
use crate::Result;
use crate::error::check;

/// p(t) = λ·log(1 + t/θ) (Candès, Wakin, Boyd 2008); θ > 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lsp {
    lambda: f64,
    theta: f64,
}

impl Lsp {
    /// # Errors
    /// Unless λ ≥ 0 and θ > 0.
    pub fn new(lambda: f64, theta: f64) -> Result<Self> {
        check(lambda >= 0.0, "lambda", lambda, "a penalty's strength is 0 or more")?;
        check(theta > 0.0, "theta", theta, "the log-sum penalty needs theta > 0")?;
        Ok(Self { lambda, theta })
    }
}

impl Penalty for Lsp {
    #[inline]
    fn value_at(&self, t: f64) -> f64 {
        self.lambda * (t / self.theta).ln_1p()
    }

    #[inline]
    fn slope_at(&self, t: f64) -> f64 {
        self.lambda / (self.theta + t)
    }

    /// h' = 0 is (x-u)(x+θ) + step·λ = 0. Of its two roots the larger is the local minimum; it is
    /// taken in the form that does not cancel.
    #[inline]
    fn prox_at(&self, u: f64, step: f64) -> f64 {
        let Self { lambda, theta } = *self;
        let discriminant = (u + theta) * (u + theta) - 4.0 * step * lambda;
        if !(discriminant > 0.0) {
            return 0.0;
        }
        let root = discriminant.sqrt();
        let larger = if u >= theta {
            (u - theta + root) / 2.0
        } else {
            2.0 * (u * theta - step * lambda) / (theta - u + root)
        };
        best_of(self, u, step, &[larger.max(0.0).min(u)])
    }

    fn concavity(&self) -> f64 {
        self.lambda / (self.theta * self.theta)
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Lsp)
    }
}
