//! Smoothly clipped absolute deviation.

use super::{Family, Penalty, best_of};
use crate::Result;
use crate::error::check;

/// p(t) = λt up to λ, (2θλt - t² - λ²)/(2(θ-1)) up to θλ, (θ+1)λ²/2 from there (Fan and Li 2001); θ > 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scad {
    lambda: f64,
    theta: f64,
}

impl Scad {
    /// # Errors
    /// Unless λ ≥ 0 and θ > 2.
    pub fn new(lambda: f64, theta: f64) -> Result<Self> {
        check(lambda >= 0.0, "lambda", lambda, "a penalty's strength is 0 or more")?;
        check(theta > 2.0, "theta", theta, "SCAD needs theta > 2 (3.7 is usual)")?;
        Ok(Self { lambda, theta })
    }
}

impl Penalty for Scad {
    #[inline]
    fn value_at(&self, t: f64) -> f64 {
        let Self { lambda, theta } = *self;
        if t <= lambda {
            lambda * t
        } else if t <= theta * lambda {
            (2.0 * theta * lambda * t - t * t - lambda * lambda) / (2.0 * (theta - 1.0))
        } else {
            (theta + 1.0) * lambda * lambda / 2.0
        }
    }

    #[inline]
    fn slope_at(&self, t: f64) -> f64 {
        let Self { lambda, theta } = *self;
        if t <= lambda { lambda } else { (theta * lambda - t).max(0.0) / (theta - 1.0) }
    }

    /// One candidate a piece. The middle piece is convex in h only while step < θ-1; past that its
    /// ends are the candidates, and both belong to its neighbours.
    #[inline]
    fn prox_at(&self, u: f64, step: f64) -> f64 {
        let Self { lambda, theta } = *self;
        let inner = (u - step * lambda).clamp(0.0, lambda);
        let outer = u.max(theta * lambda);
        let middle = if step < theta - 1.0 {
            let stationary = ((theta - 1.0) * u - step * theta * lambda) / (theta - 1.0 - step);
            stationary.clamp(lambda, theta * lambda)
        } else {
            inner
        };
        best_of(self, u, step, &[inner, middle, outer])
    }

    fn concavity(&self) -> f64 {
        1.0 / (self.theta - 1.0)
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Scad)
    }
}
