//! One more kind of start: forward selection without any penalty.
//!
//! Points of the ℓ1 path shrink, so they do not lead to solutions in which two or three features separate
//! the classes by a narrow margin, with weights far past the penalty's flat end. Adding one feature after
//! the other, each time the one that lowers the loss most when nothing is penalised, does. It takes a fit
//! for each candidate, and so is for small problems.

use super::budget::Budget;
use super::convex::Convex;
use crate::Problem;
use crate::solver::Watch;

/// Features that are tried in each round: those on which the loss leans most.
const CANDIDATES: usize = 40;
/// Features that are added.
const MOST: usize = 12;
/// Fits are compared at this gap.
const ROUGH: f64 = 1e-2;
/// A loss below this has nothing left to lower.
const NOTHING: f64 = 1e-9;

/// The support that grows, and the solver that stands at its best fit.
#[derive(Debug)]
pub(super) struct Forward<'a> {
    convex: Convex<'a>,
    /// 0 for what is in, ∞ for what is not.
    slopes: Vec<f64>,
    loss: f64,
    rounds: usize,
}

impl<'a> Forward<'a> {
    /// With what is never penalised.
    pub(super) fn new(problem: &'a Problem<'a>, factors: &[f64], watch: &mut Watch<'_>) -> Self {
        let mut convex = Convex::new(problem);
        convex.without_features(factors, watch);
        // Fits are compared by their loss; what is not in is looked at once a round.
        convex.gradient.is_closed = true;
        let slopes = factors.iter().map(|f| if *f > 0.0 { f64::INFINITY } else { 0.0 }).collect();
        let loss = convex.loss();
        Self { convex, slopes, loss, rounds: 0 }
    }

    /// Adds the best feature; the solver at its fit, or `None` if nothing is left to gain or the budget is not large
    /// enough to try all candidates.
    pub(super) fn grow(&mut self, budget: Budget, watch: &mut Watch<'_>) -> Option<&Convex<'a>> {
        self.rounds += 1;
        if self.rounds > MOST || self.loss <= NOTHING {
            return None;
        }
        let from = self.convex.snapshot();
        let mut best = None;
        let candidates = self.convex.leaning(&self.slopes, CANDIDATES);
        let (mut left, mut price) = (candidates.len(), 0);
        for j in candidates {
            if watch.stopped() || !budget.is_cheap_for(watch, price, left) {
                return None;
            }
            let before = watch.work();
            self.slopes[j] = 0.0;
            self.convex.restore(&from);
            self.convex.solve(&self.slopes, 0.0, ROUGH, watch);
            self.slopes[j] = f64::INFINITY;
            (left, price) = (left - 1, watch.work() - before);
            let loss = self.convex.loss();
            if loss < self.loss {
                self.loss = loss;
                best = Some((j, self.convex.snapshot()));
            }
        }
        let (j, at) = best?;
        self.slopes[j] = 0.0;
        self.convex.restore(&at);
        self.convex.solve(&self.slopes, 0.0, ROUGH, watch);
        Some(&self.convex)
    }
}
