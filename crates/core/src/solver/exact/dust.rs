//! Tidying up at the end. Coefficients that are what rounding left of a zero, or what the accuracy that was asked for did, go:
//! a model should not name their features.

use super::shorten::shortened;
use super::snapshot::{Snapshot, loss, scores};
use super::widen::{brought_to, least_margin};
use crate::{Problem, Regularizer};

/// What moves no score by more than this times the most that any does.
const DUST: f64 = 1e-10;
/// What moves none by more than this goes too, if neither F nor what the certificate compares with its bound is higher without, …
const SPECK: f64 = 1e-6;
/// … but for this share of the tolerance.
const SHARE: f64 = 1e-3;

/// A point that a solver has come to rest at, within a tolerance and with this regulariser, without what means nothing: length
/// that no sample asks for, and dust.
pub(super) fn tidied(problem: &Problem<'_>, regularizer: &Regularizer, at: Snapshot, tol: f64) -> Snapshot {
    without_dust(problem, regularizer, shortened(problem, regularizer, at), tol)
}

fn without_dust(problem: &Problem<'_>, regularizer: &Regularizer, mut at: Snapshot, tol: f64) -> Snapshot {
    let moves = moves(problem, &at.w);
    let largest = moves.iter().copied().fold(0.0, f64::max);
    let above = |share: f64| -> Vec<(usize, f64)> {
        let least = share * largest;
        // What is no number, or is beside one that is none, stays and is seen.
        let kept = at.w.iter().zip(&moves).filter(|(_, moves)| !(**moves < least && least.is_finite()));
        kept.map(|(kept, _)| *kept).collect()
    };
    let clean = above(SPECK);
    at.w = above(DUST);
    if clean.len() == at.w.len() {
        return at;
    }
    let with = worth(problem, regularizer, &at);
    let is_as_good = |other: &Snapshot| {
        let without = worth(problem, regularizer, other);
        without.iter().zip(with).all(|(without, of_it)| *without <= of_it + SHARE * tol * with[0])
    };
    let without = Snapshot { w: clean, ..at.clone() };
    if is_as_good(&without) {
        return without;
    }
    apart_again(problem, without).filter(is_as_good).unwrap_or(at)
}

/// Rows that a speck held at the margin are beside it without: where classes are told apart and length costs nothing, a bit more of all
/// the others brings them back.
fn apart_again(problem: &Problem<'_>, at: Snapshot) -> Option<Snapshot> {
    let least = least_margin(problem, &at.w, at.b);
    (least > 0.0).then(|| brought_to(least, at))
}

/// F, and the loss with the tangent of the penalty.
fn worth(problem: &Problem<'_>, regularizer: &Regularizer, at: &Snapshot) -> [f64; 2] {
    let scores = scores(problem, &at.w, at.b);
    let loss = loss(problem, |i| scores[i]);
    let (mut penalty, mut tangent) = (0.0, 0.0);
    for &(j, w) in &at.w {
        penalty += regularizer.value_of(j, w);
        tangent += regularizer.slope_of(j, w) * w.abs();
    }
    [loss + penalty, loss + tangent]
}

/// The most that each coefficient moves a score; in a team the sum of what each member has, which is as good.
fn moves(problem: &Problem<'_>, w: &[(usize, f64)]) -> Vec<f64> {
    let largest = |&(j, _): &(usize, f64)| {
        let mut largest = 0.0f64;
        problem.x().column(j).for_each(|_, x| largest = largest.max(x.abs()));
        largest
    };
    let mut moves: Vec<f64> = w.iter().map(largest).collect();
    problem.sum(&mut moves);
    moves.iter_mut().zip(w).for_each(|(moves, (_, w))| *moves *= w.abs());
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, Loss, PenaltySpec};

    #[test]
    fn dust_is_measured_in_units_of_the_columns() {
        // A column that is large, one that is ordinary, one that is tiny.
        let x = Dense::from_rows(2, 3, vec![1e8, 1.0, 1e-8, -1e8, 2.0, -1e-8]).unwrap();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        let problem = Problem::new(&x, &[1.0, -1.0], Loss::Hinge, regularizer).unwrap();
        let kept = |w: [f64; 3]| {
            let w = w.into_iter().enumerate().filter(|(_, w)| *w != 0.0).collect();
            let at = Snapshot { w, b: 0.0, pulls: vec![0.0; 2] };
            let at = without_dust(&problem, problem.regularizer(), at, 0.0);
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

    /// At w = (1, 0) two samples have a margin of 1 or more; the third has none at all, so that no scale tells the classes apart.
    #[test]
    fn specks_go_unless_they_lower_the_objective() {
        let x = Dense::from_rows(3, 2, vec![1.0, 1.0, -1.0 - 3e-7, 0.0, 0.0, 0.0]).unwrap();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        let problem = Problem::new(&x, &[1.0, -1.0, 1.0], Loss::Hinge, regularizer).unwrap();
        let kept = |w: [f64; 2], tol: f64| {
            let at = Snapshot { w: vec![(0, w[0]), (1, w[1])], b: 0.0, pulls: vec![0.0; 3] };
            without_dust(&problem, problem.regularizer(), at, tol).w.len()
        };
        // The penalty alone speaks of it.
        assert_eq!(kept([1.0, 1e-7], 0.0), 1);
        assert_eq!(kept([1.0, 1e-5], 0.0), 2);
        // Without it the first margin is too small by 3·10⁻⁷, at a third of a unit of F each: F is higher by 2·10⁻⁷ of itself.
        assert_eq!(kept([1.0 - 3e-7, 3e-7], 1e-4), 2);
        assert_eq!(kept([1.0 - 3e-7, 3e-7], 1e-2), 1);
        // The regulariser that is meant decides, not the problem's own: with that one it would go.
        let own = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 100.0)).unwrap();
        let other = problem.with_regularizer(own).unwrap();
        let at = Snapshot { w: vec![(0, 1.0 - 3e-7), (1, 3e-7)], b: 0.0, pulls: vec![0.0; 3] };
        assert_eq!(without_dust(&other, other.regularizer(), at.clone(), 1e-4).w.len(), 1);
        assert_eq!(without_dust(&other, problem.regularizer(), at, 1e-4).w.len(), 2);
    }

    /// Past the flat end of its penalty a speck costs as much as the rest, so F is lower without. The rows that it held at the margin then
    /// have a loss, and pulls of 0 prove nothing, unless the others are longer by as little.
    #[test]
    fn specks_do_not_take_the_proof_with_them() {
        let x = Dense::from_rows(2, 2, vec![1.0, 1e-5, -1.0, 0.0]).unwrap();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, 1e-3)).unwrap();
        let problem = Problem::new(&x, &[1.0, -1.0], Loss::Hinge, regularizer).unwrap();
        // Both margins are 1. Without the speck F is half as much, though the first margin is 2·10⁻⁷ too small.
        let at = Snapshot { w: vec![(0, 1.0 - 1e-7), (1, 2e-2)], b: -1e-7, pulls: vec![0.0; 2] };
        let before = worth(&problem, problem.regularizer(), &at);
        let clean = without_dust(&problem, problem.regularizer(), at, 1e-4);
        let after = worth(&problem, problem.regularizer(), &clean);
        assert_eq!(clean.w.len(), 1);
        assert!(after[0] < 0.6 * before[0] && after[1] <= before[1] + 1e-12, "{before:?} {after:?}");
    }
}
