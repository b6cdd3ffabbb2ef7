//! Nested cross-validation: how good the whole procedure is, the choice of λ with it.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cross_validate::{CvSettings, cross_validate_within};
use super::curve::mean_and_error;
use super::folds::{Fold, Folds, others};
use super::host::{Counter, Host};
use super::recipe::Recipe;
use super::rule::{Rule, choose};
use super::score::Score;
use super::variant::Variant;
use crate::{Dataset, Result};

/// How the inner choice is made in each outer fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    /// What is tried.
    pub settings: CvSettings,
    /// By which score.
    pub score: Score,
    /// By which rule.
    pub rule: Rule,
    /// How inner folds are drawn.
    pub inner: Inner,
}

/// Inner folds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inner {
    /// K.
    pub folds: usize,
    /// Repeats.
    pub repeats: usize,
    /// Of the draw.
    pub seed: u64,
    /// Rows that stay together, if any: one name for each row of all the data.
    pub groups: Option<Vec<String>>,
}

impl Inner {
    /// Draws folds of some rows of the data.
    ///
    /// # Errors
    /// If there are too few rows or groups.
    pub fn draw(&self, data: &Dataset, rows: &[usize]) -> Result<Folds> {
        let labels = data.labels().select(rows);
        match &self.groups {
            None => Folds::stratified(&labels, self.folds, self.repeats, self.seed),
            Some(groups) => {
                let groups: Vec<String> = rows.iter().map(|&i| groups[i].clone()).collect();
                Folds::grouped(&labels, &groups, self.folds, self.repeats, self.seed)
            }
        }
    }
}

/// One outer fold: what was chosen without its rows, and what that says about them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OuterFold {
    /// The penalty with its λ, and the intercept.
    pub variant: Variant,
    /// Features that are kept, and their weights in the units of the raw data.
    pub w: Vec<(u32, f64)>,
    /// b.
    pub b: f64,
    /// For each row that was held out.
    pub decisions: Vec<f64>,
    /// The inner cross-validation's own estimate.
    pub inner_score: Option<f64>,
}

/// The outer folds, or why one failed.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedCv {
    /// Which rows were held out.
    pub folds: Folds,
    /// One for each outer fold.
    pub outer: Vec<std::result::Result<OuterFold, String>>,
    /// Their scores.
    pub scores: Vec<Option<f64>>,
    /// Mean over the outer folds.
    pub mean: Option<f64>,
    /// Its standard error.
    pub se: Option<f64>,
}

/// Runs the whole procedure (λ_max, paths, folds, rule, model) once without each outer fold, and scores the
/// models by the rows that they never saw. An outer fold that fails is reported.
///
/// # Errors
/// If settings are out of range, or the host wants to stop.
pub fn nested_cv(
    data: &Dataset,
    recipe: &Recipe,
    procedure: &Procedure,
    outer: &Folds,
    host: &dyn Host,
) -> Result<NestedCv> {
    let y = data.labels().signs()?;
    let parts: Vec<Fold<'_>> = outer.iter().collect();
    let paths = procedure.settings.variants.len() * (1 + procedure.inner.folds * procedure.inner.repeats);
    procedure.settings.grid.check()?;
    let counter = Counter::new(host, procedure.settings.grid.len() * paths * parts.len());
    let run = |&(repeat, fold, held): &Fold<'_>| {
        let name = format!("outer-r{repeat}-f{fold}.");
        match outer_fold(data, recipe, procedure, held, (&counter, &name)) {
            Err(crate::Error::Interrupted) => Err(crate::Error::Interrupted),
            Err(error @ crate::Error::Keeping(_)) => Err(error),
            Err(error) => Ok(Err(error.to_string())),
            Ok(found) => Ok(Ok(found)),
        }
    };
    let folds: Vec<std::result::Result<OuterFold, String>> =
        parts.par_iter().map(run).collect::<Result<_>>()?;
    let score = |(found, (_, _, held)): (&'_ std::result::Result<OuterFold, String>, &Fold<'_>)| {
        let y: Vec<f64> = held.iter().map(|&i| y[i]).collect();
        found.as_ref().ok().and_then(|found| procedure.score.of(&found.decisions, &y))
    };
    let scores: Vec<Option<f64>> = folds.iter().zip(&parts).map(score).collect();
    let (mean, se) = mean_and_error(&scores, outer.count());
    Ok(NestedCv { folds: outer.clone(), outer: folds, scores, mean, se })
}

fn outer_fold(
    data: &Dataset,
    recipe: &Recipe,
    procedure: &Procedure,
    held: &[usize],
    within: (&Counter<'_>, &str),
) -> Result<OuterFold> {
    let rows = others(data.design().rows(), held);
    let train = data.select_rows(&rows);
    let folds = procedure.inner.draw(data, &rows)?;
    let of_rows = |all: &Vec<f64>| rows.iter().map(|&i| all[i]).collect();
    let recipe = Recipe { weights: recipe.weights.as_ref().map(of_rows), ..recipe.clone() };
    let found = cross_validate_within(&train, &recipe, &procedure.settings, &folds, within)?;
    let curves = found.curves(procedure.score);
    let chosen = choose(&curves, procedure.rule)?.chosen;
    let candidate = &found.candidates[chosen.candidate];
    let point = &candidate.whole.points[chosen.lambda];
    let rows = data.design().select_rows(held);
    let mut dense = vec![0.0; rows.cols()];
    point.w.iter().for_each(|&(j, w)| dense[j as usize] = w);
    let mut decisions = vec![0.0; held.len()];
    rows.matvec(&dense, &mut decisions);
    decisions.iter_mut().for_each(|s| *s += point.b);
    let lambda = candidate.lambdas[chosen.lambda];
    let Variant { penalty, intercept } = candidate.variant;
    Ok(OuterFold {
        variant: Variant { penalty: penalty.with_lambda(lambda), intercept },
        w: point.w.clone(),
        b: point.b,
        decisions,
        inner_score: curves[chosen.candidate].points[chosen.lambda].mean,
    })
}
