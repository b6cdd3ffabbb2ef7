//! Cross-validation of more than two classes: a path for each class against the others, all at the same λ,
//! scored by what the machines say together.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::criterion::svmic;
use super::cross_validate::CvSettings;
use super::curve::{Curve, CurvePoint, mean_and_error};
use super::folds::{Fold, Folds, others};
use super::host::{Counter, Host};
use super::recipe::{Judge, Part, Recipe};
use super::{Place, Score};
use crate::path::{Grid, Path, lambda_max};
use crate::solver::{Observer, Step};
use crate::{Dataset, Error, Labels, PenaltySpec, Problem, Result, Scaling, balanced_by_class};

/// One penalty: its λ, and the paths of all classes.
#[derive(Debug, Clone, PartialEq)]
pub struct OneVsRestCandidate {
    /// Family and θ.
    pub penalty: PenaltySpec,
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

/// Follows a path for each class in every training fold and on all data. The λ are the same for all classes:
/// spaced ones begin at the largest λ_max of the classes, which is that of the part's own rows.
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
    let (labels, count) = (data.labels().clone(), settings.penalties.len());
    settings.grid.check()?;
    let pieces = settings.grid.len() * labels.classes().len();
    let counter = Counter::new(host, pieces * count * (1 + folds.iter().count()));
    let all: Vec<usize> = (0..labels.len()).collect();
    let held: Vec<Option<Fold<'_>>> = std::iter::once(None).chain(folds.iter().map(Some)).collect();
    let jobs: Vec<(usize, Option<Fold<'_>>)> =
        held.iter().flat_map(|held| (0..count).map(move |c| (c, *held))).collect();
    let rougher = recipe.for_folds();
    let run = |&(c, held): &(usize, Option<Fold<'_>>)| {
        let (name, rows, judged) = match held {
            None => (format!("k{c}-all"), all.clone(), &all[..]),
            Some((repeat, fold, held)) => (format!("k{c}-r{repeat}-f{fold}"), others(all.len(), held), held),
        };
        let recipe = if held.is_some() { &rougher } else { recipe };
        counter.kept(&name, pieces, |observer| {
            let found = part(data, recipe, (&settings.penalties[c], settings), (&rows, judged), observer);
            match (held, found) {
                (Some(_), Err(error)) if error != Error::Interrupted => Ok(Found {
                    lambda_max: 0.0,
                    parts: Vec::new(),
                    paths: Vec::new(),
                    failure: Some(error.to_string()),
                }),
                (_, found) => found,
            }
        })
    };
    let found = jobs.par_iter().map(run).collect::<Result<Vec<Found>>>()?;
    let mut of_candidate: Vec<Vec<Found>> = (0..count).map(|_| Vec::new()).collect();
    found.into_iter().zip((0..count).cycle()).for_each(|(found, c)| of_candidate[c].push(found));
    let mut candidates = Vec::with_capacity(count);
    for (penalty, found) in settings.penalties.iter().zip(of_candidate) {
        let mut found = found.into_iter();
        let Some(whole) = found.next() else { continue };
        let (parts, failures): (Vec<Vec<Part>>, Vec<Option<String>>) =
            found.map(|fold| (fold.parts, fold.failure)).unzip();
        let failures: Vec<(usize, String)> =
            failures.into_iter().enumerate().filter_map(|(k, why)| Some((k, why?))).collect();
        if let Some((_, why)) = failures.first().filter(|_| failures.len() == parts.len()) {
            return Err(Error::Numerical {
                what: format!("every fold failed; the first one: {why}"),
                remedy: "take fewer folds, so that rows of every class are left in all of them",
            });
        }
        candidates.push(OneVsRestCandidate {
            penalty: *penalty,
            lambda_max: whole.lambda_max,
            lambdas: settings.grid.lambdas(whole.lambda_max)?,
            whole: whole.parts,
            paths: whole.paths,
            folds: parts,
            failures,
        });
    }
    if candidates.is_empty() {
        return Err(Error::parameter("penalties", "none", "name one at least"));
    }
    Ok(OneVsRestCv { folds: folds.clone(), labels, candidates })
}

/// All classes on some of the rows, which are taken out and scaled once.
fn part(
    data: &Dataset,
    recipe: &Recipe,
    (spec, settings): (&PenaltySpec, &CvSettings),
    (rows, judged): (&[usize], &[usize]),
    observer: &mut dyn Observer,
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
    let problem = |y| recipe.problem_of(part.design(), y, weights.as_deref(), spec);
    let problems = targets.iter().map(|y| problem(y)).collect::<Result<Vec<Problem<'_>>>>()?;
    let lambda_max = match &settings.grid {
        Grid::Given(lambdas) => lambdas.first().copied().unwrap_or(0.0),
        Grid::Spaced { .. } => largest(&problems, spec, observer)?,
    };
    let grid = Grid::Given(settings.grid.lambdas(lambda_max)?);
    let judged = data.design().select_rows(judged);
    let mut judge = Judge::new(&*judged, &factors);
    let (mut parts, mut paths) = (Vec::new(), Vec::new());
    for (k, problem) in problems.iter().enumerate() {
        let mut further = Further { observer: &mut *observer, behind: k * grid.len() };
        let limits = (&grid, settings.max_features);
        let path = recipe.follow(problem, spec, limits, &mut further, &mut |_, _, _| true)?;
        let points = path.points.iter().map(|point| judge.point(&point.w, point.b)).collect();
        parts.push(Part { points, failure: None });
        paths.push(path);
    }
    Ok(Found { lambda_max, parts, paths, failure: None })
}

/// The largest λ_max; 1 where no feature says anything about any class, as every λ then gives the same model.
fn largest(problems: &[Problem<'_>], spec: &PenaltySpec, observer: &mut dyn Observer) -> Result<f64> {
    let mut most = 0.0f64;
    for problem in problems {
        most = most.max(match lambda_max(problem, spec, observer) {
            Err(Error::Numerical { .. }) => 0.0,
            found => found?,
        });
    }
    Ok(if most > 0.0 { most } else { 1.0 })
}

/// Counts on from what is behind.
struct Further<'a> {
    observer: &'a mut dyn Observer,
    behind: usize,
}

impl Observer for Further<'_> {
    fn on_part(&mut self, done: usize, all: usize) {
        self.observer.on_part(self.behind + done, all);
    }

    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        self.observer.on_step(step)
    }
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
                folds: scores.iter().flatten().count(),
                criterion: whole.as_ref().map(sum),
            }
        };
        Curve {
            penalty: candidate.penalty,
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
