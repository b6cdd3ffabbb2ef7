//! `sparsvm demo`: the whole way, from data to a model to what to do next, for someone who has just built
//! the program.

pub(crate) mod data;
mod program;

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;
use sparsvm_core::select::stratified_split;
use sparsvm_core::{Dataset, Goal, Intercept, Loss, PenaltySpec, Scaling, Status};

use crate::args::{DemoArgs, SolverArgs};
use crate::atomic::Target;
use crate::fit::{Task, fit, single};
use crate::inspect::{self, Kept};
use crate::progress::Watcher;
use crate::report::Report;
use crate::{Outcome, interrupt, memory, output};

const MODEL: &str = "breast-cancer.model";
const TRAIN: &str = "breast-cancer.train";
const TEST: &str = "breast-cancer.test";
/// Keeps a handful of the 30 features.
const LAMBDA: f64 = 0.07;
/// The share of rows that is trained on.
const SHARE: f64 = 0.7;

#[derive(Serialize)]
struct DemoReport<'a> {
    #[serde(flatten)]
    report: &'a Report,
    kept: &'a [Kept],
    files: [&'static str; 3],
}

pub(crate) fn run(args: &DemoArgs) -> Result<Outcome> {
    let [model_file, train_file, test_file] =
        [MODEL, TRAIN, TEST].map(|name| Target::new(Path::new(name), &[]));
    let (model_file, train_file, test_file) = (model_file?, train_file?, test_file?);
    interrupt::listen(true)?;
    let mut watcher = Watcher::new(args.quiet);

    let clock = Instant::now();
    let all = data::breast_cancer()?;
    let load = clock.elapsed().as_secs_f64();
    let (train_rows, test_rows) = stratified_split(all.labels(), SHARE, args.seed);
    let (mut train, test) = (all.select_rows(&train_rows), all.select_rows(&test_rows));
    train_file.write(|to| write_libsvm(to, &train))?;
    test_file.write(|to| write_libsvm(to, &test))?;

    let memory_limit = memory::default_limit();
    let task = Task {
        goal: Goal::Classify,
        penalty: PenaltySpec::new(sparsvm_core::penalty::Family::Mcp, LAMBDA),
        l2: 0.0,
        factors: None,
        loss: Loss::Hinge,
        weights: None,
        intercept: Intercept::Free,
        scaling: Scaling::Standard,
        memory_limit,
        data_name: TRAIN.into(),
    };
    let plan = SolverArgs::default().build(None, memory_limit)?;
    let fitted = single(fit(&mut train, &task, &plan, None, &mut watcher)?)?;
    watcher.finish();
    model_file.write(|to| fitted.model.write(to))?;

    let kept = inspect::by_weight(&fitted.model);
    let report = Report::new(&fitted, load, Some(&test), Some(MODEL.into()))?;
    if args.json {
        output::json(&DemoReport { report: &report, kept: &kept, files: [TRAIN, TEST, MODEL] })?;
    } else if !args.quiet {
        let text = story(&all, &kept, &report);
        output::print(|to| to.write_all(text.as_bytes()))?;
    }
    Ok(match fitted.run.solution.status {
        Status::Interrupted => Outcome::Interrupted,
        _ => Outcome::Done,
    })
}

fn story(all: &Dataset, kept: &[Kept], report: &Report) -> String {
    let (n, d) = (all.design().rows(), all.design().cols());
    let program = program::name();
    format!(
        "\
{n} breast tumours, {d} measurements of each: which of them tell malignant (+1) from benign (-1)?
Trained on 70 % of the rows, tested on the others. {} of {d} features are enough:

{}
A positive weight speaks for malignant. The other {} weights are exactly 0.

{}
Written here: {TRAIN} and {TEST} (LIBSVM text) and {MODEL}. Try next:

  {program} inspect {MODEL}
  {program} predict {TEST} {MODEL} predictions.txt
  {program} path --scale standard --test {TEST} --plot path.svg {TRAIN}
",
        kept.len(),
        inspect::table(kept, Scaling::Standard),
        d - kept.len(),
        report.table(),
    )
}

/// One row a line: the label, and index:value for every value that is not 0.
fn write_libsvm(to: &mut dyn Write, data: &Dataset) -> io::Result<()> {
    let labels = data.labels();
    for (i, &code) in labels.codes().iter().enumerate() {
        write!(to, "{}", labels.classes()[code as usize])?;
        let mut written = Ok(());
        data.design().row(i).for_each(|j, value| {
            if value != 0.0 && written.is_ok() {
                written = write!(to, " {}:{value}", j + 1);
            }
        });
        written?;
        writeln!(to)?;
    }
    Ok(())
}
