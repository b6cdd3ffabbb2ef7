//! Reweighted ℓ1 of Laporte, Flamary, Canu, Déjean and Mothe (IEEE TNNLS 2014), on the squared hinge: a
//! concave penalty lies below its tangent at the last point,
//!
//!   Σ_j κ_j p(|w_j|) ≤ Σ_j ω_j|w_j| + constant,   ω_j = κ_j p'(|w_j|) at the last w,
//!
//! so each round solves a weighted ℓ1 problem by FISTA, from where the last one ended, and takes the new
//! tangent. The first tangent is the one at w = 0, which is plain ℓ1 for MCP; ℓp, whose slope there is ∞,
//! starts with ℓ1 at its own strength. A zero weight of ℓp stays zero after that round.
//!
//! On a [`Ranking`](crate::rank::Ranking) this is their RankSVM-MCP, with sums over pairs that are never formed.

use std::time::Instant;

use super::proximal::{Fista, Found, Method, Point, Smooth};
use super::{Iterate, Observer, Solver, Stopping, Watch};
use crate::rank::Ranker;
use crate::team::Alone;
use crate::{Error, Problem, Regularizer, Result, Start};

/// A round is solved to this share of the tolerance of the whole,
const INNER: f64 = 0.01;
/// but no further than sums can tell, or a tolerance of 0 would never see a second round.
const FINEST: f64 = 1e-13;

/// The reweighted ℓ1 solver's settings.
///
/// | field | default | range |
/// |---|---|---|
/// | `rounds` | 100 | ≥ 1, weighted ℓ1 problems; 1 is plain ℓ1, 2 the one-step estimate of Zou and Li |
/// | `stopping.tol` | 1e-4 | on the relative change of F from round to round; a hundredth of it ends FISTA |
/// | `stopping.max_iter` | 1000 | FISTA steps in all |
#[derive(Debug, Clone, PartialEq)]
pub struct Reweighted {
    /// The most weighted ℓ1 problems.
    pub rounds: usize,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Reweighted {
    fn default() -> Self {
        Self { rounds: 100, stopping: Stopping::default() }
    }
}

impl Solver for Reweighted {
    fn name(&self) -> &'static str {
        "reweighted"
    }

    fn stopping(&self) -> &Stopping {
        &self.stopping
    }

    fn settings(&self) -> Vec<(&'static str, f64)> {
        vec![("rounds", self.rounds as f64)]
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        self.classify(problem, start, observer)
    }

    fn ranker(&self) -> Option<&dyn Ranker> {
        Some(self)
    }
}

impl Method for Reweighted {
    fn descend(
        &self,
        smooth: &dyn Smooth,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Found> {
        if self.rounds == 0 {
            return Err(Error::parameter("rounds", 0, "at least 1"));
        }
        let clock = Instant::now();
        let regularizer = smooth.regularizer();
        let convex = regularizer.penalty().concavity() == 0.0;
        let mut fista = Fista::new(smooth, Point::start(smooth, start));
        let setup_seconds = clock.elapsed().as_secs_f64();

        observer.on_phase("iterating");
        let mut watch = Watch::new(observer, self.stopping, &Alone);
        let mut slopes = match start {
            Some(start) => slopes_at(regularizer, &start.w),
            None => first_slopes(regularizer, smooth.x().cols()),
        };
        let inner = (INNER * self.stopping.tol).max(FINEST);
        let mut objective = f64::INFINITY;
        for _ in 0..self.rounds {
            fista.minimise(regularizer.tangent(slopes)?, inner, &mut watch);
            let before = std::mem::replace(&mut objective, watch.objective);
            let settled = (before - objective).abs() < self.stopping.tol * before.abs();
            if watch.stopped() || convex || settled {
                break;
            }
            slopes = slopes_at(regularizer, &fista.at.w);
        }
        Ok(Found { at: fista.at, ended: watch.ended(), iterations: watch.steps(), setup_seconds })
    }
}

/// ω at a point; ∞ for a feature at 0 under ℓp, which then stays there.
fn slopes_at(regularizer: &Regularizer, w: &[f64]) -> Vec<f64> {
    w.iter().enumerate().map(|(j, w)| regularizer.slope_of(j, *w)).collect()
}

/// ω of the first round: the slopes at 0, or of the chord to 1 where these are infinite.
fn first_slopes(regularizer: &Regularizer, d: usize) -> Vec<f64> {
    let slope = regularizer.penalty().slope_at(0.0);
    let slope = if slope.is_finite() { slope } else { regularizer.penalty().value_at(1.0) };
    (0..d).map(|j| regularizer.factor(j) * slope).collect()
}
