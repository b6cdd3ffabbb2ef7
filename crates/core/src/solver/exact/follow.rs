//! Following a path of penalties: each fit starts where the last one ended.

use super::convex::{Convex, Snapshot};
use super::descent::Tangent;
use super::watch::Watch;
use crate::solver::{Silent, Stopping};
use crate::{Loss, Problem, Regularizer};

/// Descents are compared at this gap; only the better one goes on to the tolerance.
const ROUGH: f64 = 1e-2;
/// Steps of the search for λ_max; two or three are usual.
const MOST_TANGENTS: usize = 30;

/// Fits one problem under a sequence of regularisers that differ in the penalty's strength only.
#[derive(Debug)]
pub(crate) struct Follower<'a> {
    problem: &'a Problem<'a>,
    /// Follows the ℓ1 path.
    convex: Convex<'a>,
    /// Descends for the nonconvex penalty.
    shaped: Convex<'a>,
    /// The last solution.
    last: Option<Snapshot>,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>) -> Self {
        Self { problem, convex: Convex::new(problem), shaped: Convex::new(problem), last: None }
    }

    /// Solves for the next regulariser. `strength` is that of the ℓ1 path beside it, whose point is a
    /// second start for a nonconvex penalty: the last solution alone would keep early features forever.
    pub(crate) fn next(
        &mut self,
        regularizer: &Regularizer,
        strength: f64,
        tol: f64,
        watch: &mut Watch<'_>,
    ) -> Snapshot {
        let mut tangent = Tangent::new(regularizer, self.problem.features());
        if regularizer.penalty().concavity() == 0.0 {
            self.convex.solve(tangent.at_zero(), 0.0, tol, watch);
            return self.convex.snapshot();
        }
        let slopes: Vec<f64> =
            (0..self.problem.features()).map(|j| strength * regularizer.factor(j)).collect();
        self.convex.solve(&slopes, 0.0, ROUGH, watch);
        self.shaped.restore(&self.convex.snapshot());
        let fresh = tangent.descend(&mut self.shaped, ROUGH, watch);
        if let Some(last) = self.last.take() {
            self.shaped.restore(&last);
            let warm = tangent.descend(&mut self.shaped, ROUGH, watch);
            if fresh.objective < warm.objective {
                self.shaped.restore(&fresh.at);
            }
        }
        let found = tangent.descend(&mut self.shaped, tol, watch).at;
        self.last = Some(found.clone());
        found
    }
}

/// The ℓ1 strength from which on w = 0 is a solution (0 if it always is), the regulariser's factors counted.
///
/// Where the multipliers at w = 0 are unique (a smooth loss, no intercept, or classes of equal weight), it is
/// max_j |x_jᵀ(y∘β)|/κ_j. Else the least such value over all multipliers that are optimal at w = 0, an LP;
/// it is found through the value V(λ) = min F, which is concave with slope ‖w(λ)‖ and equals V(∞) from
/// λ_max on: where the tangent at some λ below reaches V(∞) is a better λ, still not above λ_max.
pub(crate) fn lambda_max(problem: &Problem<'_>) -> f64 {
    let factors: Vec<f64> = (0..problem.features()).map(|j| problem.regularizer().factor(j)).collect();
    let stopping = Stopping { tol: 0.0, max_iter: usize::MAX, max_time: None };
    let mut silent = Silent;
    let mut watch = Watch::new(&mut silent, stopping);
    let mut convex = Convex::new(problem);
    let free_features = factors.contains(&0.0);
    if problem.loss() != Loss::Hinge {
        return convex.first_entry(&factors, &mut watch);
    }
    if !free_features {
        if let Some(entry) = closed_form(problem, &factors) {
            return entry;
        }
    }
    let upper = convex.first_entry(&factors, &mut watch);
    let nothing = convex.loss_without_features(&factors, &mut watch);
    let mut lambda = 0.7 * upper;
    for _ in 0..MOST_TANGENTS {
        let slopes: Vec<f64> = factors.iter().map(|factor| factor * lambda).collect();
        convex.solve(&slopes, 0.0, 1e-10, &mut watch);
        let size: f64 = convex.coefficients().iter().map(|&(j, w)| factors[j] * w.abs()).sum();
        if size == 0.0 {
            break;
        }
        let value = convex.loss() + lambda * size;
        let better = lambda + (nothing - value) / size;
        if better <= lambda * (1.0 + 1e-9) {
            break;
        }
        lambda = better;
    }
    lambda
}

/// max_j |x_jᵀ(y∘c/n)|/κ_j, if every sample pulls with all its weight at w = 0.
fn closed_form(problem: &Problem<'_>, factors: &[f64]) -> Option<f64> {
    let pulls: Vec<f64> = problem.y().iter().zip(problem.caps()).map(|(y, cap)| y * cap).collect();
    let (signed, total): (f64, f64) = pulls.iter().fold((0.0, 0.0), |(s, t), p| (s + p, t + p.abs()));
    if problem.has_intercept() && signed.abs() > 1e-12 * total {
        return None;
    }
    let mut g = vec![0.0; factors.len()];
    problem.x().rmatvec(&pulls, &mut g);
    Some(g.iter().zip(factors).map(|(g, factor)| g.abs() / factor).fold(0.0, f64::max))
}
