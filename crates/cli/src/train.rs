//! `sparsvm train`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use sparsvm_core::{Dataset, Status};
use sparsvm_data::Source;

use crate::args::TrainArgs;
use crate::atomic::Target;
use crate::fit::{Task, fit};
use crate::progress::Watcher;
use crate::report::Report;
use crate::trace::Trace;
use crate::{Outcome, interrupt, number_file, output};

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    // What can be refused is refused before the data is read.
    let (penalty, loss) = (args.objective.penalty()?, args.objective.loss()?);
    penalty.build()?;
    let memory_limit = args.resources.claim()?;
    let plan = args.solver.build(memory_limit)?;
    let files = Files::new(args)?;
    interrupt::listen(true)?;

    let mut watcher = Watcher::new(args.output.quiet).with_trace(files.trace);
    let clock = Instant::now();
    watcher.phase(&format!("reading {}", args.data));
    let mut data = sparsvm_data::read(&args.data, &args.read.options(args.features, memory_limit))?;
    let load = clock.elapsed().as_secs_f64();
    let test = match &args.test {
        Some(test) => Some(sparsvm_data::read(test, &args.read.options(None, memory_limit))?),
        None => None,
    };

    let task = Task {
        penalty,
        l2: args.objective.l2,
        factors: factors(args, &data)?,
        loss,
        weights: weights(args, &data)?,
        intercept: !args.objective.no_intercept,
        scaling: args.scale,
        start: args.solver.start.as_deref().map(crate::predict::read_model).transpose()?,
        data_name: args.data.to_string(),
    };
    let fitted = fit(&mut data, task, &plan, &mut watcher)?;
    if let Some(trace) = watcher.finish() {
        trace.write()?;
    }
    if let Some(target) = &files.model {
        target.write(|to| fitted.model.write(to))?;
    }

    let report = Report::new(&fitted, load, test.as_ref(), files.model.as_ref().map(Target::shown));
    if args.output.json {
        output::json(&report)?;
    } else if !args.output.quiet {
        output::print(|to| to.write_all(report.table().as_bytes()))?;
    }
    Ok(match fitted.run.solution.status {
        Status::Interrupted => Outcome::Interrupted,
        _ => Outcome::Done,
    })
}

/// Where results go.
struct Files {
    model: Option<Target>,
    trace: Option<Trace>,
}

impl Files {
    fn new(args: &TrainArgs) -> Result<Self> {
        let mut inputs = vec![&args.data];
        inputs.extend(&args.test);
        if inputs.len() > 1 && inputs.iter().all(|input| **input == Source::Stdin) {
            bail!("DATA and --test cannot both be standard input: put one of them into a file");
        }
        let side = [&args.objective.weights, &args.objective.penalty_factors];
        let side: Vec<Source> = side.into_iter().flatten().map(|path| Source::Path(path.clone())).collect();
        inputs.extend(&side);
        let model = match (&args.model, args.no_model) {
            (_, true) => None,
            (Some(path), false) => Some(path.clone()),
            (None, false) => Some(default_model(&args.data)?),
        };
        if model.is_some() && model == args.trace {
            bail!("the model and --trace cannot be the same file: give another name");
        }
        let target = |path: &Path| Target::new(path, &inputs);
        Ok(Self {
            model: model.as_deref().map(target).transpose()?,
            trace: args.trace.as_deref().map(target).transpose()?.map(Trace::new),
        })
    }
}

/// The data's file name and `.model`, in the current folder, as LIBLINEAR does.
fn default_model(data: &Source) -> Result<PathBuf> {
    let mut name = match data {
        Source::Stdin => OsString::from("stdin"),
        Source::Path(path) => match path.file_name() {
            Some(name) => name.to_owned(),
            None => bail!("{data} is no file: give the name of a file, or `-` for standard input"),
        },
    };
    name.push(".model");
    Ok(name.into())
}

/// κ, if it was given.
fn factors(args: &TrainArgs, data: &Dataset) -> Result<Option<Vec<f64>>> {
    let read = |path| number_file::penalty_factors(path, data.design().cols(), args.read.zero_based);
    args.objective.penalty_factors.as_deref().map(read).transpose()
}

/// Rows' weights times classes' weights, if either was given.
fn weights(args: &TrainArgs, data: &Dataset) -> Result<Option<Vec<f64>>> {
    let n = data.design().rows();
    let rows =
        args.objective.weights.as_deref().map(|path| number_file::sample_weights(path, n)).transpose()?;
    let Some(classes) = &args.objective.class_weight else { return Ok(rows) };
    let rows = rows.unwrap_or_else(|| vec![1.0; n]);
    classes.apply(data.labels(), &data.labels().signs()?, &rows).map(Some)
}
