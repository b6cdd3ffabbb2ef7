//! Cross-validation: a path in each training fold, judged by the rows that were held out.

use rayon::prelude::*;

use super::folds::{Fold, Folds, others};
use super::host::{Counter, Host};
use super::recipe::{Part, Recipe};
use crate::path::{Grid, Path};
use crate::{Dataset, Error, PenaltySpec, Result};

/// What is tried.
#[derive(Debug, Clone, PartialEq)]
pub struct CvSettings {
    /// Families and θ, each with λ of its own; their λ is not looked at.
    pub penalties: Vec<PenaltySpec>,
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

    /// One penalty, the usual λ.
    pub fn new(penalty: PenaltySpec) -> Self {
        Self { penalties: vec![penalty], grid: Self::GRID, max_features: None }
    }
}

/// One penalty: its λ, its path on all data, and its paths in the folds.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Family and θ.
    pub penalty: PenaltySpec,
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
    /// Folds that have no path: penalty, repeat, fold (both from 0), and why.
    pub fn failures(&self) -> Vec<(PenaltySpec, usize, usize, String)> {
        let mut failures = Vec::new();
        for candidate in &self.candidates {
            for ((repeat, fold, _), part) in self.folds.iter().zip(&candidate.folds) {
                failures.extend(part.failure.clone().map(|why| (candidate.penalty, repeat, fold, why)));
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

/// Follows a path in every training fold and on all data, in parallel, and judges the points by the rows that
/// were held out. What a fold learns, column scaling too, it learns from its training rows alone; it shares
/// nothing with the others but the settings. A fold without a path is reported, and fatal only if all are.
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
    let paths = settings.penalties.len() * (1 + folds.iter().count());
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
    if settings.penalties.is_empty() {
        return Err(Error::parameter("penalties", "none", "name one at least"));
    }
    let y = data.labels().signs()?;
    let all: Vec<usize> = (0..y.len()).collect();
    let count = settings.penalties.len();
    // The path on all data takes longest, so it comes first.
    let held: Vec<Option<Fold<'_>>> = std::iter::once(None).chain(folds.iter().map(Some)).collect();
    let jobs: Vec<(usize, Option<Fold<'_>>)> =
        held.iter().flat_map(|held| (0..count).map(move |c| (c, *held))).collect();
    let run = |&(c, held): &(usize, Option<Fold<'_>>)| {
        let limits = (&settings.grid, settings.max_features);
        let spec = &settings.penalties[c];
        let key = match held {
            None => format!("{name}p{c}-all"),
            Some((repeat, fold, _)) => format!("{name}p{c}-r{repeat}-f{fold}"),
        };
        counter.kept(&key, settings.grid.len(), |observer| match held {
            None => {
                let (part, path) = recipe.part(data, spec, limits, (&all, &all), observer)?;
                Ok((part, Some(path)))
            }
            Some((_, _, held)) => {
                let part = recipe.part(data, spec, limits, (&others(all.len(), held), held), observer);
                let failed = |error: Error| Part { points: Vec::new(), failure: Some(error.to_string()) };
                Ok((part.map_or_else(failed, |(part, _)| part), None))
            }
        })
    };
    let mut parts = jobs.par_iter().map(run).collect::<Result<Vec<(Part, Option<Path>)>>>()?.into_iter();

    let wholes: Vec<(Part, Option<Path>)> = parts.by_ref().take(count).collect();
    let mut of_folds: Vec<Vec<Part>> = vec![Vec::new(); count];
    parts.zip((0..count).cycle()).for_each(|((part, _), c)| of_folds[c].push(part));
    let mut candidates = Vec::with_capacity(count);
    for (c, ((whole, path), folds)) in wholes.into_iter().zip(of_folds).enumerate() {
        let Some(path) = path else { continue };
        let failed = folds.iter().filter(|part| part.failure.is_some()).count();
        if let Some(why) =
            folds.first().and_then(|part| part.failure.as_ref()).filter(|_| failed == folds.len())
        {
            return Err(Error::Numerical {
                what: format!("every fold failed; the first one: {why}"),
                remedy: "take fewer folds, or folds with rows of both classes in all others",
            });
        }
        let penalty = settings.penalties[c];
        let (lambda_max, lambdas) = (path.lambda_max, settings.grid.lambdas(path.lambda_max)?);
        candidates.push(Candidate { penalty, lambda_max, lambdas, whole, path, folds });
    }
    Ok(CrossValidation { folds: folds.clone(), y, candidates })
}
