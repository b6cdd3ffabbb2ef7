//! The reports of `path`, of `select`, and of `train` at a λ that was given.

use sparsvm_core::path::PathSettings;
use sparsvm_core::select::{Selected, Selector, Stability, StabilitySettings, Variant};
use sparsvm_core::{Goal, Model};

use super::lines::lines;
use super::run::{Curves, Feature, Features, Figure, Run, Summary, Tried};
use super::{certified, entered, kept_of, name_of, settings_of, thousands, weight_unit};
use crate::fit::{Fitted, Followed};
use crate::inspect::{Kept, by_weight};
use crate::load::Loaded;
use crate::words;

/// Of a path.
pub(crate) fn of_path(
    summary: Summary,
    loaded: &Loaded,
    followed: &Followed,
    settings: &PathSettings,
) -> Run {
    let mut run = Run::new(summary);
    let (points, models) = (&followed.path.points, &followed.models);
    let drawn: Vec<&[(usize, f64)]> = points.iter().map(|point| &point.w[..]).collect();
    let mut path = lines(points.iter().map(|p| p.lambda).collect(), &drawn, |j| name_of(&loaded.data, j));
    path.unit = weight_unit(loaded.task.scaling);
    path.told = "Each line is a feature; the penalty gets weaker to the right.".into();

    let entered = entered(points);
    let most = points.iter().map(|point| point.w.len()).max().unwrap_or(0);
    run.headline.push(Figure::new(
        format!("{} of {}", thousands(entered.len()), thousands(run.data.columns)),
        "features enter",
        format!("at most {} at once", thousands(most)),
    ));
    run.headline.push(Figure::new(
        thousands(points.len()),
        "strengths of the penalty",
        format!(
            "λ from {} to {}",
            words::digits(followed.path.lambda_max, 4),
            points.last().map_or("there".into(), |point| words::digits(point.lambda, 4))
        ),
    ));
    run.curves = loaded.test.as_ref().map(|test| {
        let accuracy = |model: &Model| Some(model.accuracy(&model.decisions(test.design()), test.labels()));
        let mean: Vec<Option<f64>> = models.iter().map(accuracy).collect();
        Curves {
            measure: "accuracy on the test rows".into(),
            percent: true,
            tried: vec![Tried {
                name: words::shape(&loaded.task.penalty),
                lambda: path.lambda.clone(),
                se: vec![None; mean.len()],
                mean,
                kept: points.iter().map(|point| Some(point.w.len())).collect(),
            }],
            best: None,
            chosen: None,
            within: None,
            told: "The share of the rows of --test that are predicted right. Choosing λ by it makes it too good."
                .into(),
        }
    });
    run.path = Some(path);
    run.add_balance();

    let last = models.last();
    let unit = words::unit_of(loaded.task.scaling);
    let weight = |j: u32| {
        let model = last?;
        let k = model.indices.binary_search(&j).ok()?;
        Some((model.weights[k], model.scaled_weight(k)))
    };
    let mut order: Vec<(u32, f64)> = entered.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let rows = order.into_iter().map(|(j, lambda)| Feature {
        index: j + 1,
        name: name_of(&loaded.data, j as usize),
        weight: Some(weight(j).map_or(0.0, |(w, _)| w)),
        scaled: unit.and(Some(weight(j).and_then(|(_, scaled)| scaled).unwrap_or(0.0))),
        enters: Some(lambda),
        ..Feature::default()
    });
    run.features = Some(Features {
        told: "Every feature that some λ keeps, in the order in which they enter; weights are those at the last λ."
            .into(),
        fits: String::new(),
        scaled: unit.map(Into::into),
        rows: rows.collect(),
    });
    let worst = points.iter().max_by(|a, b| a.certificate.gap.total_cmp(&b.certificate.gap));
    if let Some(point) = worst {
        let penalty = loaded.task.penalty.with_lambda(point.lambda);
        let lambda = words::digits(point.lambda, 4);
        run.certificate.push(format!("Where it is weakest, at λ = {lambda}:"));
        let tol = settings.exact.stopping.tol;
        run.certificate.extend(certified(&point.certificate, &penalty, (followed.path.status, "exact"), tol));
    }
    run.settings = settings_of(loaded, &loaded.task.variant());
    settings
        .settings()
        .iter()
        .for_each(|(name, value)| run.set(&name.replace('_', " "), words::number(*value)));
    run.set("tolerance", format!("{:?}", settings.exact.stopping.tol));
    run
}

/// Of stability selection.
pub(crate) fn of_select(
    summary: Summary,
    loaded: &Loaded,
    settings: &StabilitySettings,
    found: &Stability,
) -> Run {
    let mut run = Run::new(summary);
    let stable = found.stable().count();
    let least = words::percent(found.threshold);
    run.headline.push(Figure::new(
        format!("{} of {}", thousands(stable), thousands(found.columns)),
        "features are stable",
        format!("selected on {least} of the halves or more"),
    ));
    run.headline.push(Figure::new(
        format!("≤ {}", words::digits(found.bound(), 3)),
        "expected there by chance",
        format!(
            "among those that a half selects no more often than chance would (q {})",
            words::number(found.q)
        ),
    ));
    run.add_balance();
    let row = |(k, f): (usize, &Selected)| Feature {
        index: f.feature + 1,
        name: name_of(&loaded.data, f.feature as usize),
        frequency: Some(f.frequency()),
        sign: Some(f.sign()),
        sign_stability: Some(f.sign_stability()),
        stable: Some(k < stable),
        ..Feature::default()
    };
    run.features = Some(Features {
        told: format!(
            "Every feature that some of the {} halves of the rows selected, the most frequent first.",
            thousands(found.halves)
        ),
        fits: "in halves".into(),
        scaled: None,
        rows: found.features.iter().enumerate().map(row).collect(),
    });
    run.settings = settings_of(loaded, &settings.variant);
    run.set("pairs of halves", format!("{}, seed {}", settings.pairs, settings.seed));
    run.set(
        "selected on a half",
        match settings.selector {
            Selector::AtMost(most) => {
                format!("up to {}", words::count(most, "feature"))
            }
            Selector::AtLambda(lambda) => {
                format!("what is kept at λ = {}", words::number(lambda))
            }
        },
    );
    run.set("selected on average", words::digits(found.mean_selected, 3));
    run.set("threshold", least);
    run.failures = found.failures.clone();
    run
}

/// Of a model at a λ that was given.
pub(crate) fn of_model(summary: Summary, loaded: &Loaded, fitted: &Fitted) -> Run {
    let Fitted { run: fit, model, .. } = fitted;
    let mut run = Run::new(summary);
    run.headline.push(kept_of(model.indices.len(), model.features, &fit.penalty));
    if model.goal == Goal::Classify {
        run.add_balance();
    }
    let unit = words::unit_of(model.scaling);
    let row = |kept: Kept| Feature {
        index: kept.index as u32,
        name: kept.name,
        weight: Some(kept.weight),
        scaled: kept.scaled_weight.filter(|_| unit.is_some()),
        ..Feature::default()
    };
    run.features = Some(Features {
        told: "The features of the model, the heaviest first.".into(),
        fits: String::new(),
        scaled: unit.map(Into::into),
        rows: by_weight(model).into_iter().map(row).collect(),
    });
    let tol = fit.stopping.tol;
    run.certificate = certified(&fit.solution.certificate, &fit.penalty, (model.status, fit.solver), tol);
    run.settings = settings_of(loaded, &Variant { penalty: fit.penalty, ..loaded.task.variant() });
    run.set("task", model.goal.name());
    run.set("lambda", words::number(fit.penalty.lambda));
    run.set("solver", fit.describe());
    run
}
