//! A point w with what is known there: Xw, the best intercept, the value of the smooth part.

use super::Smooth;
use crate::solver::{Ended, Iterate};
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
    pub(in crate::solver) fn start(smooth: &dyn Smooth, start: Option<&Start>) -> Self {
        let (n, d) = (smooth.x().rows(), smooth.x().cols());
        let (w, b) = start.map_or_else(|| (vec![0.0; d], 0.0), |start| (start.w.clone(), start.b));
        let mut point = Self { w, scores: vec![0.0; n], b, loss: 0.0 };
        point.evaluate(smooth);
        point
    }

    /// Renews all the rest after w has changed, with one product by X.
    pub(super) fn evaluate(&mut self, smooth: &dyn Smooth) {
        smooth.x().matvec(&self.w, &mut self.scores);
        self.settle(smooth);
    }

    /// Renews b and the loss after Xw has changed.
    pub(super) fn settle(&mut self, smooth: &dyn Smooth) {
        (self.b, self.loss) = smooth.settle(&self.scores, self.b);
    }

    /// β_i = (c_i/n)·pull(m_i): minus the derivative of the loss by the margin.
    pub(in crate::solver) fn beta(&self, problem: &Problem<'_>) -> Vec<f64> {
        let of_sample =
            |((score, y), cap): ((&f64, &f64), &f64)| cap * problem.loss().pull(y * (score + self.b));
        self.scores.iter().zip(problem.y()).zip(problem.caps()).map(of_sample).collect()
    }

    /// ∇f, with `pulls` of length n as scratch.
    pub(super) fn gradient(&self, smooth: &dyn Smooth, pulls: &mut [f64], out: &mut [f64]) {
        smooth.pulls(&self.scores, self.b, pulls);
        smooth.x().rmatvec(pulls, out);
        out.iter_mut().for_each(|g| *g = -*g);
    }

    /// Features that are not zero.
    pub(in crate::solver) fn nonzeros(&self) -> usize {
        self.w.iter().filter(|w| **w != 0.0).count()
    }
}

/// Where a solver ended, and why.
#[derive(Debug)]
pub(in crate::solver) struct Found {
    pub(in crate::solver) at: Point,
    pub(in crate::solver) ended: Ended,
    pub(in crate::solver) iterations: usize,
    pub(in crate::solver) setup_seconds: f64,
}

impl Found {
    /// With the dual variables, if there are any.
    pub(in crate::solver) fn iterate(self, beta: Vec<f64>) -> Iterate {
        let Self { at, ended, iterations, setup_seconds } = self;
        let Point { w, b, .. } = at;
        Iterate { w, b, beta, ended, iterations, paper_objective: None, setup_seconds, global_bound: None }
    }
}
