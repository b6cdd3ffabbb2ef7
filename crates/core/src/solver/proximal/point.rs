//! A point w with what is known there: Xw, the best intercept, the value of the smooth part.

use super::intercept::best_intercept;
use crate::{Problem, Start};

/// w, Xw, b and f(w).
#[derive(Debug, Clone)]
pub(in crate::solver) struct Point {
    pub(in crate::solver) w: Vec<f64>,
    pub(super) scores: Vec<f64>,
    pub(in crate::solver) b: f64,
    pub(in crate::solver) loss: f64,
}

impl Point {
    /// Where a solver begins.
    pub(in crate::solver) fn start(problem: &Problem<'_>, start: Option<&Start>) -> Self {
        let (n, d) = (problem.samples(), problem.features());
        let (w, b) = start.map_or_else(|| (vec![0.0; d], 0.0), |start| (start.w.clone(), start.b));
        let mut point = Self { w, scores: vec![0.0; n], b, loss: 0.0 };
        point.evaluate(problem);
        point
    }

    /// Renews all the rest after w has changed, with one product by X.
    pub(super) fn evaluate(&mut self, problem: &Problem<'_>) {
        problem.x().matvec(&self.w, &mut self.scores);
        self.settle(problem);
    }

    /// Renews b and the loss after Xw has changed.
    pub(super) fn settle(&mut self, problem: &Problem<'_>) {
        self.b = if problem.has_intercept() { best_intercept(problem, &self.scores, self.b) } else { 0.0 };
        let of_sample =
            |((score, y), cap): ((&f64, &f64), &f64)| cap * problem.loss().value(y * (score + self.b));
        self.loss = self.scores.iter().zip(problem.y()).zip(problem.caps()).map(of_sample).sum();
    }

    /// β_i = (c_i/n)·pull(m_i): minus the derivative of the loss by the margin.
    pub(in crate::solver) fn pulls(&self, problem: &Problem<'_>) -> Vec<f64> {
        let of_sample =
            |((score, y), cap): ((&f64, &f64), &f64)| cap * problem.loss().pull(y * (score + self.b));
        self.scores.iter().zip(problem.y()).zip(problem.caps()).map(of_sample).collect()
    }

    /// ∇f = -Xᵀ(y∘β), with `signed` of length n as scratch.
    pub(super) fn gradient(&self, problem: &Problem<'_>, signed: &mut [f64], out: &mut [f64]) {
        let (y, caps, loss) = (problem.y(), problem.caps(), problem.loss());
        for (i, signed) in signed.iter_mut().enumerate() {
            *signed = -y[i] * caps[i] * loss.pull(y[i] * (self.scores[i] + self.b));
        }
        problem.x().rmatvec(signed, out);
    }

    /// Features that are not zero.
    pub(in crate::solver) fn nonzeros(&self) -> usize {
        self.w.iter().filter(|w| **w != 0.0).count()
    }
}
