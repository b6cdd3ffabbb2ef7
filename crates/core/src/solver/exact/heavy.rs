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
//! A feature for which that is below NEAR·κ_j·strength never violates and never comes near a working set, so the solver does
//! without it what it would do with it: to the last bit, as far as no limit of work falls elsewhere, for there is less to scan.
//! Most words and nearly all pairs of words of a text are that light. Of a matrix that was read by rows only the columns of the
//! others are then made, and all vectors over features have their length. Where columns are at hand the others are looked at
//! where they lie.
//!
//! The second bound is weak where features are rare. A single fit with the squared hinge therefore goes by the first one, with
//! the tops that pulls have where no margin is below -1, and looks afterwards whether all that was left out is
//! content; if not, it goes on with all features.

use std::sync::Arc;

use rayon::prelude::*;

use super::convex::{Convex, NEAR};
use super::leap;
use super::scout::reach;
use super::snapshot::Snapshot;
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

/// The least margin that a bound of pulls which have no top goes by.
const USUAL_MARGIN: f64 = -1.0;

/// What is left of the features, and down to which strength the others do not matter.
#[derive(Debug)]
pub(crate) struct Heavy<'a> {
    x: Box<dyn Design + 'a>,
    /// Their numbers in the whole problem, ascending; they may be a million, so they are shared.
    pub(crate) features: Arc<Vec<usize>>,
    /// As a slope of the ℓ1 norm.
    pub(crate) least: f64,
    bound: Bound,
}

/// What speaks against the features that were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Proved,
    /// To be looked at afterwards.
    Usual,
}

impl<'a> Heavy<'a> {
    /// For a fit from w = 0 with so many starts; nothing if all features had better stay.
    pub(super) fn of_fit(problem: &Problem<'a>, starts: usize) -> Option<Self> {
        let penalty = problem.regularizer().penalty();
        let at_zero = penalty.slope_at(0.0);
        let has_top = problem.loss() != Loss::SquaredHinge;
        if penalty.concavity() == 0.0 {
            let bound = if has_top { Bound::Proved } else { Bound::Usual };
            return Self::find(problem, bound, || Some(at_zero));
        }
        // The search begins at weaker penalties than the one that is asked for, and its loss may rise for a while.
        let weakest = || {
            let strongest = strongest(problem)?;
            let leaps = leap::is_enough(problem, starts);
            Some(if leaps {
                leap::weakest(problem, strongest)
            } else {
                at_zero.min(reach(problem) * strongest)
            })
        };
        if has_top { Self::find(problem, Bound::Proved, weakest) } else { None }
    }

    /// For a path of such a penalty, whose slope at 0 for λ = 1 is `slope`.
    pub(crate) fn of_path(problem: &Problem<'a>, is_convex: bool, slope: f64, grid: &Grid) -> Option<Self> {
        if problem.loss() == Loss::SquaredHinge && !is_convex {
            return None;
        }
        let least = || match grid {
            Grid::Spaced { min_ratio, .. } => Some(min_ratio * strongest(problem)? / CAUTION),
            Grid::Given(lambdas) => lambdas.last().map(|lambda| slope * lambda),
        };
        Self::find(problem, Bound::Proved, least)
    }

    fn find(problem: &Problem<'a>, bound: Bound, least: impl Fn() -> Option<f64>) -> Option<Self> {
        let x = problem.x();
        if !x.is_sparse() || is_shared(problem.team()) || x.stored() < PARALLEL_ENTRIES {
            return None;
        }
        let least = least()?;
        let most = most_gradients(problem, bound);
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
        Some(Self { x: x.select_columns(&features)?, features: Arc::new(features), least, bound })
    }

    /// True if nothing that was left out violates at the point that was found for the others.
    pub(super) fn is_enough(&self, problem: &Problem<'_>, at: &Snapshot) -> bool {
        if self.bound == Bound::Proved {
            return true;
        }
        let g = gradient(problem, at);
        let mut kept = self.features.iter().peekable();
        let mut is_out = |j: usize| kept.next_if(|kept| **kept == j).is_none();
        let slope = |j: usize| self.least * problem.regularizer().factor(j);
        g.iter().enumerate().all(|(j, g)| !is_out(j) || g.abs() <= slope(j))
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
fn most_gradients(problem: &Problem<'_>, bound: Bound) -> Vec<f64> {
    let caps = problem.caps();
    match (problem.loss(), bound) {
        (_, Bound::Usual) => {
            let pull = problem.loss().pull(USUAL_MARGIN);
            sums(problem.x(), |i, x| pull * caps[i] * x.abs())
        }
        (Loss::SquaredHinge, Bound::Proved) => {
            let longest = 2.0 * problem.total_cap().sqrt();
            let squares = sums(problem.x(), |i, x| caps[i] * x * x);
            squares.iter().map(|squares| longest * squares.sqrt()).collect()
        }
        (_, Bound::Proved) => sums(problem.x(), |i, x| problem.most_pull(i) * x.abs()),
    }
}

/// Σ_i of something, for every j, by rows if they are at hand. Threads share the features.
fn sums(x: &dyn Design, term: impl Fn(usize, f64) -> f64 + Sync) -> Vec<f64> {
    let mut sums = vec![0.0; x.cols()];
    let width = x.cols().div_ceil(rayon::current_num_threads()).max(1);
    sums.par_chunks_mut(width).enumerate().for_each(|(part, sums)| {
        let first = part * width;
        let features = first..first + sums.len();
        if x.has_rows() {
            let add = |i: usize| x.row(i).for_each_in(features.clone(), |j, x| sums[j - first] += term(i, x));
            (0..x.rows()).for_each(add);
        } else {
            let of = |(k, sum): (usize, &mut f64)| x.column(first + k).for_each(|i, x| *sum += term(i, x));
            sums.iter_mut().enumerate().for_each(of);
        }
    });
    sums
}

/// The strength at which the first feature enters, an upper bound for the hinge: as the solver finds it where it has
/// columns.
fn strongest(problem: &Problem<'_>) -> Option<f64> {
    let factor = |j: usize| problem.regularizer().factor(j);
    // Pulls at w = 0 depend on the labels and on what is never penalised; one more, for a matrix has columns.
    let few: Vec<usize> = (0..problem.features()).filter(|&j| factor(j) == 0.0 || j == 0).collect();
    let x = problem.x().select_columns(&few)?;
    let small = problem.with_features(&*x, &few);
    let mut silent = Silent;
    let mut watch = Watch::new(&mut silent, Stopping { tol: 0.0, ..Stopping::default() }, problem.team());
    let mut convex = Convex::new(&small);
    convex.without_features(&small.factors(), &mut watch);
    let g = gradient(problem, &convex.snapshot());
    let entry = |(j, g): (usize, &f64)| if factor(j) > 0.0 { g.abs() / factor(j) } else { 0.0 };
    Some(g.iter().enumerate().map(entry).fold(0.0, f64::max) * (1.0 - SLACK))
}

/// Xᵀ(y∘a) over all features.
fn gradient(problem: &Problem<'_>, at: &Snapshot) -> Vec<f64> {
    let signed: Vec<f64> = at.pulls.iter().zip(problem.y()).map(|(a, y)| a * y).collect();
    transposed(problem.x(), &signed)
}
