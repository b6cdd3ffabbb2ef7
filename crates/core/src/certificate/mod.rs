//! The proof of a solution, recomputed from the raw data in code that no solver shares.
//!
//! Given (w, b, β), with β_i ∈ [0, c_i/n · max pull] the dual variable of sample i:
//!
//! * `objective` is the true F(w, b);
//! * `violation` is how far 0 is from the subdifferential of F at (w, b), β standing for the loss;
//! * `gap` says: of the convex problem that majorises F at w and touches it there (for ℓ1: F itself),
//!   no solution is better than this one by more than gap · F.
//!
//! The majoriser of a concave penalty is its tangent, Σ_j ω_j|w_j| + constant with ω_j = κ_j p'(|w_j|),
//! which is the problem that the last reweighting (LLA) step solved. Its dual is
//!
//!   D(β) = Σ_i (c_i/n)·dual_value(nβ_i/c_i) - Σ_j [|g_j| - ω_j]₊²/(2μ),   g = Xᵀ(y∘β),
//!
//! subject to yᵀβ = 0 if b is free, and |g_j| ≤ ω_j for every j if μ = 0. A solver's β meets these up to
//! its own accuracy; `repair` moves it into the feasible set before it is believed.

mod repair;

use serde::{Deserialize, Serialize};

use crate::{Design, Problem};

/// What was proved about (w, b).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// F(w, b).
    pub objective: f64,
    /// (1/n) Σ c_i ℓ(m_i).
    pub loss: f64,
    /// Σ κ_j p(|w_j|) + (μ/2)‖w‖².
    pub penalty: f64,
    /// No solution of the majorising convex problem lies below this.
    pub lower_bound: f64,
    /// (objective - lower bound) / objective.
    pub gap: f64,
    /// max_j dist(0, ∂_j F), relative to the forces that balance there: the larger of ‖Xᵀ(y∘β)‖_∞ and the
    /// largest slope of the penalty at 0.
    pub violation: f64,
    /// Σ_i [ (c_i/n) ℓ(m_i) + β_i m_i - (c_i/n)·dual_value ] ≥ 0: zero iff β is a subgradient of the loss.
    pub complementarity: f64,
    /// |yᵀβ|, relative to the most it can be for the hinge, Σ c_i/n: zero if b is optimal for β, or fixed.
    pub imbalance: f64,
}

impl Certificate {
    /// True if gap, violation and imbalance are at most `tol`.
    pub fn within(&self, tol: f64) -> bool {
        self.gap <= tol && self.violation <= tol && self.imbalance <= tol
    }
}

/// Judges (w, b, β).
pub fn certify(problem: &Problem<'_>, w: &[f64], b: f64, beta: &[f64]) -> Certificate {
    let (y, caps, loss, reg) = (problem.y(), problem.caps(), problem.loss(), problem.regularizer());
    let margins = margins(problem.x(), y, w, b);
    let loss_value: f64 = margins.iter().zip(caps).map(|(m, cap)| cap * loss.value(*m)).sum();
    let penalty_value = reg.value(w);
    let objective = loss_value + penalty_value;

    let boxed = |(i, beta): (usize, &f64)| beta.clamp(0.0, problem.most_pull(i));
    let mut beta: Vec<f64> = beta.iter().enumerate().map(boxed).collect();
    let mut g = gradient(problem.x(), y, &beta);
    // Not a vector: with millions of features every one of these counts.
    let slope = |j: usize| reg.slope_of(j, w[j]);

    let furthest = (0..w.len()).map(|j| distance(w[j], g[j], slope(j), reg.l2()));
    let force = force(problem, &g);
    let violation = furthest.fold(0.0, f64::max) / force;
    let aligned: f64 = margins.iter().zip(&beta).map(|(m, beta)| m * beta).sum();
    let complementarity = loss_value + aligned - dual_of_loss(problem, &beta);
    let imbalance =
        if problem.has_intercept() { balance(y, &beta).abs() / caps.iter().sum::<f64>() } else { 0.0 };

    // The tangent's constant: κp(|w|) - ω|w| ≥ 0, since p is concave and p(0) = 0.
    let tangent = |j: usize| reg.factor(j) * reg.penalty().value_at(w[j].abs()) - slope(j) * w[j].abs();
    let constant: f64 = (0..w.len()).filter(|&j| w[j] != 0.0).map(tangent).sum();
    let residue = repair::repair(problem, w, b, &slope, force, &mut beta, &mut g);
    let binds = |j: usize| !repair::is_loose(w[j], slope(j), force);
    let (dual, scale) = dual_value(problem, slope, binds, &beta, &g);
    let lower_bound = (dual - scale * residue).max(0.0) + constant;
    let gap = (objective - lower_bound).max(0.0) / objective.abs().max(f64::MIN_POSITIVE);
    Certificate {
        objective,
        loss: loss_value,
        penalty: penalty_value,
        lower_bound,
        gap,
        violation,
        complementarity,
        imbalance,
    }
}

/// m_i = y_i(x_iᵀw + b). Sparse data by rows as it was read, dense data by columns as it is held.
fn margins(x: &dyn Design, y: &[f64], w: &[f64], b: f64) -> Vec<f64> {
    let mut scores = vec![b; x.rows()];
    if x.is_sparse() {
        for (i, score) in scores.iter_mut().enumerate() {
            x.row(i).for_each(|j, value| *score += value * w[j]);
        }
    } else {
        for (j, w) in w.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            x.column(j).for_each(|i, value| scores[i] += value * w);
        }
    }
    scores.iter().zip(y).map(|(score, y)| score * y).collect()
}

/// g = Xᵀ(y∘β).
fn gradient(x: &dyn Design, y: &[f64], beta: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; x.cols()];
    if x.is_sparse() {
        for (i, beta) in beta.iter().enumerate().filter(|(_, beta)| **beta != 0.0) {
            let pull = y[i] * beta;
            x.row(i).for_each(|j, value| g[j] += value * pull);
        }
    } else {
        let pulls: Vec<f64> = y.iter().zip(beta).map(|(y, beta)| y * beta).collect();
        for (j, g) in g.iter_mut().enumerate() {
            x.column(j).for_each(|i, value| *g += value * pulls[i]);
        }
    }
    g
}

/// yᵀβ.
fn balance(y: &[f64], beta: &[f64]) -> f64 {
    y.iter().zip(beta).map(|(y, beta)| y * beta).sum()
}

/// The size of the forces that balance in a solution.
fn force(problem: &Problem<'_>, g: &[f64]) -> f64 {
    let slopes =
        (0..g.len()).map(|j| problem.regularizer().slope_of(j, 0.0)).filter(|slope| slope.is_finite());
    let force = slopes.fold(0.0, f64::max).max(g.iter().fold(0.0, |most, g| most.max(g.abs())));
    if force > 0.0 { force } else { 1.0 }
}

/// dist(0, -g + ∂(κp)(|w|) + μw) for one feature.
fn distance(w: f64, g: f64, slope: f64, l2: f64) -> f64 {
    if w == 0.0 { (g.abs() - slope).max(0.0) } else { (l2 * w + slope.copysign(w) - g).abs() }
}

/// Σ_i (c_i/n)·dual_value(nβ_i/c_i).
fn dual_of_loss(problem: &Problem<'_>, beta: &[f64]) -> f64 {
    let loss = problem.loss();
    let value =
        |(beta, cap): (&f64, &f64)| if *beta == 0.0 { 0.0 } else { cap * loss.dual_value(beta / cap) };
    beta.iter().zip(problem.caps()).map(value).sum()
}

/// D at the best multiple of β that meets the constraints that bind, and that multiple.
fn dual_value(
    problem: &Problem<'_>,
    slope: impl Fn(usize) -> f64,
    binds: impl Fn(usize) -> bool,
    beta: &[f64],
    g: &[f64],
) -> (f64, f64) {
    let l2 = problem.regularizer().l2();
    let linear: f64 = beta.iter().sum();
    if linear == 0.0 {
        return (0.0, 1.0);
    }
    let quadratic = linear - dual_of_loss(problem, beta);
    if l2 > 0.0 {
        let excess = |j: usize| (g[j].abs() - slope(j)).max(0.0).powi(2) / (2.0 * l2);
        return (linear - quadratic - (0..g.len()).map(excess).sum::<f64>(), 1.0);
    }
    let binding = (0..g.len()).filter(|&j| g[j] != 0.0 && binds(j));
    // Never up: g of a β that has been repaired to almost nothing is rounding, which must not be magnified.
    let largest = binding.map(|j| slope(j) / g[j].abs()).fold(1.0, f64::min);
    // D(sβ) = s·linear - s²·quadratic, s up to where the first constraint is met.
    let scale = if quadratic > 0.0 { largest.min(linear / (2.0 * quadratic)) } else { largest };
    (scale * linear - scale * scale * quadratic, scale)
}
