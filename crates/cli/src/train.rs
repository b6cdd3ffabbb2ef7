//! `sparsvm train`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use sparsvm_core::Status;
use sparsvm_data::Source;

use crate::args::TrainArgs;
use crate::atomic::Target;
use crate::fit::fit;
use crate::load::{inputs, load};
use crate::progress::Watcher;
use crate::report::Report;
use crate::trace::Trace;
use crate::{Outcome, interrupt, output};

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    // What can be refused is refused before the data is read.
    let penalty = args.objective.penalty(args.strength.lambda)?;
    let loss = args.objective.loss(args.task)?;
    args.objective.check(args.task)?;
    let memory_limit = args.resources.claim()?;
    let plan = args.solver.build(args.strength.max_features, memory_limit)?;
    plan.check(loss, &penalty)?;
    let files = Files::new(args)?;
    let start = args.solver.start.as_deref().map(crate::predict::read_model).transpose()?;
    interrupt::listen(true)?;

    let mut watcher = Watcher::new(args.output.quiet).with_trace(files.trace);
    let about = (args.task, &args.objective, &args.input);
    let mut loaded = load(&args.data, about, penalty, memory_limit, &mut watcher)?;
    let fitted = fit(&mut loaded.data, &loaded.task, &plan, start.as_ref(), &mut watcher)?;
    if let Some(trace) = watcher.finish() {
        trace.write()?;
    }
    if let Some(target) = &files.model {
        target.write(|to| fitted.model.write(to))?;
    }

    let model = files.model.as_ref().map(Target::shown);
    let report = Report::new(&fitted, loaded.seconds, loaded.test.as_ref(), model)?;
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
        let inputs = inputs(&args.data, &args.objective, &args.input)?;
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
