//! `sparsvm train` on more than two classes: one against the rest.

mod choose;
mod report;

use anyhow::{Result, bail};
use sparsvm_core::{Error, PenaltySpec, Saved, Status};

use crate::args::TrainArgs;
use crate::atomic::Target;
use crate::calibration::{by_folds, check, from_held_out};
use crate::choose::unless_stopped;
use crate::fit::{Fitted, fit};
use crate::load::Loaded;
use crate::plan::Plan;
use crate::progress::Watcher;
use crate::{Outcome, cells, output};
use report::Report;

/// So many classes are as many numbers, if they are also more than a third of the rows.
const MOST_CLASSES: usize = 100;

/// How the classes are fitted.
pub(crate) enum How<'a> {
    /// At a λ, or along a path each; from a model, if there is one.
    Planned(&'a Plan, Option<&'a Saved>),
    /// At the λ that cross-validation takes, the same for all classes.
    Chosen(Vec<PenaltySpec>),
}

/// True if the data has more than two classes.
pub(crate) fn is_several(loaded: &Loaded) -> bool {
    loaded.task.goal == sparsvm_core::Goal::Classify && loaded.data.labels().classes().len() > 2
}

/// Trains a machine for each class, writes the model and says what came out.
pub(crate) fn train(
    args: &TrainArgs,
    loaded: &mut Loaded,
    how: How<'_>,
    target: Option<&Target>,
    mut watcher: Watcher,
) -> Result<Outcome> {
    refuse(args, loaded)?;
    let found = machines(args, loaded, how, &mut watcher);
    let kept = match args.choice.resume {
        Some(_) => cells::kept(args.choice.resume.as_deref()),
        None => "a model of several classes needs all of them, so none was written",
    };
    let Some(machines) = unless_stopped(found, kept)? else { return Ok(Outcome::Interrupted) };
    watcher.finish();
    let classes = loaded.data.labels().classes();
    let models = machines.iter().map(|fitted| fitted.model.clone()).collect();
    let saved = Saved::new(classes, models)?;
    if let Some(target) = target {
        target.write(|to| saved.write(to))?;
    }
    let report = Report::new(&machines, &saved, loaded, target.map(Target::shown));
    if args.output.json {
        output::json(&report)?;
    } else if !args.output.quiet {
        output::print(|to| to.write_all(report.table(&machines).as_bytes()))?;
    }
    Ok(Outcome::Done)
}

/// One for each class, with its sigmoid if that was asked for.
fn machines(
    args: &TrainArgs,
    loaded: &mut Loaded,
    how: How<'_>,
    watcher: &mut Watcher,
) -> Result<Vec<Fitted>> {
    let (mut machines, sigmoids) = match how {
        How::Chosen(penalties) => {
            let (machines, held_out) = choose::train(loaded, args, &penalties, watcher)?;
            let wanted = args.probability;
            let fitted = wanted.then(|| from_held_out(&held_out, loaded.data.labels(), &loaded.task));
            (machines, fitted.transpose()?)
        }
        How::Planned(plan, start) => {
            watcher.pause();
            let wanted = args.probability;
            let sigmoids =
                wanted.then(|| by_folds(loaded, plan, args.seed, args.output.quiet)).transpose()?;
            (fit(&mut loaded.data, &loaded.task, plan, start, watcher)?, sigmoids)
        }
    };
    // One that was stopped would be compared with others that were not.
    if machines.iter().any(|fitted| fitted.run.solution.status == Status::Interrupted) {
        return Err(Error::Interrupted.into());
    }
    for (fitted, sigmoid) in machines.iter_mut().zip(sigmoids.into_iter().flatten()) {
        fitted.model = fitted.model.clone().with_sigmoid(Some(sigmoid))?;
    }
    Ok(machines)
}

/// What cannot be done with several classes, and labels that are none.
fn refuse(args: &TrainArgs, loaded: &Loaded) -> Result<()> {
    let (labels, name) = (loaded.data.labels(), &loaded.task.data_name);
    let (count, rows) = (labels.classes().len(), labels.len());
    if count > MOST_CLASSES && count > rows / 3 {
        bail!(
            "{name}: the labels have {count} different values ({}) in {rows} rows, which looks like a number to be \
             predicted and not like classes: give labels of few values, or --positive LABEL for one against all",
            labels.listed()
        );
    }
    let of_one = [("--report", args.page.report.is_some()), ("--trace", args.trace.is_some())];
    if let Some((option, _)) = of_one.into_iter().find(|(_, given)| *given) {
        bail!(
            "{option} is about two classes, and the labels in {name} have {count} ({}): add --positive LABEL to \
             tell one of them from all others, or leave {option} out",
            labels.listed()
        );
    }
    if args.probability { check(labels, name) } else { Ok(()) }
}
