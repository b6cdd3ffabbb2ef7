//! Features that are too light to be kept at any strength a run will ask for, left out from the start.
//!
//! g_j = Σ_i y_i a_i x_ij. Where pulls have a top t_i (hinge, huberised hinge),
//!
//!   |g_j| ≤ Σ_i t_i·|x_ij|,
//!
//! and for the squared hinge, whose loss from w = 0 on is never above C = Σ_i c_i/n,
//!
//!   |g_j| ≤ 2√C · √(Σ_i (c_i/n) x_ij²).
//!
//! A feature for which that is below NEAR·κ_j·strength never violates and never comes near a working set, so the
//! solver does without it what it would do with it, to the last bit. Most words and nearly all pairs of words of a text
//! are that light. Of a matrix that was read by rows only the columns of the others are then made, and all
//! vectors over features have their length.

use super::convex::{Convex, NEAR, Snapshot};
use super::search::REACH;
use crate::certificate::transposed;
use crate::design::PARALLEL_ENTRIES;
use crate::path::Grid;
use crate::solver::{Silent, Stopping, Watch};
use crate::team::is_shared;
use crate::{Design, Loss, Problem};

/// The strength at which the first feature enters is only estimated before columns are there: this much less is
/// allowed for. If it is lower still, all features stay.
const CAUTION: f64 = 4.0;
/// Bounds are taken wider by this: they are sums of rounded numbers.
const ROUNDING: f64 = 1e-9;

/// What is left of the features, and down to which strength the others do not matter.
#[derive(Debug)]
pub(crate) struct Heavy {
    x: Box<dyn Design>,
    /// Their numbers in the whole problem, ascending.
    pub(crate) features: Vec<usize>,
    /// As a slope of the ℓ1 norm.
    pub(crate) least: f64,
}

impl Heavy {
    /// For a fit from w = 0; nothing if all features had better stay.
    pub(super) fn of_fit(problem: &Problem<'_>) -> Option<Self> {
        let penalty = problem.regularizer().penalty();
        let at_zero = penalty.slope_at(0.0);
        if penalty.concavity() == 0.0 {
            return Self::find(problem, true, || at_zero);
        }
        // The search begins at weaker penalties than the one that is asked for.
        let found = Self::find(problem, false, || at_zero.min(REACH * estimate(problem)))?;
        (found.least <= REACH * found.entry(problem)).then_some(found)
    }

    /// For a path of such a penalty, whose slope at 0 for λ = 1 is `slope`.
    pub(crate) fn of_path(problem: &Problem<'_>, is_convex: bool, slope: f64, grid: &Grid) -> Option<Self> {
        let least = || match grid {
            Grid::Spaced { min_ratio, .. } => min_ratio * estimate(problem),
            Grid::Given(lambdas) => slope * lambdas.last().copied().unwrap_or(0.0),
        };
        Self::find(problem, is_convex, least)
    }

    fn find(problem: &Problem<'_>, is_convex: bool, least: impl Fn() -> f64) -> Option<Self> {
        let x = problem.x();
        let is_wasteful = !x.is_sparse() || x.has_columns() || x.stored() < PARALLEL_ENTRIES;
        // Under a concave penalty the loss may rise for a while.
        let is_bounded = problem.loss() != Loss::SquaredHinge || is_convex;
        if is_wasteful || !is_bounded || is_shared(problem.team()) {
            return None;
        }
        let least = least();
        let most = most_gradients(problem);
        let factor = |j: usize| problem.regularizer().factor(j);
        // What violations are measured by must not change.
        let steepest = (0..most.len()).max_by(|&a, &b| factor(a).total_cmp(&factor(b)));
        let is_heavy =
            |&j: &usize| most[j] * (1.0 + ROUNDING) >= NEAR * factor(j) * least || Some(j) == steepest;
        let features: Vec<usize> = (0..most.len()).filter(is_heavy).collect();
        if 2 * features.len() > most.len() {
            return None;
        }
        drop(most);
        Some(Self { x: x.select_columns(&features), features, least })
    }

    /// The strength at which the first of them enters.
    fn entry(&self, problem: &Problem<'_>) -> f64 {
        let (narrow, mut silent) = (self.of(problem), Silent);
        let mut watch = Watch::new(&mut silent, Stopping::default(), problem.team());
        Convex::new(&narrow).without_features(&narrow.factors(), &mut watch)
    }

    /// The problem of these features.
    pub(crate) fn of<'b>(&'b self, problem: &Problem<'b>) -> Problem<'b> {
        problem.with_features(&*self.x, &self.features)
    }

    /// Their numbers in the whole problem again.
    pub(crate) fn back(&self, mut at: Snapshot) -> Snapshot {
        at.w.iter_mut().for_each(|(j, _)| *j = self.features[*j]);
        at
    }
}

/// A bound on |g_j| for every j.
fn most_gradients(problem: &Problem<'_>) -> Vec<f64> {
    let mut most = vec![0.0; problem.features()];
    if problem.loss() == Loss::SquaredHinge {
        for (i, cap) in problem.caps().iter().enumerate() {
            problem.x().row(i).for_each(|j, x| most[j] += cap * x * x);
        }
        let longest = 2.0 * problem.total_cap().sqrt();
        most.iter_mut().for_each(|most| *most = longest * most.sqrt());
    } else {
        for i in 0..problem.samples() {
            let top = problem.most_pull(i);
            problem.x().row(i).for_each(|j, x| most[j] += top * x.abs());
        }
    }
    most
}

/// About the strength at which the first feature enters, less a margin: by pulls that are equal in each class and
/// in balance if b is free.
fn estimate(problem: &Problem<'_>) -> f64 {
    let (y, caps) = (problem.y(), problem.caps());
    let total = |sign: f64| y.iter().zip(caps).filter(|(y, _)| **y == sign).map(|(_, cap)| cap).sum::<f64>();
    let (negative, positive) = (total(-1.0), total(1.0));
    let share = |y: f64| {
        let own = if y > 0.0 { positive } else { negative };
        if problem.has_intercept() { negative.min(positive) / own } else { 1.0 }
    };
    let pulls: Vec<f64> =
        y.iter().zip(caps).map(|(y, cap)| if *cap > 0.0 { y * cap * share(*y) } else { 0.0 }).collect();
    let g = transposed(problem.x(), &pulls);
    let entry = |(j, g): (usize, &f64)| match problem.regularizer().factor(j) {
        factor if factor > 0.0 => g.abs() / factor,
        _ => 0.0,
    };
    g.iter().enumerate().map(entry).fold(0.0, f64::max) / CAUTION
}
