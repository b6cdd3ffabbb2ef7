//! λ by cross-validation: what `train` does without `--lambda`, and the words for it.

use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;
use sparsvm_core::path::PathSettings;
use sparsvm_core::select::{
    Choice, CrossValidation, Curve, CurvePoint, CvSettings, Folds, Place, Rule, Score, Variant, choose,
    cross_validate,
};
use sparsvm_core::solver::Solver;
use sparsvm_core::{Error, Intercept, PenaltySpec};

use crate::args::TrainArgs;
use crate::cells::{self, Draws};
use crate::fit::{Fitted, adopt, single};
use crate::folder::Folder;
use crate::host::Watched;
use crate::load::{Loaded, recipe};
use crate::page::Chosen;
use crate::plan::Run;
use crate::progress::Watcher;
use crate::{output, words};

/// What cross-validation says about the λ that was taken. The fields' names are those of `--json`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Validated {
    /// The mean over the folds, and its standard error.
    pub(crate) score: Option<f64>,
    pub(crate) se: Option<f64>,
    pub(crate) rule: Rule,
    pub(crate) folds: usize,
    /// How often these were drawn.
    pub(crate) repeats: usize,
    pub(crate) seed: u64,
    /// What the score is.
    pub(crate) measure: Score,
    pub(crate) lambda_max: f64,
    /// How many λ were tried, of how many penalties with how many intercepts; and what became of the intercept.
    pub(crate) n_lambda: usize,
    pub(crate) variants: usize,
    pub(crate) intercept: Intercept,
    /// The highest mean score, and how many features it takes.
    pub(crate) best_score: Option<f64>,
    pub(crate) best_features: Option<usize>,
    /// Folds that failed, and why.
    pub(crate) failures: Vec<String>,
}

impl Validated {
    /// Where λ comes from.
    pub(crate) fn told(&self, lambda: f64) -> String {
        let lambdas = words::count(self.n_lambda, "lambda");
        let tried = match self.variants {
            1 => lambdas,
            several => format!("{lambdas} for each of {several} penalties and intercepts"),
        };
        let why = reason(self.rule);
        format!("{}: of {tried} from {} down, {why}", words::number(lambda), words::number(self.lambda_max))
    }

    /// The score in words.
    pub(crate) fn scored(&self) -> String {
        let mut text = format!(
            "{} in {}-fold cross-validation ({}seed {})",
            with_error(self.measure, self.score, self.se),
            self.folds,
            if self.repeats > 1 { format!("{} times, ", self.repeats) } else { String::new() },
            self.seed
        );
        if let (Some(best), Some(features), true) =
            (self.best_score, self.best_features, self.rule == Rule::OneSe)
        {
            let features = words::count(features, "feature");
            text += &format!("; the best is {} with {features}", value(self.measure, best));
        }
        if let Some(first) = self.failures.first() {
            text += &format!("; {} failed: {first}", words::count(self.failures.len(), "fold"));
        }
        text
    }
}

/// What a rule takes.
pub(crate) fn reason(rule: Rule) -> &'static str {
    match rule {
        Rule::Min => "the highest score",
        Rule::OneSe => {
            "the fewest features within one standard error of the highest score (same penalty and intercept)"
        }
        Rule::Bic => "the least SVMIC_H",
    }
}

/// A score as people read it.
pub(crate) fn value(score: Score, x: f64) -> String {
    match score {
        Score::Accuracy | Score::Balanced => words::percent(x),
        Score::Auc | Score::F1 | Score::Mcc => words::digits(x, 4),
    }
}

/// A mean score ± its standard error.
pub(crate) fn with_error(score: Score, mean: Option<f64>, se: Option<f64>) -> String {
    match (mean, se) {
        (Some(mean), Some(se)) => format!("{} ± {}", value(score, mean), value(score, se)),
        (Some(mean), None) => value(score, mean),
        _ => "no score".into(),
    }
}

/// Why folds failed, in words.
pub(crate) fn failures(found: &CrossValidation) -> Vec<String> {
    let told = |(variant, repeat, fold, why): (Variant, usize, usize, String)| {
        format!("{}, repeat {}, fold {}: {why}", words::variant(&variant), repeat + 1, fold + 1)
    };
    found.failures().into_iter().map(told).collect()
}

/// What was found, unless Ctrl-C came before there was anything: then that is said.
pub(crate) fn unless_stopped<T>(found: Result<T>, what: &str) -> Result<Option<T>> {
    match found {
        Err(error) if matches!(error.downcast_ref(), Some(Error::Interrupted)) => {
            output::note(&format!("sparsvm: stopped by Ctrl-C before there was an answer: {what}"));
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// What was tried, and what came of it.
pub(crate) struct Tried<'a> {
    pub(crate) lambda_max: f64,
    pub(crate) n_lambda: usize,
    pub(crate) folds: &'a Folds,
    pub(crate) failures: Vec<String>,
}

/// What is told about the λ that was taken.
pub(crate) fn validated(curves: &[Curve], choice: Choice, args: &TrainArgs, tried: Tried<'_>) -> Validated {
    let chosen = at(curves, choice.chosen);
    let best = choice.best.map(|place| at(curves, place));
    Validated {
        score: chosen.mean,
        se: chosen.se,
        rule: args.choice.rule(),
        folds: tried.folds.count(),
        repeats: tried.folds.repeats(),
        seed: args.seed,
        measure: args.choice.score(),
        lambda_max: tried.lambda_max,
        n_lambda: tried.n_lambda,
        variants: curves.len(),
        intercept: curves[choice.chosen.candidate].variant.intercept,
        best_score: best.and_then(|best| best.mean),
        best_features: best.and_then(|best| best.features),
        failures: tried.failures,
    }
}

/// What is compared, and the rows that judge it.
pub(crate) fn posed(
    loaded: &Loaded,
    args: &TrainArgs,
    penalties: &[PenaltySpec],
) -> Result<(CvSettings, Folds)> {
    let (rows, features) = (loaded.data.design().rows(), loaded.data.design().cols());
    let intercepts = args.objective.intercepts(Variant::usual_intercepts(rows, features))?;
    let variants = Variant::each(penalties, &intercepts);
    let repeats = args.choice.repeats(rows);
    let folds = Folds::stratified(loaded.data.labels(), args.choice.count(), repeats, args.seed)?;
    Ok((CvSettings { variants, grid: CvSettings::GRID, max_features: None }, folds))
}

/// Chooses λ, and takes the model there; with all that cross-validation found.
pub(crate) fn train(
    loaded: &mut Loaded,
    args: &TrainArgs,
    penalties: &[PenaltySpec],
    watcher: &mut Watcher,
) -> Result<(Fitted, Chosen)> {
    let clock = Instant::now();
    let exact = args.solver.stopping.for_choice()?;
    loaded.data.labels().signs().with_context(|| loaded.task.data_name.clone())?;
    let (settings, folds) = posed(loaded, args, penalties)?;
    watcher.pause();
    let host = Watched::new(args.output.quiet, "fits (folds × lambdas)", finished(loaded, args, &settings)?);
    let recipe = recipe(loaded, &args.objective, exact.clone())?;
    let found = cross_validate(&loaded.data, &recipe, &settings, &folds, &host)?;
    drop(host);
    let (score, rule) = (args.choice.score(), args.choice.rule());
    let curves = found.curves(score);
    let choice = choose(&curves, rule)?;
    let chosen = choice.chosen;
    let candidate = &found.candidates[chosen.candidate];
    let point = &candidate.path.points[chosen.lambda];
    let tried = Tried {
        lambda_max: candidate.lambda_max,
        n_lambda: candidate.lambdas.len(),
        folds: &folds,
        failures: failures(&found),
    };
    let validated = validated(&curves, choice, args, tried);
    let mut solution = point.solution(loaded.data.design().cols());
    solution.iterations = candidate.path.points.iter().map(|point| point.iterations).sum();
    solution.solve_seconds = clock.elapsed().as_secs_f64();
    let along = PathSettings { grid: settings.grid.clone(), max_features: None, exact: exact.clone() };
    let run = Run {
        solution,
        penalty: candidate.variant.penalty.with_lambda(point.lambda),
        stopping: exact.stopping,
        solver: exact.name(),
        settings: along.settings(),
        chosen: None,
        validated: Some(validated),
    };
    (loaded.task.penalty, loaded.task.intercept) = (run.penalty, candidate.variant.intercept);
    let search = args.solver.search()?;
    let fitted = single(adopt(&mut loaded.data, &loaded.task, (vec![run], search.as_ref()), watcher)?)?;
    let tol = exact.stopping.tol;
    Ok((fitted, Chosen { found, curves, choice, score, rule, seed: args.seed, tol }))
}

/// The folder of `--resume`, if there is one.
pub(crate) fn finished(loaded: &Loaded, args: &TrainArgs, settings: &CvSettings) -> Result<Option<Folder>> {
    let Some(path) = &args.choice.resume else { return Ok(None) };
    let draws = Draws::times(args.choice.repeats(loaded.data.design().rows()));
    let own = cells::of_choice((settings, &args.choice, args.seed), &draws);
    cells::open(path, &cells::settings(loaded, &args.solver.stopping, own)).map(Some)
}

/// The point at a place.
pub(crate) fn at(curves: &[Curve], place: Place) -> &CurvePoint {
    &curves[place.candidate].points[place.lambda]
}
