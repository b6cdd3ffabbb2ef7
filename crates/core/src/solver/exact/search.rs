//! Several starts for a nonconvex penalty, all deterministic, the lowest F kept.
//!
//! A descent ends in the valley that it starts in, and starts matter more than anything: with SCAD, MCP or
//! capped ℓ1 at λ ≥ λ_max, w = 0 is stationary and a solver started there returns it. So descents start
//! from points along the ℓ1 path, from nearly nothing to many features, and from the caller's point; a last
//! descent tries to do without each feature in turn.

use super::convex::{Convex, Snapshot};
use super::descent::{Found, Tangent};
use super::watch::Watch;
use crate::Problem;

/// The path of starts goes from the strength at which the first feature enters down by this factor.
const REACH: f64 = 1e-3;
/// Starts and the descents from them are solved to this gap; only the winner goes on to the tolerance.
const ROUGH: f64 = 1e-2;
/// Work (floating-point operations, roughly) up to which every start is tried, and swaps after that.
/// A second or so: on small data the search is thorough, on large data it follows the trend.
const THOROUGH: u64 = 1_000_000_000;
/// Past that, the path of starts ends after this many descents in a row that were no better.
const PATIENCE: usize = 2;
/// A swap must lower F by this much, relatively, to be worth the change.
const WORTHWHILE: f64 = 1e-6;

/// Descents from `starts` points of the ℓ1 path and from `given`; then the best one to the end.
pub(super) fn search<'a>(
    problem: &'a Problem<'a>,
    given: Option<&Snapshot>,
    starts: usize,
    watch: &mut Watch<'_>,
) -> Snapshot {
    let mut search = Search { tangent: Tangent::new(problem), convex: Convex::new(problem), best: None };
    if let Some(given) = given {
        search.convex.restore(given);
        search.descend(ROUGH, watch);
        search.convex = Convex::new(problem);
    }
    search.along_path(problem, starts, watch);
    search.finish(watch);
    while search.swap(watch) {}
    search.finish(watch)
}

struct Search<'a> {
    tangent: Tangent<'a>,
    convex: Convex<'a>,
    best: Option<Found>,
}

impl<'a> Search<'a> {
    /// Descends from where the solver stands; true if that is the best so far.
    fn descend(&mut self, tol: f64, watch: &mut Watch<'_>) -> bool {
        let found = self.tangent.descend(&mut self.convex, tol, watch);
        let better = self.best.as_ref().is_none_or(|best| found.objective < best.objective);
        if better {
            self.best = Some(found);
        }
        better
    }

    /// Follows the ℓ1 path with a descent from each point.
    fn along_path(&mut self, problem: &'a Problem<'a>, starts: usize, watch: &mut Watch<'_>) {
        let factors: Vec<f64> = (0..problem.features()).map(|j| problem.regularizer().factor(j)).collect();
        let strongest = self.convex.first_entry(&factors, watch);
        let mut waited = 0;
        for k in 1..=starts {
            let trend_is_up = waited >= PATIENCE && watch.work() > THOROUGH;
            if watch.stopped() || strongest == 0.0 || trend_is_up {
                break;
            }
            watch.phase(&format!("start {k} of {starts}"));
            let strength = strongest * REACH.powf(k as f64 / starts as f64);
            let slopes: Vec<f64> = factors.iter().map(|factor| factor * strength).collect();
            self.convex.solve(&slopes, 0.0, ROUGH, watch);
            let on_path = self.convex.snapshot();
            waited = if self.descend(ROUGH, watch) { 0 } else { waited + 1 };
            self.convex.restore(&on_path);
        }
    }

    /// Takes the best one to the tolerance.
    fn finish(&mut self, watch: &mut Watch<'_>) -> Snapshot {
        watch.phase("finishing");
        if let Some(best) = &self.best {
            self.convex.restore(&best.at);
        }
        let found = self.tangent.descend(&mut self.convex, watch.tol(), watch);
        let at = found.at.clone();
        self.best = Some(found);
        at
    }

    /// Tries to do without each feature, from the smallest coefficient on; others may come in for it.
    /// True if F came down.
    fn swap(&mut self, watch: &mut Watch<'_>) -> bool {
        watch.phase("swapping features");
        let Some(mut best) = self.best.take() else { return false };
        let before = best.objective;
        let mut order = best.at.w.clone();
        order.sort_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(a.0.cmp(&b.0)));
        for (j, _) in order {
            if watch.stopped() || watch.work() > 2 * THOROUGH {
                break;
            }
            let found = self.tangent.descend_without(j, &best.at, &mut self.convex, ROUGH, watch);
            if found.objective < best.objective * (1.0 - WORTHWHILE) {
                best = found;
            }
        }
        let better = best.objective < before && !watch.stopped() && watch.work() <= 2 * THOROUGH;
        self.best = Some(best);
        better
    }
}
