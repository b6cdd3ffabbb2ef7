//! The best intercept for given scores Xw: a convex, piecewise quadratic problem in one variable.

use crate::Problem;

/// Enough for Newton on the pieces, and for the bisection that guards it.
const MOST_STEPS: usize = 200;

/// argmin over b of Σ_i (c_i/n) ℓ(y_i(s_i + b)), from `b`. The loss is a smooth one.
///
/// Safeguarded Newton: every point that is tried becomes an end of the bracket.
pub(super) fn best_intercept(problem: &Problem<'_>, scores: &[f64], b: f64) -> f64 {
    let (mut low, mut high) = bracket(problem, scores);
    // Scores that overflowed leave no bracket: b stays, and the certificate says what that is worth.
    if !(low <= high) {
        return b;
    }
    let mut b = b.clamp(low, high);
    for _ in 0..MOST_STEPS {
        let (force, curvature) = force(problem, scores, b);
        if force > 0.0 {
            low = b;
        } else if force < 0.0 {
            high = b;
        } else {
            break;
        }
        let newton = b + force / curvature;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        // Past this, b changes no margin.
        if (next - b).abs() <= f64::EPSILON * (1.0 + b.abs()) {
            break;
        }
        b = next;
    }
    b
}

/// Where all of one class, and where all of the other, is beyond the margin.
fn bracket(problem: &Problem<'_>, scores: &[f64]) -> (f64, f64) {
    let kinks = problem.y().iter().zip(scores).map(|(y, score)| y - score);
    kinks.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), kink| (low.min(kink), high.max(kink)))
}

/// Minus the derivative by b, and the second derivative.
fn force(problem: &Problem<'_>, scores: &[f64], b: f64) -> (f64, f64) {
    let loss = problem.loss();
    let (mut force, mut curvature) = (0.0, 0.0);
    for ((y, cap), score) in problem.y().iter().zip(problem.caps()).zip(scores) {
        let m = y * (score + b);
        force += y * cap * loss.pull(m);
        curvature += cap * loss.curvature(m);
    }
    (force, curvature)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, Loss, PenaltySpec, Regularizer};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_other_intercept_is_better(
            scores in prop::collection::vec(-4.0..4.0f64, 1..12), start in -9.0..9.0f64, pattern in 0u32..4096,
        ) {
            let n = scores.len();
            let x = Dense::from_rows(n, 1, &scores).unwrap();
            let y: Vec<f64> = (0..n).map(|i| if pattern >> i & 1 == 0 { -1.0 } else { 1.0 }).collect();
            for loss in [Loss::SquaredHinge, Loss::HuberHinge { delta: 0.3 }] {
                let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.0)).unwrap();
                let problem = Problem::new(&x, &y, loss, regularizer).unwrap();
                let mut scratch = vec![0.0; n];
                let mut value = |b: f64| problem.objective(&[1.0], b, &mut scratch);
                let best = value(best_intercept(&problem, &scores, start));
                for k in -400..=400 {
                    let other = value(f64::from(k) * 0.02);
                    prop_assert!(best <= other + 1e-13, "{loss}: {best} > {other}");
                }
            }
        }
    }
}
