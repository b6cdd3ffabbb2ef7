//! Moves a dual point to where the dual is finite: orthogonal to every unpenalised column, that is to y if
//! b is free, and to the features with ω_j = 0 (κ_j = 0, or past the flat end of SCAD, MCP and capped ℓ1).
//! Kept features with a very small slope are moved to g_j = ±ω_j likewise.
//!
//! The samples strictly inside their box take up the correction, each in proportion to its room there, so
//! that an accurate β hardly moves and none leaves its box.

use faer::Mat;

use super::products::add_transposed;
use super::{Majoriser, balance, conjugate_gradients};
use crate::Problem;
use crate::design::dot;
use crate::linsys::Factor;
use crate::team::{Team, is_shared, sum_lower};

/// Passes of the correction: the first does nearly all of it, the others take up what the box cut off.
const PASSES: usize = 4;

/// An imbalance of the classes below this, relative to all weights, is rounding: what it can be worth is counted.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Unpenalised columns up to which their normal equations are factored. Past it, conjugate gradients take up
/// what they can: a solver may hand over a million of them.
const LARGEST_FACTOR: usize = 2000;

/// Steps of these.
const CG_STEPS: usize = 30;

/// Mends β, keeps g = Xᵀ(y∘β) true, and returns what the residue that is left can be worth.
pub(super) fn repair(
    problem: &Problem<'_>,
    majoriser: &Majoriser<'_>,
    b: f64,
    beta: &mut [f64],
    g: &mut [f64],
) -> f64 {
    let free = majoriser.loose();
    let imbalance = |beta: &[f64]| match problem.has_intercept() {
        true => problem.total(balance(problem.y(), beta)).abs(),
        false => 0.0,
    };
    let (at_first, rounding) = (imbalance(beta), ROUNDING * problem.total_cap());
    if free.is_empty() && at_first <= rounding {
        return 2.0 * at_first * b.abs();
    }
    let inner = Inner::new(problem, &free, beta);
    let before = beta.to_vec();
    let wrong: Vec<f64> = free.iter().map(|&j| g[j] - majoriser.target(j)).collect();
    let factor = if inner.width <= LARGEST_FACTOR { inner.normal_factor(problem.team()) } else { None };
    let mut least = (f64::INFINITY, before.clone());
    for pass in 0..=PASSES {
        let mut step = inner.residue(&before, beta, &wrong, problem);
        let size = dot(&step, &step);
        // Where columns depend on each other the equations are next to singular, and what rounding leaves may come back magnified.
        if !(size < least.0) {
            beta.copy_from_slice(&least.1);
            break;
        }
        if size == 0.0 || pass == PASSES {
            break;
        }
        least.0 = size;
        least.1.copy_from_slice(beta);
        match &factor {
            Some(factor) => factor.solve(&mut step),
            None => step = inner.normal_cg(&step, problem.team()),
        }
        inner.correct(&step, beta);
    }
    if free.is_empty() && imbalance(beta) > rounding {
        balance_classes(problem, beta);
    }
    // Only the rows that moved change g.
    let moved = before.iter().zip(&*beta).zip(problem.y());
    let moved: Vec<f64> = moved.map(|((old, new), y)| y * (new - old)).collect();
    let mut changes = if is_shared(problem.team()) { vec![0.0; g.len()] } else { Vec::new() };
    let target = if is_shared(problem.team()) { &mut changes[..] } else { &mut *g };
    add_transposed(problem.x(), &moved, target);
    problem.sum(&mut changes);
    g.iter_mut().zip(&changes).for_each(|(g, change)| *g += change);
    majoriser.residue(&free, g) + 2.0 * imbalance(beta) * b.abs()
}

/// The samples strictly inside their box, and what the unpenalised columns hold there.
struct Inner {
    samples: Vec<usize>,
    /// Upper end of each box.
    tops: Vec<f64>,
    /// Squared distance to the nearer end.
    room: Vec<f64>,
    /// y_i x_ij as (position among the unpenalised columns, value); the intercept is the last of them.
    rows: Vec<Vec<(usize, f64)>>,
    width: usize,
}

impl Inner {
    fn new(problem: &Problem<'_>, free: &[usize], beta: &[f64]) -> Self {
        let y = problem.y();
        let top = |i: usize| problem.most_pull(i);
        let samples: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] > 0.0 && beta[i] < top(i)).collect();
        let mut rows = vec![Vec::new(); samples.len()];
        if problem.x().is_sparse() && problem.x().has_rows() {
            for (row, &i) in rows.iter_mut().zip(&samples) {
                problem.x().row(i).for_each(|j, value| match free.binary_search(&j) {
                    Ok(p) if value != 0.0 => row.push((p, y[i] * value)),
                    _ => {}
                });
            }
        } else {
            let mut slot = vec![usize::MAX; beta.len()];
            samples.iter().enumerate().for_each(|(k, &i)| slot[i] = k);
            for (p, &j) in free.iter().enumerate() {
                problem.x().column(j).for_each(|i, value| {
                    if let Some(row) = rows.get_mut(slot[i]).filter(|_| value != 0.0) {
                        row.push((p, y[i] * value));
                    }
                });
            }
        }
        if problem.has_intercept() {
            rows.iter_mut().zip(&samples).for_each(|(row, &i)| row.push((free.len(), y[i])));
        }
        Self {
            tops: samples.iter().map(|&i| top(i)).collect(),
            room: samples.iter().map(|&i| beta[i].min(top(i) - beta[i]).powi(2)).collect(),
            samples,
            rows,
            width: free.len() + usize::from(problem.has_intercept()),
        }
    }

    /// Aᵀ diag(room) A, factored.
    fn normal_factor(&self, team: &dyn Team) -> Option<Factor> {
        let mut normal = Mat::<f64>::zeros(self.width, self.width);
        for (row, room) in self.rows.iter().zip(&self.room) {
            for &(p, a) in row {
                for &(q, c) in row.iter().filter(|(q, _)| *q <= p) {
                    normal[(p, q)] += room * a * c;
                }
            }
        }
        sum_lower(team, &mut normal);
        let largest = (0..self.width).map(|p| normal[(p, p)]).fold(0.0, f64::max);
        // Columns that no inner sample has cannot be mended; dependent ones need a touch of ridge.
        (0..self.width).for_each(|p| normal[(p, p)] += if largest > 0.0 { 1e-15 * largest } else { 1.0 });
        Factor::new(normal).ok()
    }

    /// (Aᵀ diag(room) A)⁻¹ right by conjugate gradients, as far as they come.
    fn normal_cg(&self, right: &[f64], team: &dyn Team) -> Vec<f64> {
        let product = |v: &[f64]| {
            let mut product = vec![0.0; self.width];
            for (row, room) in self.rows.iter().zip(&self.room) {
                let along: f64 = row.iter().map(|&(p, a)| a * v[p]).sum();
                row.iter().for_each(|&(p, a)| product[p] += room * along * a);
            }
            team.sum(&mut product);
            product
        };
        conjugate_gradients(right, product, CG_STEPS)
    }

    /// Aᵀβ less its target: `wrong` and yᵀβ at the start, and what has changed since.
    fn residue(&self, before: &[f64], beta: &[f64], wrong: &[f64], problem: &Problem<'_>) -> Vec<f64> {
        let mut residue = vec![0.0; wrong.len()];
        if problem.has_intercept() {
            residue.push(balance(problem.y(), before));
        }
        for (row, &i) in self.rows.iter().zip(&self.samples) {
            let change = beta[i] - before[i];
            row.iter().for_each(|&(p, a)| residue[p] += a * change);
        }
        problem.sum(&mut residue);
        residue.iter_mut().zip(wrong).for_each(|(residue, wrong)| *residue += wrong);
        residue
    }

    fn correct(&self, step: &[f64], beta: &mut [f64]) {
        for (k, &i) in self.samples.iter().enumerate() {
            let along: f64 = self.rows[k].iter().map(|&(p, a)| a * step[p]).sum();
            beta[i] = (beta[i] - self.room[k] * along).clamp(0.0, self.tops[k]);
        }
    }
}

/// Scales the heavier class down until yᵀβ = 0.
fn balance_classes(problem: &Problem<'_>, beta: &mut [f64]) {
    let y = problem.y();
    let total = |sign: f64| y.iter().zip(&*beta).filter(|(y, _)| **y == sign).map(|(_, b)| b).sum::<f64>();
    let mut totals = [total(-1.0), total(1.0)];
    problem.sum(&mut totals);
    let [negative, positive] = totals;
    let heavy = if positive > negative { 1.0 } else { -1.0 };
    let ratio = positive.min(negative) / positive.max(negative).max(f64::MIN_POSITIVE);
    if ratio < 1.0 {
        y.iter().zip(beta).filter(|(y, _)| **y == heavy).for_each(|(_, beta)| *beta *= ratio);
    }
}
