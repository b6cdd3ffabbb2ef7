//! Data → problems → solutions → models: the one line that `train`, `path` and `demo` share.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use sparsvm_core::path::{Path, PathPoint, PathSettings, path};
use sparsvm_core::select::{Host, Variant};
use sparsvm_core::solver::{Exact, Observer, Solver, Step, solve};
use sparsvm_core::{Dataset, Error, Goal, Intercept, Loss, Model, PenaltySpec, Saved, Scaling, Start};

use crate::host::Watched;
use crate::plan::{Plan, Run, unless_empty};
use crate::posed::{Posed, Target};
use crate::progress::{Counting, Watcher};
use crate::ranked::Ranked;
use crate::{interrupt, words};

/// What to fit, besides the data.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) goal: Goal,
    /// A path looks for λ itself.
    pub(crate) penalty: PenaltySpec,
    pub(crate) l2: f64,
    /// One for each feature, or 1 throughout.
    pub(crate) factors: Option<Vec<f64>>,
    pub(crate) loss: Loss,
    /// One for each row, or 1 throughout.
    pub(crate) weights: Option<Vec<f64>>,
    /// Of a classifier.
    pub(crate) intercept: Intercept,
    pub(crate) scaling: Scaling,
    /// The most bytes that the pairs of a ranking may take.
    pub(crate) memory_limit: u64,
    /// What the model calls the data.
    pub(crate) data_name: String,
}

impl Task {
    /// What is fitted, but for the penalty's strength.
    pub(crate) fn variant(&self) -> Variant {
        Variant { penalty: self.penalty, intercept: self.intercept }
    }

    /// True if columns are scaled.
    pub(crate) fn is_scaled(&self) -> bool {
        self.scaling != Scaling::None
    }
}

/// A model, and how it came about.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) run: Run,
    pub(crate) model: Model,
    /// What became of b.
    pub(crate) intercept: Intercept,
    /// How well a ranking ranks the data that it was trained on.
    pub(crate) ranked: Option<Ranked>,
}

/// A path, and the model at each of its points.
#[derive(Debug)]
pub(crate) struct Followed {
    pub(crate) path: Path,
    pub(crate) models: Vec<Model>,
    /// All of it, λ_max with it.
    pub(crate) seconds: f64,
}

/// Scales the data in place and trains on it: one model for two classes and for a ranking, else one for each
/// class, from that of `start` if there is one. Classes are fitted side by side, unless each needs much memory.
///
/// # Errors
/// [`Error::Interrupted`] if Ctrl-C came before all classes were finished; one model is what there was.
pub(crate) fn fit(
    data: &mut Dataset,
    task: &Task,
    plan: &Plan,
    start: Option<&Saved>,
    watcher: &mut Watcher,
) -> Result<Vec<Fitted>> {
    let targets = Target::all(data, task)?;
    check_start(start, targets.len(), &task.data_name)?;
    let mut posed = Posed::new(data, task)?;
    let turning = posed.turn_if(&targets[0], |problem| plan.wants_columns_only(problem))?;
    let one = |k: usize, observer: &mut dyn Observer| -> Result<Fitted> {
        let target = &targets[k];
        let start = start.map(|saved| posed.start_from(target, &saved.machines()[k])).transpose()?;
        let run = match target {
            Target::Signs(y, _) => plan.run(&posed.problem(y)?, task.penalty, start.as_ref(), observer),
            Target::Grades(queries) => {
                let pairs = || format!("{}: {} pairs", task.data_name, queries.pairs());
                let ranking = posed.ranking(queries)?;
                plan.rank(&ranking, task.penalty, start.as_ref(), observer).with_context(pairs)
            }
        };
        if targets.len() > 1 && interrupt::asked() {
            return Err(Error::Interrupted.into());
        }
        let mut run = run?;
        // Once for all classes.
        run.solution.setup_seconds += if k == 0 { turning } else { 0.0 };
        let model = posed.model(target, &run.solution, run.penalty, run.describe())?;
        let ranked = posed.ranked(target, &run.solution.w);
        Ok(Fitted { run, model, intercept: task.intercept, ranked })
    };
    if targets.len() > 1 && !plan.holds_factor() {
        return side_by_side(targets.len(), watcher, one);
    }
    let mut in_turn = |k: usize| {
        watcher.expect(plan.counting(), plan.stopping());
        watcher.class(k, targets.len());
        one(k, watcher)
    };
    (0..targets.len()).map(&mut in_turn).collect()
}

/// All classes at once, with a bar that counts those that are done.
fn side_by_side(
    count: usize,
    watcher: &mut Watcher,
    one: impl Fn(usize, &mut dyn Observer) -> Result<Fitted> + Sync,
) -> Result<Vec<Fitted>> {
    watcher.pause();
    let bar = Watched::new(watcher.is_quiet(), "classes", None);
    let done = AtomicUsize::new(0);
    bar.on_progress(0, count);
    let each = |k: usize| {
        let fitted = one(k, &mut Stoppable)?;
        bar.on_progress(done.fetch_add(1, Ordering::Relaxed) + 1, count);
        Ok(fitted)
    };
    (0..count).into_par_iter().map(each).collect()
}

/// Listens for Ctrl-C and tells nothing.
struct Stoppable;

impl Observer for Stoppable {
    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A model of as many machines; each looks at its own classes.
fn check_start(start: Option<&Saved>, expected: usize, data: &str) -> Result<()> {
    match start.map(|saved| saved.machines().len()) {
        Some(found) if found != expected => bail!(
            "--start: the model has {}, but {data} needs {expected}: give one that was trained on the same labels",
            words::count(found, "machine")
        ),
        _ => Ok(()),
    }
}

/// Scales the data in place and takes the models that paths on it found, one for each problem, or what `search`
/// finds from there if its objective is lower.
pub(crate) fn adopt(
    data: &mut Dataset,
    task: &Task,
    (runs, search): (Vec<Run>, Option<&Exact>),
    watcher: &mut Watcher,
) -> Result<Vec<Fitted>> {
    let targets = Target::all(data, task)?;
    let mut posed = Posed::new(data, task)?;
    if let Some(exact) = search {
        posed.turn_if(&targets[0], |problem| exact.wants_columns_only(problem))?;
    }
    let mut all = Vec::with_capacity(runs.len());
    for (k, (target, mut run)) in targets.iter().zip(runs).enumerate() {
        if let (Some(exact), Target::Signs(y, _)) = (search, target) {
            let start = Start { w: run.solution.w.clone(), b: run.solution.b, beta: None };
            watcher.expect(Counting::Starts, exact.stopping);
            watcher.class(k, targets.len());
            let found = solve(exact, &posed.problem(y)?, Some(&start), watcher)?;
            if found.certificate.objective < run.solution.certificate.objective {
                (run.solution, run.settings) = (found, exact.settings());
            }
        }
        let model = posed.model(target, &run.solution, run.penalty, run.describe())?;
        all.push(Fitted { run, model, intercept: task.intercept, ranked: None });
    }
    Ok(all)
}

/// The one model where there is one problem.
pub(crate) fn single(all: Vec<Fitted>) -> Result<Fitted> {
    let count = all.len();
    match <[Fitted; 1]>::try_from(all) {
        Ok([one]) => Ok(one),
        Err(_) => bail!("{count} models were made where one was expected"),
    }
}

/// Scales the data in place and follows the path.
pub(crate) fn follow(
    data: &mut Dataset,
    task: &Task,
    settings: &PathSettings,
    watcher: &mut Watcher,
) -> Result<Followed> {
    let targets = Target::all(data, task)?;
    let [target @ Target::Signs(y, _)] = &targets[..] else { bail!("a path tells two classes apart") };
    let mut posed = Posed::new(data, task)?;
    watcher.expect(Counting::Lambdas, settings.exact.stopping);
    let clock = Instant::now();
    // A path takes longer than all columns do.
    posed.turn_if(target, |_| true)?;
    let path = unless_empty(path(&posed.problem(y)?, &task.penalty, settings, watcher)?)?;
    let seconds = clock.elapsed().as_secs_f64();
    let d = posed.data.design().cols();
    let model = |point: &PathPoint| {
        let penalty = task.penalty.with_lambda(point.lambda);
        posed.model(target, &point.solution(d), penalty, settings.describe())
    };
    let models = path.points.iter().map(model).collect::<Result<_>>()?;
    Ok(Followed { path, models, seconds })
}
