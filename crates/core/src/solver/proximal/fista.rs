//! FISTA (Beck and Teboulle 2009) with backtracking: the accelerated proximal gradient method for a convex
//! regulariser.

use super::{Descent, Point, Settled, Smooth};
use crate::Regularizer;
use crate::solver::Watch;

/// The iterates of one convex problem after the other, on the same data.
#[derive(Debug)]
pub(in crate::solver) struct Fista<'a> {
    descent: Descent<'a>,
    /// Where it is.
    pub(in crate::solver) at: Point,
    before: Point,
    /// Where the gradient is taken: ahead, in the direction of the last step.
    ahead: Point,
}

impl<'a> Fista<'a> {
    pub(in crate::solver) fn new(smooth: &'a dyn Smooth, at: Point) -> Self {
        let descent = Descent::new(smooth, smooth.regularizer().clone());
        Self { descent, before: at.clone(), ahead: at.clone(), at }
    }

    /// Minimises f + P for a convex P, a tangent of the problem's own penalty at this point, until the
    /// objective changes by less than `tol`, relatively. Reports F at each step.
    pub(in crate::solver) fn minimise(&mut self, convex: Regularizer, tol: f64, watch: &mut Watch<'_>) {
        self.descent.regularizer = convex;
        // Where P is a tangent, its objective lies above F by a constant that makes them touch here. With
        // it, small means small next to F: past a penalty's flat end nothing else might be left of P.
        let touches = self.objective();
        let constant = touches - self.descent.objective(&self.at);
        let mut settled = Settled::new(touches);
        let mut pace = 1.0f64;
        self.before.clone_from(&self.at);
        while !watch.stopped() {
            let next_pace = 0.5 * (1.0 + (1.0 + 4.0 * pace * pace).sqrt());
            self.go_ahead((pace - 1.0) / next_pace);
            pace = next_pace;
            self.descent.look(&self.ahead);
            // The point before the last is no longer needed: its memory takes the next one.
            std::mem::swap(&mut self.at, &mut self.before);
            let trial = self.descent.step(&self.ahead, &mut self.at, |trial| trial.is_majorised());
            watch.objective = self.objective();
            watch.tick(self.at.nonzeros(), 0, 0);
            watch.show(&self.at.w, self.at.b);
            if settled.next(trial.objective + constant, tol) {
                break;
            }
        }
    }

    /// F, with the problem's own regulariser.
    pub(in crate::solver) fn objective(&self) -> f64 {
        self.at.loss + self.descent.smooth.regularizer().value(&self.at.w)
    }

    /// ahead = at + reach·(at - before). Xw is linear in w, so this takes no product by X.
    fn go_ahead(&mut self, reach: f64) {
        let Self { descent, at, before, ahead } = self;
        let extrapolate = |out: &mut [f64], at: &[f64], before: &[f64]| {
            for ((out, at), before) in out.iter_mut().zip(at).zip(before) {
                *out = at + reach * (at - before);
            }
        };
        extrapolate(&mut ahead.w, &at.w, &before.w);
        extrapolate(&mut ahead.scores, &at.scores, &before.scores);
        ahead.b = at.b;
        ahead.settle(descent.smooth);
    }
}
