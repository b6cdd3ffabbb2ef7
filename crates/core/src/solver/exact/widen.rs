//! Where a model separates the data and its coefficients lie where the penalty is flat, F does not say which
//! of many models is meant: longer coefficients cost nothing, and neither does another direction that
//! separates too. The one with the widest margin is taken, as a support vector machine should: the shortest w
//! on the features that were chosen with y_i(x_iᵀw + b) ≥ 1 for every row.
//!
//! It is the minimiser of the hinge with a ridge part (ε/2)‖w‖² on these features, for every ε that is small
//! enough: the multipliers of the margins are at most ‖w‖², and with ε‖w‖² below the smallest c_i/n none of
//! them is capped.

use super::convex::{Convex, Snapshot};
use super::descent::{Aim, Found, Tangent};
use crate::solver::{Silent, Stopping, Watch};
use crate::team::least;
use crate::{Loss, Problem, Regularizer};

/// The accuracy of the widest margin, and the most steps to it.
const ACCURACY: f64 = 1e-6;
const MOST_STEPS: usize = 2_000;
/// Margins stay this much above 1, relatively.
const ROUNDING: f64 = 1e-12;
/// If F comes down by this, relatively, a wider margin is the start of a new descent.
const WORTHWHILE: f64 = 1e-9;
/// So often, at most.
const MOST_DESCENTS: usize = 5;

/// Widens the margin of what a descent found; where that lowers F, because coefficients leave the flat part,
/// the descent goes on from there.
pub(super) fn widened(
    problem: &Problem<'_>,
    tangent: &mut Tangent<'_>,
    mut found: Found,
    convex: &mut Convex<'_>,
    watch: &mut Watch<'_>,
) -> Found {
    for _ in 0..MOST_DESCENTS {
        let Some(wider) = widest(problem, tangent.regularizer(), &found.at) else { break };
        convex.restore(&wider);
        let objective = tangent.objective(convex);
        if objective < found.objective * (1.0 - WORTHWHILE) && !watch.stopped() {
            found = tangent.descend(convex, Aim::to(watch.tol()), watch);
        } else {
            if objective <= found.objective {
                found = Found { objective, at: wider };
            }
            break;
        }
    }
    convex.restore(&found.at);
    found
}

/// The least of the margins that count.
fn least_margin(problem: &Problem<'_>, w: &[(usize, f64)], b: f64) -> f64 {
    let mut scores = vec![b; problem.samples()];
    w.iter().for_each(|&(j, w)| problem.x().column(j).axpy(w, &mut scores));
    let rows = scores.iter().zip(problem.y()).zip(problem.caps()).filter(|(_, cap)| **cap > 0.0);
    least(problem.team(), rows.map(|((score, y), _)| score * y).fold(f64::INFINITY, f64::min))
}

fn squares(w: &[(usize, f64)]) -> f64 {
    w.iter().map(|(_, w)| w * w).sum()
}

/// The widest margin on the same features, if the model separates the data and lies where all is flat.
fn widest(problem: &Problem<'_>, regularizer: &Regularizer, at: &Snapshot) -> Option<Snapshot> {
    let is_flat = regularizer.l2() == 0.0 && at.w.iter().all(|&(j, w)| regularizer.slope_of(j, w) == 0.0);
    if at.w.is_empty() || !is_flat {
        return None;
    }
    let narrowest = least_margin(problem, &at.w, at.b);
    let shortest = squares(&at.w) / (narrowest * narrowest);
    if !(narrowest > 0.0 && shortest > 0.0 && shortest.is_finite()) {
        return None;
    }
    let caps = problem.caps().iter().copied().filter(|cap| *cap > 0.0);
    let cap = least(problem.team(), caps.fold(f64::INFINITY, f64::min));
    let mut slopes = vec![f64::INFINITY; problem.features()];
    at.w.iter().for_each(|&(j, _)| slopes[j] = 0.0);
    let ridge = regularizer.tangent(slopes.clone()).and_then(|r| r.with_l2(0.5 * cap / shortest)).ok()?;
    let hinge = problem.with_objective(Loss::Hinge, ridge).ok()?;
    let mut convex = Convex::new(&hinge);
    convex.restore(&Snapshot {
        w: at.w.iter().map(|&(j, w)| (j, w / narrowest)).collect(),
        b: at.b / narrowest,
        pulls: vec![0.0; problem.samples()],
    });
    let stopping = Stopping { tol: ACCURACY, max_iter: MOST_STEPS, max_time: None };
    convex.solve(&slopes, 0.0, ACCURACY, &mut Watch::new(&mut Silent, stopping, problem.team()));
    let Snapshot { w, b, .. } = convex.snapshot();
    let reached = least_margin(problem, &w, b);
    if !(reached > 0.0 && squares(&w) / (reached * reached) <= shortest) {
        // No wider: the one that there was, brought to length.
        return Some(brought_to(narrowest, at.w.clone(), at.b, problem.samples()));
    }
    Some(brought_to(reached, w, b, problem.samples()))
}

/// With a least margin of 1. No row pulls then: the loss is 0, and where all is flat nothing pulls back.
fn brought_to(least: f64, mut w: Vec<(usize, f64)>, mut b: f64, samples: usize) -> Snapshot {
    let factor = (1.0 + ROUNDING) / least;
    w.iter_mut().for_each(|(_, w)| *w *= factor);
    b *= factor;
    Snapshot { w, b, pulls: vec![0.0; samples] }
}
