//! Several starts for a nonconvex penalty, all deterministic, the lowest F kept.
//!
//! A descent ends in the valley that it starts in, and starts matter more than anything: with SCAD, MCP or
//! capped ℓ1 at λ ≥ λ_max, w = 0 is stationary and a solver started there returns it. So descents start
//! from points along the ℓ1 path, from nearly nothing to many features, from the caller's point, and from
//! what forward selection finds; last it is tried to do without features ([`prune`](super::prune)).

use super::convex::{Convex, Snapshot};
use super::descent::{Found, Tangent};
use super::forward::Forward;
use super::widen::widened;
use crate::solver::Watch;
use crate::{Problem, certify};

/// The path of starts goes from the strength at which the first feature enters down by this factor.
pub(super) const REACH: f64 = 1e-3;
/// Points of the path are solved to this gap, …
const PASSING: f64 = 5e-2;
/// … and the descents from them to this one; only the winner goes on to the tolerance.
pub(super) const ROUGH: f64 = 1e-2;
/// Work (floating-point operations, roughly) up to which starts are tried, …
pub(super) const THOROUGH: u64 = 1_000_000_000;
/// … up to this even where F goes up, so that on small data all of them are, …
const EVERYWHERE: u64 = THOROUGH / 2;
/// … and up to so many times the work of the first one while F comes down.
const MULTIPLE: u64 = 4;
/// How often the last descent is taken further because the certificate is not yet content.
const MOST_FINISHES: usize = 3;
/// Past the flat end of any penalty that has one.
const FAR: f64 = 1e100;

/// Descents from `starts` points of the ℓ1 path (0: none, and nothing is pruned) and from `given`; then the best one to
/// the end, which the certificate decides: its sums differ from the solver's own, so it may take a little more.
pub(super) fn search<'a>(
    problem: &'a Problem<'a>,
    given: Option<&Snapshot>,
    starts: usize,
    watch: &mut Watch<'_>,
) -> Snapshot {
    let tangent = Tangent::new(problem.regularizer(), problem.features());
    let mut search = Search { tangent, convex: Convex::new(problem), best: None, nothing: None };
    if let Some(given) = given {
        search.convex.restore(given);
        search.descend(ROUGH, watch);
        search.convex = Convex::new(problem);
    }
    if starts == 0 {
        return search.prove(problem, watch).0;
    }
    search.along_path(problem, starts, watch);
    let of_path = search.best.clone();
    // Weights can only be that large where the penalty has a flat end.
    let selected = starts > 1
        && problem.regularizer().penalty().slope_at(FAR) == 0.0
        && search.by_selection(problem, watch);
    let (at, proved) = search.complete(problem, watch);
    if proved || watch.stopped() || !selected {
        return at;
    }
    // Selection may end at weights so large that rounding hides their gradient: better higher and proved.
    search.best = of_path;
    let (other, proved) = search.complete(problem, watch);
    if proved { other } else { at }
}

/// Where to start on the ℓ1 path, from strong to weak, and which of them first: the middle between the
/// tangent at w = 0, from which few features ever come in, and next to no penalty at all. That one is the
/// best bet if there is no time for more.
fn strengths(strongest: f64, at_zero: f64, starts: usize) -> (Vec<f64>, usize) {
    let top = strongest.min(at_zero);
    let middle = (top * (strongest * REACH).min(top)).sqrt();
    let tangent = (starts > 2 && at_zero < strongest).then_some(at_zero);
    let rest = starts - 1 - usize::from(tangent.is_some());
    let grid = (1..=rest).map(|k| strongest * REACH.powf(k as f64 / rest as f64));
    let mut all: Vec<f64> = grid.chain(tangent).chain([middle]).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    let first = all.partition_point(|strength| *strength > middle);
    (all, first)
}

/// Along the path of starts, to weaker penalties or to stronger ones.
#[derive(Debug)]
struct Way {
    /// The strengths that are still to be tried, the next one last.
    ahead: Vec<f64>,
    /// Where the last descent ended, …
    objective: f64,
    /// … whether that was no higher than the one before, …
    goes_down: bool,
    /// … and the point of the path that it started from.
    from: Snapshot,
}

impl Way {
    fn new(ahead: Vec<f64>, objective: f64, from: &Snapshot) -> Self {
        Self { ahead, objective, goes_down: true, from: from.clone() }
    }
}

pub(super) struct Search<'a> {
    pub(super) tangent: Tangent<'a>,
    pub(super) convex: Convex<'a>,
    pub(super) best: Option<Found>,
    /// Where no feature is kept, if that is a solution: for the end, since nothing leads away from it.
    nothing: Option<Found>,
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

    /// Follows the ℓ1 path with a descent from each point: from the middle to weaker penalties and many features, and to
    /// stronger ones and few, always on the side where F was lower last. At large λ starts with many features end
    /// higher than nothing at all, and cost the most.
    fn along_path(&mut self, problem: &'a Problem<'a>, starts: usize, watch: &mut Watch<'_>) {
        let factors = problem.factors();
        let strongest = self.convex.without_features(&factors, watch);
        if strongest == 0.0 {
            return;
        }
        let at_zero = problem.regularizer().penalty().slope_at(0.0);
        if at_zero >= strongest {
            self.nothing = Some(self.tangent.descend(&mut self.convex, ROUGH, watch));
        }
        let (mut weaker, middle) = strengths(strongest, at_zero, starts);
        let objective = self.try_strength(weaker[middle], &factors, watch);
        let (from, first) = (self.convex.snapshot(), watch.work());
        let stronger = weaker.drain(..=middle).take(middle).collect();
        weaker.reverse();
        let mut ways = [weaker, stronger].map(|ahead| Way::new(ahead, objective, &from));
        for tried in 1.. {
            watch.part(tried, starts);
            ways.sort_by(|a, b| a.objective.total_cmp(&b.objective));
            let Some(way) = ways.iter_mut().find(|way| !way.ahead.is_empty()) else { break };
            let most = if way.goes_down { THOROUGH.max(MULTIPLE * first) } else { EVERYWHERE };
            if watch.stopped() || watch.work() > most {
                break;
            }
            let Some(strength) = way.ahead.pop() else { break };
            self.convex.restore(&way.from);
            let objective = self.try_strength(strength, &factors, watch);
            way.goes_down = objective <= way.objective;
            (way.objective, way.from) = (objective, self.convex.snapshot());
        }
    }

    /// Descends from each support that forward selection comes by, as long as that is cheap; true if one of
    /// them is the best so far.
    fn by_selection(&mut self, problem: &'a Problem<'a>, watch: &mut Watch<'_>) -> bool {
        let cheap = |watch: &Watch<'_>| watch.work() <= THOROUGH && !watch.stopped();
        if !cheap(watch) {
            return false;
        }
        watch.phase("selecting features one by one");
        let mut forward = Forward::new(problem, &problem.factors(), watch);
        let mut better = false;
        while let Some(selected) = forward.grow(watch, cheap) {
            self.convex.restore(&selected.snapshot());
            better |= self.descend(ROUGH, watch);
        }
        better
    }

    /// Goes on along the ℓ1 path to a strength and descends from there; returns where that ended.
    fn try_strength(&mut self, strength: f64, factors: &[f64], watch: &mut Watch<'_>) -> f64 {
        let slopes: Vec<f64> = factors.iter().map(|factor| factor * strength).collect();
        self.convex.solve(&slopes, 0.0, PASSING, watch);
        let on_path = self.convex.snapshot();
        self.descend(ROUGH, watch);
        let objective = self.tangent.objective(&self.convex);
        self.convex.restore(&on_path);
        objective
    }

    /// Takes the best one to the end, without what it can do without; true if the certificate is content.
    fn complete(&mut self, problem: &Problem<'_>, watch: &mut Watch<'_>) -> (Snapshot, bool) {
        self.finish(problem, watch);
        self.prune(watch);
        if let (Some(best), Some(nothing)) = (&mut self.best, &self.nothing)
            && nothing.objective < best.objective
        {
            best.clone_from(nothing);
        }
        self.prove(problem, watch)
    }

    /// Takes the best one to the tolerance of the certificate; true if it is content.
    fn prove(&mut self, problem: &Problem<'_>, watch: &mut Watch<'_>) -> (Snapshot, bool) {
        let mut at = self.finish(problem, watch);
        for finishes in 0..=MOST_FINISHES {
            let certificate = certify(problem, &at.dense(problem.features()), at.b, &at.pulls);
            if watch.is_proved(&certificate) {
                return (at, true);
            }
            if watch.stopped() || finishes == MOST_FINISHES {
                break;
            }
            watch.tighten();
            at = self.finish(problem, watch);
        }
        (at, false)
    }

    /// Takes the best one to the tolerance, with the widest margin if F leaves a choice.
    fn finish(&mut self, problem: &Problem<'_>, watch: &mut Watch<'_>) -> Snapshot {
        watch.phase("finishing");
        if let Some(best) = &self.best {
            self.convex.restore(&best.at);
        }
        let found = self.tangent.descend(&mut self.convex, watch.tol(), watch);
        let found = widened(problem, &mut self.tangent, found, &mut self.convex, watch);
        let at = found.at.clone();
        self.best = Some(found);
        at
    }
}
