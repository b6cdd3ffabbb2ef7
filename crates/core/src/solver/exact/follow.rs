//! Following a path of penalties: each fit starts where the last one ended.

use super::ahead::Ahead;
use super::balance::balanced;
use super::budget::Budget;
use super::convex::Convex;
use super::descent::{Aim, Found, Tangent};
use super::dust::tidied;
use super::snapshot::{Snapshot, objective};
use super::widen::widened;
use crate::solver::Watch;
use crate::solver::{Ended, Observer, Stopping};
use crate::{Loss, Problem, Regularizer};

/// The ℓ1 path beside a nonconvex one is followed at this gap.
const ROUGH: f64 = 1e-2;
/// Work for one λ up to which descents are compared with care; only the better one goes on to the tolerance.
const CHEAP: u64 = 50_000_000;
/// The ℓ1 path's point is tried once λ has come down by this factor; in between the last solution alone
/// starts. On the usual 100 λ down to 0.01 of the largest that is every fourth.
const FRESH: f64 = 0.865;
/// Descents end at this times the tolerance: the certificate, which repairs multipliers in its own way, may see a little more.
const SPARE: f64 = 0.8;
/// Steps of the search for λ_max; two or three are usual.
const MOST_TANGENTS: usize = 30;
/// Newton steps of that search; a hundred are usual. Where weights differ by many magnitudes the accuracy that
/// it asks for is out of reach, and the upper bound will do.
const MOST_STEPS: usize = 5_000;
/// Its work, in multiplications: a second or two. A thousand copies of one column enter together, and each step then
/// costs as much as hundreds of usual ones.
const MOST_WORK: u64 = 2_500_000_000;
/// If nothing has entered at this, relative to the upper bound, nothing ever does.
const NEVER: f64 = 1e-6;
/// Below this upper bound there is no search.
const SMALLEST: f64 = 1e-290;
/// The gap to which V(λ) is found there, …
const ACCURATE: f64 = 1e-10;
/// … and the relative difference that counts as one.
const ENTERED: f64 = 1e-8;

/// Fits one problem under a sequence of regularisers that differ in the penalty's strength only.
#[derive(Debug)]
pub(crate) struct Follower<'a> {
    problem: &'a Problem<'a>,
    /// Follows the ℓ1 path.
    convex: Convex<'a>,
    ahead: Ahead,
    /// Descends for the nonconvex penalty.
    shaped: Convex<'a>,
    /// The last solution.
    last: Option<Snapshot>,
    /// The model without features.
    nothing: Found,
    /// The strength at which the ℓ1 path's point was last tried.
    fresh_at: f64,
}

impl<'a> Follower<'a> {
    /// Begins where the path does.
    pub(crate) fn new(problem: &'a Problem<'a>, entry: &Entry) -> Self {
        let mut convex = Convex::new(problem);
        convex.restore(&entry.at);
        Self {
            problem,
            convex,
            ahead: Ahead::default(),
            shaped: Convex::new(problem),
            last: None,
            nothing: Found {
                objective: objective(problem, problem.regularizer(), &entry.at.w, entry.at.b),
                at: entry.at.clone(),
            },
            fresh_at: f64::INFINITY,
        }
    }

    /// Solves for the next regulariser. `strength` is that of the ℓ1 path beside it, whose point is a
    /// second start for a nonconvex penalty: the last solution alone would keep early features forever.
    pub(crate) fn next(
        &mut self,
        regularizer: &Regularizer,
        strength: f64,
        watch: &mut Watch<'_>,
    ) -> Snapshot {
        let tol = watch.tol();
        let mut tangent = Tangent::new(regularizer, self.problem.features());
        if regularizer.penalty().concavity() == 0.0 {
            self.convex.expected = self.ahead.look(self.problem, strength);
            self.convex.solve(tangent.at_zero(), 0.0, tol, watch);
            let at = self.convex.snapshot();
            self.ahead.pass(self.problem, strength, &at.pulls);
            return tidied(self.problem, regularizer, balanced(self.problem, at, tol), tol);
        }
        let budget = Budget::new(watch, CHEAP, CHEAP);
        let mut warm = None;
        if let Some(last) = self.last.take() {
            self.shaped.restore(&last);
            warm = Some(tangent.descend(&mut self.shaped, budget.aim(watch), watch));
        }
        if warm.is_none() || strength <= FRESH * self.fresh_at {
            self.fresh_at = strength;
            let slopes: Vec<f64> =
                (0..self.problem.features()).map(|j| strength * regularizer.factor(j)).collect();
            self.convex.solve(&slopes, 0.0, ROUGH, watch);
            self.shaped.restore(&self.convex.snapshot());
            let fresh = tangent.descend(&mut self.shaped, budget.aim(watch), watch);
            if let Some(warm) = warm.filter(|warm| warm.objective <= fresh.objective) {
                self.shaped.restore(&warm.at);
            }
        }
        let found = tangent.descend(&mut self.shaped, Aim::to(SPARE * tol), watch);
        let found = widened(self.problem, &mut tangent, found, &mut self.shaped, watch).at;
        let found = tidied(self.problem, regularizer, found, tol);
        self.last = Some(found.clone());
        // ℓp is steep enough at 0 for that; the others are nowhere above ℓ1.
        let is_worse = objective(self.problem, regularizer, &found.w, found.b) > self.nothing.objective;
        if is_worse { self.nothing.at.clone() } else { found }
    }
}

/// Where a path begins.
#[derive(Debug)]
pub(crate) struct Entry {
    /// λ_max in terms of the ℓ1 slope: below it the first feature enters; 0 if none ever does.
    pub(crate) strength: f64,
    /// w = 0 with multipliers that prove it there.
    pub(crate) at: Snapshot,
}

impl Entry {
    /// Where the multipliers at w = 0 are unique (a smooth loss, no intercept, or classes of equal weight),
    /// the strength is max_j |x_jᵀ(y∘β)|/κ_j. Else it is the least such value over all multipliers that are
    /// optimal at w = 0, an LP. It is found through V(λ) = min F, which is concave with slope Σκ_j|w_j(λ)|
    /// and equals V(∞) from λ_max on: where the tangent at some λ below meets V(∞) is a better λ, and still
    /// not above λ_max. V is piecewise linear, so this ends after a few tangents.
    ///
    /// Nothing if the observer wanted to stop.
    pub(crate) fn find(problem: &Problem<'_>, observer: &mut dyn Observer) -> Option<Self> {
        let stopping = Stopping { tol: 0.0, max_iter: MOST_STEPS, max_time: None };
        let mut watch = Watch::new(observer, stopping, problem.team()).with_most_work(MOST_WORK);
        let entry = Self::search(problem, &mut watch);
        (watch.ended() != Ended::Interrupted).then_some(entry)
    }

    fn search(problem: &Problem<'_>, watch: &mut Watch<'_>) -> Self {
        let factors = problem.factors();
        let mut convex = Convex::new(problem);
        let upper = convex.without_features(&factors, watch);
        let mut at = convex.snapshot();
        // Below the smallest there is nothing to follow.
        if problem.loss() != Loss::Hinge || is_unique(problem, &at, &factors) || !(upper > SMALLEST) {
            return Self { strength: upper, at };
        }
        let nothing = convex.loss();
        if nothing <= 0.0 {
            // One class has all the weight: no feature can make it better.
            return Self { strength: 0.0, at };
        }
        let certain = Self { strength: upper, at: at.clone() };
        let value_at = |strength: f64, convex: &mut Convex<'_>, watch: &mut Watch<'_>| {
            let slopes: Vec<f64> = factors.iter().map(|factor| factor * strength).collect();
            convex.solve(&slopes, 0.0, ACCURATE, watch);
            let size: f64 = convex.coefficients().iter().map(|&(j, w)| factors[j] * w.abs()).sum();
            (convex.gap(&slopes, 0.0).0, size)
        };
        // Down to where something has entered, and from there up along the tangents.
        let mut strength = upper;
        let (mut value, mut size) = (nothing, 0.0);
        while value >= nothing * (1.0 - ENTERED) {
            strength *= 0.7;
            if strength < NEVER * upper {
                return Self { strength: 0.0, at };
            }
            (value, size) = value_at(strength, &mut convex, watch);
            if watch.stopped() {
                return certain;
            }
        }
        for _ in 0..MOST_TANGENTS {
            at.pulls = convex.snapshot().pulls;
            let better = strength + (nothing - value) / size;
            if !(better > strength * (1.0 + ENTERED)) {
                break;
            }
            strength = better;
            (value, size) = value_at(strength, &mut convex, watch);
            if watch.stopped() {
                return certain;
            }
        }
        Self { strength, at }
    }
}

/// True if no other multipliers are optimal at w = 0: every sample pulls with all its weight there.
fn is_unique(problem: &Problem<'_>, at: &Snapshot, factors: &[f64]) -> bool {
    let mut sums =
        at.pulls.iter().zip(problem.caps()).fold([0.0; 2], |[s, t], (a, cap)| [s + cap - a, t + cap]);
    problem.sum(&mut sums);
    let [spared, total] = sums;
    !factors.contains(&0.0) && spared <= 1e-12 * total
}
