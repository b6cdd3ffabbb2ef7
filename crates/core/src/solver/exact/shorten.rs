//! Where a model separates the data with room to spare and the penalty is flat, longer coefficients cost
//! nothing, and a solver may end at any length. Of all multiples that cost the same, the shortest is taken:
//! its decision values can be compared with those of other fits.

use super::convex::Snapshot;
use crate::{Problem, Regularizer};

/// Halvings in the search for where the penalty's flat part ends.
const HALVINGS: usize = 60;
/// Margins stay this much above 1, relatively.
const ROUNDING: f64 = 1e-12;

/// Multiplies (w, b) by the smallest factor that leaves F as it is.
pub(super) fn shorten(problem: &Problem<'_>, regularizer: &Regularizer, at: &mut Snapshot) {
    let mut scores = vec![at.b; problem.samples()];
    at.w.iter().for_each(|&(j, w)| problem.x().column(j).axpy(w, &mut scores));
    let rows = scores.iter().zip(problem.y()).zip(problem.caps()).filter(|(_, cap)| **cap > 0.0);
    let least = rows.map(|((score, y), _)| score * y).fold(f64::INFINITY, f64::min);
    if !(least > 1.0 && least.is_finite()) {
        return;
    }
    let cost = |factor: f64| at.w.iter().map(|&(j, w)| regularizer.value_of(j, factor * w)).sum::<f64>();
    let whole = cost(1.0);
    let (mut below, mut enough) = ((1.0 + ROUNDING) / least, 1.0);
    if cost(below) == whole {
        enough = below;
    }
    for _ in 0..HALVINGS {
        let middle = (below * enough).sqrt();
        if cost(middle) == whole { enough = middle } else { below = middle }
    }
    at.b *= enough;
    at.w.iter_mut().for_each(|(_, w)| *w *= enough);
}
