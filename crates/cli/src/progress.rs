//! What watches a solver: a bar on a terminal, the trace, and Ctrl-C.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use sparsvm_core::solver::{Observer, Step, Stopping};

use crate::trace::Trace;
use crate::{interrupt, output, words};

/// Bars are redrawn at most so often.
const REDRAW: Duration = Duration::from_millis(80);
/// The bar's length.
const LENGTH: u64 = 1000;

/// What the bar counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// So many runs of a solver whose iterations are limited: each is on its way to whichever limit comes
    /// first.
    Runs(usize),
    /// Starts, if the solver announces any.
    Starts,
    /// Points of a path.
    Lambdas,
}

/// How the line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// It is not known how much is to come.
    Spinner,
    Bar,
}

/// Watches one training.
#[derive(Debug)]
pub(crate) struct Watcher {
    quiet: bool,
    bar: Option<ProgressBar>,
    look: Option<Look>,
    drawn: Instant,
    counting: Counting,
    stopping: Stopping,
    /// Runs that have begun.
    run: usize,
    /// How many parts of how many are done, once a solver says so; not in a phase of its own.
    part: Option<(usize, usize)>,
    /// The phase, once it has begun.
    phase: Option<String>,
    /// Which of several fits: a fold's, a class's. Empty where there is one.
    fold: String,
    class: String,
    trace: Option<Trace>,
}

impl Watcher {
    /// Shows progress on standard error, if a person looks at it and has not asked for quiet.
    pub(crate) fn new(quiet: bool) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        Self {
            quiet,
            // Also when an error drops it.
            bar: visible.then(|| ProgressBar::new_spinner().with_finish(ProgressFinish::AndClear)),
            look: None,
            drawn: Instant::now(),
            counting: Counting::Runs(1),
            stopping: Stopping::default(),
            run: 0,
            part: None,
            phase: None,
            fold: String::new(),
            class: String::new(),
            trace: None,
        }
    }

    /// True if nothing is shown.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Keeps every step for a file.
    #[must_use]
    pub(crate) fn with_trace(mut self, trace: Option<Trace>) -> Self {
        self.trace = trace;
        self
    }

    /// Tells what will be counted, and what ends a run at the latest.
    pub(crate) fn expect(&mut self, counting: Counting, stopping: Stopping) {
        (self.counting, self.stopping, self.phase) = (counting, stopping, None);
        (self.run, self.part) = (0, None);
    }

    /// Says which class of several is next, from 0.
    pub(crate) fn class(&mut self, k: usize, all: usize) {
        self.class = if all > 1 { format!("class {} of {all}, ", k + 1) } else { String::new() };
    }

    /// Says which fold is next, from 0.
    pub(crate) fn fold(&mut self, k: usize, all: usize) {
        self.fold = format!("fold {} of {all}, ", k + 1);
    }

    /// Something begins that has no iterations, or none that count.
    pub(crate) fn phase(&mut self, text: &str) {
        self.part = None;
        self.phase = Some(text.to_owned());
        match self.counting {
            // The bar counts the runs: it stays between them.
            Counting::Runs(runs) if runs > 1 && self.run > 0 => {
                self.show(Look::Bar, &format!("run {} of {runs}, {text}", self.run + 1));
            }
            _ => self.show(Look::Spinner, text),
        }
    }

    /// Tells something on a line of its own, above the bar.
    pub(crate) fn note(&self, text: &str) {
        match &self.bar {
            _ if self.quiet => {}
            Some(bar) => bar.suspend(|| output::note(text)),
            None => output::note(text),
        }
    }

    /// Takes the bar away for a while: another one comes.
    pub(crate) fn pause(&mut self) {
        if let Some(bar) = &self.bar {
            bar.disable_steady_tick();
            bar.finish_and_clear();
            // A finished bar shows nothing more.
            self.bar = Some(ProgressBar::new_spinner().with_finish(ProgressFinish::AndClear));
            self.look = None;
        }
    }

    /// Takes the bar away and hands the trace over.
    pub(crate) fn finish(self) -> Option<Trace> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.trace
    }

    fn show(&mut self, look: Look, message: &str) {
        let Some(bar) = &self.bar else { return };
        if self.look != Some(look) {
            let template = match look {
                Look::Spinner => "{spinner} {wide_msg}",
                Look::Bar => "[{bar:24}] {wide_msg}",
            };
            // A template that indicatif does not know leaves the bar as it was.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_length(LENGTH);
            bar.enable_steady_tick(REDRAW);
            self.look = Some(look);
        }
        bar.set_message(format!("{}{}{message}", self.fold, self.class));
        self.drawn = Instant::now();
    }

    fn draw(&mut self, step: &Step) {
        let (done, which) = match (self.counting, self.part, &self.phase) {
            (Counting::Runs(1), ..) => (Some(self.share_of_run(step)), String::new()),
            (Counting::Runs(runs), ..) => {
                let before = self.run.saturating_sub(1) as f64;
                let done = (before + self.share_of_run(step)) / runs as f64;
                (Some(done), format!("run {} of {runs}, ", self.run))
            }
            (counting, Some((done, all)), _) => {
                let part = if counting == Counting::Lambdas { "λ" } else { "start" };
                let which = format!("{part} {} of {all}, ", (done + 1).min(all));
                (Some(done as f64 / all.max(1) as f64), which)
            }
            (_, None, Some(phase)) => (None, format!("{phase}, ")),
            (_, None, None) => (None, String::new()),
        };
        let objective = match step.objective.is_finite() {
            true => format!(", objective {}", words::digits(step.objective, 5)),
            false => String::new(),
        };
        let kept = words::count(step.nonzeros, "feature");
        let (iteration, seconds) = (step.iteration, step.seconds);
        let message = format!("{which}iteration {iteration}{objective}, {kept} kept, {seconds:.1} s");
        if let (Some(bar), Some(done)) = (&self.bar, done) {
            bar.set_position((LENGTH as f64 * done) as u64);
        }
        self.show(if done.is_some() { Look::Bar } else { Look::Spinner }, &message);
    }

    /// How far a run is on its way to a limit.
    fn share_of_run(&self, step: &Step) -> f64 {
        let steps = step.iteration as f64 / self.stopping.max_iter as f64;
        let time = self.stopping.max_time.map_or(0.0, |limit| step.seconds / limit.as_secs_f64());
        steps.max(time).min(1.0)
    }
}

impl Observer for Watcher {
    fn on_phase(&mut self, phase: &str) {
        self.phase(phase);
    }

    fn on_part(&mut self, done: usize, all: usize) {
        (self.part, self.phase) = (Some((done, all)), None);
    }

    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        let first = step.iteration == 1;
        self.run += usize::from(first);
        if let Some(trace) = &mut self.trace {
            trace.add(step);
        }
        if self.bar.is_some() && (first || self.drawn.elapsed() >= REDRAW) {
            self.draw(step);
        }
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn wants_detail(&self) -> bool {
        self.trace.is_some()
    }
}
