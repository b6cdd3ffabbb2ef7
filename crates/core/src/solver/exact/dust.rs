//! Coefficients that are what rounding left of a zero: a model should not name their features.

use super::convex::Snapshot;
use crate::Problem;

/// What moves no score by more than this times the most that any does.
const DUST: f64 = 1e-10;

/// A point that a solver has come to rest at, without its dust.
pub(super) fn without_dust(problem: &Problem<'_>, mut at: Snapshot) -> Snapshot {
    let largest = |&(j, _): &(usize, f64)| {
        let mut largest = 0.0f64;
        problem.x().column(j).for_each(|_, x| largest = largest.max(x.abs()));
        largest
    };
    let mut moves: Vec<f64> = at.w.iter().map(largest).collect();
    // In a team a sum of what each member has, which is as good.
    problem.sum(&mut moves);
    moves.iter_mut().zip(&at.w).for_each(|(moves, (_, w))| *moves *= w.abs());
    let least = DUST * moves.iter().copied().fold(0.0, f64::max);
    let mut moves = moves.iter();
    // What is no number, or is beside one that is none, stays and is seen.
    at.w.retain(|_| !moves.next().is_some_and(|moves| *moves < least && least.is_finite()));
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, Loss, PenaltySpec, Regularizer};

    #[test]
    fn dust_is_measured_in_units_of_the_columns() {
        // A column that is large, one that is ordinary, one that is tiny.
        let x = Dense::from_rows(2, 3, vec![1e8, 1.0, 1e-8, -1e8, 2.0, -1e-8]).unwrap();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        let problem = Problem::new(&x, &[1.0, -1.0], Loss::Hinge, regularizer).unwrap();
        let kept = |w: [f64; 3]| {
            let w = w.into_iter().enumerate().filter(|(_, w)| *w != 0.0).collect();
            let at = without_dust(&problem, Snapshot { w, b: 0.0, pulls: vec![0.0; 2] });
            at.w.iter().map(|(j, _)| *j).collect::<Vec<_>>()
        };
        assert_eq!(kept([1e-8, 1.0, 1e8]), [0, 1, 2]);
        assert_eq!(kept([1e-20, 1.0, 1e8]), [1, 2]);
        assert_eq!(kept([1e-8, 1e-13, 1e8]), [0, 2]);
        assert_eq!(kept([1e-8, 1.0, -1e-5]), [0, 1]);
        assert_eq!(kept([f64::NAN, 1.0, 0.0]), [0, 1]);
        assert_eq!(kept([0.0, 1e-200, 0.0]), [1]);
        assert_eq!(kept([f64::MAX, 1.0, 0.0]), [0, 1]);
    }
}
