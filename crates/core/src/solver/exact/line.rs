//! The line search. Along a direction the objective is convex and piecewise quadratic, so its slope is
//! monotone and piecewise linear, with jumps up where a coefficient passes zero: Newton's method on the
//! slope, inside a bracket, ends exactly.

use super::newton::Weights;

/// Trials; four or five are usual.
const MOST_TRIALS: usize = 60;

/// The step length at which the slope is down to `precision` of `start`, what it is at 0. `loss_slope` gives
/// the loss's own part of the slope at t > 0, and its derivative.
pub(super) fn search_line(
    loss_slope: impl Fn(f64) -> [f64; 2],
    start: f64,
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
            first += weights.slope[p] * sign * d;
            first += weights.ridge[p] * there * d;
            second += weights.ridge[p] * d * d;
        }
        (first, second)
    };
    // Beyond 1 only up to where the next coefficient passes zero.
    let passes = |p: usize| weights.slope[p] > 0.0 && w[p] * direction[p] < 0.0;
    let zeros = (0..direction.len()).filter(|&p| passes(p)).map(|p| -w[p] / direction[p]);
    let furthest = zeros.filter(|t| *t >= 1.0 - 1e-13).fold(f64::INFINITY, f64::min);
    let (mut low, mut gained, mut high) = (0.0, 0.0, f64::INFINITY);
    let mut t = furthest.min(1.0);
    for _ in 0..MOST_TRIALS {
        let (first, second) = slope_at(t);
        // Past the minimum a small slope is no proof of descent: it may have been small for long. What was lost since the
        // last point before the minimum must be less than what was gained up to there.
        if first.abs() <= precision * start.abs() && first * (t - low) <= gained {
            return t;
        }
        if first < 0.0 {
            if t >= furthest {
                return furthest;
            }
            (low, gained) = (t, -first * t);
        } else {
            high = t;
        }
        if high.is_finite() && high - low <= 1e-15f64.max(0.01 * precision) * high {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Down with slope -1 to `bend`, and then up a little, for long.
    fn found(bend: f64, up: f64, precision: f64) -> f64 {
        let slope = |t: f64| [if t < bend { -1.0 } else { up }, 0.0];
        search_line(slope, -1.0, &Weights::default(), &[], &[], precision)
    }

    #[test]
    fn a_small_slope_past_the_minimum_is_not_enough() {
        for (bend, up) in [(1e-6, 0.09), (1e-3, 0.01), (0.3, 0.09)] {
            let t = found(bend, up, 0.1);
            let change = -t.min(bend) + up * (t - bend).max(0.0);
            assert!(change < -0.1 * bend, "{bend} {up}: {t} changes the objective by {change}");
        }
        assert_eq!(found(2.0, 0.09, 0.1), 4.0, "rough, but lower");
    }

    #[test]
    fn a_parabola_takes_two_trials_at_most() {
        for bend in [0.2, 1.0, 3.0] {
            let trials = std::cell::Cell::new(0);
            let slope = |t: f64| {
                trials.set(trials.get() + 1);
                [t - bend, 1.0]
            };
            let t = search_line(slope, -bend, &Weights::default(), &[], &[], 1e-12);
            assert!((t - bend).abs() < 1e-12, "{t} for {bend}");
            assert!(trials.get() <= 2, "{} trials", trials.get());
        }
    }
}
