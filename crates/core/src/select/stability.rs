//! Stability selection with complementary pairs (Shah and Samworth 2013): which features come out again and
//! again on halves of the data.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::features::{Selected, tally};
use super::folds::halves;
use super::host::{Counter, Host};
use super::recipe::{Recipe, finished};
use super::variant::Variant;
use crate::path::{Grid, PathSettings, lambda_max, path_to_most};
use crate::{Dataset, Error, Result};

/// What is selected on each half.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    /// The last point of the path with at most so many features.
    AtMost(usize),
    /// The path's point at this λ.
    AtLambda(f64),
}

/// How stability is found.
#[derive(Debug, Clone, PartialEq)]
pub struct StabilitySettings {
    /// Penalty and intercept.
    pub variant: Variant,
    /// B, the number of pairs of halves; 50 in the paper.
    pub pairs: usize,
    /// What is selected on each half.
    pub selector: Selector,
    /// τ, the least share of halves that a feature must be selected on, in (½, 1].
    pub threshold: f64,
    /// Of the draw.
    pub seed: u64,
    /// The λ of the paths.
    pub grid: Grid,
}

impl StabilitySettings {
    /// Pairs of halves, unless told otherwise.
    pub const PAIRS: usize = 50;
    /// The threshold, unless told otherwise.
    pub const THRESHOLD: f64 = 0.75;

    /// The most features a half may keep so that the bound is at most `errors` (and at least one).
    pub fn most_for(errors: f64, threshold: f64, features: usize) -> usize {
        ((errors * (2.0 * threshold - 1.0) * features as f64).sqrt() as usize).clamp(1, features.max(1))
    }
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// Every feature that some half selected, the most frequent first.
    pub features: Vec<Selected>,
    /// 2B less those that failed.
    pub halves: usize,
    /// Why halves failed, if any did.
    pub failures: Vec<String>,
    /// q: the most that a half could select, or the mean of what they did select at a given λ.
    pub q: f64,
    /// The mean of what halves did select.
    pub mean_selected: f64,
    /// d.
    pub columns: usize,
    /// τ.
    pub threshold: f64,
}

impl Stability {
    /// Those at or above the threshold.
    pub fn stable(&self) -> impl Iterator<Item = &Selected> {
        self.features.iter().filter(|feature| feature.frequency() >= self.threshold - 1e-12)
    }

    /// q²/((2τ - 1)d): the expected number of features at or above the threshold among those that a half
    /// selects with a probability of at most q/d is no more than this (Shah and Samworth 2013, theorem 1
    /// with θ = q/d; for any B and any way of selecting). Meinshausen and Bühlmann's bound on false
    /// selections is the same number, if noise features are exchangeable and no better than guessing.
    pub fn bound(&self) -> f64 {
        self.q * self.q / ((2.0 * self.threshold - 1.0) * self.columns as f64)
    }
}

/// What one half selected: features and signs.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Half {
    selected: Vec<(u32, f64)>,
    failure: Option<String>,
}

/// Draws B pairs of disjoint halves with the same share of each class, and selects features on each: in
/// parallel, and with the same bits for any number of threads.
///
/// # Errors
/// If settings are out of range, every half fails, or the host wants to stop.
pub fn stability_selection(
    data: &Dataset,
    recipe: &Recipe,
    settings: &StabilitySettings,
    host: &dyn Host,
) -> Result<Stability> {
    let StabilitySettings { threshold, pairs, .. } = *settings;
    if !(threshold > 0.5 && threshold <= 1.0) {
        return Err(Error::parameter("threshold", threshold, "more than 0.5 and at most 1"));
    }
    if pairs == 0 {
        return Err(Error::parameter("pairs", 0, "at least 1"));
    }
    if settings.selector == Selector::AtMost(0) {
        return Err(Error::parameter("expect", 0, "at least 1 feature"));
    }
    data.labels().signs()?;
    let counter = Counter::new(host, 2 * pairs);
    let run = |k: usize| {
        counter.kept(&format!("half-{k}"), 1, |_| {
            let (first, second) = halves(data.labels(), settings.seed, k / 2);
            let rows = if k.is_multiple_of(2) { first } else { second };
            let half = select(data, recipe, settings, &rows, &counter);
            Ok(half.unwrap_or_else(|error| Half { selected: Vec::new(), failure: Some(error.to_string()) }))
        })
    };
    let halves: Vec<Half> = (0..2 * pairs).into_par_iter().map(run).collect::<Result<_>>()?;
    let failures: Vec<String> = halves.iter().filter_map(|half| half.failure.clone()).collect();
    let good: Vec<&[(u32, f64)]> =
        halves.iter().filter(|half| half.failure.is_none()).map(|half| &half.selected[..]).collect();
    if good.is_empty() {
        return Err(Error::Numerical {
            what: format!("every half of the data failed; the first one: {}", failures.join("; ")),
            remedy: "there may be too few rows of one class",
        });
    }
    let mean_selected = good.iter().map(|half| half.len() as f64).sum::<f64>() / good.len() as f64;
    Ok(Stability {
        features: tally(&good),
        halves: good.len(),
        failures,
        q: match settings.selector {
            Selector::AtMost(most) => most as f64,
            Selector::AtLambda(_) => mean_selected,
        },
        mean_selected,
        columns: data.design().cols(),
        threshold,
    })
}

fn select(
    data: &Dataset,
    recipe: &Recipe,
    settings: &StabilitySettings,
    rows: &[usize],
    counter: &Counter<'_>,
) -> Result<Half> {
    let posed = recipe.pose(data, &settings.variant, rows)?;
    let problem = recipe.problem(&posed, &settings.variant)?;
    let spec = &settings.variant.penalty;
    let (grid, max_features) = match settings.selector {
        Selector::AtMost(most) => (settings.grid.clone(), Some(most)),
        Selector::AtLambda(lambda) if spec.is_convex()? => (Grid::Given(vec![lambda]), None),
        Selector::AtLambda(lambda) => {
            let largest = lambda_max(&problem, spec, &mut counter.observer())?;
            (down_to(&settings.grid, largest, lambda)?, None)
        }
    };
    let along = PathSettings { grid, max_features, exact: recipe.exact.clone() };
    let path = finished(path_to_most(&problem, spec, &along, &mut counter.observer())?);
    let w = path.points.last().map(|point| &point.w[..]).unwrap_or_default();
    Ok(Half { selected: w.iter().map(|&(j, w)| (j as u32, w)).collect(), failure: None })
}

/// The λ of the grid above `last`, for their warm starts, and `last`.
fn down_to(grid: &Grid, largest: f64, last: f64) -> Result<Grid> {
    let mut lambdas = grid.lambdas(largest)?;
    lambdas.retain(|lambda| *lambda > last);
    lambdas.push(last);
    Ok(Grid::Given(lambdas))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_paper_s() {
        let stability = Stability {
            features: Vec::new(),
            halves: 100,
            failures: Vec::new(),
            q: 10.0,
            mean_selected: 9.0,
            columns: 1000,
            threshold: 0.75,
        };
        assert!((stability.bound() - 100.0 / (0.5 * 1000.0)).abs() < 1e-15);
        assert_eq!(StabilitySettings::most_for(0.2, 0.75, 1000), 10);
        assert_eq!(StabilitySettings::most_for(1.0, 0.6, 2), 1);
    }

    #[test]
    fn a_lambda_is_reached_along_the_path() {
        let grid = Grid::Spaced { count: 3, min_ratio: 0.01 };
        assert_eq!(down_to(&grid, 1.0, 0.5).unwrap(), Grid::Given(vec![1.0, 0.5]));
        assert_eq!(down_to(&grid, 1.0, 2.0).unwrap(), Grid::Given(vec![2.0]));
    }
}
