//! Semismooth Newton on a working set: min Σ_i ψ_i(m_i) + Σ_p ω_p|w_p| + ½Σ_p μ_p w_p².
//!
//! Each step solves the Newton system of the smooth part on the support and the columns that want to
//! enter, with the signs that the penalty sees now; coordinates that would change sign stop at zero.
//! Along the resulting direction the objective is piecewise quadratic, so the line search is exact.

use faer::Mat;

use super::block::Block;
use super::line::search_line;
use super::ramp::Ramps;
use crate::solver::Watch;

/// Newton steps that one call may take; a few dozen is usual.
pub(super) const MOST_STEPS: usize = 100;
/// Of these, the first so many may go by conjugate gradients, which are rough.
const MOST_ROUGH: usize = 50;
/// Below this, a violation that does not halve is at the end of what rounding allows; …
const ROUNDING: f64 = 1e-9;
/// … below this, one that does not halve in so many steps.
const SMALL: (f64, usize) = (1e-6, 10);
/// What a sample costs in a step, in multiplications: in the trials of the line search above all.
const PER_SAMPLE: usize = 50;
/// The slope that an exact line search leaves, relatively.
pub(super) const EXACT: f64 = 1e-12;
/// The intercept is settled if its violation is below this times the tolerance.
const BALANCED: f64 = 1e-3;
/// The damping that a problem of the hinge begins with, at least: which samples will bend is not in sight again, and from
/// where the last one ended half a dozen steps of next to no length would go by until there is damping enough.
const WARY: f64 = 1e-5;
/// Least and largest damping.
const DAMPING: (f64, f64) = (1e-9, 1.0);

/// Coefficients on a block, and what follows from them.
#[derive(Debug, Default)]
pub(super) struct Point {
    /// Scaled coefficients; the intercept is the last, if free.
    pub(super) w: Vec<f64>,
    /// m = B w.
    pub(super) margins: Vec<f64>,
    /// -ψ'(m).
    pub(super) pulls: Vec<f64>,
}

/// ω and μ in the block's units; the intercept has 0 and 0.
#[derive(Debug, Default)]
pub(super) struct Weights {
    pub(super) slope: Vec<f64>,
    pub(super) ridge: Vec<f64>,
    /// What a coordinate's violation is measured by: its slope, but not less than a tenth of the mean.
    pub(super) unit: Vec<f64>,
}

impl Weights {
    /// Sets the units after the slopes. In the block's units no gradient is above 1, so slopes above 1
    /// say nothing; the mean is geometric, because slopes span magnitudes.
    pub(super) fn measure(&mut self) {
        let penalised = self.slope.iter().filter(|slope| **slope > 0.0);
        let (sum, count) =
            penalised.fold((0.0, 0), |(sum, count), slope| (sum + slope.clamp(1e-6, 1.0).ln(), count + 1));
        let least = if count > 0 { 0.1 * (sum / f64::from(count)).exp() } else { 1e-3 };
        self.unit.clear();
        self.unit.extend(self.slope.iter().map(|slope| slope.clamp(least, 1.0)));
    }
}

/// Reusable memory of the engine, and the Gram matrix that it keeps up to date (`gram.rs`).
#[derive(Debug)]
pub(super) struct Engine {
    /// The lower triangle of Bᵀ diag(c) B over the samples that are held here, …
    pub(super) gram: Mat<f64>,
    /// … for these c; empty if there is none for the present block.
    pub(super) gram_of: Vec<f64>,
    /// ψ'' at the point, …
    pub(super) curvatures: Vec<f64>,
    /// … and for how many samples it is not 0.
    pub(super) bent: usize,
    pub(super) gradient: Vec<f64>,
    pub(super) direction: Vec<f64>,
    pub(super) along: Vec<f64>,
    /// Added to the diagonal of the Newton system, relative to the steepness: more when steps had to be
    /// cut short, less when they went through.
    pub(super) damping: f64,
    pub(super) steepness: f64,
    /// The slope of the objective along the last direction, at its start, …
    pub(super) downhill: f64,
    /// … and how much of it the line search may leave.
    pub(super) precision: f64,
    /// True once a direction of this call was one of conjugate gradients: steps are small changes then, and
    /// the gradient is kept up to date by the samples whose pull changed.
    pub(super) is_conjugate: bool,
    /// Directions of this call that may still be rough.
    pub(super) rough: usize,
    /// What the last direction cost, in multiplications, roughly.
    pub(super) effort: usize,
}

impl Engine {
    pub(super) fn new() -> Self {
        Self {
            gram: Mat::new(),
            gram_of: Vec::new(),
            curvatures: Vec::new(),
            bent: 0,
            gradient: Vec::new(),
            direction: Vec::new(),
            along: Vec::new(),
            damping: 1e-6,
            steepness: 1.0,
            downhill: 0.0,
            precision: 0.0,
            is_conjugate: false,
            rough: 0,
            effort: 0,
        }
    }

    /// The multipliers, and so the problem, are new.
    pub(super) fn begin_anew(&mut self) {
        self.damping = self.damping.max(WARY);
    }

    /// Minimises until no coordinate's violation is above the tolerance, or so much work is done in all, or the watch says stop,
    /// or it gets nowhere. Returns the violation.
    pub(super) fn minimise(
        &mut self,
        block: &Block<'_>,
        ramps: &Ramps,
        weights: &Weights,
        point: &mut Point,
        (tolerance, most_work): (f64, u64),
        watch: &mut Watch<'_>,
    ) -> f64 {
        self.gradient.resize(block.width(), 0.0);
        self.direction.resize(block.width(), 0.0);
        self.along.resize(point.margins.len(), 0.0);
        self.steepness = ramps.steepness();
        self.is_conjugate = false;
        self.rough = MOST_ROUGH;
        let (mut last, mut least, mut since) = (f64::INFINITY, f64::INFINITY, 0);
        for step in 0..MOST_STEPS {
            self.evaluate(block, ramps, weights, point);
            let violation = self.violation(weights, point);
            if violation <= 0.5 * least {
                (least, since) = (violation, 0);
            }
            since += 1;
            let rounded_off =
                violation <= ROUNDING && violation > 0.5 * last || violation <= SMALL.0 && since > SMALL.1;
            if violation <= tolerance || rounded_off || watch.stopped() || watch.work() >= most_work {
                self.settle_intercept(block, ramps, weights, point, tolerance);
                return violation;
            }
            last = violation;
            if step == 0 && ramps.is_renewed {
                self.look_back(block, ramps);
            }
            while !self.find_direction(block, weights, point, violation, tolerance) {
                self.damping *= 100.0;
                if self.damping > 1e6 {
                    self.damping = DAMPING.0;
                    return violation;
                }
            }
            let t = self.step_length(block, ramps, weights, point);
            self.adapt_damping(t);
            if !self.advance(weights, point, t) {
                return violation;
            }
            let features = point.w.iter().take(block.features.len());
            let kept = features.filter(|w| **w != 0.0).count();
            watch.tick(kept, 4 * block.stored() + PER_SAMPLE * point.margins.len(), self.effort);
        }
        self.evaluate(block, ramps, weights, point);
        self.violation(weights, point)
    }

    /// New multipliers go past the old ones, so at first many samples do not bend that will at the end: those that bent
    /// when the multipliers were made count as bent in the first direction.
    fn look_back(&mut self, block: &Block<'_>, ramps: &Ramps) {
        for (i, curvature) in self.curvatures.iter_mut().enumerate().filter(|(_, c)| **c == 0.0) {
            *curvature = ramps.curvature_before(i);
        }
        let bent = self.own_bent();
        self.bent = block.sum_with(&mut Vec::new(), bent);
    }

    /// How far to go.
    fn step_length(&self, block: &Block<'_>, ramps: &Ramps, weights: &Weights, point: &Point) -> f64 {
        let slope = |t: f64| {
            let mut both = ramps.along(&point.margins, &self.along, t);
            block.sum(&mut both);
            both
        };
        search_line(slope, self.downhill, weights, &point.w, &self.direction, self.precision)
    }

    /// Moves the intercept alone to where the classes pull alike, if a rough direction was the last: the hinge's multipliers
    /// are what proves, and the certificate would balance them by other means, at the cost of the bound.
    fn settle_intercept(
        &mut self,
        block: &Block<'_>,
        ramps: &Ramps,
        weights: &Weights,
        point: &mut Point,
        tolerance: f64,
    ) {
        let last = block.width().wrapping_sub(1);
        let is_settled = |g: f64| g.abs() <= BALANCED * tolerance * weights.unit[last];
        if !ramps.is_renewed || !block.has_intercept() || is_settled(self.gradient[last]) {
            return;
        }
        self.direction.fill(0.0);
        self.direction[last] = -self.gradient[last].signum();
        (self.downhill, self.precision) = (-self.gradient[last].abs(), EXACT);
        block.times(&self.direction, &mut self.along);
        let t = self.step_length(block, ramps, weights, point);
        if self.advance(weights, point, t) {
            self.evaluate(block, ramps, weights, point);
        }
    }

    /// A step that had to be cut short was too long: the samples that bend it were not yet in sight.
    fn adapt_damping(&mut self, t: f64) {
        let factor = if t < 0.2 {
            10.0
        } else if t > 0.6 {
            0.2
        } else {
            1.0
        };
        self.damping = (self.damping * factor).clamp(DAMPING.0, DAMPING.1);
    }

    /// Pulls and curvatures, and the gradient of the smooth part, -Bᵀa + μw.
    fn evaluate(&mut self, block: &Block<'_>, ramps: &Ramps, weights: &Weights, point: &mut Point) {
        self.curvatures.clear();
        if self.is_conjugate {
            self.evaluate_changes(block, ramps, point);
            return;
        }
        ramps.evaluate(&point.margins, &mut point.pulls, &mut self.curvatures);
        block.transposed_times(&point.pulls, &mut self.gradient);
        let bent = self.own_bent();
        self.bent = block.sum_with(&mut self.gradient, bent);
        for (g, (ridge, w)) in self.gradient.iter_mut().zip(weights.ridge.iter().zip(&point.w)) {
            *g = ridge * w - *g;
        }
    }

    pub(super) fn own_bent(&self) -> usize {
        self.curvatures.iter().filter(|c| **c != 0.0).count()
    }

    /// The same by the rows of the samples whose pull changed; the part of μw came with the step.
    fn evaluate_changes(&mut self, block: &Block<'_>, ramps: &Ramps, point: &mut Point) {
        let mut changes = if block.is_shared() { vec![0.0; self.gradient.len()] } else { Vec::new() };
        let target = if block.is_shared() { &mut changes } else { &mut self.gradient };
        for (i, (pull, m)) in point.pulls.iter_mut().zip(&point.margins).enumerate() {
            self.curvatures.push(ramps.curvature(i, *m));
            let now = ramps.pull(i, *m);
            let change = now - *pull;
            if change != 0.0 {
                *pull = now;
                let (columns, entries) = block.row(i);
                columns.iter().zip(entries).for_each(|(&p, entry)| target[p as usize] -= change * entry);
            }
        }
        self.bent = block.sum_with(&mut changes, self.own_bent());
        self.gradient.iter_mut().zip(&changes).for_each(|(g, change)| *g += change);
    }

    /// The largest distance of 0 from a coordinate's subdifferential.
    fn violation(&self, weights: &Weights, point: &Point) -> f64 {
        let each = (0..point.w.len()).map(|p| {
            let (g, slope, w) = (self.gradient[p], weights.slope[p], point.w[p]);
            let distance = if w == 0.0 { (g.abs() - slope).max(0.0) } else { (g + slope.copysign(w)).abs() };
            distance / weights.unit[p]
        });
        each.fold(0.0, f64::max)
    }

    /// Takes the step; false if it is lost in rounding.
    fn advance(&mut self, weights: &Weights, point: &mut Point, t: f64) -> bool {
        let mut moved = false;
        for (p, (w, d)) in point.w.iter_mut().zip(&self.direction).enumerate() {
            let next = *w + t * d;
            // What reaches zero is zero, whatever the rounding.
            let next = if next.abs() <= 1e-13 * w.abs().max((t * d).abs()) { 0.0 } else { next };
            moved |= (next - *w).abs() > 4.0 * f64::EPSILON * w.abs();
            self.gradient[p] += weights.ridge[p] * (next - *w);
            *w = next;
        }
        point.margins.iter_mut().zip(&self.along).for_each(|(m, q)| *m += t * q);
        moved
    }
}
