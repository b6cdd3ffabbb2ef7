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

mod cg;
mod majoriser;
mod products;
mod repair;

use serde::{Deserialize, Serialize};

pub(crate) use cg::conjugate_gradients;
pub(crate) use majoriser::{DualPoint, Majoriser};
pub(crate) use products::{scores, transposed};

use crate::Problem;
use products::{gradients, margins};

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
    /// From loss, penalty and bound; violation, complementarity and imbalance are set to 0.
    pub(crate) fn of(loss: f64, penalty: f64, lower_bound: f64) -> Self {
        let objective = loss + penalty;
        let gap = (objective - lower_bound).max(0.0) / objective.abs().max(f64::MIN_POSITIVE);
        let (violation, complementarity, imbalance) = (0.0, 0.0, 0.0);
        Self { objective, loss, penalty, lower_bound, gap, violation, complementarity, imbalance }
    }

    /// The same with numbers that overflowed told as the largest one: files have no infinity, and nothing
    /// that is not a number may be taken for a proof.
    #[must_use]
    fn told(self) -> Self {
        let most = |x: f64| if x.is_finite() { x } else { f64::MAX };
        Self {
            objective: most(self.objective),
            loss: most(self.loss),
            penalty: most(self.penalty),
            lower_bound: if self.lower_bound.is_finite() { self.lower_bound } else { 0.0 },
            gap: most(self.gap),
            violation: most(self.violation),
            complementarity: most(self.complementarity),
            imbalance: most(self.imbalance),
        }
    }

    /// True if gap, violation and imbalance are at most `tol`.
    pub fn within(&self, tol: f64) -> bool {
        self.gap <= tol && self.violation <= tol && self.imbalance <= tol
    }
}

/// Judges (w, b, β).
pub fn certify(problem: &Problem<'_>, w: &[f64], b: f64, beta: &[f64]) -> Certificate {
    let evidence = Evidence::of_all(problem, &[beta]).pop().unwrap_or_default();
    judge(problem, w, b, evidence)
}

/// What a proof goes by: β within its box, and g = Xᵀ(y∘β), the one pass over all of the data that it takes.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    beta: Vec<f64>,
    g: Vec<f64>,
}

impl Evidence {
    /// How many are best gathered at once.
    pub(crate) fn together(problem: &Problem<'_>) -> usize {
        products::together(problem.x())
    }

    /// Of each β; the regulariser does not matter.
    pub(crate) fn of_all(problem: &Problem<'_>, betas: &[&[f64]]) -> Vec<Self> {
        let boxed = |(i, beta): (usize, &f64)| beta.clamp(0.0, problem.most_pull(i));
        let betas: Vec<Vec<f64>> =
            betas.iter().map(|beta| beta.iter().enumerate().map(boxed).collect()).collect();
        let mut gradients = gradients(problem.x(), problem.y(), &betas);
        gradients.iter_mut().for_each(|g| problem.sum(g));
        betas.into_iter().zip(gradients).map(|(beta, g)| Self { beta, g }).collect()
    }
}

/// Judges (w, b) by the evidence.
pub(crate) fn judge(problem: &Problem<'_>, w: &[f64], b: f64, evidence: Evidence) -> Certificate {
    let (y, caps, loss, reg) = (problem.y(), problem.caps(), problem.loss(), problem.regularizer());
    let Evidence { mut beta, mut g } = evidence;
    let margins = margins(problem.x(), y, w, b);
    let majoriser = Majoriser::new(reg, w, &g);
    let violation = majoriser.violation(&g);
    let mut sums: [f64; 4] = [
        margins.iter().zip(caps).map(|(m, cap)| cap * loss.value(*m)).sum(),
        margins.iter().zip(&beta).map(|(m, beta)| m * beta).sum(),
        dual_of_loss(problem, &beta),
        balance(y, &beta),
    ];
    problem.sum(&mut sums);
    let [loss_value, aligned, dual, signed] = sums;
    let complementarity = loss_value + aligned - dual;
    let imbalance = if problem.has_intercept() { signed.abs() / problem.total_cap() } else { 0.0 };

    let residue = repair::repair(problem, &majoriser, b, &mut beta, &mut g);
    let mut sums = [beta.iter().sum(), dual_of_loss(problem, &beta)];
    problem.sum(&mut sums);
    let dual = DualPoint { linear: sums[0], value: sums[1], g: &g };
    let lower_bound = majoriser.lower_bound(dual, residue);
    Certificate {
        violation,
        complementarity,
        imbalance,
        ..Certificate::of(loss_value, reg.value(w), lower_bound)
    }
    .told()
}

/// yᵀβ over the samples that are held here.
fn balance(y: &[f64], beta: &[f64]) -> f64 {
    y.iter().zip(beta).map(|(y, beta)| y * beta).sum()
}

/// Σ_i (c_i/n)·dual_value(nβ_i/c_i) over the samples that are held here.
fn dual_of_loss(problem: &Problem<'_>, beta: &[f64]) -> f64 {
    let loss = problem.loss();
    let value =
        |(beta, cap): (&f64, &f64)| if *beta == 0.0 { 0.0 } else { cap * loss.dual_value(beta / cap) };
    beta.iter().zip(problem.caps()).map(value).sum()
}
