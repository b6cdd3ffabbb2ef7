//! The convex problem at the bottom of everything: a loss and a weighted ℓ1 norm,
//!
//!   min (1/n) Σ c_i ℓ(m_i) + Σ_j ω_j|w_j| + (μ/2)‖w‖²,
//!
//! by a working set around the Newton engine and, for the hinge, an augmented Lagrangian around that, or an interior point method
//! where that creeps.
//! What one solve has learned (coefficients, multipliers, working set) starts the next one.
//!
//! A round is: minimise on the working set; one pass over all features for the gradient; the gap; then
//! more features if some outside violate, and new multipliers if the hinge's are due.

use super::block::Block;
use super::gradient::Gradient;
use super::interior::Standing;
use super::newton::{Engine, MOST_STEPS, Point, Weights};
use super::nothing::nothing_kept;
use super::ramp::Ramps;
use super::scan::positions;
use super::snapshot::Snapshot;
use super::steepness::{self, Next, Round};
use crate::solver::Watch;
use crate::{Loss, Problem};

/// Multipliers are renewed only if no feature outside the working set has |g_j| above this times ω_j:
/// before that they would be those of another problem.
const SETTLED: f64 = 1.5;
/// Rounds without a better gap after which a solve gives up, …
const PATIENCE: usize = 12;
/// … that is, one below this times the best: what only rounding lowers goes on for ever (weights of 10³⁰⁰).
const BETTER: f64 = 0.9999;
/// From so many of them on, with hardly a step in the last, the hinge's ramps may be steeper than usual.
const STUCK: usize = 3;
/// Rounds in a row without a Newton step; a few are usual.
const MOST_IDLE: usize = 100;
/// The interior point method takes over no more after so many times in a row without a better gap: with numbers at the edge of what
/// there is the method of multipliers may go back from what that found, for ever.
const MOST_IN_VAIN: usize = 2;
/// How wide the margin is to one who does not know the multipliers: of widths between 0.03 and 1 it made little
/// difference which.
const ON_MARGIN: f64 = 0.2;
/// The working set grows by at most twice the support, and by at least this many.
const LEAST_GROWTH: usize = 50;

/// A feature at zero stays in the working set while its |g_j| is above this times ω_j: the next multipliers
/// would only bring it back. For the same reason the hinge takes in what is above, though it violates
/// nothing yet, …
pub(super) const NEAR: f64 = 0.8;
/// … if it keeps this many already: a round of few is cheap.
const MANY: usize = 100;
/// The inner problem is solved to this times the gap, …
const CLOSE: f64 = 0.1;
/// … but while features outside violate, only to this times their violation, …
const FAR: f64 = 0.05;
/// … at least to this, …
const ROUGHEST: f64 = 0.3;
/// … and never more accurately than this.
const FINEST: f64 = 1e-13;

/// Problem, point and everything worth keeping between solves.
#[derive(Debug)]
pub(super) struct Convex<'a> {
    pub(super) problem: &'a Problem<'a>,
    ramps: Ramps,
    pub(super) block: Block<'a>,
    pub(super) point: Point,
    engine: Engine,
    pub(super) weights: Weights,
    /// g = Xᵀ(y∘a) over all d features.
    pub(super) gradient: Gradient,
    is_cold: bool,
    /// How the interior point method has done on the features that are here.
    pub(super) inside: Standing,
    /// True if its points are those of the fit itself, which an observer may ask for.
    pub(super) is_shown: bool,
    /// Violations are relative to at least this: the largest slope at zero, which none of a tangent's
    /// slopes need be.
    pub(super) force: f64,
    /// What the gap would be if the multipliers were feasible.
    pub(super) potential: f64,
    /// The most that the ramps of this solve may be.
    most_steep: f64,
    /// What the hinge's next solve begins with, if better multipliers are known than those of the point.
    pub(super) expected: Option<Vec<f64>>,
}

impl<'a> Convex<'a> {
    /// Starts at w = 0, b = 0.
    pub(super) fn new(problem: &'a Problem<'a>) -> Self {
        let n = problem.samples();
        let block = Block::empty(problem);
        let width = block.width();
        Self {
            problem,
            ramps: Ramps::new(problem, steepness::COLD),
            block,
            point: Point { w: vec![0.0; width], margins: vec![0.0; n], pulls: vec![0.0; n] },
            engine: Engine::new(),
            weights: Weights::default(),
            gradient: Gradient::new(problem),
            is_cold: true,
            inside: Standing::default(),
            is_shown: false,
            force: 0.0,
            potential: 1.0,
            most_steep: steepness::MOST,
            expected: None,
        }
    }

    /// Goes to a known point.
    pub(super) fn restore(&mut self, snapshot: &Snapshot) {
        self.rebuild(snapshot.w.iter().map(|&(j, _)| j).collect(), &snapshot.w, snapshot.b);
        self.block.times(&self.point.w, &mut self.point.margins);
        self.point.pulls.copy_from_slice(&snapshot.pulls);
        let pulling = snapshot.pulls.iter().filter(|a| **a != 0.0).count();
        self.is_cold = self.problem.total(pulling as f64) == 0.0;
        if self.is_cold && !snapshot.w.is_empty() && self.problem.loss() == Loss::Hinge {
            self.guess_pulls();
        }
        self.gradient.forget();
        self.inside = Standing::Untried;
    }

    /// For a model that came without the hinge's multipliers: half a pull on the margin, a whole one or none far from it. Without
    /// pulls it would begin as if nothing were known, and leave the model in its first steps.
    fn guess_pulls(&mut self) {
        for (i, (pull, m)) in self.point.pulls.iter_mut().zip(&self.point.margins).enumerate() {
            *pull = self.problem.caps()[i] * (0.5 + (1.0 - m) / ON_MARGIN).clamp(0.0, 1.0);
        }
        self.is_cold = false;
    }

    /// Where it stands.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { w: self.coefficients(), b: self.intercept(), pulls: self.point.pulls.clone() }
    }

    /// Nonzero coefficients in raw units.
    pub(super) fn coefficients(&self) -> Vec<(usize, f64)> {
        let scaled = self.block.features.iter().zip(&self.point.w).zip(&self.block.scales);
        scaled.filter(|((_, w), _)| **w != 0.0).map(|((&j, w), scale)| (j, w * scale)).collect()
    }

    pub(super) fn intercept(&self) -> f64 {
        let last = self.block.width().wrapping_sub(1);
        if self.block.has_intercept() { self.point.w[last] * self.block.scales[last] } else { 0.0 }
    }

    /// Solves for the slopes ω (∞ keeps a feature out) to a relative gap of `tol`; returns the gap.
    /// `constant` belongs to the objective, and so to what the gap is relative to.
    pub(super) fn solve(&mut self, slopes: &[f64], constant: f64, tol: f64, watch: &mut Watch<'_>) -> f64 {
        let hinge = self.problem.loss() == Loss::Hinge;
        self.begin(slopes, hinge, tol);
        let (mut best, mut waited) = (f64::INFINITY, 0);
        let mut accuracy = ROUGHEST;
        let (mut idle, mut in_vain) = (0, 0);
        let mut began = watch.work();
        loop {
            let steps = watch.steps();
            let may_go_inside = in_vain < MOST_IN_VAIN && self.may_go_inside();
            let until = if may_go_inside { began.saturating_add(self.patience()) } else { u64::MAX };
            let violation = self.engine.minimise(
                &self.block,
                &self.ramps,
                &self.weights,
                &mut self.point,
                (accuracy, until),
                watch,
            );
            self.gradient.forget();
            let (objective, gap) = self.gap(slopes, constant);
            watch.objective = objective;
            watch.count(self.gradient.effort());
            if self.is_shown && watch.wants_iterate() {
                watch.show(&self.snapshot().dense(slopes.len()), self.intercept());
            }
            let follows = gap < 0.9 * best;
            waited = if gap < BETTER * best { 0 } else { waited + 1 };
            best = best.min(gap);
            // The watch sees steps only: rounds without any must end by themselves.
            let steps = watch.steps() - steps;
            idle = if steps == 0 { idle + 1 } else { 0 };
            self.limit_steepness(steps, follows, waited);
            let stalls = waited > PATIENCE || idle > MOST_IDLE;
            if gap <= tol || watch.stopped() || stalls && !may_go_inside {
                return gap;
            }
            if watch.work() >= until || stalls {
                let gap = self.go_inside(slopes, constant, (gap, tol), watch);
                if gap <= tol || watch.stopped() {
                    return gap;
                }
                in_vain = if gap < BETTER * best { 0 } else { in_vain + 1 };
                best = best.min(gap);
                (began, waited, idle) = (watch.work(), 0, 0);
                self.renew_multipliers(self.ramps.steepness());
            }
            let worst = self.enlarge(slopes);
            if worst < SETTLED {
                accuracy = match hinge {
                    true => self.plan(tol, violation, violation <= accuracy, worst == 0.0),
                    false => accuracy.min(CLOSE * gap),
                };
                // If the gap does not follow though the features are there, it is accuracy that is missing.
                if !follows && (worst == 0.0 || !hinge) {
                    accuracy = 0.1 * accuracy.min(violation);
                }
            } else {
                accuracy = (FAR * (worst - 1.0)).min(ROUGHEST);
                self.flatten();
            }
            accuracy = accuracy.max(FINEST);
        }
    }

    /// Fits what is not penalised, alone; returns the strength below which the first feature enters (for
    /// the hinge, whose multipliers at w = 0 need not be unique, an upper bound).
    pub(super) fn without_features(&mut self, factors: &[f64], watch: &mut Watch<'_>) -> f64 {
        let slopes: Vec<f64> = factors.iter().map(|f| if *f > 0.0 { f64::INFINITY } else { 0.0 }).collect();
        if self.problem.loss() == Loss::Hinge && !factors.contains(&0.0) {
            self.restore(&nothing_kept(self.problem));
            self.bring_gradient(&vec![0.0; factors.len()]);
        } else {
            self.solve(&slopes, 0.0, 1e-12, watch);
        }
        let entry = |(g, factor): (&f64, &f64)| if *factor > 0.0 { g.abs() / factor } else { 0.0 };
        self.gradient.values().iter().zip(factors).map(entry).fold(0.0, f64::max)
    }

    /// Puts the slopes in place, with a working set that has the support, all that is unpenalised, and
    /// what violates already.
    fn begin(&mut self, slopes: &[f64], hinge: bool, tol: f64) {
        let unpenalised = positions([slopes], |[slope]| slope == 0.0);
        let mut features: Vec<usize> =
            self.coefficients().iter().map(|&(j, _)| j).chain(unpenalised).collect();
        features.sort_unstable();
        features.dedup();
        if features.iter().any(|j| self.block.features.binary_search(j).is_err()) {
            let (w, b) = (self.coefficients(), self.intercept());
            self.rebuild(features, &w, b);
        }
        if hinge {
            let steepness = if self.is_cold {
                steepness::COLD
            } else {
                steepness::warm(tol, self.coefficients().len() >= MANY)
            };
            self.renew_multipliers(steepness);
            self.engine.begin_anew();
            if let Some(expected) = self.expected.take() {
                self.ramps.beta = expected;
            }
            self.most_steep = steepness::MOST;
        }
        self.is_cold = false;
        self.set_weights(slopes);
        if self.gradient.is_current() {
            self.bring_gradient(slopes);
            self.enlarge(slopes);
        }
    }

    /// What the hinge does next, and how accurately.
    fn plan(&mut self, tol: f64, violation: f64, is_solved: bool, is_whole: bool) -> f64 {
        let (steepness, most, potential) = (self.ramps.steepness(), self.most_steep, self.potential);
        match steepness::next(Round { steepness, most, potential, violation, is_solved, is_whole }, tol) {
            Next::Same { accuracy } => accuracy,
            Next::Renewed { steepness, accuracy } => {
                self.renew_multipliers(steepness);
                accuracy
            }
        }
    }

    /// How steep the hinge's next rounds may be, after one of so many steps: the gap `follows`, or has not for so long.
    fn limit_steepness(&mut self, steps: usize, follows: bool, waited: usize) {
        let (steepness, most) = (self.ramps.steepness(), self.most_steep);
        self.most_steep = if steps >= MOST_STEPS {
            steepness::relieved(steepness)
        } else if steps > 1 || follows {
            most.min(steepness::MOST)
        } else if steepness >= most && (waited >= STUCK || most > steepness::MOST) {
            steepness::raised(most)
        } else {
            most
        };
    }

    /// Makes the ramps less steep if they are too steep, with the multipliers that they have.
    fn flatten(&mut self) {
        if self.ramps.is_renewed && self.ramps.steepness() > self.most_steep {
            self.ramps.set_steepness(self.problem, self.most_steep);
        }
    }

    fn renew_multipliers(&mut self, steepness: f64) {
        self.ramps.beta.copy_from_slice(&self.point.pulls);
        self.ramps.set_steepness(self.problem, steepness);
    }

    /// Slopes and ridge in the block's units.
    fn set_weights(&mut self, slopes: &[f64]) {
        let Self { block, weights, problem, .. } = self;
        let l2 = problem.regularizer().l2();
        weights.slope.clear();
        weights.ridge.clear();
        for (&j, scale) in block.features.iter().zip(&block.scales) {
            weights.slope.push(slopes[j] * scale);
            weights.ridge.push(l2 * scale * scale);
        }
        weights.slope.resize(block.width(), 0.0);
        weights.ridge.resize(block.width(), 0.0);
        weights.measure();
    }

    /// Makes sure that what these slopes ask of the gradient is known at the current point: with slopes of 0, all of it.
    pub(super) fn bring_gradient(&mut self, slopes: &[f64]) {
        let near = self.nearness();
        self.gradient.bring(self.problem, &self.point.pulls, slopes, near, &self.block.features);
    }

    /// A feature enters the working set if its |g_j| is above this times ω_j and another one violates.
    fn nearness(&self) -> f64 {
        let kept = self.point.w.iter().take(self.block.features.len()).filter(|w| **w != 0.0).count();
        if self.problem.loss() == Loss::Hinge && kept >= MANY { NEAR } else { 1.0 }
    }

    /// (1/n) Σ c_i ℓ(m_i) at the current point.
    pub(super) fn loss(&self) -> f64 {
        let loss = self.problem.loss();
        let each = self.point.margins.iter().zip(self.problem.caps());
        self.problem.total(each.map(|(m, cap)| cap * loss.value(*m)).sum())
    }

    /// True if [`gap`](Self::gap) speaks of the current point.
    pub(super) fn knows_gradient(&self) -> bool {
        self.gradient.is_current()
    }

    /// The features that are kept out (ω = ∞) on which the loss leans most, at most so many.
    pub(super) fn leaning(&mut self, slopes: &[f64], most: usize) -> Vec<usize> {
        self.bring_gradient(&vec![0.0; slopes.len()]);
        let mut out: Vec<usize> = (0..slopes.len()).filter(|&j| slopes[j].is_infinite()).collect();
        let size = |j: &usize| self.gradient.values()[*j].abs();
        let order = |a: &usize, b: &usize| size(b).total_cmp(&size(a)).then(a.cmp(b));
        if out.len() > most {
            out.select_nth_unstable_by(most, order);
            out.truncate(most);
        }
        out.sort_by(order);
        out
    }

    /// Adds the features that violate most (for the hinge, also those that may soon), drops those that are far
    /// from entering; returns the worst |g_j|/ω_j outside, 0 if none violates.
    fn enlarge(&mut self, slopes: &[f64]) -> f64 {
        let (inside, gradient) = (&self.block.features, self.gradient.values());
        let (w, near) = (self.coefficients(), self.nearness());
        let mut enter = positions([gradient, slopes], |[g, slope]| g.abs() > near * slope);
        enter.retain(|j| inside.binary_search(j).is_err());
        let rank = |&j: &usize| (gradient[j].abs() / slopes[j], j);
        let mut outside: Vec<(f64, usize)> = enter.iter().map(rank).collect();
        let worst = outside.iter().map(|&(ratio, _)| ratio).fold(0.0, f64::max);
        if worst <= 1.0 {
            return 0.0;
        }
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let room = (2 * w.len()).max(LEAST_GROWTH);
        if outside.len() > room {
            outside.select_nth_unstable_by(room, order);
            outside.truncate(room);
        }
        let stays = |&(p, &j): &(usize, &usize)| {
            self.point.w[p] != 0.0 || gradient[j].abs() >= NEAR * slopes[j] || slopes[j] == 0.0
        };
        let kept = self.block.features.iter().enumerate().filter(stays).map(|(_, &j)| j);
        let mut features: Vec<usize> = kept.chain(outside.iter().map(|&(_, j)| j)).collect();
        features.sort_unstable();
        let b = self.intercept();
        self.rebuild(features, &w, b);
        self.set_weights(slopes);
        worst
    }

    /// Gathers a new working set and puts the coefficients in their places.
    fn rebuild(&mut self, features: Vec<usize>, w: &[(usize, f64)], b: f64) {
        self.inside = Standing::Untried;
        let new = self.block.with_features(features);
        let old = std::mem::replace(&mut self.block, new);
        let block = &self.block;
        let mut was: Vec<Option<usize>> =
            block.features.iter().map(|j| old.features.binary_search(j).ok()).collect();
        self.point.w.clear();
        self.point.w.resize(block.width(), 0.0);
        for &(j, w) in w {
            if let Ok(p) = block.features.binary_search(&j) {
                self.point.w[p] = w / block.scales[p];
            }
        }
        if block.has_intercept() {
            let last = block.width() - 1;
            self.point.w[last] = b / block.scales[last];
            was.push(Some(old.width() - 1));
        }
        // Its rows make room for the new ones.
        drop(old);
        self.engine.change_block(block, &was);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::solver::{Silent, Stopping};
    use crate::team::Alone;
    use crate::{Family, PenaltySpec, Regularizer};

    /// Of two samples that are nearly the same the one holds the other's multiplier, and its margin is wrong by 10⁻⁸: at the usual
    /// steepness it would take 5·10⁵ rounds to hand it over.
    #[test]
    fn multipliers_that_have_far_to_go_get_there() {
        let x = Dense::from_columns(2, 1, vec![1.0, 1.0 + 1e-8]).unwrap();
        let lambda = 0.25;
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, lambda)).unwrap();
        let problem = Problem::new(&x, &[1.0, 1.0], Loss::Hinge, regularizer).unwrap().without_intercept();
        let mut convex = Convex::new(&problem);
        convex.restore(&Snapshot { w: vec![(0, 1.0)], b: 0.0, pulls: vec![0.0, lambda / (1.0 + 1e-8)] });
        let mut silent = Silent;
        let mut watch = Watch::new(&mut silent, Stopping::default(), &Alone);
        let gap = convex.gap(&[lambda], 0.0).1;
        assert!(gap > 5e-9, "{gap} at the start");
        let gap = convex.solve(&[lambda], 0.0, 1e-11, &mut watch);
        assert!(gap <= 1e-11 && watch.steps() < 100, "a gap of {gap} after {} steps", watch.steps());
        assert!((convex.point.pulls[0] - lambda).abs() < 1e-9, "{:?}", convex.point.pulls);
    }
}
