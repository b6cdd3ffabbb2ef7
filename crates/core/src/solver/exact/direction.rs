//! Where a Newton step goes: by a Cholesky factor with the coordinates that meet zero held there, by conjugate
//! gradients, or by coordinate descent on the quadratic model.
//!
//! Near a vertex of the hinge, where as few samples bend as there are features, only the factor gets to the
//! end. On the way there, with many features and sparse rows, conjugate gradients are rough and far cheaper.
//! With many more bent samples than features the model is well conditioned, and a few sweeps are enough.

use faer::Mat;

use super::block::Block;
use super::newton::{EXACT, Engine, Point, Weights};
use crate::linsys::Factor;

/// How often a direction is solved again because coordinates met zero.
const MOST_HOLDS: usize = 6;
/// Coordinate descent from this width on, …
const WIDE: usize = 100;
/// … if this many times as many samples bend.
const CROWDED: usize = 2;
/// Conjugate gradients, and Gram matrices that are not kept, from this width on, …
pub(super) const LARGE: usize = 300;
/// … the former if the cube of the columns that move is more than this many times the entries of the rows that bend: some
/// sixty passes over these, of which a multiplication costs ten times a factor's.
const DEARER: usize = 7_000;
/// Below this violation the factor takes over, for good: it ends after a few steps, rough ones creep.
const NEARLY: f64 = 3e-4;

/// What a dense factor of k columns costs: k³/3 multiplications, of which a machine does eight in the time of one on sparse data.
pub(super) fn factor_effort(k: usize) -> usize {
    k.pow(3) / 24
}

impl Engine {
    /// A direction, and where it moves the margins; exact to what a violation deserves that has to come
    /// down to `tolerance`. False if none was found that leads down.
    pub(super) fn find_direction(
        &mut self,
        block: &Block<'_>,
        weights: &Weights,
        point: &Point,
        violation: f64,
        tolerance: f64,
    ) -> bool {
        if block.width() >= WIDE && self.bent >= CROWDED * block.width() {
            self.precision = 0.1;
            let goal = (violation * violation.clamp(1e-3, 0.1)).max(0.5 * tolerance);
            self.by_sweeps(block, weights, point, goal);
            self.is_conjugate = false;
        } else {
            self.precision = EXACT;
            let moves = |p: &usize| point.w[*p] != 0.0 || self.gradient[*p].abs() > weights.slope[*p];
            let free: Vec<usize> = (0..block.width()).filter(moves).collect();
            if violation <= NEARLY {
                self.rough = 0;
            }
            if self.rough > 0 && self.is_sparse(block, free.len()) {
                self.rough -= 1;
                self.by_conjugate_gradients(block, weights, point, &free);
            } else {
                self.is_conjugate = false;
                if !self.by_factor(block, weights, point, &free) {
                    return false;
                }
            }
            self.stop_at_zero(weights, point, &free);
        }
        block.times(&self.direction, &mut self.along);
        self.downhill = self.slope_at_start(weights, point);
        self.downhill < 0.0
    }

    /// True if passes over the rows that bend are cheaper than a factor.
    fn is_sparse(&self, block: &Block<'_>, moving: usize) -> bool {
        if moving < LARGE {
            return false;
        }
        let bent = self.curvatures.iter().enumerate().filter(|(_, c)| **c != 0.0);
        let own: usize = bent.map(|(i, _)| block.row(i).0.len()).sum();
        block.sum_with(&mut Vec::new(), own) < moving.saturating_pow(3) / DEARER
    }

    /// The sign that the penalty sees: of w, or where w = 0 of the way in.
    pub(super) fn sign(&self, point: &Point, p: usize) -> f64 {
        if point.w[p] != 0.0 { point.w[p].signum() } else { -self.gradient[p].signum() }
    }

    /// Coordinates that still cross zero go no further than to zero.
    fn stop_at_zero(&mut self, weights: &Weights, point: &Point, free: &[usize]) {
        for &p in free {
            if weights.slope[p] > 0.0 && (point.w[p] + self.direction[p]) * self.sign(point, p) < 0.0 {
                self.direction[p] = -point.w[p];
            }
        }
    }

    /// The Newton step of the smooth part with the penalty's present signs; false if the system could not
    /// be solved.
    ///
    /// Coordinates that would cross zero are held at zero instead, and the others solved again given that.
    /// The factor serves all of these solves: holding a few coordinates is a small Schur complement.
    fn by_factor(&mut self, block: &Block<'_>, weights: &Weights, point: &Point, free: &[usize]) -> bool {
        let w = &point.w;
        let k = free.len();
        self.effort = factor_effort(k);
        let Some(factor) = self.factor(block, weights, free) else { return false };
        let sign = |p: usize| self.sign(point, p);
        let mut plain: Vec<f64> =
            free.iter().map(|&p| -(self.gradient[p] + weights.slope[p] * sign(p))).collect();
        factor.solve(&mut plain);

        let mut step = plain.clone();
        let mut held: Vec<usize> = Vec::new();
        let most_held = k / 3 + 8;
        let mut responses = Mat::<f64>::new();
        for _ in 0..MOST_HOLDS {
            let crosses = |c: &usize| {
                let p = free[*c];
                weights.slope[p] > 0.0 && !held.contains(c) && (w[p] + step[*c]) * sign(p) < 0.0
            };
            let new: Vec<usize> = (0..k).filter(crosses).collect();
            if new.is_empty() || held.len() + new.len() > most_held {
                break;
            }
            let from = held.len();
            // Room for all of them at once: growing would hold two copies for a while.
            responses.reserve(k, most_held);
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
        free.iter().zip(&step).for_each(|(&p, step)| self.direction[p] = *step);
        for &c in &held {
            self.direction[free[c]] = -w[free[c]];
        }
        true
    }

    /// Factors Bᵀ diag(ψ'') B + μ + damping on the free columns.
    fn factor(&mut self, block: &Block<'_>, weights: &Weights, free: &[usize]) -> Option<Factor> {
        let mut system = self.gram_of_all(block, free);
        for (c, &q) in free.iter().enumerate() {
            system[(c, c)] += weights.ridge[q] + self.damping * self.steepness;
        }
        Factor::new(system).ok()
    }

    /// The slope of the objective along the direction, at its start.
    fn slope_at_start(&self, weights: &Weights, point: &Point) -> f64 {
        let along = |p: usize| {
            let (d, w) = (self.direction[p], point.w[p]);
            let bend = if w != 0.0 { w.signum() * d } else { d.abs() };
            self.gradient[p] * d + weights.slope[p] * bend
        };
        // Where d = 0 an infinite slope would make it NaN.
        (0..point.w.len()).filter(|&p| self.direction[p] != 0.0).map(along).sum()
    }
}
