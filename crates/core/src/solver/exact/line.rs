//! The line search. Along a direction the objective is convex and piecewise quadratic, so its slope is
//! monotone and piecewise linear, with jumps up where a coefficient passes zero: Newton's method on the
//! slope, inside a bracket, ends exactly.

use super::newton::Weights;

/// Trials; four or five are usual.
const MOST_TRIALS: usize = 60;

/// The step length at which the slope is down to `precision` of what it was at the start. `loss_slope` gives
/// the loss's own part of the slope at t, and its derivative.
pub(super) fn search_line(
    loss_slope: impl Fn(f64) -> [f64; 2],
    weights: &Weights,
    w: &[f64],
    direction: &[f64],
    precision: f64,
) -> f64 {
    let slope_at = |t: f64| {
        let [mut first, mut second] = loss_slope(t);
        for (p, &d) in direction.iter().enumerate().filter(|(_, d)| **d != 0.0) {
            let w = w[p];
            let there = w + t * d;
            // At zero, the side that it comes from.
            let at_zero = there.abs() <= 1e-13 * (t * d).abs();
            let sign = if at_zero && w != 0.0 { w.signum() } else { there.signum() };
            first += weights.slope[p] * if t == 0.0 && w == 0.0 { d.signum() } else { sign } * d;
            first += weights.ridge[p] * there * d;
            second += weights.ridge[p] * d * d;
        }
        (first, second)
    };
    // Beyond 1 only up to where the next coefficient passes zero.
    let passes = |p: usize| weights.slope[p] > 0.0 && w[p] * direction[p] < 0.0;
    let zeros = (0..direction.len()).filter(|&p| passes(p)).map(|p| -w[p] / direction[p]);
    let furthest = zeros.filter(|t| *t >= 1.0 - 1e-13).fold(f64::INFINITY, f64::min);
    let (start, _) = slope_at(0.0);
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut t = furthest.min(1.0);
    for _ in 0..MOST_TRIALS {
        let (first, second) = slope_at(t);
        if first.abs() <= precision * start.abs() {
            return t;
        }
        if first < 0.0 {
            if t >= furthest {
                return furthest;
            }
            low = t;
        } else {
            high = t;
        }
        if high - low <= 1e-15f64.max(0.01 * precision) * high {
            return low;
        }
        let newton = t - first / second;
        t = if newton > low && newton < high {
            newton.min(furthest)
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            (4.0 * low).min(furthest)
        };
    }
    low
}
