//! Cross-validation: a path in each training fold, judged by the rows that were held out.

use rayon::prelude::*;

use super::folds::{Fold, Folds, others};
use super::host::{Counter, Host};
use super::past_best::{PastBest, total};
use super::recipe::{Part, Recipe};
use super::variant::Variant;
use crate::path::{Grid, Path};
use crate::{Dataset, Error, Result};

/// What is tried.
#[derive(Debug, Clone, PartialEq)]
pub struct CvSettings {
    /// Each has λ of its own.
    pub variants: Vec<Variant>,
    /// Which λ. Spaced ones are the same shares of λ_max in every fold, where λ_max is that of the fold's
    /// training rows: it varies, and at the λ_max of all data a fold may keep features already.
    pub grid: Grid,
    /// Paths end before they keep more features.
    pub max_features: Option<usize>,
}

impl CvSettings {
    /// How many λ down to which share are tried, unless told otherwise.
    pub const USUAL: (usize, f64) = (25, 0.003);
    /// The same as a grid.
    pub const GRID: Grid = Grid::Spaced { count: Self::USUAL.0, min_ratio: Self::USUAL.1 };

    /// Newton steps of a path, unless told otherwise: where it takes more, λ is so small that the model is
    /// wild and its score falls. Paths end there, on every machine at the same λ.
    pub const MAX_ITER: usize = 1500;

    /// One variant, the usual λ.
    pub fn new(variant: impl Into<Variant>) -> Self {
        Self { variants: vec![variant.into()], grid: Self::GRID, max_features: None }
    }
}

/// One variant: its λ, its path on all data, and its paths in the folds.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Penalty and intercept.
    pub variant: Variant,
    /// λ_max of all data.
    pub lambda_max: f64,
    /// Those of all data, from the largest down.
    pub lambdas: Vec<f64>,
    /// On all rows, and judged by them.
    pub whole: Part,
    /// The same path with its certificates, on scaled columns if they are scaled.
    pub path: Path,
    /// One for each fold, in the order of [`Folds::iter`].
    pub folds: Vec<Part>,
}

/// All that cross-validation found; which λ to take is another matter, see [`choose`](super::choose).
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// Which rows were held out.
    pub folds: Folds,
    /// ±1, one for each row.
    pub y: Vec<f64>,
    /// As in the settings.
    pub candidates: Vec<Candidate>,
}

impl CrossValidation {
    /// Folds that have no path: variant, repeat, fold (both from 0), and why.
    pub fn failures(&self) -> Vec<(Variant, usize, usize, String)> {
        let mut failures = Vec::new();
        for candidate in &self.candidates {
            for ((repeat, fold, _), part) in self.folds.iter().zip(&candidate.folds) {
                failures.extend(part.failure.clone().map(|why| (candidate.variant, repeat, fold, why)));
            }
        }
        failures
    }

    /// What the models that never saw a row say about it, one number for each row: at one λ of one
    /// candidate, in the first repeat. Nothing for rows of a fold that failed or did not reach it.
    pub fn held_out_decisions(&self, place: super::Place) -> Vec<Option<f64>> {
        let mut decisions = vec![None; self.y.len()];
        let Some(candidate) = self.candidates.get(place.candidate) else { return decisions };
        for ((repeat, _, held), part) in self.folds.iter().zip(&candidate.folds) {
            let Some(point) = part.points.get(place.lambda).filter(|_| repeat == 0) else { continue };
            held.iter().zip(&point.decisions).for_each(|(&i, s)| decisions[i] = Some(*s));
        }
        decisions
    }
}

/// Follows a path in every training fold, in parallel, and judges the points by the rows that were held out. What a
/// fold learns, column scaling too, it learns from its training rows alone; it shares nothing with the others but
/// the settings. A fold without a path is reported, and fatal only if all are. Folds are fitted to
/// [`fold_tol`](super::fold_tol), and a path that takes long ends where its held-out rows say that it is past its
/// best. Then comes the path on all data, which goes no further than the shortest of them.
///
/// The same bits come out for any number of threads.
///
/// # Errors
/// If settings are out of range, all folds fail, or the host wants to stop.
pub fn cross_validate(
    data: &Dataset,
    recipe: &Recipe,
    settings: &CvSettings,
    folds: &Folds,
    host: &dyn Host,
) -> Result<CrossValidation> {
    settings.grid.check()?;
    let paths = settings.variants.len() * (1 + folds.iter().count());
    let counter = Counter::new(host, settings.grid.len() * paths);
    cross_validate_within(data, recipe, settings, folds, (&counter, ""))
}

/// The same as a part of a larger run, with a name of its own.
pub(super) fn cross_validate_within(
    data: &Dataset,
    recipe: &Recipe,
    settings: &CvSettings,
    folds: &Folds,
    (counter, name): (&Counter<'_>, &str),
) -> Result<CrossValidation> {
    if settings.variants.is_empty() {
        return Err(Error::parameter("variants", "none", "name one at least"));
    }
    let y = data.labels().signs()?;
    let all: Vec<usize> = (0..y.len()).collect();
    let limits = (&settings.grid, settings.max_features);
    let rougher = recipe.for_folds(all.len());
    let of_fold = |&(variant, c, (repeat, fold, held)): &(&Variant, usize, Fold<'_>)| {
        counter.kept(&format!("{name}p{c}-r{repeat}-f{fold}"), settings.grid.len(), |observer| {
            let rows = (&others(all.len(), held)[..], held);
            let y: Vec<f64> = held.iter().map(|&i| y[i]).collect();
            let mut past = PastBest::new();
            let mut goes_on =
                |s: &[f64], work: u64| past.goes_on(total(recipe.loss, s, &y), |score| score.of(s, &y), work);
            let part = rougher.part(data, variant, limits, rows, observer, &mut goes_on);
            let failed = |error: Error| Part { points: Vec::new(), failure: Some(error.to_string()) };
            Ok(part.map_or_else(failed, |(part, _)| part))
        })
    };
    let variants = || settings.variants.iter().enumerate();
    let jobs: Vec<(&Variant, usize, Fold<'_>)> =
        folds.iter().flat_map(|fold| variants().map(move |(c, variant)| (variant, c, fold))).collect();
    let parts = jobs.par_iter().map(of_fold).collect::<Result<Vec<Part>>>()?;
    let mut of_folds: Vec<Vec<Part>> = vec![Vec::new(); settings.variants.len()];
    parts.into_iter().zip(&jobs).for_each(|(part, &(_, c, _))| of_folds[c].push(part));

    let of_all = |(c, folds): (usize, Vec<Part>)| {
        let variant = settings.variants[c];
        let reached = shortest(&folds)?;
        let (whole, path) = counter.kept(&format!("{name}p{c}-all"), settings.grid.len(), |observer| {
            let mut left = reached;
            let mut goes_on = |_: &[f64], _: u64| {
                left = left.saturating_sub(1);
                left > 0
            };
            recipe.part(data, &variant, limits, (&all, &all), observer, &mut goes_on)
        })?;
        let (lambda_max, lambdas) = (path.lambda_max, settings.grid.lambdas(path.lambda_max)?);
        Ok(Candidate { variant, lambda_max, lambdas, whole, path, folds })
    };
    let candidates = of_folds.into_par_iter().enumerate().map(of_all).collect::<Result<Vec<Candidate>>>()?;
    Ok(CrossValidation { folds: folds.clone(), y, candidates })
}

/// How many λ the shortest of the folds' paths has: weaker ones have no score in every fold.
fn shortest(folds: &[Part]) -> Result<usize> {
    let lengths = folds.iter().filter(|part| part.failure.is_none()).map(|part| part.points.len());
    lengths.min().ok_or_else(|| Error::Numerical {
        what: format!(
            "every fold failed; the first one: {}",
            folds.first().and_then(|part| part.failure.as_deref()).unwrap_or("there is none")
        ),
        remedy: "take fewer folds, or folds with rows of both classes in all others",
    })
}
