//! From files to a [`Task`] on data: what `train` and `path` do first.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use sparsvm_core::select::Recipe;
use sparsvm_core::solver::Exact;
use sparsvm_core::{Dataset, Goal, Intercept, Labels, PenaltySpec};
use sparsvm_data::{Expected, ReadOptions, Source};

use crate::args::{ClassWeight, InputArgs, ObjectiveArgs, canonical};
use crate::fit::Task;
use crate::number_file;
use crate::progress::Watcher;
use crate::ranked;

/// What was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) data: Dataset,
    pub(crate) test: Option<Dataset>,
    pub(crate) task: Task,
    /// Seconds that DATA took.
    pub(crate) seconds: f64,
}

/// The files that a training reads, none of which may be written to.
pub(crate) fn inputs(data: &Source, objective: &ObjectiveArgs, input: &InputArgs) -> Result<Vec<Source>> {
    let mut inputs = vec![data.clone()];
    inputs.extend(input.test.clone());
    if inputs.len() > 1 && inputs.iter().all(|input| *input == Source::Stdin) {
        bail!("DATA and --test cannot both be standard input: put one of them into a file");
    }
    let side = [&objective.weights, &objective.penalty_factors, &input.read.labels, &input.test_labels];
    inputs.extend(side.into_iter().flatten().map(|path| Source::Path(path.clone())));
    Ok(inputs)
}

/// Reads them.
pub(crate) fn load(
    source: &Source,
    (goal, objective, input): (Goal, &ObjectiveArgs, &InputArgs),
    penalty: PenaltySpec,
    memory_limit: u64,
    watcher: &mut Watcher,
) -> Result<Loaded> {
    let loss = objective.loss(goal)?;
    let clock = Instant::now();
    watcher.phase(&format!("reading {source}"));
    let data = sparsvm_data::read(source, &input.read.options(input.features, memory_limit))?;
    let seconds = clock.elapsed().as_secs_f64();
    let test = match &input.test {
        Some(test) => {
            // The columns of a table are found by their names.
            let (expected, labels) = (Expected::all_of(&data), input.test_labels.clone());
            let options = ReadOptions { expected, labels, ..input.read.options(None, memory_limit) };
            Some(sparsvm_data::read(test, &options)?)
        }
        None => None,
    };
    let labels = data.labels().clone();
    let data = match &input.positive {
        Some(label) => data.with_labels(against_rest(&labels, label, source)?)?,
        None => data,
    };
    if let (Goal::Rank, Some(test), Some(source)) = (goal, &test, &input.test) {
        ranked::queries(test, &source.to_string())?;
    }
    if let Some(note) = ranked::unused(goal, &data, &source.to_string()) {
        watcher.note(&note);
    }
    let task = Task {
        goal,
        penalty,
        l2: objective.l2,
        factors: factors(objective, input, &data)?,
        loss,
        weights: weights(objective, &labels, data.labels())?,
        intercept: objective.intercepts(&[Intercept::Free])?[0],
        scaling: input.scale,
        memory_limit,
        data_name: source.to_string(),
    };
    Ok(Loaded { data, test, task, seconds })
}

/// What is fitted to each part of the data. Balanced weights are then each part's own.
pub(crate) fn recipe(loaded: &Loaded, objective: &ObjectiveArgs, exact: Exact) -> Result<Recipe> {
    let task = &loaded.task;
    let balanced = objective.class_weight == Some(ClassWeight::Balanced);
    let weights = match balanced {
        true => row_weights(objective, loaded.data.design().rows())?,
        false => task.weights.clone(),
    };
    Ok(Recipe {
        loss: task.loss,
        l2: task.l2,
        factors: task.factors.clone(),
        weights,
        balanced,
        scaling: task.scaling,
        exact,
    })
}

fn row_weights(objective: &ObjectiveArgs, n: usize) -> Result<Option<Vec<f64>>> {
    objective.weights.as_deref().map(|path| number_file::sample_weights(path, n)).transpose()
}

/// κ, if it was given.
fn factors(objective: &ObjectiveArgs, input: &InputArgs, data: &Dataset) -> Result<Option<Vec<f64>>> {
    let read = |path| number_file::penalty_factors(path, data.design().cols(), input.read.zero_based);
    objective.penalty_factors.as_deref().map(read).transpose()
}

/// `--positive`: that label against all others.
fn against_rest(labels: &Labels, label: &str, source: &Source) -> Result<Labels> {
    let known = canonical(label).filter(|label| labels.classes().contains(label));
    match known {
        Some(label) if labels.classes().len() > 1 => Ok(labels.against_rest(&label)),
        Some(label) => bail!("{source}: every row has the label {label}, but two classes are needed"),
        None => {
            bail!("--positive {label}: the labels in {source} are {}: give one of these", labels.listed())
        }
    }
}

/// Refuses more than two classes where a command tells two apart.
pub(crate) fn two_classes(loaded: &Loaded, command: &str) -> Result<()> {
    let labels = loaded.data.labels();
    let (count, listed) = (labels.classes().len(), labels.listed());
    if count > 2 {
        bail!(
            "{}: the labels have {count} classes ({listed}), and `sparsvm {command}` tells two apart: add \
             --positive LABEL to tell one of them from all others (`sparsvm train` takes all of them)",
            loaded.task.data_name
        );
    }
    labels.signs().with_context(|| loaded.task.data_name.clone())?;
    Ok(())
}

/// Rows' weights times classes' weights, if either was given.
fn weights(objective: &ObjectiveArgs, labels: &Labels, told_apart: &Labels) -> Result<Option<Vec<f64>>> {
    let n = labels.len();
    let rows = row_weights(objective, n)?;
    let Some(classes) = &objective.class_weight else { return Ok(rows) };
    let rows = rows.unwrap_or_else(|| vec![1.0; n]);
    classes.apply(labels, told_apart, &rows).map(Some)
}
