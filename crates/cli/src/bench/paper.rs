//! `sparsvm bench paper`: every cell in a process of its own, then the tables.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;

use super::cell::{Cell, Protocol, Record, Task};
use super::folder::Folder;
use super::progress::{Line, Progress, weight};
use super::report::Report;
use super::set::{Set, find};
use super::supervise::supervise;
use super::{figure, page, table};
use crate::args::PaperArgs;
use crate::{Outcome, interrupt, memory, output};

/// Seconds of a cell, unless told otherwise.
const USUAL_SECONDS: f64 = 300.0;
const QUICK_SECONDS: f64 = 20.0;

pub(super) fn run(args: &PaperArgs) -> Result<Outcome> {
    let found = find(args.data.as_deref(), &args.datasets)?;
    let (protocol, jobs) = protocol(args)?;
    let folder = Folder::new(&args.out)?;
    if !args.resume {
        folder.refuse_old_cells()?;
    }
    interrupt::listen(true)?;
    if !args.output.quiet {
        found.notes.iter().for_each(|note| output::note(&format!("sparsvm: {note}")));
    }

    let run = Run { sets: &found.sets, protocol: &protocol, folder: &folder };
    let records = run.all(jobs, args.output.quiet)?;
    let titles = found.sets.into_iter().map(|set| set.title).collect();
    let report = Report { protocol, sets: titles, notes: found.notes, records };
    folder.write_json("paper.json", &report)?;
    folder.write("table.csv", table::csv(&report).as_bytes())?;
    folder.write("table.md", table::markdown(&report).as_bytes())?;
    figure::write(&folder, "accuracy", &figure::accuracy(&report))?;
    page::write(&folder)?;

    if args.output.json {
        output::json(&report)?;
    } else if !args.output.quiet {
        let text =
            format!("{}\nwritten: {} and more\n", table::terminal(&report), folder.shown("index.html"));
        output::print(|to| to.write_all(text.as_bytes()))?;
    }
    Ok(if interrupt::asked() { Outcome::Interrupted } else { Outcome::Done })
}

/// How cells are measured, and how many at the same time.
fn protocol(args: &PaperArgs) -> Result<(Protocol, usize)> {
    let limits = &args.limits;
    let usual = if args.quick { QUICK_SECONDS } else { USUAL_SECONDS };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = limits.jobs.map_or((cores / usize::from(limits.threads)).max(1), usize::from);
    let protocol = Protocol {
        quick: args.quick,
        full_grid: args.full_grid,
        seed: args.seed,
        time_limit: limits.seconds(usual)?,
        memory_limit: limits.memory_limit.unwrap_or_else(|| memory::default_limit() / jobs as u64),
        threads: limits.threads,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    Ok((protocol, jobs))
}

struct Run<'a> {
    sets: &'a [Set],
    protocol: &'a Protocol,
    folder: &'a Folder,
}

/// What the workers share.
struct Shared<'a> {
    waiting: VecDeque<(&'a Set, Cell)>,
    records: Vec<Record>,
    progress: Progress,
    fault: Option<anyhow::Error>,
}

impl<'a> Run<'a> {
    /// Measures what is not finished; in the order of the tables, whatever finished first.
    fn all(&self, jobs: usize, quiet: bool) -> Result<Vec<Record>> {
        let cells = self.sets.iter().flat_map(|set| Cell::all(set).into_iter().map(move |cell| (set, cell)));
        let cells: Vec<(&Set, Cell)> = cells.collect();
        let order: Vec<Cell> = cells.iter().map(|(_, cell)| cell.clone()).collect();
        let (mut records, mut waiting) = (Vec::new(), VecDeque::new());
        for (set, cell) in cells {
            match self.folder.finished(&cell, self.protocol) {
                Some(record) => records.push(record),
                None => waiting.push_back((set, cell)),
            }
        }
        let left = waiting.iter().map(|(_, cell)| weight(cell)).sum();
        let progress = Progress::new(quiet, (records.len(), order.len()), left);
        let shared = Mutex::new(Shared { waiting, records, progress, fault: None });
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(order.len()) {
                scope.spawn(|| self.work(&shared));
            }
        });
        let Shared { mut records, fault, .. } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = fault {
            return Err(fault);
        }
        records.sort_by_key(|record| order.iter().position(|cell| *cell == record.cell));
        Ok(records)
    }

    /// One cell after the other, until there is none left or something is wrong.
    fn work(&self, shared: &Mutex<Shared<'a>>) {
        let line = lock(shared).progress.line();
        loop {
            let mut now = lock(shared);
            if now.fault.is_some() || interrupt::asked() {
                return;
            }
            let Some((set, cell)) = now.waiting.pop_front() else { return };
            drop(now);
            let done = self.measure(set, cell, &line);
            let mut now = lock(shared);
            match done {
                Ok(None) => return,
                Ok(Some(record)) => {
                    now.progress.finish(&record.cell);
                    now.records.push(record);
                }
                Err(fault) => now.fault = Some(fault),
            }
        }
    }

    fn measure(&self, set: &Set, cell: Cell, line: &Line) -> Result<Option<Record>> {
        let title = cell.title();
        line.show(&title);
        let task = Task { set: set.clone(), cell, protocol: self.protocol.clone() };
        let record = supervise(&task, &|text| line.show(&format!("{title}: {text}")))?;
        if let Some(record) = &record {
            self.folder.keep(record)?;
        }
        Ok(record)
    }
}

fn lock<'m, 'a>(shared: &'m Mutex<Shared<'a>>) -> MutexGuard<'m, Shared<'a>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
