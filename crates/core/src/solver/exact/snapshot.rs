//! A point that a solve was at, and what it is worth.

use crate::{Problem, Regularizer};

/// Where a solve stands or stood: enough to go back there.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    /// Nonzero coefficients, raw units, ascending.
    pub(crate) w: Vec<(usize, f64)>,
    pub(crate) b: f64,
    /// Multipliers of the samples.
    pub(crate) pulls: Vec<f64>,
}

impl Snapshot {
    /// True if w_j ≠ 0.
    pub(crate) fn keeps(&self, j: usize) -> bool {
        self.w.binary_search_by_key(&j, |&(k, _)| k).is_ok()
    }

    /// The same point as one of another loss, whose multipliers are not known.
    pub(super) fn without_pulls(self) -> Self {
        Self { pulls: vec![0.0; self.pulls.len()], ..self }
    }

    /// w with its zeros.
    pub(crate) fn dense(&self, features: usize) -> Vec<f64> {
        let mut w = vec![0.0; features];
        self.w.iter().for_each(|&(j, value)| w[j] = value);
        w
    }
}

/// x·w + b for every sample that is held here.
pub(super) fn scores(problem: &Problem<'_>, w: &[(usize, f64)], b: f64) -> Vec<f64> {
    let mut scores = vec![b; problem.samples()];
    w.iter().for_each(|&(j, w)| problem.x().column(j).axpy(w, &mut scores));
    scores
}

/// (1/n) Σ c_i ℓ(y_i s_i).
pub(super) fn loss(problem: &Problem<'_>, score: impl Fn(usize) -> f64) -> f64 {
    let each = problem.y().iter().zip(problem.caps()).enumerate();
    problem.total(each.map(|(i, (y, cap))| cap * problem.loss().value(y * score(i))).sum())
}

/// F(w, b) with this regulariser, which along a path is not the problem's own.
pub(super) fn objective(problem: &Problem<'_>, regularizer: &Regularizer, w: &[(usize, f64)], b: f64) -> f64 {
    let scores = scores(problem, w, b);
    let penalty: f64 = w.iter().map(|&(j, w)| regularizer.value_of(j, w)).sum();
    loss(problem, |i| scores[i]) + penalty
}
