//! Semismooth Newton on a working set: min Σ_i ψ_i(m_i) + Σ_p ω_p|w_p| + ½Σ_p μ_p w_p².
//!
//! Each step solves the Newton system of the smooth part on the support and the columns that want to
//! enter, with the signs that the penalty sees now; coordinates that would change sign stop at zero.
//! Along the resulting direction the objective is piecewise quadratic, so the line search is exact.

use faer::Mat;
use rayon::prelude::*;

use super::block::Block;
use super::line::search_line;
use super::ramp::Ramps;
use crate::solver::Watch;

/// Newton steps that one call may take; a few dozen is usual.
const MOST_STEPS: usize = 300;
/// Of these, the first so many may go by conjugate gradients, which are rough.
const MOST_ROUGH: usize = 50;
/// Below this, a violation that does not halve is at the end of what rounding allows.
const ROUNDING: f64 = 1e-9;
/// Work by the rows is little if it is below the cube of the columns over this.
const BESIDE: usize = 100;
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

/// Reusable memory of the engine, and the Gram matrix that it keeps up to date.
#[derive(Debug)]
pub(super) struct Engine {
    /// The lower triangle of Bᵀ diag(c) B over the samples that are held here, …
    pub(super) gram: Mat<f64>,
    /// … for these c; empty if there is none for the present block.
    gram_of: Vec<f64>,
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
    /// How exact the line search has to be for the last direction.
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
            precision: 0.0,
            is_conjugate: false,
            rough: 0,
            effort: 0,
        }
    }

    /// The block has changed: its column p was column `was[p]` of the old one, or is new. What is known of
    /// the Gram matrix is kept, if that is most of it.
    pub(super) fn change_block(&mut self, block: &Block<'_>, was: &[Option<usize>]) {
        let new = was.iter().filter(|was| was.is_none()).count();
        if self.gram_of.is_empty() || 2 * new > was.len() {
            self.forget_gram();
            return;
        }
        let width = was.len();
        let mut gram = Mat::zeros(width, width);
        for (p, old_p) in was.iter().enumerate() {
            let Some(old_p) = *old_p else { continue };
            let (from, to) = (self.gram.col_as_slice(old_p), gram.col_as_slice_mut(p));
            for (q, old_q) in was.iter().enumerate().skip(p) {
                if let Some(old_q) = *old_q {
                    to[q] = from[old_q];
                }
            }
        }
        let new: Vec<usize> = (0..width).filter(|&p| was[p].is_none()).collect();
        let columns: Vec<Vec<f64>> = new
            .par_iter()
            .map(|&p| {
                let mut column = vec![0.0; width];
                block.gram_column(p, 0, &self.gram_of, &mut column);
                column
            })
            .collect();
        for (&p, column) in new.iter().zip(&columns) {
            (0..p).for_each(|q| gram[(p, q)] = column[q]);
            gram.col_as_slice_mut(p)[p..].copy_from_slice(&column[p..]);
        }
        self.gram = gram;
    }

    /// A wide block does without.
    pub(super) fn forget_gram(&mut self) {
        self.gram_of.clear();
    }

    /// Minimises until no coordinate's violation is above `tolerance`, or the watch says stop, or it
    /// gets nowhere. Returns the violation.
    pub(super) fn minimise(
        &mut self,
        block: &Block<'_>,
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
        self.is_conjugate = false;
        self.rough = MOST_ROUGH;
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            self.evaluate(block, ramps, weights, point);
            let violation = self.violation(weights, point);
            let rounded_off = violation <= ROUNDING && violation > 0.5 * last;
            if violation <= tolerance || rounded_off || watch.stopped() {
                return violation;
            }
            last = violation;
            while !self.find_direction(block, weights, point, violation, tolerance) {
                self.damping *= 100.0;
                if self.damping > 1e6 {
                    self.damping = DAMPING.0;
                    return violation;
                }
            }
            let slope = |t: f64| {
                let (first, second) = ramps.along(&point.margins, &self.along, t);
                let mut both = [first, second];
                block.sum(&mut both);
                both
            };
            let t = search_line(slope, weights, &point.w, &self.direction, self.precision);
            self.adapt_damping(t);
            if !self.advance(weights, point, t) {
                return violation;
            }
            let features = point.w.iter().take(block.features.len());
            let kept = features.filter(|w| **w != 0.0).count();
            watch.tick(kept, 4 * block.stored() + 10 * point.margins.len(), self.effort);
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

    /// Pulls and curvatures, and the gradient of the smooth part, -Bᵀa + μw.
    fn evaluate(&mut self, block: &Block<'_>, ramps: &Ramps, weights: &Weights, point: &mut Point) {
        self.curvatures.clear();
        if self.is_conjugate {
            self.evaluate_changes(block, ramps, point);
            return;
        }
        for (i, (pull, m)) in point.pulls.iter_mut().zip(&point.margins).enumerate() {
            *pull = ramps.pull(i, *m);
            self.curvatures.push(ramps.curvature(i, *m));
        }
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

    /// What [`refresh_gram`](Self::refresh_gram) would cost by the rows that changed, and anew.
    fn gram_works(&self, block: &Block<'_>) -> (Option<usize>, usize) {
        let work = |rows: &mut dyn Iterator<Item = usize>| rows.map(|i| block.gram_work(i)).sum::<usize>();
        let n = self.curvatures.len();
        let differs = |i: &usize| self.gram_of[*i] != self.curvatures[*i];
        let by_changes = (!self.gram_of.is_empty()).then(|| work(&mut (0..n).filter(differs)));
        (by_changes, work(&mut (0..n).filter(|i| self.curvatures[*i] != 0.0)))
    }

    /// True if a Gram matrix of k columns, anew, costs next to nothing beside its factor, and none is kept that only
    /// a few rows have left behind. Wide blocks of sparse rows then do without one of all their columns.
    pub(super) fn is_cheap_anew(&self, block: &Block<'_>, k: usize) -> bool {
        let (by_changes, anew) = self.gram_works(block);
        anew <= k.pow(3) / BESIDE && by_changes.is_none_or(|changes| anew <= 2 * changes + k * k)
    }

    /// The less of both.
    pub(super) fn gram_work(&self, block: &Block<'_>) -> usize {
        let (by_changes, anew) = self.gram_works(block);
        by_changes.map_or(anew, |changes| changes.min(anew))
    }

    /// Brings the Gram matrix up to date: by the rows that changed, or anew if these are many.
    pub(super) fn refresh_gram(&mut self, block: &Block<'_>) {
        let (by_changes, anew) = self.gram_works(block);
        if by_changes.is_none_or(|changes| changes > anew) {
            if self.gram.nrows() != block.width() {
                self.gram = Mat::zeros(block.width(), block.width());
            }
            block.gram(&self.curvatures, &mut self.gram);
        } else {
            let differs = |i: &usize| self.gram_of[*i] != self.curvatures[*i];
            for i in (0..self.curvatures.len()).filter(differs) {
                block.add_row(i, self.curvatures[i] - self.gram_of[i], &mut self.gram);
            }
        }
        self.gram_of.clone_from(&self.curvatures);
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
