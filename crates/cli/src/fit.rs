//! Data → problem → solution → model: the one line that `train`, `path` and `demo` share.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use sparsvm_core::model::{Provenance, Trained};
use sparsvm_core::path::{Path, PathPoint, PathSettings, path};
use sparsvm_core::rank::{Queries, Ranking};
use sparsvm_core::solver::{Exact, Solver, solve};
use sparsvm_core::{Dataset, Goal, Loss, Model, PenaltySpec, Problem, Regularizer, Scaling, Solution, Start};

use crate::plan::{Plan, Run, unless_empty};
use crate::progress::{Counting, Watcher};
use crate::ranked::{self, Ranked};

/// What to fit, besides the data.
#[derive(Debug)]
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
    pub(crate) intercept: bool,
    pub(crate) scaling: Scaling,
    /// The most bytes that the pairs of a ranking may take.
    pub(crate) memory_limit: u64,
    /// What the model calls the data.
    pub(crate) data_name: String,
}

/// A model, and how it came about.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) run: Run,
    pub(crate) model: Model,
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

/// Scales the data in place and trains on it, from `start` if there is one.
pub(crate) fn fit(
    data: &mut Dataset,
    task: &Task,
    plan: &Plan,
    start: Option<&Model>,
    watcher: &mut Watcher,
) -> Result<Fitted> {
    let posed = Posed::new(data, task)?;
    let start = start.map(|model| posed.start_from(model)).transpose()?;
    watcher.expect(plan.counting(), plan.stopping());
    let run = match &posed.target {
        Target::Signs(y) => plan.run(&posed.problem(y)?, task.penalty, start.as_ref(), watcher)?,
        Target::Grades(queries) => {
            let pairs = || format!("{}: {} pairs", task.data_name, queries.pairs());
            let ranking = posed.ranking(queries)?;
            plan.rank(&ranking, task.penalty, start.as_ref(), watcher).with_context(pairs)?
        }
    };
    let model = posed.model(&run.solution, run.penalty, run.describe())?;
    let ranked = posed.ranked(&run.solution.w);
    Ok(Fitted { run, model, ranked })
}

/// Scales the data in place and takes a model that a path on it found, or what `search` finds from there if
/// its objective is lower.
pub(crate) fn adopt(
    data: &mut Dataset,
    task: &Task,
    (mut run, search): (Run, Option<&Exact>),
    watcher: &mut Watcher,
) -> Result<Fitted> {
    let posed = Posed::new(data, task)?;
    if let (Some(exact), Target::Signs(y)) = (search, &posed.target) {
        let start = Start { w: run.solution.w.clone(), b: run.solution.b, beta: None };
        watcher.expect(Counting::Starts, exact.stopping);
        let found = solve(exact, &posed.problem(y)?, Some(&start), watcher)?;
        if found.certificate.objective < run.solution.certificate.objective {
            (run.solution, run.settings) = (found, exact.settings());
        }
    }
    let model = posed.model(&run.solution, run.penalty, run.describe())?;
    Ok(Fitted { run, model, ranked: None })
}

/// Scales the data in place and follows the path.
pub(crate) fn follow(
    data: &mut Dataset,
    task: &Task,
    settings: &PathSettings,
    watcher: &mut Watcher,
) -> Result<Followed> {
    let posed = Posed::new(data, task)?;
    watcher.expect(Counting::Lambdas, settings.exact.stopping);
    let clock = Instant::now();
    let Target::Signs(y) = &posed.target else {
        bail!("a path tells two classes apart: --task rank has none")
    };
    let path = unless_empty(path(&posed.problem(y)?, &task.penalty, settings, watcher)?)?;
    let seconds = clock.elapsed().as_secs_f64();
    let d = posed.data.design().cols();
    let model = |point: &PathPoint| {
        let penalty = task.penalty.with_lambda(point.lambda);
        posed.model(&point.solution(d), penalty, settings.describe())
    };
    let models = path.points.iter().map(model).collect::<Result<_>>()?;
    Ok(Followed { path, models, seconds })
}

/// What the rows are labelled with.
enum Target {
    /// ±1.
    Signs(Vec<f64>),
    Grades(Queries),
}

/// A task on data whose columns are scaled.
struct Posed<'a> {
    data: &'a Dataset,
    task: &'a Task,
    target: Target,
    regularizer: Regularizer,
    /// Empty without scaling.
    scale_factors: Vec<f64>,
}

impl<'a> Posed<'a> {
    fn new(data: &'a mut Dataset, task: &'a Task) -> Result<Self> {
        let mut regularizer = Regularizer::from_spec(&task.penalty)?.with_l2(task.l2)?;
        if let Some(factors) = &task.factors {
            regularizer = regularizer.with_factors(factors.clone())?;
        }
        let target = match task.goal {
            Goal::Classify => Target::Signs(data.labels().signs().with_context(|| task.data_name.clone())?),
            Goal::Rank => Target::Grades(ranked::queries(data, &task.data_name)?),
        };
        let scale_factors = match task.scaling {
            Scaling::None => Vec::new(),
            scaling => {
                let factors = scaling.factors(data.design());
                data.scale_columns(&factors);
                factors
            }
        };
        Ok(Self { data, task, target, regularizer, scale_factors })
    }

    fn problem<'b>(&'b self, y: &'b [f64]) -> Result<Problem<'b>> {
        let mut problem = Problem::new(self.data.design(), y, self.task.loss, self.regularizer.clone())?;
        if let Some(weights) = &self.task.weights {
            problem = problem.with_weights(weights)?;
        }
        Ok(if self.task.intercept { problem } else { problem.without_intercept() })
    }

    fn ranking<'b>(&'b self, queries: &'b Queries) -> Result<Ranking<'b>> {
        let (design, regularizer) = (self.data.design(), self.regularizer.clone());
        let ranking = Ranking::new(design, queries, self.task.loss, regularizer)
            .with_context(|| self.task.data_name.clone())?;
        Ok(ranking.with_memory_limit(self.task.memory_limit))
    }

    fn ranked(&self, w: &[f64]) -> Option<Ranked> {
        let Target::Grades(queries) = &self.target else { return None };
        let mut scores = vec![0.0; self.data.design().rows()];
        self.data.design().matvec(w, &mut scores);
        Some(Ranked::new(queries, &scores))
    }

    fn model(&self, solution: &Solution, penalty: PenaltySpec, solver: String) -> Result<Model> {
        let provenance = Provenance {
            program: concat!("sparsvm ", env!("CARGO_PKG_VERSION")).into(),
            data: self.task.data_name.clone(),
            samples: self.data.design().rows(),
            solver,
        };
        let trained = Trained {
            goal: self.task.goal,
            classes: self.data.labels().classes(),
            names: self.data.names(),
            scaling: (self.task.scaling, &self.scale_factors),
            loss: self.task.loss,
            penalty,
            l2: self.task.l2,
            provenance,
        };
        Ok(Model::new(solution, trained)?)
    }

    /// A model's coefficients in the units of the scaled columns.
    fn start_from(&self, model: &Model) -> Result<Start> {
        let (known, d) = (model.features, self.data.design().cols());
        if known > d {
            bail!(
                "--start: the model knows {known} features, but {} has {d}: give --features {known} if they \
                 are the same ones",
                self.task.data_name
            );
        }
        if model.goal != self.task.goal {
            bail!("--start: the model was trained with --task {}: give one of the same task", model.goal);
        }
        let classes = self.data.labels().classes();
        if model.goal == Goal::Classify && model.classes != classes {
            bail!(
                "--start: the model tells {} from {}, but the labels in {} are {}",
                model.classes[0],
                model.classes[1],
                self.task.data_name,
                classes.join(" and ")
            );
        }
        let mut w = model.dense_weights(d);
        w.iter_mut().zip(&self.scale_factors).for_each(|(w, factor)| *w /= factor);
        Ok(Start { w, b: model.intercept, beta: None })
    }
}
