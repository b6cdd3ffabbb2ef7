//! GIST, the general iterative shrinkage and thresholding algorithm of Gong, Zhang, Lu, Huang and Ye
//! (ICML 2013), on the squared and the huberised hinge with any penalty:
//!
//!   w⁺ = argmin over v of ⟨∇f(w), v⟩ + (t/2)‖v - w‖² + P(v) = prox of P/t at w - ∇f(w)/t,
//!
//! t from the rule of Barzilai and Borwein, then doubled until F(w⁺) is below the largest of the last F's
//! by (σ/2)t‖w⁺ - w‖². The intercept is minimised over (see `proximal`). On a ranking it works with sums
//! over pairs that are never formed.

use std::collections::VecDeque;
use std::time::Instant;

use super::proximal::{Descent, Found, Method, Point, Settled, Smooth};
use super::{Iterate, Observer, Solver, Stopping, Watch};
use crate::rank::Ranker;
use crate::team::Alone;
use crate::{Error, Problem, Result, Start};

/// σ of the line search, as in the authors' package.
const SIGMA: f64 = 1e-5;

/// GIST's settings.
///
/// | field | default | range |
/// |---|---|---|
/// | `nonmonotone` | 5 | ≥ 1; 1 is the monotone line search |
/// | `stopping.tol` | 1e-4 | on the relative change of F, three times in a row |
/// | `stopping.max_iter` | 1000 | |
#[derive(Debug, Clone, PartialEq)]
pub struct Gist {
    /// F must fall below the largest of so many values before it.
    pub nonmonotone: usize,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Gist {
    fn default() -> Self {
        Self { nonmonotone: 5, stopping: Stopping::default() }
    }
}

impl Solver for Gist {
    fn name(&self) -> &'static str {
        "gist"
    }

    fn stopping(&self) -> &Stopping {
        &self.stopping
    }

    fn settings(&self) -> Vec<(&'static str, f64)> {
        vec![("nonmonotone", self.nonmonotone as f64)]
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        self.classify(problem, start, observer)
    }

    fn ranker(&self) -> Option<&dyn Ranker> {
        Some(self)
    }
}

impl Method for Gist {
    fn descend(
        &self,
        smooth: &dyn Smooth,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Found> {
        if self.nonmonotone == 0 {
            return Err(Error::parameter("nonmonotone", 0, "at least 1, which is the monotone line search"));
        }
        let clock = Instant::now();
        let mut descent = Descent::new(smooth, smooth.regularizer().clone());
        let mut at = Point::start(smooth, start);
        let mut next = at.clone();
        let setup_seconds = clock.elapsed().as_secs_f64();

        observer.on_phase("iterating");
        let mut watch = Watch::new(observer, self.stopping, &Alone);
        let mut recent = VecDeque::from([descent.objective(&at)]);
        let mut settled = Settled::new(recent[0]);
        while !watch.stopped() {
            descent.look(&at);
            if watch.steps() > 0 {
                // After a step `next` holds the point before.
                descent.barzilai_borwein(&at, &next);
            }
            let highest = recent.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let trial = descent.step(&at, &mut next, |trial| trial.falls_below(highest, SIGMA));
            std::mem::swap(&mut at, &mut next);
            if recent.len() == self.nonmonotone {
                recent.pop_front();
            }
            recent.push_back(trial.objective);
            watch.objective = trial.objective;
            watch.tick(at.nonzeros(), 0, 0);
            watch.show(&at.w, at.b);
            if settled.next(trial.objective, self.stopping.tol) {
                break;
            }
        }
        Ok(Found { at, ended: watch.ended(), iterations: watch.steps(), setup_seconds })
    }
}
