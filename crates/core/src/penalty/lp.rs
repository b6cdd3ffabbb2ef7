//! The bridge penalty ℓp, 0 < p < 1.

use super::{Family, Penalty};
use crate::Result;
use crate::error::check;

/// p(t) = λ·t^p, 0 < p < 1 (Frank and Friedman 1993). The slope at 0 is ∞.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lp {
    lambda: f64,
    p: f64,
}

impl Lp {
    /// # Errors
    /// Unless λ ≥ 0 and 0 < p < 1.
    pub fn new(lambda: f64, p: f64) -> Result<Self> {
        check(lambda >= 0.0, "lambda", lambda, "a penalty's strength is 0 or more")?;
        check(p > 0.0 && p < 1.0, "theta", p, "for lp it is the exponent p, 0 < p < 1")?;
        Ok(Self { lambda, p })
    }
}

impl Penalty for Lp {
    #[inline]
    fn value_at(&self, t: f64) -> f64 {
        self.lambda * t.powf(self.p)
    }

    #[inline]
    fn slope_at(&self, t: f64) -> f64 {
        if self.lambda == 0.0 { 0.0 } else { self.lambda * self.p * t.powf(self.p - 1.0) }
    }

    /// With a = step·λ, 0 is the minimiser up to u₀ = x₀ + a·p·x₀^(p-1), x₀ = (2a(1-p))^(1/(2-p))
    /// (Marjanovic and Solo 2012). Past it the minimiser is the root of h' above x₀; h' is convex
    /// there, so Newton from u comes down to it without overshooting, and the bracket only guards
    /// against rounding.
    fn prox_at(&self, u: f64, step: f64) -> f64 {
        let (a, p) = (step * self.lambda, self.p);
        if a == 0.0 {
            return u;
        }
        let lowest = (2.0 * a * (1.0 - p)).powf(1.0 / (2.0 - p));
        if u <= lowest + a * p * lowest.powf(p - 1.0) {
            return 0.0;
        }
        let mut x = u;
        for _ in 0..100 {
            let pull = a * p * x.powf(p - 1.0);
            let next = (x - (x - u + pull) / (1.0 + (p - 1.0) * pull / x)).clamp(lowest, u);
            if (next - x).abs() <= 2.0 * f64::EPSILON * x {
                return next;
            }
            x = next;
        }
        x
    }

    fn concavity(&self) -> f64 {
        if self.lambda == 0.0 { 0.0 } else { f64::INFINITY }
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Lp)
    }
}
