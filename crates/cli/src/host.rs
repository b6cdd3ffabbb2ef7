//! What surrounds a choice of model: a bar over folds × λ, Ctrl-C, and cells that are kept.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use serde_json::Value;
use sparsvm_core::Error;
use sparsvm_core::select::Host;

use crate::folder::Folder;
use crate::interrupt;

/// Watches a run for a person.
pub(crate) struct Watched {
    bar: Option<ProgressBar>,
    cells: Option<Folder>,
}

impl Watched {
    /// Shows a bar on standard error, if a person looks at it; `unit` is what it counts.
    pub(crate) fn new(quiet: bool, unit: &str, cells: Option<Folder>) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        let bar = visible.then(|| {
            let bar = ProgressBar::new(1).with_finish(ProgressFinish::AndClear);
            let template = format!("[{{bar:24}}] {{pos}} of {{len}} {unit}, {{elapsed}}, {{eta}} left");
            // A template that indicatif does not know leaves the bar as it was.
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar, cells }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Host for Watched {
    fn on_progress(&self, done: usize, all: usize) {
        if let Some(bar) = &self.bar {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
    }

    fn wants_stop(&self) -> bool {
        interrupt::asked()
    }

    fn find(&self, name: &str) -> Option<String> {
        let cell: Value = self.cells.as_ref()?.read_json(&format!("cells/{name}.json"))?;
        Some(cell.to_string())
    }

    fn keep(&self, name: &str, text: &str) -> sparsvm_core::Result<()> {
        let Some(cells) = &self.cells else { return Ok(()) };
        let written = cells.write(&format!("cells/{name}.json"), text.as_bytes());
        written.map_err(|error| Error::Keeping(crate::output::one_line(&error)))
    }
}
