//! The model without features: where the hinge begins, and the last resort, where numbers overflow on the way and it is better than
//! what came out.

use super::snapshot::{Snapshot, loss, objective};
use crate::Problem;

/// What came out must be so many times as high: less is a matter of tolerances, which the certificate judges.
const WORSE: f64 = 2.0;

/// w = 0 with a best intercept and best multipliers, for the hinge: the lighter class pulls with all its weight, and the other
/// with as much, each of its samples in proportion to its own.
pub(super) fn nothing_kept(problem: &Problem<'_>) -> Snapshot {
    let mut classes = [0.0; 2];
    for (y, cap) in problem.y().iter().zip(problem.caps()) {
        classes[usize::from(*y > 0.0)] += cap;
    }
    problem.sum(&mut classes);
    let [negative, positive] = classes;
    if !problem.has_intercept() || negative == positive {
        return Snapshot { w: Vec::new(), b: 0.0, pulls: problem.caps().to_vec() };
    }
    let heavier = if positive > negative { 1.0 } else { -1.0 };
    let share = negative.min(positive) / negative.max(positive);
    let pull = |(y, cap): (&f64, &f64)| if *y == heavier { share * cap } else { *cap };
    Snapshot { w: Vec::new(), b: heavier, pulls: problem.y().iter().zip(problem.caps()).map(pull).collect() }
}

/// `at`, unless w = 0 with an intercept of -1, 0 or 1 has a far lower objective.
pub(super) fn no_worse_than_nothing(problem: &Problem<'_>, at: Snapshot) -> Snapshot {
    let found = objective(problem, problem.regularizer(), &at.w, at.b);
    let intercepts: &[f64] = if problem.has_intercept() { &[0.0, -1.0, 1.0] } else { &[0.0] };
    let values = intercepts.iter().map(|&b| (b, loss(problem, |_| b)));
    let least = values.min_by(|left, right| left.1.total_cmp(&right.1));
    match least {
        // What is no number is worse than anything.
        Some((b, value)) if !(found <= WORSE * value) => {
            let pull = |(y, cap): (&f64, &f64)| cap * problem.loss().pull(y * b);
            let pulls = problem.y().iter().zip(problem.caps()).map(pull).collect();
            Snapshot { w: Vec::new(), b, pulls }
        }
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, Loss, PenaltySpec, Regularizer, certify};

    #[test]
    fn nothing_kept_is_proved_where_nothing_is_to_be_kept() {
        let x = Dense::from_rows(5, 1, vec![1.0, 2.0, -1.0, 0.5, 3.0]).unwrap();
        let regularizer = || Regularizer::from_spec(&PenaltySpec::new(Family::L1, 10.0)).unwrap();
        let problem = |y: &'static [f64; 5]| Problem::new(&x, y, Loss::Hinge, regularizer()).unwrap();
        let (mostly_positive, mostly_negative) =
            (&[1.0, 1.0, -1.0, 1.0, -1.0], &[-1.0, -1.0, -1.0, 1.0, -1.0]);
        for (problem, b) in [
            (problem(mostly_positive), 1.0),
            (problem(mostly_negative), -1.0),
            (problem(mostly_negative).with_weights(&[1.0, 0.0, 1.0, 2.0, 0.0]).unwrap(), 0.0),
            (problem(mostly_positive).without_intercept(), 0.0),
        ] {
            let at = nothing_kept(&problem);
            let proof = certify(&problem, &[0.0], at.b, &at.pulls);
            assert!(at.w.is_empty() && at.b == b && proof.within(1e-12), "{at:?} {proof:?}");
        }
    }

    #[test]
    fn only_what_is_worse_than_nothing_is_replaced() {
        let x = Dense::from_rows(3, 1, vec![1.0, 2.0, -1.0]).unwrap();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        let problem = Problem::new(&x, &[1.0, 1.0, -1.0], Loss::Hinge, regularizer).unwrap();
        let at = |w: f64, b: f64| Snapshot { w: vec![(0, w)], b, pulls: vec![0.0; 3] };
        assert_eq!(no_worse_than_nothing(&problem, at(1.0, 0.0)).w, [(0, 1.0)]);
        for bad in [at(-9.0, 0.0), at(0.5, 1e57), at(f64::NAN, 0.0), at(0.5, f64::INFINITY)] {
            let found = no_worse_than_nothing(&problem, bad);
            assert!(found.w.is_empty() && found.b == 1.0, "{found:?}");
        }
    }
}
