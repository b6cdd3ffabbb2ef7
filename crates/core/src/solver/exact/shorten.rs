//! Coefficients that are longer than any sample asks for. Past the penalty's flat end length costs nothing, and a word that
//! three texts have, all of one class, may weigh a million: a Newton step along which hardly anything bends ends there. F is
//! the same with the least weight that puts these texts on the margin, and new texts with that word are not decided by it alone.

use super::snapshot::{Snapshot, scores};
use crate::team::least;
use crate::{Problem, Regularizer};

/// What may be shortened by less than this, relatively, is as long as it should be.
const LITTLE: f64 = 1e-3;
/// Margins stay this much above 1.
const ROUNDING: f64 = 1e-12;
/// Halvings between what is flat and what is not.
const HALVINGS: usize = 60;

/// A point with each coefficient as short as F allows, one after the other, the longest first. F is no higher, and samples
/// that had no pull have none.
pub(super) fn shortened(problem: &Problem<'_>, regularizer: &Regularizer, mut at: Snapshot) -> Snapshot {
    let is_flat = |j: usize, length: f64| regularizer.slope_of(j, length) == 0.0;
    let mut flat: Vec<usize> = (0..at.w.len()).filter(|&k| is_flat(at.w[k].0, at.w[k].1)).collect();
    if flat.is_empty() || regularizer.l2() > 0.0 {
        return at;
    }
    flat.sort_by(|&k, &l| at.w[l].1.abs().total_cmp(&at.w[k].1.abs()));
    let mut margins = scores(problem, &at.w, at.b);
    margins.iter_mut().zip(problem.y()).for_each(|(m, y)| *m *= y);
    let mut rooms: Vec<f64> = flat.iter().map(|&k| -room(problem, &margins, at.w[k])).collect();
    problem.team().max(&mut rooms);
    for (&k, first) in flat.iter().zip(rooms) {
        let (j, w) = at.w[k];
        let is_much = |room: f64| room > LITTLE * w.abs();
        // Most have none; of what there was, longer ones before it may have taken some.
        if !is_much(-first) {
            continue;
        }
        let room = least(problem.team(), room(problem, &margins, (j, w)));
        if !is_much(room) {
            continue;
        }
        let length = flat_end(|length| is_flat(j, length), (w.abs() - room).max(0.0), w.abs());
        let shorter = length.copysign(w);
        problem.x().column(j).for_each(|i, x| margins[i] += problem.y()[i] * x * (shorter - w));
        at.w[k].1 = shorter;
    }
    at.w.retain(|&(_, w)| w != 0.0);
    at
}

/// How much shorter a coefficient may be with every sample that it helps still beyond the margin.
fn room(problem: &Problem<'_>, margins: &[f64], (j, w): (usize, f64)) -> f64 {
    let mut room = f64::INFINITY;
    problem.x().column(j).for_each(|i, x| {
        let helps = problem.y()[i] * x * w.signum();
        if helps > 0.0 && problem.caps()[i] > 0.0 {
            room = room.min((margins[i] - 1.0 - ROUNDING) / helps);
        }
    });
    room
}

/// The least length from `short` on at which the penalty is flat, as it is at `long`.
fn flat_end(is_flat: impl Fn(f64) -> bool, short: f64, long: f64) -> f64 {
    if is_flat(short) {
        return short;
    }
    let halved = |(low, high): (f64, f64), _| {
        let middle = 0.5 * (low + high);
        if is_flat(middle) { (low, middle) } else { (middle, high) }
    };
    (0..HALVINGS).fold((short, long), halved).1
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::objective;
    use super::*;
    use crate::design::Dense;
    use crate::{Family, Loss, PenaltySpec};

    fn mcp() -> Regularizer {
        Regularizer::from_spec(&PenaltySpec { family: Family::Mcp, lambda: 0.1, theta: 3.0 }).unwrap()
    }

    #[test]
    fn what_no_sample_asks_for_goes_and_nothing_else() {
        // The second feature marks two samples of one class, the third a sample that needs it, the fourth no one of weight.
        let rows = [
            [1.0, 0.0, 0.0, 0.0],
            [0.5, 2.0, 0.0, 0.0],
            [0.5, 1.0, 0.0, 0.0],
            [-0.8, 0.0, -2.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        let x = Dense::from_rows(5, 4, rows.concat()).unwrap();
        let y = [1.0, 1.0, 1.0, -1.0, 1.0];
        let weights = vec![1.0, 1.0, 1.0, 1.0, 0.0];
        let problem = Problem::new(&x, &y, Loss::Hinge, mcp()).unwrap().without_intercept();
        let problem = problem.with_weights(&weights).unwrap();
        let at = Snapshot { w: vec![(0, 1.0), (1, 1e6), (2, 0.1), (3, -50.0)], b: 0.0, pulls: vec![0.0; 5] };
        let found = shortened(&problem, problem.regularizer(), at.clone());
        let lengths: Vec<f64> = found.w.iter().map(|(_, w)| *w).collect();
        // 0.5 + 1·w = 1 for the third sample; the first is on the margin with w₀ = 1; 0.3 is where MCP is flat.
        for (found, expected) in lengths.iter().zip([1.0, 0.5, 0.1, -0.3]) {
            assert!((found - expected).abs() < 1e-9, "{lengths:?}");
        }
        let [before, after] = [&at.w, &found.w].map(|w| objective(&problem, problem.regularizer(), w, 0.0));
        assert!((before - after).abs() < 1e-12, "F {before} and {after}");
    }

    #[test]
    fn what_is_no_number_stays_and_is_seen() {
        let x = Dense::from_rows(2, 3, vec![1.0, 0.0, 2.0, -1.0, 1.0, 0.0]).unwrap();
        let problem = Problem::new(&x, &[1.0, -1.0], Loss::Hinge, mcp()).unwrap();
        let w = vec![(0, f64::NAN), (1, f64::INFINITY), (2, -f64::MAX)];
        let found = shortened(&problem, problem.regularizer(), Snapshot { w, b: 0.0, pulls: vec![0.0; 2] }).w;
        assert!(found.len() == 3 && found[0].1.is_nan(), "{found:?}");
    }

    #[test]
    fn where_length_costs_it_stays() {
        let x = Dense::from_rows(2, 1, vec![1.0, -1.0]).unwrap();
        let at = || Snapshot { w: vec![(0, 50.0)], b: 0.0, pulls: vec![0.0; 2] };
        let ridge = mcp().with_l2(1e-3).unwrap();
        let l1 = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        for regularizer in [ridge, l1] {
            let problem = Problem::new(&x, &[1.0, -1.0], Loss::Hinge, regularizer).unwrap();
            assert_eq!(shortened(&problem, problem.regularizer(), at()).w, [(0, 50.0)]);
        }
    }
}
