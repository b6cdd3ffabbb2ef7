//! Reports boxes to the observer, and stops the search.

use std::ops::ControlFlow;
use std::time::Instant;

use super::incumbent::Incumbent;
use crate::solver::{Ended, Iterate, Observer, Step, Stopping};

/// Goes on counting where the exact solver ended.
pub(super) struct Watch<'o> {
    observer: &'o mut dyn Observer,
    stopping: Stopping,
    began: Instant,
    /// Steps that were reported.
    steps: usize,
    ended: Option<Ended>,
}

impl<'o> Watch<'o> {
    /// `first` has been run; if it was stopped by more than its own limits, so is all that follows.
    pub(super) fn new(
        observer: &'o mut dyn Observer,
        stopping: Stopping,
        began: Instant,
        first: &Iterate,
    ) -> Self {
        let ended = Some(first.ended).filter(|ended| matches!(ended, Ended::Interrupted | Ended::MaxTime));
        Self { observer, stopping, began, steps: first.iterations, ended }
    }

    /// Reports a step, and looks whether to go on; true if not.
    pub(super) fn step(&mut self, best: &Incumbent<'_>) -> bool {
        self.steps += 1;
        let step = Step {
            iteration: self.steps,
            seconds: self.began.elapsed().as_secs_f64(),
            objective: best.objective,
            nonzeros: best.nonzeros(),
            detail: None,
        };
        if self.observer.on_step(&step) == ControlFlow::Break(()) {
            self.end(Ended::Interrupted);
        } else if self.stopping.out_of_time(self.began) {
            self.end(Ended::MaxTime);
        }
        self.stopped()
    }

    pub(super) fn phase(&mut self, phase: &str) {
        self.observer.on_phase(phase);
    }

    /// The first reason counts.
    pub(super) fn end(&mut self, why: Ended) {
        self.ended.get_or_insert(why);
    }

    pub(super) fn stopped(&self) -> bool {
        self.ended.is_some()
    }

    pub(super) fn ended(&self) -> Ended {
        self.ended.unwrap_or(Ended::Rule)
    }

    pub(super) fn most_splits(&self) -> usize {
        self.stopping.max_iter
    }
}
