//! Watches a fit: the accuracy on the test rows against CPU seconds, at growing intervals. What the watching
//! costs is not counted.

use std::ops::ControlFlow;
use std::time::Instant;

use sparsvm_core::solver::{Observer, Step};

use super::clock::cpu_seconds;
use super::material::Test;

/// From one point to the next, time grows by this factor at least: a hundred points from microseconds to minutes.
const GROWTH: f64 = 1.12;

/// The points so far.
pub(super) struct Curve<'a> {
    test: &'a Test,
    /// Says what the fit is doing.
    tell: &'a mut dyn FnMut(&str),
    /// Set-up and iterations end here; a solver's own limit counts iterations alone.
    deadline: Instant,
    began: f64,
    /// Seconds that went into watching.
    aside: f64,
    /// When the first iteration began, and when the last one ended.
    first: Option<f64>,
    last: f64,
    next: f64,
    is_due: bool,
    points: Vec<(f64, f64)>,
}

/// Seconds of a fit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timed {
    pub(super) setup: f64,
    pub(super) iterations: f64,
    pub(super) points: Vec<(f64, f64)>,
}

impl<'a> Curve<'a> {
    pub(super) fn new(test: &'a Test, deadline: Instant, tell: &'a mut dyn FnMut(&str)) -> Self {
        let began = cpu_seconds();
        Self {
            test,
            tell,
            deadline,
            began,
            aside: 0.0,
            first: None,
            last: 0.0,
            next: 0.0,
            is_due: false,
            points: Vec::new(),
        }
    }

    fn seconds(&self) -> f64 {
        cpu_seconds() - self.began - self.aside
    }

    /// With the point that was returned.
    pub(super) fn finish(mut self, accuracy: f64) -> Timed {
        let setup = self.first.unwrap_or(self.last);
        self.points.push((self.last.max(f64::MIN_POSITIVE), accuracy));
        Timed { setup, iterations: self.last - setup, points: self.points }
    }
}

impl Observer for Curve<'_> {
    fn on_phase(&mut self, phase: &str) {
        (self.tell)(phase);
    }

    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        self.last = self.seconds();
        if self.first.is_none() {
            // The first iteration's own time is known in wall seconds only.
            self.first = Some((self.last - step.seconds).max(0.0));
        }
        self.is_due |= self.last >= self.next;
        let before = cpu_seconds();
        (self.tell)(&format!("iteration {}, {:.1} s", step.iteration, self.last));
        self.aside += cpu_seconds() - before;
        if Instant::now() >= self.deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn wants_iterate(&self) -> bool {
        self.is_due
    }

    fn on_iterate(&mut self, w: &[f64], b: f64) {
        let before = cpu_seconds();
        self.points.push((self.last.max(f64::MIN_POSITIVE), self.test.accuracy(w, b)));
        (self.is_due, self.next) = (false, self.last * GROWTH);
        self.aside += cpu_seconds() - before;
    }
}
