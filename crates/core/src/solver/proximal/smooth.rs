//! The smooth part of an objective as a function of the scores Xw. Classification and ranking differ in
//! nothing else that a proximal gradient method sees.

use std::fmt::Debug;

use super::intercept::best_intercept;
use crate::rank::Ranking;
use crate::{Design, Problem, Regularizer};

/// f(w) = min over b of L(Xw, b), with L convex and differentiable in the scores.
pub(in crate::solver) trait Smooth: Debug {
    /// X.
    fn x(&self) -> &dyn Design;

    /// P, which is added to f.
    fn regularizer(&self) -> &Regularizer;

    /// The best b, looked for from `b` on, and L there.
    fn settle(&self, scores: &[f64], b: f64) -> (f64, f64);

    /// out_i = minus the derivative of L by score i, so that ∇f = -Xᵀ out.
    fn pulls(&self, scores: &[f64], b: f64, out: &mut [f64]);

    /// The largest curvature that f can have along each feature.
    fn curvatures(&self) -> Vec<f64>;
}

impl Smooth for Problem<'_> {
    fn x(&self) -> &dyn Design {
        Problem::x(self)
    }

    fn regularizer(&self) -> &Regularizer {
        Problem::regularizer(self)
    }

    fn settle(&self, scores: &[f64], b: f64) -> (f64, f64) {
        let b = if self.has_intercept() { best_intercept(self, scores, b) } else { 0.0 };
        let of_sample = |((score, y), cap): ((&f64, &f64), &f64)| cap * self.loss().value(y * (score + b));
        (b, scores.iter().zip(self.y()).zip(self.caps()).map(of_sample).sum())
    }

    fn pulls(&self, scores: &[f64], b: f64, out: &mut [f64]) {
        let (y, caps, loss) = (self.y(), self.caps(), self.loss());
        for (i, out) in out.iter_mut().enumerate() {
            *out = y[i] * caps[i] * loss.pull(y[i] * (scores[i] + b));
        }
    }

    fn curvatures(&self) -> Vec<f64> {
        let bend = self.loss().max_curvature();
        let along = |j| {
            let mut squares = 0.0;
            Problem::x(self).column(j).for_each(|i, x| squares += self.caps()[i] * x * x);
            bend * squares
        };
        (0..self.features()).map(along).collect()
    }
}

/// There is no intercept: it would cancel in every pair.
impl Smooth for Ranking<'_> {
    fn x(&self) -> &dyn Design {
        Ranking::x(self)
    }

    fn regularizer(&self) -> &Regularizer {
        Ranking::regularizer(self)
    }

    fn settle(&self, scores: &[f64], _b: f64) -> (f64, f64) {
        (0.0, self.loss_of(scores))
    }

    fn pulls(&self, scores: &[f64], _b: f64, out: &mut [f64]) {
        self.pulls_of(scores, out);
    }

    fn curvatures(&self) -> Vec<f64> {
        Ranking::curvatures(self)
    }
}
