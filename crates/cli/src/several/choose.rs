//! λ by cross-validation for more than two classes: the same λ for all of them, by what they say together.

use std::time::Instant;

use anyhow::Result;
use sparsvm_core::PenaltySpec;
use sparsvm_core::path::PathSettings;
use sparsvm_core::select::{OneVsRestCv, choose, cross_validate_one_vs_rest};
use sparsvm_core::solver::Solver;

use crate::args::TrainArgs;
use crate::calibration::HeldOut;
use crate::choose::{Tried, finished, posed, validated};
use crate::fit::{Fitted, adopt};
use crate::host::Watched;
use crate::load::{Loaded, recipe};
use crate::plan::Run;
use crate::progress::Watcher;
use crate::words;

/// Chooses λ, and takes the machines there; with their decision values for held-out rows.
pub(super) fn train(
    loaded: &mut Loaded,
    args: &TrainArgs,
    penalties: &[PenaltySpec],
    watcher: &mut Watcher,
) -> Result<(Vec<Fitted>, HeldOut)> {
    let clock = Instant::now();
    let exact = args.solver.stopping.for_choice()?;
    let (settings, folds) = posed(loaded, args, penalties)?;
    watcher.pause();
    let cells = finished(loaded, args, &settings)?;
    let host = Watched::new(args.output.quiet, "fits (classes × folds × lambdas)", cells);
    let recipe = recipe(loaded, &args.objective, exact.clone())?;
    let found = cross_validate_one_vs_rest(&loaded.data, &recipe, &settings, &folds, &host)?;
    drop(host);
    let curves = found.curves(args.choice.score());
    let choice = choose(&curves, args.choice.rule())?;
    let candidate = &found.candidates[choice.chosen.candidate];
    let tried = Tried {
        lambda_max: candidate.lambda_max,
        n_lambda: candidate.lambdas.len(),
        folds: &folds,
        failures: failures(&found),
    };
    let validated = validated(&curves, choice, args, tried);
    let along = PathSettings { grid: settings.grid.clone(), max_features: None, exact: exact.clone() };
    let (d, classes) = (loaded.data.design().cols(), candidate.paths.len());
    let penalty = candidate.variant.penalty.with_lambda(candidate.lambdas[choice.chosen.lambda]);
    let run = |path: &sparsvm_core::path::Path| {
        let mut solution = path.points[choice.chosen.lambda].solution(d);
        solution.iterations = path.points.iter().map(|point| point.iterations).sum();
        // They are found together: each has its share.
        solution.solve_seconds = clock.elapsed().as_secs_f64() / classes as f64;
        Run {
            solution,
            penalty,
            stopping: exact.stopping,
            solver: exact.name(),
            settings: along.settings(),
            chosen: None,
            validated: Some(validated.clone()),
        }
    };
    let runs = candidate.paths.iter().map(run).collect();
    (loaded.task.penalty, loaded.task.intercept) = (penalty, candidate.variant.intercept);
    let search = args.solver.search()?;
    let machines = adopt(&mut loaded.data, &loaded.task, (runs, search.as_ref()), watcher)?;
    Ok((machines, found.held_out_decisions(choice.chosen)))
}

/// Why folds failed, in words.
fn failures(found: &OneVsRestCv) -> Vec<String> {
    let mut told = Vec::new();
    for candidate in &found.candidates {
        let variant = words::variant(&candidate.variant);
        let (count, why) = (found.folds.count().max(1), candidate.failures.iter());
        told.extend(
            why.map(|(k, why)| format!("{variant}, repeat {}, fold {}: {why}", k / count + 1, k % count + 1)),
        );
    }
    told
}
