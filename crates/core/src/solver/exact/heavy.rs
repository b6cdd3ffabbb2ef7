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

/// A path of the hinge may begin at less than the strength that is known here: this much less is allowed for. If it
/// is lower still, the path starts again with all features.
const CAUTION: f64 = 4.0;
/// That strength is computed here by rows and there by columns: so much for their rounding.
const SLACK: f64 = 1e-6;
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
        Self::find(problem, false, || at_zero.min(REACH * strongest(problem)))
    }

    /// For a path of such a penalty, whose slope at 0 for λ = 1 is `slope`.
    pub(crate) fn of_path(problem: &Problem<'_>, is_convex: bool, slope: f64, grid: &Grid) -> Option<Self> {
        let least = || match grid {
            Grid::Spaced { min_ratio, .. } => min_ratio * strongest(problem) / CAUTION,
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

/// The strength at which the first feature enters, an upper bound for the hinge: as the solver finds it where it has
/// columns.
fn strongest(problem: &Problem<'_>) -> f64 {
    let factor = |j: usize| problem.regularizer().factor(j);
    // Pulls at w = 0 depend on the labels and on what is never penalised; one more, for a matrix has columns.
    let few: Vec<usize> = (0..problem.features()).filter(|&j| factor(j) == 0.0 || j == 0).collect();
    let x = problem.x().select_columns(&few);
    let small = problem.with_features(&*x, &few);
    let mut silent = Silent;
    let mut watch = Watch::new(&mut silent, Stopping { tol: 0.0, ..Stopping::default() }, problem.team());
    let mut convex = Convex::new(&small);
    convex.without_features(&small.factors(), &mut watch);
    let pulls: Vec<f64> = convex.snapshot().pulls.iter().zip(problem.y()).map(|(a, y)| a * y).collect();
    let g = transposed(problem.x(), &pulls);
    let entry = |(j, g): (usize, &f64)| if factor(j) > 0.0 { g.abs() / factor(j) } else { 0.0 };
    g.iter().enumerate().map(entry).fold(0.0, f64::max) * (1.0 - SLACK)
}
