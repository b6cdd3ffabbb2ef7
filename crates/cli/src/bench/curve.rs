//! Watches a fit: the accuracy on the test rows against CPU seconds, at growing intervals. What the watching
//! costs is not counted.

use std::ops::ControlFlow;

use sparsvm_core::solver::{Observer, Step};

use super::clock::{Stopwatch, Until};
use super::material::Test;

/// From one point to the next, time grows by this factor at least: a hundred points from microseconds to
/// minutes.
const GROWTH: f64 = 1.12;

/// The points so far.
pub(super) struct Curve<'a> {
    test: &'a Test,
    /// Says what the fit is doing.
    tell: &'a mut (dyn FnMut(&str) + Send),
    until: Until,
    watch: Stopwatch,
    next: f64,
    is_due: bool,
    points: Vec<(f64, f64)>,
}

impl<'a> Curve<'a> {
    pub(super) fn new(test: &'a Test, until: Until, tell: &'a mut (dyn FnMut(&str) + Send)) -> Self {
        Self { test, tell, until, watch: Stopwatch::start(), next: 0.0, is_due: false, points: Vec::new() }
    }

    /// Times and points, with the one that was returned.
    pub(super) fn finish(mut self, accuracy: f64) -> (Stopwatch, Vec<(f64, f64)>) {
        self.add(accuracy);
        (self.watch, self.points)
    }

    fn add(&mut self, accuracy: f64) {
        // A logarithmic axis has no place for 0.
        self.points.push((self.watch.last.max(1e-9), accuracy));
    }
}

impl Observer for Curve<'_> {
    fn on_phase(&mut self, phase: &str) {
        let Self { watch, tell, .. } = self;
        watch.pause(|| tell(phase));
        watch.phase();
    }

    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        self.watch.lap();
        let Self { watch, tell, .. } = self;
        let seconds = watch.last;
        watch.pause(|| tell(&format!("iteration {}, {seconds:.1} s", step.iteration)));
        self.is_due |= seconds >= self.next;
        self.until.on_step(step)
    }

    fn wants_iterate(&self) -> bool {
        self.is_due
    }

    fn on_iterate(&mut self, w: &[f64], b: f64) {
        let test = self.test;
        let accuracy = self.watch.pause(|| test.accuracy(w, b));
        self.add(accuracy);
        (self.is_due, self.next) = (false, self.watch.last * GROWTH);
    }
}
