//! What is fitted to each part of the data: everything but the penalty's strength.

use serde::{Deserialize, Serialize};

use super::Variant;
use crate::path::{GoesOn, Grid, Path, PathSettings, Step, path_while};
use crate::solver::{Exact, Observer};
use crate::{
    Dataset, Design, Error, Intercept, Loss, PenaltySpec, Problem, Regularizer, Result, Scaling,
    balanced_weights,
};

/// Folds are fitted to so many times the tolerance, …
const ROUGHER: f64 = 10.0;
/// … unless that is above this one, …
const ROUGHEST: f64 = 1e-3;
/// … or there are fewer rows: that would save next to nothing.
const MANY: usize = 1_000;

/// The tolerance of folds of so many rows where a model has this one: scores have a standard error that is far above what
/// the last digits of a model change.
pub fn fold_tol(tol: f64, rows: usize) -> f64 {
    if rows < MANY { tol } else { (ROUGHER * tol).min(ROUGHEST).max(tol) }
}

/// How a part of the data is fitted. Whatever is learned from data, scaling and class weights too, is
/// learned from the part alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// ℓ.
    pub loss: Loss,
    /// μ.
    pub l2: f64,
    /// κ, one for each feature, or 1 throughout.
    pub factors: Option<Vec<f64>>,
    /// c, one for each row of all the data, or 1 throughout.
    pub weights: Option<Vec<f64>>,
    /// All classes of a part count the same; see [`balanced_weights`].
    pub balanced: bool,
    /// How columns are scaled.
    pub scaling: Scaling,
    /// Tolerance and limits of a path.
    pub exact: Exact,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            loss: Loss::Hinge,
            l2: 0.0,
            factors: None,
            weights: None,
            balanced: false,
            scaling: Scaling::None,
            exact: Exact::default(),
        }
    }
}

/// A model on a path, and what it says about the rows that it is judged by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartPoint {
    /// Features that are kept, ascending, and their weights in the units of the raw data.
    pub w: Vec<(u32, f64)>,
    /// b.
    pub b: f64,
    /// x_iᵀw + b for each row that is judged.
    pub decisions: Vec<f64>,
}

/// A path on some of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// One for each λ; fewer if the path ended early.
    pub points: Vec<PartPoint>,
    /// Why there is no path, if there is none.
    pub failure: Option<String>,
}

/// A part of the data, scaled, with all that a problem of one variant on it needs.
pub(super) struct Posed {
    data: Dataset,
    /// With a column for the intercept, if it is penalised.
    wide: Option<Box<dyn Design>>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    /// Empty without scaling.
    factors: Vec<f64>,
}

/// Lets the rows of a part go, for its paths work by columns; with a column for the intercept if it is penalised.
pub(super) fn by_columns(part: &mut Dataset, intercept: Intercept) -> Option<Box<dyn Design>> {
    let mut wide = intercept.columns(part.design());
    match &mut wide {
        Some(wide) => wide.turn_to_columns(),
        None => part.turn_to_columns(),
    }
    wide
}

impl Recipe {
    /// The same for folds of so many rows, with [`fold_tol`].
    pub(super) fn for_folds(&self, rows: usize) -> Self {
        let mut rougher = self.clone();
        rougher.exact.stopping.tol = fold_tol(self.exact.stopping.tol, rows);
        rougher
    }

    /// Takes the rows out of the data and scales them.
    pub(super) fn pose(&self, data: &Dataset, variant: &Variant, rows: &[usize]) -> Result<Posed> {
        let mut part = data.select_rows(rows);
        let y = part.labels().signs()?;
        // Its intercept would run away.
        if y.windows(2).all(|pair| pair[0] == pair[1]) {
            let only = part.labels().codes().first().map_or(0, |code| *code as usize);
            return Err(Error::Classes { count: 1, listed: part.labels().classes()[only].clone() });
        }
        let mut weights: Option<Vec<f64>> =
            self.weights.as_ref().map(|all| rows.iter().map(|&i| all[i]).collect());
        if self.balanced {
            weights = Some(balanced_weights(&y, &weights.unwrap_or_else(|| vec![1.0; y.len()])));
        }
        let mut factors = Vec::new();
        if self.scaling != Scaling::None {
            factors = self.scaling.factors(part.design());
            part.scale_columns(&factors);
        }
        let wide = by_columns(&mut part, variant.intercept);
        Ok(Posed { data: part, wide, y, weights, factors })
    }

    /// The problem on a part; the penalty's λ plays no role on a path.
    pub(super) fn problem<'p>(&self, posed: &'p Posed, variant: &Variant) -> Result<Problem<'p>> {
        let x = posed.wide.as_deref().unwrap_or(posed.data.design());
        self.problem_of(x, &posed.y, posed.weights.as_deref(), variant)
    }

    /// The same on scaled columns, with one for the intercept if it is penalised, with labels ±1 and weights.
    pub(super) fn problem_of<'p>(
        &self,
        x: &'p dyn Design,
        y: &'p [f64],
        weights: Option<&[f64]>,
        variant: &Variant,
    ) -> Result<Problem<'p>> {
        let mut regularizer = Regularizer::from_spec(&variant.penalty)?.with_l2(self.l2)?;
        if let Some(factors) = &self.factors {
            regularizer = regularizer.with_factors(variant.intercept.factors(factors.clone()))?;
        }
        let mut problem = Problem::new(x, y, self.loss, regularizer)?;
        if let Some(weights) = weights {
            problem = problem.with_weights(weights)?;
        }
        Ok(problem.with_intercept(variant.intercept))
    }

    /// Follows a path on a part, whose λ_max is its own unless the grid says which λ, as long as `goes_on` says so. What else
    /// ends a path early, but for the limit of features, ends it before that point.
    pub(super) fn follow(
        &self,
        problem: &Problem<'_>,
        spec: &PenaltySpec,
        (grid, max_features): (&Grid, Option<usize>),
        observer: &mut dyn Observer,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<Path> {
        let settings = PathSettings { grid: grid.clone(), max_features, exact: self.exact.clone() };
        path_while(problem, spec, &settings, observer, goes_on).map(finished)
    }

    /// Follows the path on `rows` and judges its points by `judged`, until what they say about those rows is enough: `goes_on`
    /// hears their decisions, and the work so far. The path itself is on scaled columns.
    pub(super) fn part(
        &self,
        data: &Dataset,
        variant: &Variant,
        limits: (&Grid, Option<usize>),
        (rows, judged): (&[usize], &[usize]),
        observer: &mut dyn Observer,
        goes_on: &mut (dyn FnMut(&[f64], u64) -> bool + Send),
    ) -> Result<(Part, Path)> {
        let posed = self.pose(data, variant, rows)?;
        let mut judge = Judge::new(data, judged, &posed.factors);
        let mut points = Vec::new();
        let mut hear = |step: &Step, work: u64| {
            let point = judge.point(&step.w, step.b);
            let further = goes_on(&point.decisions, work);
            points.push(point);
            further
        };
        let problem = self.problem(&posed, variant)?;
        let path = self.follow(&problem, &variant.penalty, limits, observer, &mut hear)?;
        points.truncate(path.points.len());
        Ok((Part { points, failure: None }, path))
    }
}

/// Without a point that was cut short.
pub(super) fn finished(mut path: Path) -> Path {
    path.points.retain(|point| !point.status.is_cut_short());
    path
}

/// Says what models make of some rows.
pub(super) struct Judge<'a> {
    data: &'a Dataset,
    /// The rows, unless they are all.
    taken: Option<Box<dyn Design>>,
    /// Of scaled columns, or none.
    factors: &'a [f64],
    /// A model's coefficients while it is asked, else 0.
    dense: Vec<f64>,
}

impl<'a> Judge<'a> {
    /// Of raw rows; models are of columns that were scaled by the factors, if there are any.
    pub(super) fn new(data: &'a Dataset, rows: &[usize], factors: &'a [f64]) -> Self {
        let x = data.design();
        let taken = (rows.len() < x.rows()).then(|| x.select_rows(rows));
        Self { data, taken, factors, dense: vec![0.0; x.cols()] }
    }

    /// A model in the units of the raw data, with its decisions.
    pub(super) fn point(&mut self, w: &[(usize, f64)], b: f64) -> PartPoint {
        let factor = |j: usize| self.factors.get(j).copied().unwrap_or(1.0);
        let w: Vec<(u32, f64)> = w.iter().map(|&(j, w)| (j as u32, w * factor(j))).collect();
        w.iter().for_each(|&(j, w)| self.dense[j as usize] = w);
        let rows = self.taken.as_deref().unwrap_or(self.data.design());
        let mut decisions = vec![0.0; rows.rows()];
        rows.matvec(&self.dense, &mut decisions);
        decisions.iter_mut().for_each(|s| *s += b);
        w.iter().for_each(|&(j, _)| self.dense[j as usize] = 0.0);
        PartPoint { w, b, decisions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Labels;
    use crate::design::{Compressed, Sparse};

    #[test]
    fn folds_are_rougher_but_never_finer_than_the_model_nor_coarse() {
        for (tol, of_folds) in [(1e-4, 1e-3), (1e-8, 1e-7), (5e-4, 1e-3), (1e-3, 1e-3), (0.1, 0.1)] {
            assert!((fold_tol(tol, MANY) / of_folds - 1.0).abs() < 1e-12, "{tol}");
            assert_eq!(fold_tol(tol, MANY - 1), tol);
        }
    }

    #[test]
    fn parts_lie_by_columns_only() {
        for intercept in Intercept::ALL {
            let rows = Compressed::new(vec![0, 1, 2], vec![0, 1], vec![1.0, 2.0], 2).unwrap();
            let labels = Labels::from_numbers(&[0.0, 1.0]);
            let mut part = Dataset::new(Sparse::from_rows(rows), labels).unwrap();
            let wide = by_columns(&mut part, intercept);
            let used = wide.as_deref().unwrap_or(part.design());
            assert!(used.has_columns() && !used.has_rows(), "{intercept}");
        }
    }
}
