//! What is fitted to each part of the data: everything but the penalty's strength.

use serde::{Deserialize, Serialize};

use crate::path::{Grid, Path, PathPoint, PathSettings, path};
use crate::solver::{Exact, Observer};
use crate::{
    Dataset, Design, Error, Loss, PenaltySpec, Problem, Regularizer, Result, Scaling, balanced_weights,
};

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
    /// b is free.
    pub intercept: bool,
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
            intercept: true,
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

/// A part of the data, scaled, with all that a problem on it needs.
pub(super) struct Posed {
    data: Dataset,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    /// Empty without scaling.
    factors: Vec<f64>,
}

impl Recipe {
    /// Takes the rows out of the data and scales them.
    pub(super) fn pose(&self, data: &Dataset, rows: &[usize]) -> Result<Posed> {
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
        Ok(Posed { data: part, y, weights, factors })
    }

    /// The problem on a part; `spec`'s λ plays no role on a path.
    pub(super) fn problem<'p>(&self, posed: &'p Posed, spec: &PenaltySpec) -> Result<Problem<'p>> {
        self.problem_of(posed.data.design(), &posed.y, posed.weights.as_deref(), spec)
    }

    /// The same on scaled columns with labels ±1 and weights.
    pub(super) fn problem_of<'p>(
        &self,
        x: &'p dyn Design,
        y: &'p [f64],
        weights: Option<&[f64]>,
        spec: &PenaltySpec,
    ) -> Result<Problem<'p>> {
        let mut regularizer = Regularizer::from_spec(spec)?.with_l2(self.l2)?;
        if let Some(factors) = &self.factors {
            regularizer = regularizer.with_factors(factors.clone())?;
        }
        let mut problem = Problem::new(x, y, self.loss, regularizer)?;
        if let Some(weights) = weights {
            problem = problem.with_weights(weights)?;
        }
        Ok(if self.intercept { problem } else { problem.without_intercept() })
    }

    /// Follows a path on a part, whose λ_max is its own unless the grid says which λ. What ends a path early,
    /// but for the limit of features, ends it before that point.
    pub(super) fn follow(
        &self,
        problem: &Problem<'_>,
        spec: &PenaltySpec,
        (grid, max_features): (&Grid, Option<usize>),
        observer: &mut dyn Observer,
    ) -> Result<Path> {
        let settings = PathSettings { grid: grid.clone(), max_features, exact: self.exact.clone() };
        let mut path = path(problem, spec, &settings, observer)?;
        if path.points.last().is_some_and(|point| point.status.is_cut_short()) {
            path.points.pop();
        }
        Ok(path)
    }

    /// Follows the path on `rows` and judges its points by `judged`. The path itself is on scaled columns.
    pub(super) fn part(
        &self,
        data: &Dataset,
        spec: &PenaltySpec,
        limits: (&Grid, Option<usize>),
        (rows, judged): (&[usize], &[usize]),
        observer: &mut dyn Observer,
    ) -> Result<(Part, Path)> {
        let posed = self.pose(data, rows)?;
        let path = self.follow(&self.problem(&posed, spec)?, spec, limits, observer)?;
        let points = points(&path, &posed.factors, &*data.design().select_rows(judged));
        Ok((Part { points, failure: None }, path))
    }
}

/// The points of a path in the units of the raw data, with their decisions on raw rows; `factors` are those of
/// scaled columns, or none.
pub(super) fn points(path: &Path, factors: &[f64], rows: &dyn Design) -> Vec<PartPoint> {
    let mut dense = vec![0.0; rows.cols()];
    let of = |point: &PathPoint| {
        let factor = |j: usize| factors.get(j).copied().unwrap_or(1.0);
        let w: Vec<(u32, f64)> = point.w.iter().map(|&(j, w)| (j as u32, w * factor(j))).collect();
        w.iter().for_each(|&(j, w)| dense[j as usize] = w);
        let mut decisions = vec![0.0; rows.rows()];
        rows.matvec(&dense, &mut decisions);
        decisions.iter_mut().for_each(|s| *s += point.b);
        w.iter().for_each(|&(j, _)| dense[j as usize] = 0.0);
        PartPoint { w, b: point.b, decisions }
    };
    path.points.iter().map(of).collect()
}
