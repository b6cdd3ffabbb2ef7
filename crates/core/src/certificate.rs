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
//! its own accuracy; [`certify`] moves it into the feasible set (see `repair`) before it is believed.

use faer::prelude::Solve;
use faer::{Mat, Side};
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
    /// |yᵀβ|, relative to the most it can be, Σ c_i/n: zero if b is optimal for β, or fixed.
    pub imbalance: f64,
}

impl Certificate {
    /// True if gap and violation are at most `tol`.
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

    let mut beta: Vec<f64> =
        beta.iter().zip(caps).map(|(beta, cap)| beta.clamp(0.0, cap * loss.max_pull())).collect();
    let g = gradient(problem.x(), y, &beta);
    let slopes: Vec<f64> = w.iter().enumerate().map(|(j, w)| reg.slope_of(j, *w)).collect();

    let furthest = w.iter().zip(&g).zip(&slopes).map(|((w, g), slope)| distance(*w, *g, *slope, reg.l2()));
    let violation = furthest.fold(0.0, f64::max) / force(problem, &g);
    let pulls = |beta: &[f64]| dual_of_loss(problem, beta);
    let aligned: f64 = margins.iter().zip(&beta).map(|(m, beta)| m * beta).sum();
    let complementarity = loss_value + aligned - pulls(&beta);
    let imbalance = if problem.has_intercept() {
        let (signed, total) =
            y.iter().zip(&beta).fold((0.0, 0.0), |(s, t), (y, beta)| (s + y * beta, t + beta));
        if total > 0.0 { f64::abs(signed) / total } else { 0.0 }
    } else {
        0.0
    };

    // The tangent's constant: κp(|w|) - ω|w| ≥ 0, since p is concave and p(0) = 0.
    let constant: f64 = (0..w.len())
        .filter(|&j| w[j] != 0.0)
        .map(|j| reg.factor(j) * reg.penalty().value_at(w[j].abs()) - slopes[j] * w[j].abs())
        .sum();
    let residue = repair(problem, w, b, &slopes, &mut beta);
    let lower_bound = (dual_value(problem, &slopes, &mut beta) - residue).max(0.0) + constant;
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

/// D(β) at the best multiple of β that is feasible. β has gone through [`repair`] before.
fn dual_value(problem: &Problem<'_>, slopes: &[f64], beta: &mut [f64]) -> f64 {
    let (l2, max_pull) = (problem.regularizer().l2(), problem.loss().max_pull());
    let g = gradient(problem.x(), problem.y(), beta);
    let linear: f64 = beta.iter().sum();
    let quadratic = linear - dual_of_loss(problem, beta);
    let scale = if l2 > 0.0 {
        1.0
    } else {
        let room = |(g, slope): (&f64, &f64)| {
            if *g == 0.0 || *slope == 0.0 { f64::INFINITY } else { slope / g.abs() }
        };
        let by_slopes = g.iter().zip(slopes).map(room).fold(f64::INFINITY, f64::min);
        let by_box = beta.iter().zip(problem.caps()).filter(|(beta, _)| **beta > 0.0);
        let by_box = by_box.map(|(beta, cap)| cap * max_pull / beta).fold(f64::INFINITY, f64::min);
        let largest = by_slopes.min(by_box);
        // D(sβ) = s·linear - s²·quadratic.
        if quadratic > 0.0 { largest.min(linear / (2.0 * quadratic)) } else { largest.min(1e300) }
    };
    if linear == 0.0 {
        return 0.0;
    }
    beta.iter_mut().for_each(|beta| *beta *= scale);
    let excess = |(g, slope): (&f64, &f64)| {
        if l2 > 0.0 { (g.abs() - slope).max(0.0).powi(2) / (2.0 * l2) } else { 0.0 }
    };
    scale * linear - scale * scale * quadratic - g.iter().zip(slopes).map(excess).sum::<f64>()
}

/// Makes β orthogonal to every unpenalised column: to y if b is free, and to the features with ω_j = 0
/// (κ_j = 0, or past the flat end of SCAD, MCP and capped ℓ1), without leaving the box.
///
/// The samples strictly inside their box take up the correction, each in proportion to its room there,
/// so that an accurate β hardly moves. Returns what the residue that is left can be worth at solutions
/// whose unpenalised coefficients are up to twice as large as these. (By convexity a solution further
/// away that is better by Δ would make some solution within that range better in proportion.)
fn repair(problem: &Problem<'_>, w: &[f64], b: f64, slopes: &[f64], beta: &mut [f64]) -> f64 {
    let (x, y) = (problem.x(), problem.y());
    let caps: Vec<f64> = problem.caps().iter().map(|cap| cap * problem.loss().max_pull()).collect();
    let free: Vec<usize> = if problem.regularizer().l2() > 0.0 {
        Vec::new()
    } else {
        (0..w.len()).filter(|&j| slopes[j] == 0.0).collect()
    };
    let k = free.len() + usize::from(problem.has_intercept());
    if k == 0 {
        return 0.0;
    }
    let columns: Vec<Vec<(usize, f64)>> = unpenalised_rows(x, y, &free, problem.has_intercept());
    let room: Vec<f64> = beta.iter().zip(&caps).map(|(beta, cap)| beta.min(cap - beta).powi(2)).collect();
    let mut normal = Mat::<f64>::zeros(k, k);
    for (row, room) in columns.iter().zip(&room).filter(|(_, room)| **room > 0.0) {
        for &(p, a) in row {
            for &(q, c) in row.iter().filter(|(q, _)| *q <= p) {
                normal[(p, q)] += room * a * c;
            }
        }
    }
    let ridge = (0..k).map(|p| normal[(p, p)]).fold(0.0, f64::max) * 1e-15;
    (0..k).for_each(|p| normal[(p, p)] += if ridge > 0.0 { ridge } else { 1.0 });
    let factor = normal.llt(Side::Lower).ok();

    let mut residue = vec![0.0; k];
    let mut size = vec![0.0; k];
    for _ in 0..6 {
        residual(&columns, beta, &mut residue, &mut size);
        if residue.iter().zip(&size).all(|(r, s)| r.abs() <= 1e-15 * s) {
            break;
        }
        let Some(factor) = &factor else { break };
        let step = factor.solve(Mat::from_fn(k, 1, |p, _| residue[p]));
        for ((row, beta), (room, cap)) in columns.iter().zip(beta.iter_mut()).zip(room.iter().zip(&caps)) {
            if *room > 0.0 {
                let along: f64 = row.iter().map(|&(p, a)| a * step[(p, 0)]).sum();
                *beta = (*beta - room * along).clamp(0.0, *cap);
            }
        }
    }
    if free.is_empty() {
        balance_classes(y, beta);
    }
    residual(&columns, beta, &mut residue, &mut size);
    // The intercept comes last, if it is free.
    let reach = |p: usize| free.get(p).map_or(b.abs(), |&j| w[j].abs());
    residue.iter().enumerate().map(|(p, r)| 2.0 * r.abs() * reach(p)).sum()
}

/// For each sample its entries y_i x_ij, j unpenalised, as (position among those, value); b comes last.
fn unpenalised_rows(x: &dyn Design, y: &[f64], free: &[usize], intercept: bool) -> Vec<Vec<(usize, f64)>> {
    let mut rows = vec![Vec::new(); y.len()];
    for (p, &j) in free.iter().enumerate() {
        x.column(j).for_each(|i, value| {
            if value != 0.0 {
                rows[i].push((p, y[i] * value));
            }
        });
    }
    if intercept {
        rows.iter_mut().zip(y).for_each(|(row, y)| row.push((free.len(), *y)));
    }
    rows
}

/// Aᵀβ, and |A|ᵀβ to measure it by.
fn residual(rows: &[Vec<(usize, f64)>], beta: &[f64], residue: &mut [f64], size: &mut [f64]) {
    residue.fill(0.0);
    size.fill(0.0);
    for (row, beta) in rows.iter().zip(beta) {
        for &(p, a) in row {
            residue[p] += a * beta;
            size[p] += (a * beta).abs();
        }
    }
}

/// Scales the heavier class down until yᵀβ = 0.
fn balance_classes(y: &[f64], beta: &mut [f64]) {
    let total = |sign: f64, beta: &[f64]| {
        y.iter().zip(beta).filter(|(y, _)| **y == sign).map(|(_, b)| b).sum::<f64>()
    };
    let (negative, positive) = (total(-1.0, beta), total(1.0, beta));
    let heavy = if positive > negative { 1.0 } else { -1.0 };
    let ratio = positive.min(negative) / positive.max(negative).max(f64::MIN_POSITIVE);
    y.iter().zip(beta).filter(|(y, _)| **y == heavy).for_each(|(_, beta)| *beta *= ratio);
}
