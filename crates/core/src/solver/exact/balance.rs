//! Multipliers that balance the classes to the last bit. The certificate moves them there if they do not, and each of its moves
//! costs another pass over the data.

use super::parts;
use super::snapshot::Snapshot;
use crate::{Loss, Problem};

/// The second takes up what rounding left of the first.
const PASSES: usize = 2;

/// An imbalance of this share of the tolerance is nothing to it.
const LITTLE: f64 = 1e-3;

/// A point of the hinge whose multipliers balance but for a little, beside a tolerance, with multipliers that do: those strictly inside
/// their box make up the difference, each in proportion to its room there. Pulls of smooth losses are what the margins make them.
pub(super) fn balanced(problem: &Problem<'_>, mut at: Snapshot, tol: f64) -> Snapshot {
    if !problem.has_intercept() || problem.loss() != Loss::Hinge {
        return at;
    }
    let most = LITTLE * tol * problem.total_cap();
    for _ in 0..PASSES {
        let squared_room = |i: usize, pull: f64| pull.min(problem.most_pull(i) - pull).max(0.0).powi(2);
        let (pulls, y) = (&at.pulls, problem.y());
        let mut sums = parts::sums(pulls.len(), |samples| {
            let each = samples.map(|i| [pulls[i] * y[i], squared_room(i, pulls[i])]);
            each.fold([0.0; 2], |sums, each| [sums[0] + each[0], sums[1] + each[1]])
        });
        problem.sum(&mut sums);
        let [imbalance, rooms] = sums;
        // None then takes more than half of its room.
        let fits = rooms.is_finite() && imbalance.abs() < 0.5 * rooms.sqrt();
        if imbalance == 0.0 || imbalance.abs() > most || !fits {
            break;
        }
        for (i, (pull, y)) in at.pulls.iter_mut().zip(problem.y()).enumerate() {
            *pull -= y * imbalance * (squared_room(i, *pull) / rooms);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, PenaltySpec, Regularizer};

    #[test]
    fn what_is_nearly_balanced_is_balanced_and_stays_in_its_box() {
        let x = Dense::from_columns(4, 1, vec![1.0, 2.0, -1.0, 0.5]).unwrap();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        let y = [1.0, -1.0, 1.0, -1.0];
        let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
        let of = |pulls: [f64; 4]| {
            let at = Snapshot { w: Vec::new(), b: 0.0, pulls: pulls.to_vec() };
            balanced(&problem, at, 1.0).pulls
        };
        let imbalance = |pulls: &[f64]| pulls.iter().zip(y).map(|(pull, y)| pull * y).sum::<f64>();
        let found = of([0.25, 0.2, 0.0, 0.0501]);
        assert!(imbalance(&found).abs() < 1e-16, "{found:?}");
        assert!(found[0] == 0.25 && found[2] == 0.0, "what is at an end stays: {found:?}");
        assert!(found.iter().zip([0.25, 0.2, 0.0, 0.0501]).all(|(a, b)| (a - b).abs() < 1.1e-4));
        // Too far off, or without room: that is for the certificate to say.
        for far in [[0.25, 0.2, 0.0, 0.1], [0.25, 0.0, 0.0, 0.25 - 1e-5], [0.25, 0.0, 0.0, 0.0]] {
            assert_eq!(of(far), far);
        }
        assert_eq!(of([0.0; 4]), [0.0; 4]);
    }
}
