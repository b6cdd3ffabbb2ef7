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
    /// When the first iteration began.
    first: Option<f64>,
    /// When the last one ended.
    pub(super) last: f64,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { began: cpu_seconds(), aside: 0.0, first: None, last: 0.0 }
    }

    /// An iteration ended.
    pub(super) fn lap(&mut self, step: &Step) {
        self.last = cpu_seconds() - self.began - self.aside;
        // The first iteration's own time is known in wall seconds only.
        self.first.get_or_insert((self.last - step.seconds).max(0.0));
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
        self.first.unwrap_or(self.last)
    }

    /// Seconds in the iterations.
    pub(super) fn iterations(&self) -> f64 {
        self.last - self.setup()
    }
}

impl Observer for Stopwatch {
    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        self.lap(step);
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
        let step = Step { iteration: 1, seconds: 0.0, objective: 0.0, nonzeros: 0, detail: None };
        let mut watch = Stopwatch::start();
        let mut aside = cpu_seconds();
        assert!(watch.pause(busy) > 0.0);
        aside = cpu_seconds() - aside;
        watch.lap(&step);
        assert!(watch.last < 0.5 * aside, "{} of {aside}", watch.last);
        assert!(watch.iterations() < 1e-9 && watch.setup() == watch.last);
    }
}
