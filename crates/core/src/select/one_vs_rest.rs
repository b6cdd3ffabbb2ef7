//! Cross-validation of more than two classes: a path for each class against the others, all at the same λ,
//! scored by what the machines say together.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::criterion::svmic;
use super::cross_validate::CvSettings;
use super::curve::{Curve, CurvePoint, mean_and_error, slack};
use super::folds::{Fold, Folds, others};
use super::host::{Counter, Host};
use super::past_best::{PastBest, total};
use super::recipe::{Judge, Part, PartPoint, Recipe, by_columns, finished};
use super::{Place, Score, Variant};
use crate::path::{Grid, Path, PathSettings, Step, paths_in_step};
use crate::solver::Observer;
use crate::{Dataset, Error, Labels, Problem, Result, Scaling, balanced_by_class};

/// One variant: its λ, and the paths of all classes.
#[derive(Debug, Clone, PartialEq)]
pub struct OneVsRestCandidate {
    /// Penalty and intercept.
    pub variant: Variant,
    /// The largest λ_max of the classes, on all data.
    pub lambda_max: f64,
    /// Those of all data, from the largest down; the same for every class.
    pub lambdas: Vec<f64>,
    /// On all rows, and judged by them: one for each class.
    pub whole: Vec<Part>,
    /// The same paths with their certificates.
    pub paths: Vec<Path>,
    /// For each fold, in the order of [`Folds::iter`], one for each class; none if the fold failed.
    pub folds: Vec<Vec<Part>>,
    /// Why folds failed: which one, from 0, and why.
    pub failures: Vec<(usize, String)>,
}

/// All that cross-validation found.
#[derive(Debug, Clone, PartialEq)]
pub struct OneVsRestCv {
    /// Which rows were held out.
    pub folds: Folds,
    /// The rows' classes.
    pub labels: Labels,
    /// As in the settings.
    pub candidates: Vec<OneVsRestCandidate>,
}

/// What is found on one part of the rows.
#[derive(Serialize, Deserialize)]
struct Found {
    lambda_max: f64,
    parts: Vec<Part>,
    paths: Vec<Path>,
    failure: Option<String>,
}

/// Follows a path for each class in every training fold, and then on all data, as far as in the shortest fold. The λ are the
/// same for all classes: spaced ones begin at the largest λ_max of the classes, which is that of the part's own
/// rows. Tolerance of the folds and the end of paths that take long are as with two classes, by what the machines say together.
///
/// The same bits come out for any number of threads.
///
/// # Errors
/// If settings are out of range, all folds fail, or the host wants to stop.
pub fn cross_validate_one_vs_rest(
    data: &Dataset,
    recipe: &Recipe,
    settings: &CvSettings,
    folds: &Folds,
    host: &dyn Host,
) -> Result<OneVsRestCv> {
    if settings.variants.is_empty() {
        return Err(Error::parameter("variants", "none", "name one at least"));
    }
    let (labels, count) = (data.labels().clone(), settings.variants.len());
    settings.grid.check()?;
    let pieces = settings.grid.len() * labels.classes().len();
    let counter = Counter::new(host, pieces * count * (1 + folds.iter().count()));
    let all: Vec<usize> = (0..labels.len()).collect();
    let rougher = recipe.for_folds(all.len());
    let of_fold = |&(c, (repeat, fold, held)): &(usize, Fold<'_>)| {
        counter.kept(&format!("k{c}-r{repeat}-f{fold}"), pieces, |observer| {
            let judged = labels.select(held);
            let signs: Vec<Vec<f64>> = (0..labels.classes().len()).map(|k| judged.signs_of(k)).collect();
            let mut past = PastBest::new();
            let mut goes_on = |decisions: &[&[f64]], work: u64| {
                let losses = decisions.iter().zip(&signs).map(|(s, y)| total(recipe.loss, s, y));
                past.goes_on(losses.sum(), |score| score.of_several(decisions, judged.codes()), work)
            };
            let rows = (&others(all.len(), held)[..], held);
            let watchers = (observer, &counter);
            match part(data, &rougher, (&settings.variants[c], settings), rows, watchers, &mut goes_on) {
                Err(error) if error != Error::Interrupted => Ok(Found::failed(&error)),
                found => found,
            }
        })
    };
    let jobs: Vec<(usize, Fold<'_>)> =
        folds.iter().flat_map(|fold| (0..count).map(move |c| (c, fold))).collect();
    let found = jobs.par_iter().map(of_fold).collect::<Result<Vec<Found>>>()?;
    let mut of_folds: Vec<Vec<Found>> = (0..count).map(|_| Vec::new()).collect();
    found.into_iter().zip(&jobs).for_each(|(found, &(c, _))| of_folds[c].push(found));

    let of_all = |(c, folds): (usize, Vec<Found>)| {
        let variant = settings.variants[c];
        let failures: Vec<(usize, String)> =
            folds.iter().enumerate().filter_map(|(k, fold)| Some((k, fold.failure.clone()?))).collect();
        let lengths = folds.iter().flat_map(|fold| fold.parts.iter().map(|part| part.points.len()));
        let Some(mut left) = lengths.min() else {
            let why = failures.first().map_or("there is none", |(_, why)| why);
            return Err(Error::Numerical {
                what: format!("every fold failed; the first one: {why}"),
                remedy: "take fewer folds, so that rows of every class are left in all of them",
            });
        };
        let whole = counter.kept(&format!("k{c}-all"), pieces, |observer| {
            let mut goes_on = |_: &[&[f64]], _: u64| {
                left = left.saturating_sub(1);
                left > 0
            };
            part(data, recipe, (&variant, settings), (&all, &all), (observer, &counter), &mut goes_on)
        })?;
        Ok(OneVsRestCandidate {
            variant,
            lambda_max: whole.lambda_max,
            lambdas: settings.grid.lambdas(whole.lambda_max)?,
            whole: whole.parts,
            paths: whole.paths,
            folds: folds.into_iter().map(|fold| fold.parts).collect(),
            failures,
        })
    };
    let candidates = of_folds.into_par_iter().enumerate().map(of_all).collect::<Result<Vec<_>>>()?;
    Ok(OneVsRestCv { folds: folds.clone(), labels, candidates })
}

impl Found {
    fn failed(error: &Error) -> Self {
        Self { lambda_max: 0.0, parts: Vec::new(), paths: Vec::new(), failure: Some(error.to_string()) }
    }
}

/// All classes on some of the rows, which are taken out and scaled once, in step, until what they say about the rows that are
/// judged is enough: `goes_on` hears the decisions of each class, and the operations so far.
fn part(
    data: &Dataset,
    recipe: &Recipe,
    (variant, settings): (&Variant, &CvSettings),
    (rows, judged): (&[usize], &[usize]),
    (observer, counter): (&mut dyn Observer, &Counter<'_>),
    goes_on: &mut (dyn FnMut(&[&[f64]], u64) -> bool + Send),
) -> Result<Found> {
    let mut part = data.select_rows(rows);
    let labels = part.labels().clone();
    if let Some(k) = (0..labels.classes().len()).find(|k| !labels.codes().contains(&(*k as u32))) {
        return Err(Error::Numerical {
            what: format!("no row of class {} is left to train on", labels.classes()[k]),
            remedy: "take fewer folds, or leave the class out",
        });
    }
    let mut weights: Option<Vec<f64>> =
        recipe.weights.as_ref().map(|all| rows.iter().map(|&i| all[i]).collect());
    if recipe.balanced {
        let rows = weights.unwrap_or_else(|| vec![1.0; labels.len()]);
        weights = Some(balanced_by_class(&labels, &rows));
    }
    let mut factors = Vec::new();
    if recipe.scaling != Scaling::None {
        factors = recipe.scaling.factors(part.design());
        part.scale_columns(&factors);
    }
    let targets: Vec<Vec<f64>> = (0..labels.classes().len()).map(|k| labels.signs_of(k)).collect();
    let wide = by_columns(&mut part, variant.intercept);
    let x = wide.as_deref().unwrap_or(part.design());
    let problem = |y| recipe.problem_of(x, y, weights.as_deref(), variant);
    let problems = targets.iter().map(|y| problem(y)).collect::<Result<Vec<Problem<'_>>>>()?;
    let mut judge = Judge::new(data, judged, &factors);
    let mut points: Vec<Vec<PartPoint>> = vec![Vec::new(); problems.len()];
    let mut hear = |steps: &[Step], work: u64| {
        points.iter_mut().zip(steps).for_each(|(points, step)| points.push(judge.point(&step.w, step.b)));
        observer.on_part(points.iter().map(Vec::len).sum(), settings.grid.len() * steps.len());
        let decisions: Vec<&[f64]> =
            points.iter().filter_map(|points| points.last()).map(|point| &point.decisions[..]).collect();
        goes_on(&decisions, work)
    };
    let (grid, max_features) = (settings.grid.clone(), settings.max_features);
    let limits = PathSettings { grid, max_features, exact: recipe.exact.clone() };
    let mut stoppers: Vec<_> = problems.iter().map(|_| counter.observer()).collect();
    let (largest, paths) = paths_in_step(&problems, &variant.penalty, &limits, &mut stoppers, &mut hear)?;
    let lambda_max = match &settings.grid {
        Grid::Given(lambdas) => lambdas.first().copied().unwrap_or(0.0),
        Grid::Spaced { .. } => largest,
    };
    let both = points.into_iter().zip(paths).map(|(mut points, path)| {
        let mut path = finished(path);
        // Where one class kept too many features the others have a point more.
        path.points.truncate(points.len());
        points.truncate(path.points.len());
        (Part { points, failure: None }, path)
    });
    let (parts, paths) = both.unzip();
    Ok(Found { lambda_max, parts, paths, failure: None })
}

impl OneVsRestCv {
    /// What a score makes of every λ of each candidate. Features are those of any class, the criterion is the
    /// sum over the classes.
    pub fn curves(&self, score: Score) -> Vec<Curve> {
        self.candidates.iter().map(|candidate| self.curve(candidate, score)).collect()
    }

    fn curve(&self, candidate: &OneVsRestCandidate, score: Score) -> Curve {
        let point = |(at, &lambda): (usize, &f64)| {
            let of_fold = |((_, _, held), parts): (Fold<'_>, &Vec<Part>)| {
                let codes: Vec<u32> = held.iter().map(|&i| self.labels.codes()[i]).collect();
                let decisions: Option<Vec<&[f64]>> =
                    parts.iter().map(|part| part.points.get(at).map(|point| &point.decisions[..])).collect();
                score.of_several(&decisions?, &codes)
            };
            let scores: Vec<Option<f64>> = self.folds.iter().zip(&candidate.folds).map(of_fold).collect();
            let (mean, se) = mean_and_error(&scores, self.folds.count());
            let whole: Option<Vec<_>> = candidate.whole.iter().map(|part| part.points.get(at)).collect();
            let kept = |whole: &Vec<&super::PartPoint>| {
                whole
                    .iter()
                    .flat_map(|point| point.w.iter().map(|&(j, _)| j))
                    .collect::<BTreeSet<u32>>()
                    .len()
            };
            let sum = |whole: &Vec<&super::PartPoint>| {
                let of = |(k, point): (usize, &&super::PartPoint)| {
                    svmic(&point.decisions, &self.labels.signs_of(k), point.w.len())
                };
                whole.iter().enumerate().map(of).sum()
            };
            CurvePoint {
                lambda,
                features: whole.as_ref().map(kept),
                mean,
                se,
                slack: slack(&scores),
                folds: scores.iter().flatten().count(),
                criterion: whole.as_ref().map(sum),
            }
        };
        Curve {
            variant: candidate.variant,
            points: candidate.lambdas.iter().enumerate().map(point).collect(),
        }
    }

    /// For each class, what the machines that never saw a row say about it, in the first repeat. Nothing for
    /// rows of a fold that failed or did not reach this λ.
    pub fn held_out_decisions(&self, place: Place) -> Vec<Vec<Option<f64>>> {
        let mut decisions = vec![vec![None; self.labels.len()]; self.labels.classes().len()];
        let Some(candidate) = self.candidates.get(place.candidate) else { return decisions };
        for ((repeat, _, held), parts) in self.folds.iter().zip(&candidate.folds) {
            for (k, part) in parts.iter().enumerate() {
                let Some(point) = part.points.get(place.lambda).filter(|_| repeat == 0) else { continue };
                held.iter().zip(&point.decisions).for_each(|(&i, s)| decisions[k][i] = Some(*s));
            }
        }
        decisions
    }
}
