//! `sparsvm train`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use sparsvm_core::{Goal, Intercept, PenaltySpec, Saved, Status};
use sparsvm_data::Source;

use crate::args::{ObjectiveArgs, StrengthArgs, TrainArgs};
use crate::atomic::Target;
use crate::calibration::{by_folds, check, from_held_out};
use crate::fit::{Fitted, fit, single};
use crate::load::{Loaded, inputs, load};
use crate::page::{Chosen, of_choice, of_model};
use crate::plan::Plan;
use crate::progress::Watcher;
use crate::report::Report;
use crate::trace::Trace;
use crate::{Outcome, cells, choose, interrupt, memory, output, page, several, words};

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    // What can be refused is refused before the data is read.
    let (penalties, choosing) = penalties(args)?;
    // Several can be compared; the usual ones depend on the data.
    let intercepts = args.objective.intercepts(&[Intercept::Free])?;
    if !choosing {
        args.objective.one_intercept()?;
    }
    let loss = args.objective.loss(args.task)?;
    args.objective.check(args.task)?;
    refuse_for_rankings(args)?;
    let memory_limit = args.resources.claim()?;
    let plan = args.solver.build(args.strength.max_features, memory_limit)?;
    plan.check(loss, &penalties[0])?;
    let files = Files::new(args)?;
    let start = args.solver.start.as_deref().map(crate::predict::read_model).transpose()?;
    interrupt::listen(true)?;

    let mut watcher = Watcher::new(args.output.quiet).with_trace(files.trace);
    let about = (args.task, &args.objective, &args.input);
    let mut loaded = load(&args.data, about, penalties[0], memory_limit, &mut watcher)?;
    let at_once = memory::copies_for(&intercepts)
        * match (choosing, args.probability) {
            (true, _) => rayon::current_num_threads(),
            (false, probability) => usize::from(probability || intercepts.contains(&Intercept::Penalised)),
        };
    memory::check_fit(&loaded.data, loaded.task.is_scaled(), at_once, memory_limit)?;
    let summary = files.report.as_ref().map(|_| page::summary(&loaded.data, &loaded.task.data_name));
    if several::is_several(&loaded) {
        let how = match choosing {
            true => several::How::Chosen(penalties),
            false => several::How::Planned(&plan, start.as_ref()),
        };
        return several::train(args, &mut loaded, how, files.model.as_ref(), watcher);
    }
    let made = binary(args, &mut loaded, (penalties, choosing), (&plan, start.as_ref()), &mut watcher);
    let remedy = match choosing {
        true => cells::kept(args.choice.resume.as_deref()),
        false => "no model was written; without --probability there is one sooner",
    };
    let Some((fitted, chosen)) = choose::unless_stopped(made, remedy)? else {
        return Ok(Outcome::Interrupted);
    };
    if let Some(trace) = watcher.finish() {
        trace.write()?;
    }
    if let Some(target) = &files.model {
        target.write(|to| fitted.model.write(to))?;
    }

    let model = files.model.as_ref().map(Target::shown);
    let report = Report::new(&fitted, loaded.seconds, loaded.test.as_ref(), model)?;
    if let (Some(target), Some(summary)) = (&files.report, summary) {
        let mut run = match &chosen {
            Some(chosen) => of_choice(summary, &loaded, chosen, Some(&fitted.model)),
            None => of_model(summary, &loaded, &fitted),
        };
        if let Some((share, name)) = report.test_accuracy().zip(args.input.test.as_ref()) {
            run.add_figure(words::percent(share), "test accuracy", &format!("on {name}"));
        }
        page::write(target, &run)?;
    }
    let report = report.with_page(files.report.as_ref().map(Target::shown));
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

/// One model; with all that cross-validation found, if it chose λ.
fn binary(
    args: &TrainArgs,
    loaded: &mut Loaded,
    (penalties, choosing): (Vec<PenaltySpec>, bool),
    (plan, start): (&Plan, Option<&Saved>),
    watcher: &mut Watcher,
) -> Result<(Fitted, Option<Chosen>)> {
    if !choosing {
        let mut sigmoids = Vec::new();
        if args.probability {
            watcher.pause();
            sigmoids = by_folds(loaded, plan, args.seed, args.output.quiet)?;
        }
        let mut fitted = single(fit(&mut loaded.data, &loaded.task, plan, start, watcher)?)?;
        fitted.model = fitted.model.with_sigmoid(sigmoids.first().copied())?;
        return Ok((fitted, None));
    }
    if args.probability {
        check(loaded.data.labels(), &loaded.task.data_name)?;
    }
    let (mut fitted, chosen) = choose::train(loaded, args, &penalties, watcher)?;
    if args.probability {
        let held_out = vec![chosen.found.held_out_decisions(chosen.choice.chosen)];
        let sigmoids = from_held_out(&held_out, loaded.data.labels(), &loaded.task)?;
        fitted.model = fitted.model.with_sigmoid(sigmoids.first().copied())?;
    }
    Ok((fitted, Some(chosen)))
}

/// Classes are no affair of a ranking.
fn refuse_for_rankings(args: &TrainArgs) -> Result<()> {
    let of_classes = [("--positive", args.input.positive.is_some()), ("--probability", args.probability)];
    match of_classes.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if args.task == Goal::Rank => {
            bail!("{option} is about classes, and --task rank has none: leave it out")
        }
        _ => Ok(()),
    }
}

/// What is fitted, and whether λ is yet to be chosen: only paths can be compared at many λ.
fn penalties(args: &TrainArgs) -> Result<(Vec<PenaltySpec>, bool)> {
    let why = match (args.strength.lambda, args.strength.max_features) {
        (Some(_), _) => "--lambda says it",
        (_, Some(_)) => "--max-features takes the lowest loss",
        _ if args.task == Goal::Rank => "--task rank has lambda 2^-6 unless told otherwise",
        _ if !args.solver.follows_paths()? => "this solver has lambda 2^-6 unless told otherwise",
        _ => return Ok((args.objective.penalties(1.0, &ObjectiveArgs::COMPARED)?, true)),
    };
    args.choice.refuse(why)?;
    let lambda = args.strength.lambda.unwrap_or(StrengthArgs::LAMBDA);
    Ok((vec![args.objective.penalty(lambda)?], false))
}

/// Where results go.
struct Files {
    model: Option<Target>,
    trace: Option<Trace>,
    report: Option<Target>,
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
        if args.page.report.is_some() && [&model, &args.trace].contains(&&args.page.report) {
            bail!("--report cannot be the same file as the model or --trace: give another name");
        }
        let target = |path: &Path| Target::new(path, &inputs);
        Ok(Self {
            model: model.as_deref().map(target).transpose()?,
            trace: args.trace.as_deref().map(target).transpose()?.map(Trace::new),
            report: page::target("--report", args.page.report.as_deref(), &inputs)?,
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
