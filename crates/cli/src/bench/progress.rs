//! How far the run is: a bar over all cells with an estimate of what is left, and a line for each process.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::cell::Cell;
use super::method::Method;

const REDRAW: Duration = Duration::from_millis(120);

/// The bars, if a person looks at them.
pub(super) struct Progress {
    bars: Option<(MultiProgress, ProgressBar)>,
    began: Instant,
    /// Weights of the cells that are done in this run, and of those that are not.
    done: f64,
    left: f64,
}

impl Progress {
    /// `done` of `all` cells were found finished; the others weigh `left`.
    pub(super) fn new(quiet: bool, (done, all): (usize, usize), left: f64) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        let bars = visible.then(|| {
            let lines = MultiProgress::new();
            let bar = lines.add(ProgressBar::new(all as u64));
            bar.set_position(done as u64);
            bar.set_style(style("[{bar:24}] {pos} of {len} cells{msg}"));
            bar.enable_steady_tick(REDRAW);
            (lines, bar)
        });
        Self { bars, began: Instant::now(), done: 0.0, left }
    }

    /// A line for one process.
    pub(super) fn line(&self) -> Line {
        let bar = self.bars.as_ref().map(|(all, _)| {
            let bar = all.add(ProgressBar::new_spinner());
            bar.set_style(style("{spinner} {wide_msg}"));
            bar.enable_steady_tick(REDRAW);
            bar
        });
        Line { bar }
    }

    pub(super) fn finish(&mut self, cell: &Cell) {
        let weight = weight(cell);
        (self.done, self.left) = (self.done + weight, self.left - weight);
        if let Some((_, bar)) = &self.bars {
            bar.inc(1);
            let seconds = self.began.elapsed().as_secs_f64() * self.left.max(0.0) / self.done;
            bar.set_message(format!(", about {} left", duration(seconds)));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((_, bar)) = &self.bars {
            bar.finish_and_clear();
        }
    }
}

/// What a process is doing.
pub(super) struct Line {
    bar: Option<ProgressBar>,
}

impl Line {
    pub(super) fn show(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How long a cell takes, roughly, in units of its own: the three large sets take nearly all the time.
pub(super) fn weight(cell: &Cell) -> f64 {
    let small = matches!(cell.set.as_str(), "heart_scale" | "mushrooms" | "breast-cancer" | "gaussian");
    let size = if small { 1.0 } else { 30.0 };
    size * if cell.method == Method::Exact { 0.1 } else { 1.0 }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("=> ")
}

/// For people.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        assert_eq!([duration(3.2), duration(300.0), duration(9000.0)], ["3 s", "5 min", "2.5 h"]);
    }
}
