//! The report of a choice by cross-validation: what `cv` shows, and `train` where it chooses λ.

use std::collections::{BTreeMap, BTreeSet};

use sparsvm_core::select::{Choice, CrossValidation, Curve, CurvePoint, Place, Rule, Score, Selected};
use sparsvm_core::{Dataset, Model};

use super::held_out::held_out;
use super::lines::lines;
use super::run::{Curves, Feature, Features, Figure, Run, Summary, Tried};
use super::{certified, counted, entered, kept_of, name_of, settings_of, thousands, weight_unit};
use crate::choose::{at, failures, reason, value, with_error};
use crate::load::Loaded;
use crate::words;

/// What cross-validation found, and what was made of it.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) found: CrossValidation,
    pub(crate) curves: Vec<Curve>,
    pub(crate) choice: Choice,
    pub(crate) score: Score,
    pub(crate) rule: Rule,
    pub(crate) seed: u64,
    pub(crate) tol: f64,
}

/// The page of it; `model` is the one that was trained, if it is not the path's point.
pub(crate) fn of_choice(summary: Summary, loaded: &Loaded, chosen: &Chosen, model: Option<&Model>) -> Run {
    let Chosen { found, curves, choice, score, rule, .. } = chosen;
    let (place, at) = (choice.chosen, at(curves, choice.chosen));
    let candidate = &found.candidates[place.candidate];
    let penalty = candidate.variant.penalty.with_lambda(at.lambda);
    let mut run = Run::new(summary);

    let kept = model.map_or(at.features.unwrap_or(0), |model| model.indices.len());
    run.headline.push(kept_of(kept, run.data.columns, &penalty));
    let folds = format!("mean of {} folds ± standard error", found.folds.count());
    run.headline.push(Figure::new(short(*score, at.mean, at.se), &noun(*score), folds));
    run.add_balance();

    run.curves = Some(curves_of(chosen));
    let points: Vec<&[(usize, f64)]> = candidate.path.points.iter().map(|point| &point.w[..]).collect();
    let lambdas = candidate.path.points.iter().map(|point| point.lambda).collect();
    let mut drawn = lines(lambdas, &points, |j| name_of(&loaded.data, j));
    drawn.chosen = Some(place.lambda);
    drawn.unit = weight_unit(loaded.task.scaling);
    drawn.told = format!(
        "Each line is a feature of the {} path on all rows; the penalty gets weaker to the right.",
        words::shape(&penalty)
    );
    run.path = Some(drawn);

    let selected = found.selected(place);
    let weights = match model {
        Some(model) => of_model(model),
        None => of_point(chosen),
    };
    run.features = Some(features(&loaded.data, weights, &selected, loaded, &entered(&candidate.path.points)));
    run.held_out = held_out(&found.held_out_decisions(place), &found.y, loaded.data.labels().classes());
    if let Some(held) = &mut run.held_out {
        held.told =
            "What the folds' models say at the chosen λ about the rows that they never saw, of all folds \
                     together; λ was chosen with the same rows, so this is a little too good."
                .into();
    }
    let point = &candidate.path.points[place.lambda];
    let searched = model.and_then(|model| Some((model.certificate?, model.status)));
    let (certificate, status) = searched.unwrap_or((point.certificate, point.status));
    run.certificate = certified(&certificate, &penalty, (status, "exact"), chosen.tol);

    run.settings = settings_of(loaded, &candidate.variant);
    run.set("lambda", words::number(at.lambda));
    run.set("lambdas tried", lambdas_tried(chosen));
    let repeats = match found.folds.repeats() {
        1 => String::new(),
        times => format!(", drawn {times} times"),
    };
    run.set("folds", format!("{}{repeats}, seed {}", found.folds.count(), chosen.seed));
    run.set("rule", format!("{rule}: {}", reason(*rule)));
    run.set("score", score.name());
    run.set("tolerance", format!("{:?}", chosen.tol));
    run.failures = failures(found);
    run
}

fn lambdas_tried(chosen: &Chosen) -> String {
    let counts = chosen.found.candidates.iter();
    let told = counts.map(|candidate| {
        let from = words::number(candidate.lambda_max);
        format!("{} of {} from {from} down", candidate.lambdas.len(), words::variant(&candidate.variant))
    });
    told.collect::<Vec<_>>().join("; ")
}

/// A score and its standard error with as many digits as the error deserves.
fn short(score: Score, mean: Option<f64>, se: Option<f64>) -> String {
    match (mean, se, is_share(score)) {
        (Some(mean), Some(se), true) => format!("{:.1} % ± {:.1} %", 100.0 * mean, 100.0 * se),
        (Some(mean), Some(se), false) => format!("{mean:.3} ± {se:.3}"),
        _ => with_error(score, mean, se),
    }
}

fn is_share(score: Score) -> bool {
    matches!(score, Score::Accuracy | Score::Balanced)
}

fn noun(score: Score) -> String {
    match score {
        Score::Accuracy => "accuracy".into(),
        Score::Balanced => "balanced accuracy".into(),
        Score::Auc => "area under the ROC curve".into(),
        Score::F1 => "F1".into(),
        Score::Mcc => "Matthews' correlation".into(),
    }
}

/// Where penalty and λ stand in their arrays.
fn indices(place: Place) -> (usize, usize) {
    (place.candidate, place.lambda)
}

fn curves_of(chosen: &Chosen) -> Curves {
    let Chosen { curves, choice, score, rule, .. } = chosen;
    let each = |curve: &Curve, of: fn(&CurvePoint) -> Option<f64>| curve.points.iter().map(of).collect();
    let tried = |curve: &Curve| Tried {
        name: words::variant(&curve.variant),
        lambda: curve.points.iter().map(|point| point.lambda).collect(),
        mean: each(curve, |point| point.mean),
        se: each(curve, |point| point.se),
        kept: curve.points.iter().map(|point| point.features).collect(),
    };
    let best = choice.best.map(|place| at(curves, place));
    let within = best.filter(|_| *rule == Rule::OneSe).and_then(|best| Some(best.mean? - best.slack?));
    let mut told = format!(
        "The mean {} of rows that were held out, with a band of one standard error. Taken was {}.",
        noun(*score),
        reason(*rule)
    );
    if let (Some(best), Some(mean), true) = (best, best.and_then(|best| best.mean), *rule == Rule::OneSe) {
        let features = counted(best.features.unwrap_or(0), "feature");
        told += &format!(" The highest is {} with {features}.", value(*score, mean));
    }
    Curves {
        measure: noun(*score),
        percent: is_share(*score),
        tried: curves.iter().map(tried).collect(),
        best: choice.best.map(indices),
        chosen: Some(indices(choice.chosen)),
        within,
        told,
    }
}

/// A feature from 0, its weight in the units of the raw data, and that on scaled columns.
type Weight = (u32, f64, Option<f64>);

fn of_model(model: &Model) -> Vec<Weight> {
    let weights = model.indices.iter().zip(&model.weights).enumerate();
    weights.map(|(k, (&j, &w))| (j, w, model.scaled_weight(k))).collect()
}

fn of_point(chosen: &Chosen) -> Vec<Weight> {
    let place = chosen.choice.chosen;
    let candidate = &chosen.found.candidates[place.candidate];
    let (raw, scaled) = (&candidate.whole.points[place.lambda].w, &candidate.path.points[place.lambda].w);
    raw.iter().zip(scaled).map(|(&(j, w), &(_, scaled))| (j, w, Some(scaled))).collect()
}

/// The model's features, the heaviest first, and then those that only folds' models keep, the most frequent first.
fn features(
    data: &Dataset,
    mut weights: Vec<Weight>,
    of_folds: &[Selected],
    loaded: &Loaded,
    entered: &BTreeMap<u32, f64>,
) -> Features {
    let unit = words::unit_of(loaded.task.scaling);
    let size = |(_, w, scaled): &Weight| scaled.unwrap_or(*w).abs();
    weights.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.0.cmp(&b.0)));
    let kept = weights.len();
    let by_feature: BTreeMap<u32, &Selected> =
        of_folds.iter().map(|selected| (selected.feature, selected)).collect();
    let known: BTreeSet<u32> = weights.iter().map(|weight| weight.0).collect();
    let others = of_folds.iter().map(|f| f.feature).filter(|j| !known.contains(j));
    weights.extend(others.map(|j| (j, 0.0, Some(0.0))));
    let row = |(j, w, scaled): Weight| {
        let folds = by_feature.get(&j);
        Feature {
            index: j + 1,
            name: name_of(data, j as usize),
            weight: Some(w),
            scaled: scaled.filter(|_| unit.is_some()),
            frequency: Some(folds.map_or(0.0, |f| f.frequency())),
            sign: None,
            sign_stability: folds.map(|f| f.sign_stability()),
            enters: entered.get(&j).copied(),
            stable: None,
        }
    };
    let rows: Vec<Feature> = weights.into_iter().map(row).collect();
    let more = match rows.len() - kept {
        0 => String::new(),
        more => format!(" and {} that only models of some folds keep (weight 0)", thousands(more)),
    };
    Features {
        told: format!(
            "{} of the model{more}. “In folds” is the share of the folds' models that keep a feature at the \
             chosen λ, “same sign” the share of those with the more frequent sign.",
            counted(kept, "feature")
        ),
        fits: "in folds".into(),
        scaled: unit.map(Into::into),
        rows,
    }
}
