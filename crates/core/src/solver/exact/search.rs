//! A start for a nonconvex penalty or several, all deterministic, the lowest F kept.
//!
//! A descent ends in the valley that it starts in, and starts matter more than anything: with SCAD, MCP or
//! capped ℓ1 at λ ≥ λ_max, w = 0 is stationary and a solver started there returns it. So descents start
//! from the point of the ℓ1 path that the penalty asks for ([`leap`](super::leap)) and from others along it
//! ([`scout`](super::scout)) by way of softer penalties ([`soften`](super::soften)), from the caller's point, and from what
//! forward selection finds; last it is tried to do without features ([`prune`](super::prune)).

use super::Exact;
use super::budget::Budget;
use super::convex::Convex;
use super::descent::{Aim, Found, Tangent};
use super::forward::Forward;
use super::leap;
use super::prune;
use super::scout::{has_many_samples, reach, strengths};
use super::snapshot::Snapshot;
use super::soften;
use super::widen::widened;
use crate::solver::Watch;
use crate::{Problem, certify};

/// Work that descents from points of the path may take: on all of them, and where F comes down.
const STARTS: [u64; 2] = [100_000_000, 500_000_000];
/// Work that forward selection may take.
const SELECTION: u64 = 100_000_000;
/// So many of the best descents are kept to be pruned, …
const MOST_KEPT: usize = 3;
/// … that differ in F by this much, relatively.
const ALIKE: f64 = 1e-6;
/// Up to this work of the whole fit, and unless samples are many and starts are not, the result is taken to a tenth of the
/// tolerance, …
const CHEAP: u64 = 500_000_000;
/// … if that is no finer than this.
const FINEST: f64 = 1e-6;
/// How often the last descent is taken further because the certificate is not yet content.
const MOST_FINISHES: usize = 3;
/// Work that all of that may take. Where a thousand features lie past the flat end of the penalty and the classes are nearly separable, the
/// last per cent of the gap would take hours; the certificate then says how far it is.
const FINISHING: u64 = 40_000_000_000;
/// Past the flat end of any penalty that has one.
const FAR: f64 = 1e100;

/// Descents from at most `starts` points of the ℓ1 path (0: none, and nothing is pruned) and from `given`; then the best one to
/// the end, which the certificate decides: its sums differ from the solver's own, so it may take a little more.
pub(super) fn search<'a>(
    problem: &'a Problem<'a>,
    given: Option<&Snapshot>,
    starts: usize,
    watch: &mut Watch<'_>,
) -> Snapshot {
    let mut search = Search::new(problem, starts);
    if let Some(given) = given {
        search.convex.restore(given);
        search.descend(Aim::roughly(), watch);
        search.convex = Convex::new(problem);
    }
    if starts == 0 {
        return search.prove(problem, watch).0;
    }
    search.leap(problem, watch);
    if leap::is_enough(problem, starts) {
        return search.complete(problem, watch).0;
    }
    let leapt = std::mem::take(&mut search.best);
    search.convex = Convex::new(problem);
    search.along_path(problem, starts, watch);
    for found in leapt {
        search.keep(found);
    }
    let of_path = search.best.clone();
    // Weights can only be that large where the penalty has a flat end.
    let selected =
        problem.regularizer().penalty().slope_at(FAR) == 0.0 && search.by_selection(problem, watch);
    let (at, proved) = search.complete(problem, watch);
    if proved || watch.stopped() || !selected {
        return at;
    }
    // Selection may end at weights so large that rounding hides their gradient: better higher and proved.
    search.best = of_path;
    let (other, proved) = search.complete(problem, watch);
    if proved { other } else { at }
}

pub(super) struct Search<'a> {
    pub(super) tangent: Tangent<'a>,
    pub(super) convex: Convex<'a>,
    /// How many times the usual work is allowed.
    pub(super) scale: u64,
    /// Work that softer penalties may take for a start.
    pub(super) softening: u64,
    /// Work that pruning may take, as in [`Budget`].
    pub(super) pruning: [u64; 2],
    /// Work that the way to the certificate may take.
    finishing: u64,
    /// Where the best descents ended, the lowest first.
    pub(super) best: Vec<Found>,
    /// The lowest after a first start, of a leap and of the path, to be pruned too: more starts do not end higher than one would.
    pub(super) firsts: Vec<Found>,
    /// Where no feature is kept, if that is a solution: for the end, since nothing leads away from it.
    nothing: Option<Found>,
    /// The lowest F that an observer has been shown: the search of the path begins anew after the leap, what is seen of it does not.
    shown: f64,
}

impl<'a> Search<'a> {
    /// With what so many starts allow, at w = 0.
    pub(super) fn new(problem: &'a Problem<'a>, starts: usize) -> Self {
        let tangent = Tangent::new(problem.regularizer(), problem.features());
        let scale = starts.div_ceil(Exact::STARTS).max(1) as u64;
        Self {
            tangent,
            convex: Convex::new(problem),
            scale,
            softening: soften::WORK.saturating_mul(scale),
            pruning: prune::work(problem, starts),
            finishing: FINISHING.saturating_mul(scale),
            best: Vec::new(),
            firsts: Vec::new(),
            nothing: None,
            shown: f64::INFINITY,
        }
    }

    /// Limits for a part that begins now: work on all of it, and where that is promising. More starts than usual allow more.
    pub(super) fn budget(&self, watch: &Watch<'_>, [cheap, most]: [u64; 2]) -> Budget {
        Budget::new(watch, cheap.saturating_mul(self.scale), most.saturating_mul(self.scale))
    }

    /// Descends from the solver's point; true if that led to the best one so far.
    pub(super) fn descend(&mut self, aim: Aim, watch: &mut Watch<'_>) -> bool {
        let found = self.tangent.descend(&mut self.convex, aim, watch);
        let better = self.keep(found);
        if let Some(best) =
            self.best.first().filter(|best| best.objective < self.shown && watch.wants_iterate())
        {
            watch.show(&best.at.dense(self.tangent.at_zero().len()), best.at.b);
            self.shown = best.objective;
        }
        better
    }

    /// Keeps in mind where no feature is kept, if that is a solution; returns the strength at which the first feature enters.
    pub(super) fn look_at_nothing(&mut self, problem: &Problem<'_>, watch: &mut Watch<'_>) -> f64 {
        let strongest = self.convex.without_features(&problem.factors(), watch);
        if strongest > 0.0 && slope_at_zero(problem) >= strongest {
            self.nothing = Some(self.tangent.descend(&mut self.convex, Aim::roughly(), watch));
        }
        strongest
    }

    /// True if the best one is lower than nothing, where that is a solution: what leads there is no start.
    fn beats_nothing(&self) -> bool {
        let Some(nothing) = &self.nothing else { return true };
        self.best.first().is_some_and(|best| best.objective < nothing.objective)
    }

    /// Keeps a place among the best, unless the same is there already; true if it is the first.
    fn keep(&mut self, found: Found) -> bool {
        let place = self.best.partition_point(|other| other.objective <= found.objective);
        if place > 0 && alike(&self.best[place - 1], &found) {
            return false;
        }
        self.best.insert(place, found);
        if self.best.get(place + 1).is_some_and(|next| alike(next, &self.best[place])) {
            self.best.remove(place + 1);
        }
        self.best.truncate(MOST_KEPT);
        place == 0
    }

    /// Descents from points of the whole ℓ1 path.
    pub(super) fn along_path(&mut self, problem: &Problem<'_>, starts: usize, watch: &mut Watch<'_>) {
        let strongest = self.look_at_nothing(problem, watch);
        if strongest > 0.0 {
            let strengths = strengths(strongest, reach(problem), slope_at_zero(problem), starts);
            self.descend_along(problem, &strengths, starts, watch);
        }
    }

    /// Descents from points of the ℓ1 path, the weakest first, and from stronger ones as long as F comes down. A point that could
    /// not be softened in time does not count: what it leads to may have far too many features.
    pub(super) fn descend_along(
        &mut self,
        problem: &Problem<'_>,
        strengths: &[f64],
        starts: usize,
        watch: &mut Watch<'_>,
    ) {
        let mut points = self.scout(strengths, &problem.factors(), watch);
        watch.phase(if starts == 1 { "descending" } else { "descending from several starts" });
        let mut budget = self.budget(watch, STARTS);
        let (mut tried, mut goes_down) = (0, true);
        while let Some(point) = points.pop() {
            let is_enough = tried >= starts && self.beats_nothing();
            if tried > 0 && (is_enough || !budget.allows(watch, goes_down)) {
                break;
            }
            watch.part(tried.min(starts), starts);
            self.convex.restore(&point.at);
            let in_time = self.soften(point.strength, watch);
            // Something has to be found, whatever it takes.
            let is_needed = tried == 0 && (in_time || points.is_empty());
            let aim = if is_needed { budget.aim(watch).within(u64::MAX) } else { budget.aim(watch) };
            goes_down = self.descend(aim, watch);
            if in_time || tried > 0 {
                tried += 1;
                if tried == 1 {
                    self.firsts.extend(self.best.first().cloned());
                }
            } else {
                budget = self.budget(watch, STARTS);
            }
        }
    }

    /// Descends from each support that forward selection comes by, as long as that is cheap; true if one of
    /// them is the best so far.
    fn by_selection(&mut self, problem: &'a Problem<'a>, watch: &mut Watch<'_>) -> bool {
        watch.phase("selecting features one by one");
        let mut forward = Forward::new(problem, &problem.factors(), watch);
        let budget = self.budget(watch, [SELECTION; 2]);
        let mut better = false;
        while let Some(selected) = forward.grow(budget, watch) {
            self.convex.restore(&selected.snapshot());
            better |= self.descend(budget.aim(watch), watch);
        }
        better
    }

    /// Takes the best one to the end, without what it can do without; true if the certificate is content.
    fn complete(&mut self, problem: &Problem<'_>, watch: &mut Watch<'_>) -> (Snapshot, bool) {
        self.prune(watch);
        if let (Some(nothing), false) = (&self.nothing, self.beats_nothing()) {
            self.best = vec![nothing.clone()];
        }
        self.prove(problem, watch)
    }

    /// Takes the best one to the tolerance of the certificate, or as near as the work allows; true if it is content.
    fn prove(&mut self, problem: &Problem<'_>, watch: &mut Watch<'_>) -> (Snapshot, bool) {
        let most = watch.work().saturating_add(self.finishing);
        let mut at = self.finish(problem, most, watch);
        for finishes in 0..=MOST_FINISHES {
            let certificate = certify(problem, &at.dense(problem.features()), at.b, &at.pulls);
            if watch.is_proved(&certificate) {
                return (at, true);
            }
            if watch.stopped() || watch.work() >= most || finishes == MOST_FINISHES {
                break;
            }
            watch.tighten();
            at = self.finish(problem, most, watch);
        }
        (at, false)
    }

    /// Takes the best one to the tolerance, with the widest margin if F leaves a choice.
    fn finish(&mut self, problem: &Problem<'_>, most: u64, watch: &mut Watch<'_>) -> Snapshot {
        watch.phase("finishing");
        if let Some(best) = self.best.first() {
            self.convex.restore(&best.at);
        }
        let found = self.tangent.descend(&mut self.convex, Aim::to(watch.tol()).within(most), watch);
        let finer = FINEST.max(0.1 * watch.tol());
        let is_short = has_many_samples(problem) && self.scale == 1;
        let found = if finer < watch.tol() && watch.work() <= CHEAP && !is_short {
            self.tangent.descend(&mut self.convex, Aim::to(finer).within(most), watch)
        } else {
            found
        };
        let found = widened(problem, &mut self.tangent, found, &mut self.convex, watch);
        let at = found.at.clone();
        self.best = vec![found];
        at
    }
}

/// p'(0).
pub(super) fn slope_at_zero(problem: &Problem<'_>) -> f64 {
    problem.regularizer().penalty().slope_at(0.0)
}

/// True if two places are as low, so that one of them is enough.
pub(super) fn alike(a: &Found, b: &Found) -> bool {
    (a.objective - b.objective).abs() <= ALIKE * b.objective.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::solver::{Silent, Stopping};
    use crate::team::Alone;
    use crate::{Family, Loss, PenaltySpec, Regularizer};

    /// The certificate is not content then, and what was found is kept.
    #[test]
    fn a_finish_ends_with_its_work() {
        let (n, d) = (60, 6);
        let columns: Vec<f64> =
            (0..n * d).map(|k| ((k * k * 37 + 11 * k) % 101) as f64 / 50.0 - 1.0).collect();
        let y: Vec<f64> =
            (0..n)
                .map(|i| {
                    if columns[i] + 0.5 * columns[n + i] + 0.3 * columns[2 * n + i] > 0.1 {
                        1.0
                    } else {
                        -1.0
                    }
                })
                .collect();
        let x = Dense::from_columns(n, d, columns).unwrap();
        // Its slopes follow the weights everywhere, so the end takes several tangents.
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Lsp, 0.05)).unwrap();
        let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
        for finishing in [FINISHING, 1] {
            let mut search = Search::new(&problem, 1);
            search.finishing = finishing;
            let mut silent = Silent;
            let stopping = Stopping { tol: 1e-9, ..Stopping::default() };
            let mut watch = Watch::new(&mut silent, stopping, &Alone);
            search.along_path(&problem, 1, &mut watch);
            let rough = search.best[0].objective;
            let (at, proved) = search.prove(&problem, &mut watch);
            assert_eq!(proved, finishing == FINISHING);
            assert!(search.best[0].objective <= rough * (1.0 + 1e-6) && !at.w.is_empty());
        }
    }
}
