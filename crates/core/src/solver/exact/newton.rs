//! Semismooth Newton on a working set: min Σ_i ψ_i(m_i) + Σ_p ω_p|w_p| + ½Σ_p μ_p w_p².
//!
//! Each step solves the Newton system of the smooth part on the support and the columns that want to
//! enter, with the signs that the penalty sees now; coordinates that would change sign stop at zero.
//! Along the resulting direction the objective is piecewise quadratic, so the line search is exact.

use faer::Mat;

use super::block::Block;
use super::ramp::Ramps;
use super::watch::Watch;
use crate::linsys::Factor;

/// Newton steps that one call may take; a few dozen is usual.
const MOST_STEPS: usize = 300;
/// How often a direction is solved again because coordinates met zero.
const MOST_HOLDS: usize = 6;
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
    /// Sets the units after the slopes.
    pub(super) fn measure(&mut self) {
        let penalised = self.slope.iter().filter(|slope| **slope > 0.0).count();
        let mean = self.slope.iter().sum::<f64>() / penalised.max(1) as f64;
        let least = if mean > 0.0 { 0.1 * mean } else { 1e-3 };
        self.unit.clear();
        self.unit.extend(self.slope.iter().map(|slope| slope.max(least)));
    }
}

/// Reusable memory of the engine, and the Gram matrix that it keeps up to date.
#[derive(Debug)]
pub(super) struct Engine {
    gram: Mat<f64>,
    curvatures: Vec<f64>,
    next_curvatures: Vec<f64>,
    gram_is_current: bool,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    along: Vec<f64>,
    /// Added to the diagonal of the Newton system, relative to the steepness: more when steps had to be
    /// cut short, less when they went through.
    damping: f64,
    steepness: f64,
}

impl Engine {
    pub(super) fn new() -> Self {
        Self {
            gram: Mat::new(),
            curvatures: Vec::new(),
            next_curvatures: Vec::new(),
            gram_is_current: false,
            gradient: Vec::new(),
            direction: Vec::new(),
            along: Vec::new(),
            damping: 1e-6,
            steepness: 1.0,
        }
    }

    /// To be called when the block has changed.
    pub(super) fn forget_gram(&mut self) {
        self.gram_is_current = false;
    }

    /// Minimises until no coordinate's violation is above `tolerance`, or the watch says stop, or it
    /// gets nowhere. Returns the violation.
    pub(super) fn minimise(
        &mut self,
        block: &Block,
        ramps: &Ramps,
        weights: &Weights,
        point: &mut Point,
        tolerance: f64,
        watch: &mut Watch<'_>,
    ) -> f64 {
        self.gradient.resize(block.width(), 0.0);
        self.direction.resize(block.width(), 0.0);
        self.along.resize(point.margins.len(), 0.0);
        self.steepness = ramps.steepness();
        for _ in 0..MOST_STEPS {
            self.evaluate(block, ramps, weights, point);
            let violation = self.violation(weights, point);
            if violation <= tolerance || watch.stopped() {
                return violation;
            }
            self.refresh_gram(block, ramps, point);
            while !self.find_direction(weights, point) {
                self.damping *= 100.0;
                if self.damping > 1e6 {
                    self.damping = DAMPING.0;
                    return violation;
                }
            }
            block.times(&self.direction, &mut self.along);
            let t = self.line_search(ramps, weights, point);
            self.adapt_damping(t);
            self.advance(point, t);
            let nonzeros = point.w.iter().filter(|w| **w != 0.0).count();
            watch
                .tick(nonzeros, (4 * block.stored() + 10 * point.margins.len() + nonzeros.pow(3) / 3) as u64);
        }
        self.evaluate(block, ramps, weights, point);
        self.violation(weights, point)
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

    /// Pulls and the gradient of the smooth part, -Bᵀa + μw.
    fn evaluate(&mut self, block: &Block, ramps: &Ramps, weights: &Weights, point: &mut Point) {
        for (i, (pull, m)) in point.pulls.iter_mut().zip(&point.margins).enumerate() {
            *pull = ramps.pull(i, *m);
        }
        block.transposed_times(&point.pulls, &mut self.gradient);
        for (g, (ridge, w)) in self.gradient.iter_mut().zip(weights.ridge.iter().zip(&point.w)) {
            *g = ridge * w - *g;
        }
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

    /// Brings Bᵀ diag(ψ'') B up to date: by the rows that changed, or anew if these are many.
    fn refresh_gram(&mut self, block: &Block, ramps: &Ramps, point: &Point) {
        let width = block.width();
        self.next_curvatures.clear();
        self.next_curvatures.extend(point.margins.iter().enumerate().map(|(i, m)| ramps.curvature(i, *m)));
        let work = |i: usize| block.row(i).0.len().pow(2);
        let anew: usize =
            (0..point.margins.len()).filter(|&i| self.next_curvatures[i] != 0.0).map(work).sum();
        let update = || {
            let changed = (0..point.margins.len()).filter(|&i| self.curvatures[i] != self.next_curvatures[i]);
            changed.map(work).sum::<usize>()
        };
        if !self.gram_is_current || update() > anew {
            if self.gram.nrows() != width {
                self.gram = Mat::zeros(width, width);
            }
            block.gram(&self.next_curvatures, &mut self.gram);
            self.gram_is_current = true;
        } else {
            for i in 0..point.margins.len() {
                let change = self.next_curvatures[i] - self.curvatures[i];
                if change != 0.0 {
                    block.add_row(i, change, &mut self.gram);
                }
            }
        }
        std::mem::swap(&mut self.curvatures, &mut self.next_curvatures);
    }

    /// The Newton direction; false if the system could not be solved or does not lead down.
    ///
    /// Coordinates that would cross zero are held at zero instead, and the others solved again given that.
    /// The factor serves all of these solves: holding a few coordinates is a small Schur complement.
    fn find_direction(&mut self, weights: &Weights, point: &Point) -> bool {
        let w = &point.w;
        let gradient = &self.gradient;
        // The sign that the penalty sees: of w, or where w = 0 of the way in.
        let sign = |p: usize| if w[p] != 0.0 { w[p].signum() } else { -gradient[p].signum() };
        let moves = |p: &usize| w[*p] != 0.0 || gradient[*p].abs() > weights.slope[*p];
        let free: Vec<usize> = (0..w.len()).filter(moves).collect();
        let k = free.len();
        let Some(factor) = self.factor(weights, &free) else { return false };
        let mut plain: Vec<f64> = free.iter().map(|&p| -(gradient[p] + weights.slope[p] * sign(p))).collect();
        factor.solve(&mut plain);

        let mut step = plain.clone();
        let mut held: Vec<usize> = Vec::new();
        let mut responses = Mat::<f64>::zeros(k, 0);
        for _ in 0..MOST_HOLDS {
            let crosses = |c: &usize| {
                let p = free[*c];
                weights.slope[p] > 0.0 && !held.contains(c) && (w[p] + step[*c]) * sign(p) < 0.0
            };
            let new: Vec<usize> = (0..k).filter(crosses).collect();
            if new.is_empty() || held.len() + new.len() > k / 3 + 8 {
                break;
            }
            let from = held.len();
            held.extend(new);
            responses.resize_with(k, held.len(), |r, c| f64::from(r == held[c]));
            factor.solve_many(responses.subcols_mut(from, held.len() - from));
            let schur = Mat::from_fn(held.len(), held.len(), |r, c| responses[(held[r], c)]);
            let Ok(schur) = Factor::new(schur) else { break };
            let mut force: Vec<f64> = held.iter().map(|&c| plain[c] + w[free[c]]).collect();
            schur.solve(&mut force);
            step.copy_from_slice(&plain);
            for (c, force) in force.iter().enumerate() {
                let response = responses.col_as_slice(c);
                step.iter_mut().zip(response).for_each(|(step, r)| *step -= force * r);
            }
        }
        self.direction.fill(0.0);
        for (&p, &step) in free.iter().zip(&step) {
            let crosses = weights.slope[p] > 0.0 && (w[p] + step) * sign(p) < 0.0;
            self.direction[p] = if crosses { -w[p] } else { step };
        }
        for &c in &held {
            self.direction[free[c]] = -w[free[c]];
        }
        self.downhill(weights, point) < 0.0
    }

    /// Factors Bᵀ diag(ψ'') B + μ + damping on the free columns.
    fn factor(&self, weights: &Weights, free: &[usize]) -> Option<Factor> {
        let k = free.len();
        let mut system = Mat::<f64>::zeros(k, k);
        for (c, &q) in free.iter().enumerate() {
            let column = self.gram.col_as_slice(q);
            let target = system.col_as_slice_mut(c);
            for r in c..k {
                target[r] = column[free[r]];
            }
            target[c] += weights.ridge[q] + self.damping * self.steepness;
        }
        Factor::new(system).ok()
    }

    /// The slope of the objective along the direction, at its start.
    fn downhill(&self, weights: &Weights, point: &Point) -> f64 {
        let along = |p: usize| {
            let (d, w) = (self.direction[p], point.w[p]);
            let bend = if w != 0.0 { w.signum() * d } else { d.abs() };
            self.gradient[p] * d + weights.slope[p] * bend
        };
        (0..point.w.len()).map(along).sum()
    }

    /// The exact minimiser along the direction, up to where the first coordinate reaches zero.
    fn line_search(&self, ramps: &Ramps, weights: &Weights, point: &Point) -> f64 {
        let mut furthest = f64::INFINITY;
        let (mut constant, mut linear) = (0.0, 0.0);
        for (p, &d) in self.direction.iter().enumerate() {
            let (w, slope) = (point.w[p], weights.slope[p]);
            if d == 0.0 {
                continue;
            }
            let sign = if w != 0.0 { w.signum() } else { d.signum() };
            constant += slope * sign * d + weights.ridge[p] * w * d;
            linear += weights.ridge[p] * d * d;
            if slope > 0.0 && w * d < 0.0 {
                furthest = furthest.min(-w / d);
            }
        }
        let slope_at = |t: f64| {
            let (first, second) = ramps.along(&point.margins, &self.along, t);
            (first + constant + t * linear, second + linear)
        };
        let (start, _) = slope_at(0.0);
        let (mut low, mut high) = (0.0, furthest);
        let mut t = furthest.min(1.0);
        for _ in 0..60 {
            let (first, second) = slope_at(t);
            if first.abs() <= 1e-12 * start.abs() {
                return t;
            }
            if first < 0.0 {
                if t >= furthest {
                    return furthest;
                }
                low = t;
            } else {
                high = t;
            }
            let newton = t - first / second;
            t = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                if newton >= high && high == furthest { furthest } else { 0.5 * (low + high) }
            } else {
                4.0 * low
            };
            if high - low <= 1e-15 * high {
                return low;
            }
        }
        low
    }

    fn advance(&self, point: &mut Point, t: f64) {
        for (w, d) in point.w.iter_mut().zip(&self.direction) {
            let next = *w + t * d;
            // What reaches zero is zero, whatever the rounding.
            *w = if next.abs() <= 1e-13 * w.abs().max((t * d).abs()) { 0.0 } else { next };
        }
        point.margins.iter_mut().zip(&self.along).for_each(|(m, q)| *m += t * q);
    }
}
