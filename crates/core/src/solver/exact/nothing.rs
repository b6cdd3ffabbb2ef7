//! The last resort: where numbers overflow on the way, a model without features may be better than what came out.

use super::snapshot::{Snapshot, loss, objective};
use crate::Problem;

/// What came out must be so many times as high: less is a matter of tolerances, which the certificate judges.
const WORSE: f64 = 2.0;

/// `at`, unless w = 0 with an intercept of -1, 0 or 1 has a far lower objective.
pub(super) fn no_worse_than_nothing(problem: &Problem<'_>, at: Snapshot) -> Snapshot {
    let found = objective(problem, &at.w, at.b);
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
    use crate::{Family, Loss, PenaltySpec, Regularizer};

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
