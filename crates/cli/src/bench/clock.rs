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
    pub(super) fn start() -> Self {
        Self { began: cpu_seconds(), aside: 0.0, ready: 0.0, iterating: false, last: 0.0 }
    }

    fn seconds(&self) -> f64 {
        cpu_seconds() - self.began - self.aside
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
        let before = cpu_seconds();
        let done = work();
        self.aside += cpu_seconds() - before;
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
    use super::*;

    #[test]
    fn work_takes_time() {
        let before = cpu_seconds();
        let sum: f64 = (0..3_000_000).map(|k| f64::from(k).sqrt()).sum();
        assert!(sum > 0.0 && cpu_seconds() > before);
    }

    #[test]
    fn pauses_do_not_count() {
        let busy = || (0..3_000_000).map(|k| f64::from(k).sqrt()).sum::<f64>();
        let mut watch = Stopwatch::start();
        let mut aside = cpu_seconds();
        assert!(watch.pause(busy) > 0.0);
        aside = cpu_seconds() - aside;
        watch.lap();
        assert!(watch.last < 0.5 * aside, "{} of {aside}", watch.last);
    }

    #[test]
    fn setup_ends_with_the_last_phase_before_the_first_iteration() {
        let busy = || assert!((0..3_000_000).map(|k| f64::from(k).sqrt()).sum::<f64>() > 0.0);
        let mut watch = Stopwatch::start();
        watch.phase();
        busy();
        watch.phase();
        watch.lap();
        let setup = watch.setup();
        assert!(setup > watch.iterations());
        busy();
        watch.phase();
        watch.lap();
        assert!(watch.setup() == setup && watch.iterations() > 0.3 * setup);
    }
}
