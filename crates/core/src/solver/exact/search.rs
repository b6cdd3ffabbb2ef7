//! Several starts for a nonconvex penalty, all deterministic, the lowest F kept.
//!
//! A descent ends in the valley that it starts in, and starts matter more than anything: with SCAD, MCP or
//! capped ℓ1 at λ ≥ λ_max, w = 0 is stationary and a solver started there returns it. So descents start
//! from points along the ℓ1 path, from nearly nothing to many features, and from the caller's point; a last
//! descent tries to do without each feature in turn.

use super::convex::{Convex, Snapshot};
use super::descent::{Found, Tangent};
use crate::solver::Watch;
use crate::{Problem, certify};

/// The path of starts goes from the strength at which the first feature enters down by this factor.
const REACH: f64 = 1e-3;
/// Starts and the descents from them are solved to this gap; only the winner goes on to the tolerance.
const ROUGH: f64 = 1e-2;
/// Work (floating-point operations, roughly) up to which every start is tried, and swaps after that.
/// A second or so: on small data the search is thorough, on large data it follows the trend.
const THOROUGH: u64 = 1_000_000_000;
/// Past that, the path of starts ends when F has risen so often in a row, …
const PATIENCE: usize = 2;
/// … or when so many times the work of the first descent is done.
const MULTIPLE: u64 = 4;
/// How often the last descent is taken further because the certificate is not yet content.
const MOST_FINISHES: usize = 3;
/// A swap must lower F by this much, relatively, to be worth the change.
const WORTHWHILE: f64 = 1e-6;

/// Descents from `starts` points of the ℓ1 path and from `given`; then the best one to the end, which the
/// certificate decides: its sums differ from the solver's own, so it may take a little more.
pub(super) fn search<'a>(
    problem: &'a Problem<'a>,
    given: Option<&Snapshot>,
    starts: usize,
    watch: &mut Watch<'_>,
) -> Snapshot {
    let tangent = Tangent::new(problem.regularizer(), problem.features());
    let mut search = Search { tangent, convex: Convex::new(problem), best: None };
    if let Some(given) = given {
        search.convex.restore(given);
        search.descend(ROUGH, watch);
        search.convex = Convex::new(problem);
    }
    search.along_path(problem, starts, watch);
    search.finish(watch);
    while search.swap(watch) {}
    let mut at = search.finish(watch);
    for _ in 0..MOST_FINISHES {
        let certificate = certify(problem, &at.dense(problem.features()), at.b, &at.pulls);
        if watch.is_proved(&certificate) || watch.stopped() {
            break;
        }
        watch.tighten();
        at = search.finish(watch);
    }
    at
}

/// When to stop following the path of starts.
#[derive(Debug, Default)]
struct Trend {
    last: Option<f64>,
    risen: usize,
    first_work: u64,
}

impl Trend {
    fn is_up(&mut self, objective: f64, work: u64) -> bool {
        match self.last {
            None => self.first_work = work,
            Some(last) => self.risen = if objective > last { self.risen + 1 } else { 0 },
        }
        self.last = Some(objective);
        work > THOROUGH && (self.risen >= PATIENCE || work > MULTIPLE * self.first_work)
    }
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
            if watch.wants_iterate() {
                watch.show(&found.at.dense(self.tangent.at_zero().len()), found.at.b);
            }
            self.best = Some(found);
        }
        better
    }

    /// Follows the ℓ1 path with a descent from each point: first from where the tangent at w = 0 would
    /// begin down to weak penalties and many features, then, if that was cheap, up to strong ones.
    fn along_path(&mut self, problem: &'a Problem<'a>, starts: usize, watch: &mut Watch<'_>) {
        let factors: Vec<f64> = (0..problem.features()).map(|j| problem.regularizer().factor(j)).collect();
        let strongest = self.convex.without_features(&factors, watch);
        if strongest == 0.0 {
            return;
        }
        let at_zero = problem.regularizer().penalty().slope_at(0.0);
        let strengths = (1..=starts).map(|k| strongest * REACH.powf(k as f64 / starts as f64));
        let (strong, weak): (Vec<f64>, Vec<f64>) = strengths.partition(|strength| *strength > at_zero);
        let mut trend = Trend::default();
        for (k, strength) in weak.iter().enumerate() {
            watch.part(k, starts);
            let objective = self.try_strength(*strength, &factors, watch);
            if watch.stopped() || trend.is_up(objective, watch.work()) {
                break;
            }
        }
        for (k, strength) in strong.iter().rev().enumerate() {
            if watch.stopped() || watch.work() > THOROUGH && self.best.is_some() {
                break;
            }
            watch.part(weak.len() + k, starts);
            self.try_strength(*strength, &factors, watch);
        }
    }

    /// Goes on along the ℓ1 path to a strength and descends from there; returns where that ended.
    fn try_strength(&mut self, strength: f64, factors: &[f64], watch: &mut Watch<'_>) -> f64 {
        let slopes: Vec<f64> = factors.iter().map(|factor| factor * strength).collect();
        self.convex.solve(&slopes, 0.0, ROUGH, watch);
        let on_path = self.convex.snapshot();
        self.descend(ROUGH, watch);
        let objective = self.tangent.objective(&self.convex);
        self.convex.restore(&on_path);
        objective
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
