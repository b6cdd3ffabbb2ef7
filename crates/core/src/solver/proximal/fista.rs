//! FISTA (Beck and Teboulle 2009) with backtracking: the accelerated proximal gradient method for a convex
//! regulariser.

use super::{Descent, Point, Settled};
use crate::solver::Watch;
use crate::{Problem, Regularizer};

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
    pub(in crate::solver) fn new(problem: &'a Problem<'a>, at: Point) -> Self {
        let descent = Descent::new(problem, problem.regularizer().clone());
        Self { descent, before: at.clone(), ahead: at.clone(), at }
    }

    /// Minimises f + P for a convex P, until the objective changes by less than `tol`, relatively.
    /// Reports F, with the problem's own regulariser, at each step.
    pub(in crate::solver) fn minimise(&mut self, convex: Regularizer, tol: f64, watch: &mut Watch<'_>) {
        self.descent.regularizer = convex;
        let problem = self.descent.problem;
        let mut settled = Settled::new(self.descent.objective(&self.at));
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
            watch.objective = self.at.loss + problem.regularizer().value(&self.at.w);
            watch.tick(self.at.nonzeros(), 0);
            watch.show(&self.at.w, self.at.b);
            if settled.next(trial.objective, tol) {
                break;
            }
        }
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
        ahead.settle(descent.problem);
    }
}
