//! A solver at work while Python looks on: the interpreter's lock is released, Ctrl-C is noticed, and what
//! there is to show is shown.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sparsvm_core::solver::{Observer, Step};

use crate::team::Keeper;

/// How often Ctrl-C is looked for and progress is shown.
const EVERY: Duration = Duration::from_millis(50);

/// What the solvers tell, and what they are told.
#[derive(Debug, Default)]
pub(crate) struct Board {
    stop: AtomicBool,
    shown: Mutex<Shown>,
}

/// The last news.
#[derive(Debug, Default, Clone)]
struct Shown {
    phase: String,
    done: usize,
    all: usize,
    step: Option<(usize, f64, f64, usize)>,
}

/// Iteration, seconds, objective, features.
pub(crate) type Record = (usize, f64, f64, usize);

/// One solver's eyes on the board.
#[derive(Debug)]
pub(crate) struct Looker<'a> {
    board: &'a Board,
    /// Every step, if asked for.
    pub(crate) history: Option<Vec<Record>>,
    /// Where points are kept, if they are.
    pub(crate) keeper: Option<Keeper>,
}

impl Board {
    pub(crate) fn looker(&self, keep_history: bool) -> Looker<'_> {
        Looker { board: self, history: keep_history.then(Vec::new), keeper: None }
    }

    /// Another solver that has the board may be writing: its news will do as well.
    fn update(&self, change: impl FnOnce(&mut Shown)) {
        if let Ok(mut shown) = self.shown.try_lock() {
            change(&mut shown);
        }
    }

    /// Parts of work that is no single solver's.
    pub(crate) fn show_parts(&self, done: usize, all: usize) {
        self.update(|shown| (shown.done, shown.all) = (done, all));
    }

    /// True once Ctrl-C was pressed.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn read(&self) -> Shown {
        self.shown.lock().map(|shown| shown.clone()).unwrap_or_default()
    }
}

impl Looker<'_> {
    /// The same eyes for what is not the fit itself.
    pub(crate) fn without_history(&self) -> Self {
        Self { board: self.board, history: None, keeper: None }
    }
}

impl Observer for Looker<'_> {
    fn on_phase(&mut self, phase: &str) {
        self.board.update(|shown| (shown.phase, shown.all) = (phase.to_owned(), 0));
    }

    fn on_part(&mut self, done: usize, all: usize) {
        self.board.show_parts(done, all);
    }

    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        let record = (step.iteration, step.seconds, step.objective, step.nonzeros);
        self.board.update(|shown| shown.step = Some(record));
        if let Some(history) = &mut self.history {
            history.push(record);
        }
        if self.board.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn wants_iterate(&self) -> bool {
        self.keeper.as_ref().is_some_and(Keeper::is_due)
    }

    fn on_iterate(&mut self, w: &[f64], b: f64) {
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(w, b);
        }
    }
}

/// Runs `work` on a pool of its own (0 threads: one for each core) until it is done. Meanwhile `progress`, if
/// there is one, is called with (phase, done, all, step).
///
/// The pool is made for each call: a process that forks later inherits no threads that are not there.
pub(crate) fn supervised<T: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Board) -> T + Send,
) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| PyRuntimeError::new_err(format!("no threads: {error}")))?;
    let board = &Board::default();
    let (to, mut from) = channel();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            // Whoever waits for it is there until it comes.
            let _ = to.send(pool.install(|| work(board)));
        });
        let mut asked: PyResult<()> = Ok(());
        loop {
            let news;
            (news, from) = py.detach(move || (from.recv_timeout(EVERY), from));
            match news {
                Ok(result) => return asked.map(|()| result),
                Err(RecvTimeoutError::Disconnected) => {
                    let fell = worker.join().is_err();
                    let why = if fell { "by a fault of its own" } else { "without a result" };
                    return Err(PyRuntimeError::new_err(format!("the solver ended {why}: please report it")));
                }
                Err(RecvTimeoutError::Timeout) if asked.is_ok() => {
                    asked = py.check_signals().and_then(|()| show(progress, &board.read()));
                    board.stop.store(asked.is_err(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}

fn show(progress: Option<&Bound<'_, PyAny>>, shown: &Shown) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    progress.call1((&shown.phase, shown.done, shown.all, shown.step)).map(drop)
}
