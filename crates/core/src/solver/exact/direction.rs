//! Where a Newton step goes: by a Cholesky factor with the coordinates that meet zero held there, or by
//! coordinate descent on the quadratic model.
//!
//! The factor is exact, and near a vertex of the hinge, where as few samples bend as there are features,
//! nothing else gets anywhere. With many features and many more bent samples the model is well
//! conditioned, and a few sweeps over its Gram matrix cost less than a factor.

use faer::Mat;

use super::newton::{Engine, Point, Weights};
use crate::linsys::Factor;

/// How often a direction is solved again because coordinates met zero.
const MOST_HOLDS: usize = 6;
/// Coordinate descent from this width on, …
const WIDE: usize = 250;
/// … if this many times as many samples bend.
const CROWDED: usize = 2;
/// Sweeps of coordinate descent; most are over the support only.
const MOST_EPOCHS: usize = 100;

impl Engine {
    /// A direction, exact to what `violation` deserves; false if none was found that leads down.
    pub(super) fn find_direction(&mut self, weights: &Weights, point: &Point, violation: f64) -> bool {
        let bent = self.curvatures.iter().filter(|c| **c != 0.0).count();
        let wide = point.w.len() >= WIDE && bent >= CROWDED * point.w.len();
        if wide {
            self.precision = 0.1;
            self.by_coordinates(weights, point, violation);
        } else {
            self.precision = 1e-12;
            if !self.by_factor(weights, point) {
                return false;
            }
        }
        self.downhill(weights, point) < 0.0
    }

    /// The minimiser of the quadratic model with the ℓ1 norm in it, by coordinate descent on the Gram
    /// matrix. The intercept is eliminated: it is correlated with everything.
    fn by_coordinates(&mut self, weights: &Weights, point: &Point, violation: f64) {
        let width = point.w.len();
        let penalised = self.eliminate_last(weights);
        let Self { gram, gradient, direction, full, .. } = self;
        let mut slack = gradient.clone();
        if penalised < width {
            let share = gradient[penalised] / gram[(penalised, penalised)];
            for p in 0..penalised {
                slack[p] -= share * gram[(penalised, p)];
            }
        }
        direction.fill(0.0);
        let goal = violation * violation.clamp(1e-4, 0.1);
        let mut live: Vec<usize> = (0..penalised).collect();
        for epoch in 0..MOST_EPOCHS {
            let mut furthest = 0.0f64;
            for &p in &live {
                let column = full.col_as_slice(p);
                let (now, bend) = (point.w[p] + direction[p], column[p]);
                let free = now - slack[p] / bend;
                let change = (free.abs() - weights.slope[p] / bend).max(0.0).copysign(free) - now;
                if change != 0.0 {
                    direction[p] += change;
                    furthest = furthest.max(change.abs() * bend / weights.unit[p]);
                    slack.iter_mut().zip(column).for_each(|(slack, g)| *slack += change * g);
                }
            }
            let all = live.len() == penalised;
            if furthest <= goal && all {
                break;
            }
            // Most sweeps are over the support; a sweep over all asks who else wants in.
            live = if furthest <= goal || epoch % 10 == 9 {
                (0..penalised).collect()
            } else {
                (0..penalised).filter(|&p| point.w[p] + direction[p] != 0.0).collect()
            };
        }
        if penalised < width {
            let pushed: f64 = (0..penalised).map(|p| gram[(penalised, p)] * direction[p]).sum();
            direction[penalised] = -(gradient[penalised] + pushed) / gram[(penalised, penalised)];
        }
    }

    /// Mirrors the Gram matrix into `full`, ridge and damping added, and eliminates the last column if it
    /// is unpenalised and bends at all. Returns how many columns are left.
    fn eliminate_last(&mut self, weights: &Weights) -> usize {
        let width = weights.slope.len();
        let last = width - 1;
        let pivot = self.gram[(last, last)];
        let left = if weights.slope[last] == 0.0 && pivot > 0.0 { last } else { width };
        if self.full.nrows() != left {
            self.full = Mat::zeros(left, left);
        }
        for p in 0..left {
            let column = self.gram.col_as_slice(p);
            let share = if left == last { column[last] / pivot } else { 0.0 };
            for (q, g) in column.iter().enumerate().take(left).skip(p) {
                let across = if share == 0.0 { 0.0 } else { share * self.gram[(last, q)] };
                self.full[(q, p)] = g - across;
            }
            self.full[(p, p)] = self.full[(p, p)].max(0.0) + weights.ridge[p] + self.damping * self.steepness;
        }
        for p in 0..left {
            for q in 0..p {
                self.full[(q, p)] = self.full[(p, q)];
            }
        }
        left
    }

    /// The Newton step of the smooth part with the penalty's present signs; false if the system could not
    /// be solved.
    ///
    /// Coordinates that would cross zero are held at zero instead, and the others solved again given that.
    /// The factor serves all of these solves: holding a few coordinates is a small Schur complement.
    fn by_factor(&mut self, weights: &Weights, point: &Point) -> bool {
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
        true
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
        // Where d = 0 an infinite slope would make it NaN.
        (0..point.w.len()).filter(|&p| self.direction[p] != 0.0).map(along).sum()
    }
}
