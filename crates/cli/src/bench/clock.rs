//! CPU seconds of this process, which other programs on the machine do not lengthen as they do wall time.

use std::ops::ControlFlow;

use sparsvm_core::solver::{Observer, Step};

/// Seconds so far, of all threads together.
#[cfg(unix)]
pub(super) fn cpu_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// Seconds so far: wall time, where there is no such clock.
#[cfg(not(unix))]
pub(super) fn cpu_seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Tells the seconds before a fit's first iteration from those in its iterations.
#[derive(Debug)]
pub(super) struct Stopwatch {
    clock: fn() -> f64,
    began: f64,
    /// Seconds that went into watching.
    aside: f64,
    /// When the last phase before the first iteration began, which is the iterations' own.
    ready: f64,
    iterating: bool,
    /// When the last iteration ended.
    pub(super) last: f64,
}

impl Stopwatch {
    /// By CPU time.
    pub(super) fn start() -> Self {
        Self::with_clock(cpu_seconds)
    }

    fn with_clock(clock: fn() -> f64) -> Self {
        Self { clock, began: clock(), aside: 0.0, ready: 0.0, iterating: false, last: 0.0 }
    }

    fn seconds(&self) -> f64 {
        (self.clock)() - self.began - self.aside
    }

    /// A phase begins.
    pub(super) fn phase(&mut self) {
        if !self.iterating {
            self.ready = self.seconds();
        }
    }

    /// An iteration ended.
    pub(super) fn lap(&mut self) {
        (self.last, self.iterating) = (self.seconds(), true);
    }

    /// Does something that does not count.
    pub(super) fn pause<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let before = (self.clock)();
        let done = work();
        self.aside += (self.clock)() - before;
        done
    }

    /// Seconds before the first iteration.
    pub(super) fn setup(&self) -> f64 {
        self.ready.min(self.last)
    }

    /// Seconds in the iterations.
    pub(super) fn iterations(&self) -> f64 {
        self.last - self.setup()
    }
}

/// Ends a fit when the clock has come so far.
#[derive(Debug)]
pub(super) struct Until(pub(super) f64);

impl Observer for Until {
    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        if cpu_seconds() >= self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for Stopwatch {
    fn on_phase(&mut self, _phase: &str) {
        self.phase();
    }

    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        self.lap();
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn work_takes_time() {
        let before = cpu_seconds();
        let sum: f64 = (0..3_000_000).map(|k| f64::from(k).sqrt()).sum();
        assert!(sum > 0.0 && cpu_seconds() > before);
    }

    thread_local! {
        static HAND: Cell<f64> = const { Cell::new(0.0) };
    }

    /// A clock that only stands where it is set: others run tests at the same time.
    fn watch() -> Stopwatch {
        HAND.set(0.0);
        Stopwatch::with_clock(|| HAND.get())
    }

    #[test]
    fn pauses_do_not_count() {
        let mut watch = watch();
        HAND.set(1.0);
        watch.lap();
        watch.pause(|| HAND.set(5.0));
        HAND.set(7.0);
        watch.lap();
        assert_eq!((watch.last, watch.setup(), watch.iterations()), (3.0, 0.0, 3.0));
    }

    #[test]
    fn setup_ends_with_the_last_phase_before_the_first_iteration() {
        let mut watch = watch();
        for (seconds, phase) in [(0.0, true), (4.0, true), (5.0, false), (6.0, true), (8.0, false)] {
            HAND.set(seconds);
            if phase { watch.phase() } else { watch.lap() }
        }
        assert_eq!((watch.setup(), watch.iterations()), (4.0, 4.0));
    }
}
