//! What watches a solver: a bar on a terminal, the trace, and Ctrl-C.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use sparsvm_core::solver::{Observer, Step, Stopping};

use crate::trace::Trace;
use crate::{interrupt, words};

/// Bars are redrawn at most so often.
const REDRAW: Duration = Duration::from_millis(80);
/// The bar's length: parts of the way to whichever limit comes first.
const PARTS: u64 = 1000;

/// Watches one training.
#[derive(Debug)]
pub(crate) struct Watcher {
    bar: Option<ProgressBar>,
    drawn: Instant,
    stopping: Stopping,
    runs: usize,
    run: usize,
    trace: Option<Trace>,
}

impl Watcher {
    /// Shows progress on standard error, if a person looks at it and has not asked for quiet.
    pub(crate) fn new(quiet: bool) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        Self {
            // Also when an error drops it.
            bar: visible.then(|| ProgressBar::new_spinner().with_finish(ProgressFinish::AndClear)),
            drawn: Instant::now(),
            stopping: Stopping::default(),
            runs: 1,
            run: 0,
            trace: None,
        }
    }

    /// Keeps every step for a file.
    #[must_use]
    pub(crate) fn with_trace(mut self, trace: Option<Trace>) -> Self {
        self.trace = trace;
        self
    }

    /// Tells how many runs will come, and what ends each of them at the latest.
    pub(crate) fn expect(&mut self, runs: usize, stopping: Stopping) {
        (self.runs, self.stopping) = (runs, stopping);
    }

    /// Something begins that has no iterations.
    pub(crate) fn phase(&self, text: &str) {
        let Some(bar) = &self.bar else { return };
        if self.runs > 1 && self.run > 0 {
            // The bar counts the runs: it stays between them.
            bar.set_message(format!("run {} of {}, {text}", self.run + 1, self.runs));
        } else {
            style(bar, "{spinner} {wide_msg}");
            bar.set_message(text.to_owned());
            bar.enable_steady_tick(REDRAW);
        }
    }

    /// Takes the bar away and hands the trace over.
    pub(crate) fn finish(self) -> Option<Trace> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.trace
    }

    fn draw(&mut self, bar: &ProgressBar, step: &Step) {
        let mut done = step.iteration as f64 / self.stopping.max_iter as f64;
        if let Some(limit) = self.stopping.max_time {
            done = done.max(step.seconds / limit.as_secs_f64());
        }
        let before = self.run.saturating_sub(1) as f64;
        bar.set_position((PARTS as f64 * (before + done.min(1.0)) / self.runs as f64) as u64);
        let which = match self.runs {
            1 => String::new(),
            runs => format!("run {} of {runs}, ", self.run),
        };
        let objective = words::digits(step.objective, 5);
        let kept = words::count(step.nonzeros, "feature");
        bar.set_message(format!(
            "{which}iteration {}, objective {objective}, {kept} kept, {:.1} s",
            step.iteration, step.seconds
        ));
        self.drawn = Instant::now();
    }
}

/// A template that indicatif does not know leaves the bar as it was.
fn style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
}

impl Observer for Watcher {
    fn on_phase(&mut self, phase: &str) {
        self.phase(phase);
    }

    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        let first = step.iteration == 1;
        self.run += usize::from(first);
        if let Some(trace) = &mut self.trace {
            trace.add(step);
        }
        if let Some(bar) = self.bar.clone() {
            if first {
                style(&bar, "[{bar:24}] {wide_msg}");
                bar.set_length(PARTS);
            }
            if first || self.drawn.elapsed() >= REDRAW {
                self.draw(&bar, step);
            }
        }
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn wants_detail(&self) -> bool {
        self.trace.is_some()
    }
}
