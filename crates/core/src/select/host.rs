//! What surrounds a long run: somebody who watches it, may stop it, and keeps what is finished.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::solver::{Observer, Step};
use crate::{Error, Result};

/// Watches, stops and resumes. Every method may be left out. Calls come from many threads, in any order.
pub trait Host: Sync {
    /// `done` of `all` equal pieces of the work are behind us: λ of all folds.
    fn on_progress(&self, _done: usize, _all: usize) {}

    /// True if the run is to end; it then ends with [`Error::Interrupted`].
    fn wants_stop(&self) -> bool {
        false
    }

    /// What was kept under this name by an earlier run of the same settings on the same data.
    fn find(&self, _name: &str) -> Option<String> {
        None
    }

    /// Keeps a finished piece. Names consist of letters, digits, `-` and `.`.
    ///
    /// # Errors
    /// [`Error::Keeping`] ends the run.
    fn keep(&self, _name: &str, _text: &str) -> Result<()> {
        Ok(())
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Host for Alone {}

/// Counts the pieces of a run for its host.
pub(super) struct Counter<'a> {
    pub(super) host: &'a dyn Host,
    done: AtomicUsize,
    all: usize,
}

impl<'a> Counter<'a> {
    pub(super) fn new(host: &'a dyn Host, all: usize) -> Self {
        Self { host, done: AtomicUsize::new(0), all }
    }

    /// Stops when the host wants it, and counts nothing.
    pub(super) fn observer(&self) -> impl Observer {
        Stopper { host: self.host }
    }

    fn add(&self, pieces: usize) {
        let done = self.done.fetch_add(pieces, Ordering::Relaxed) + pieces;
        self.host.on_progress(done.min(self.all), self.all);
    }

    /// A piece of work that was finished by an earlier run, or is done now and kept. `pieces` is what it
    /// counts for.
    pub(super) fn kept<T, F>(&self, name: &str, pieces: usize, work: F) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce(&mut dyn Observer) -> Result<T>,
    {
        // A text that says nothing to us is as good as none.
        if let Some(found) = self.host.find(name).and_then(|text| serde_json::from_str(&text).ok()) {
            self.add(pieces);
            return Ok(found);
        }
        let mut ticker = Ticker { counter: self, counted: 0 };
        let found = if self.host.wants_stop() { Err(Error::Interrupted) } else { work(&mut ticker) };
        let counted = ticker.counted;
        // What was cut short is not what an undisturbed run would have found.
        if self.host.wants_stop() {
            return Err(Error::Interrupted);
        }
        self.add(pieces.saturating_sub(counted));
        let found = found?;
        let text = serde_json::to_string(&found).map_err(|error| Error::Keeping(error.to_string()))?;
        self.host.keep(name, &text)?;
        Ok(found)
    }
}

/// Watches one path.
struct Ticker<'a, 'b> {
    counter: &'a Counter<'b>,
    counted: usize,
}

impl Observer for Ticker<'_, '_> {
    fn on_part(&mut self, done: usize, _all: usize) {
        self.counter.add(done.saturating_sub(self.counted));
        self.counted = self.counted.max(done);
    }

    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        if self.counter.host.wants_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

struct Stopper<'a> {
    host: &'a dyn Host,
}

impl Observer for Stopper<'_> {
    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        if self.host.wants_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
