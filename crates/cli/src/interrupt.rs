//! Ctrl-C. The first one asks the solver to stop after its iteration; the second one quits at once.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use crate::{atomic, output};

/// What shells expect after Ctrl-C: 128 + SIGINT.
pub(crate) const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Begins to listen. Without `patience` the first Ctrl-C already quits.
pub(crate) fn listen(patience: bool) -> Result<()> {
    let heard = move || {
        if !patience || ASKED.swap(true, Ordering::Relaxed) {
            let _whole_files_only = atomic::leave_none_behind();
            std::process::exit(EXIT_CODE.into());
        }
        output::note("sparsvm: stopping after this iteration; Ctrl-C again quits at once and writes nothing");
    };
    ctrlc::set_handler(heard).context("cannot listen for Ctrl-C")
}

/// True after the first Ctrl-C.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
