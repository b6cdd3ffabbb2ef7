//! The line search. Along a direction the objective is convex and piecewise quadratic, so its slope is
//! monotone and piecewise linear, with jumps up where a coefficient passes zero: Newton's method on the
//! slope, inside a bracket, ends exactly.
//!
//! Where samples begin to bend on the way, the slope rises fast at first and less later on: Newton's method from beyond
//! the minimum then leads to before the start, and from the bracket's lower end to the minimum. So both ends are asked.

use super::newton::{EXACT, Weights};

/// Trials; four or five are usual.
const MOST_TRIALS: usize = 60;
/// The bracket is halved if Newton's method has not done so in this many trials.
const PATIENCE: usize = 3;
/// Rounding is not taken to leave a slope of more than this times the one at the start.
const NOISE: f64 = 0.1;
/// Curvatures that differ by less than this, relatively, are the same.
const SAME: f64 = 1e-9;

/// A point on the line.
#[derive(Debug, Clone, Copy)]
struct Place {
    t: f64,
    /// The slope there, …
    first: f64,
    /// … and its own derivative.
    second: f64,
}

impl Place {
    /// Where the slope would be 0 if it were a straight line.
    fn newton(&self) -> f64 {
        self.t - self.first / self.second
    }
}

/// The step length at which the slope is down to `precision` of `start`, what it is at 0. `loss_slope` gives
/// the loss's own part of the slope at t ≥ 0, and its derivative.
pub(super) fn search_line(
    loss_slope: impl Fn(f64) -> [f64; 2],
    start: f64,
    weights: &Weights,
    w: &[f64],
    direction: &[f64],
    precision: f64,
) -> f64 {
    let place_at = |t: f64| {
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
        Place { t, first, second }
    };
    // Beyond 1 only up to where the next coefficient passes zero.
    let passes = |p: usize| weights.slope[p] > 0.0 && w[p] * direction[p] < 0.0;
    let zeros = (0..direction.len()).filter(|&p| passes(p)).map(|p| -w[p] / direction[p]);
    let furthest = zeros.filter(|t| *t >= 1.0 - 1e-13).fold(f64::INFINITY, f64::min);
    search(place_at, start.abs(), furthest, precision)
}

/// The same for any convex function, up to `furthest`.
fn search(place_at: impl Fn(f64) -> Place, steep: f64, furthest: f64, precision: f64) -> f64 {
    let mut low = Place { t: 0.0, first: -steep, second: f64::NAN };
    let mut high: Option<Place> = None;
    let (mut t, mut from) = (furthest.min(1.0), None);
    let (mut width, mut waited) = (f64::INFINITY, 0);
    for _ in 0..MOST_TRIALS {
        let here = place_at(t);
        let (first, size) = (here.first, here.first.abs());
        // Past the minimum a small slope is no proof of descent: it may have been small for long. Unless it is nothing, what was
        // lost since the last point before the minimum must be less than what was gained up to there.
        let is_lower = size <= EXACT * steep || first * (t - low.t) <= -low.first * low.t;
        let is_rounding = size <= NOISE * steep && from.is_some_and(|from| is_in_vain(from, here));
        let is_small = size <= precision * steep || is_rounding;
        if is_small && is_lower {
            return t;
        }
        if first < 0.0 {
            if t >= furthest {
                return furthest;
            }
            low = here;
        } else {
            high = Some(here);
        }
        let Some(high) = high else {
            let newton = here.newton();
            from = (newton > t && newton < furthest).then_some(here);
            t = from.map_or((4.0 * t).min(furthest), |from| from.newton());
            continue;
        };
        let wide = high.t - low.t;
        if wide <= 1e-15f64.max(0.01 * precision) * high.t {
            return low.t;
        }
        waited = if wide <= 0.5 * width { 0 } else { waited + 1 };
        if waited == 0 {
            width = wide;
        }
        if low.second.is_nan() && !is_inside(here.newton(), low, high) {
            low.second = place_at(0.0).second;
        }
        let other = if first < 0.0 { high } else { low };
        let ask = |place: &Place| waited < PATIENCE && is_inside(place.newton(), low, high);
        from = [here, other].into_iter().find(ask);
        t = from.map_or(0.5 * (low.t + high.t), |from| from.newton());
    }
    low.t
}

/// True if Newton's method has not brought the slope down on the piece that it was on: only rounding can do that.
fn is_in_vain(from: Place, here: Place) -> bool {
    (here.second - from.second).abs() <= SAME * from.second && here.first.abs() > 0.5 * from.first.abs()
}

fn is_inside(t: f64, low: Place, high: Place) -> bool {
    t > low.t && t < high.t
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

    /// Widths and heights spread over nine and four powers of ten.
    fn bends(kind: usize) -> Vec<(f64, f64)> {
        let spread = |k: usize, by: f64| (k as f64 * by + kind as f64 * 0.414_213_562).fract();
        let bend =
            |k| (10f64.powf(-9.0 * spread(k, 0.618_033_989)), 10f64.powf(-4.0 * spread(k, 0.754_877_666)));
        (0..200).map(bend).collect()
    }

    /// The slope rises by `height` between 0 and `width`, by each of the bends.
    fn slope_of(bends: &[(f64, f64)], t: f64) -> [f64; 2] {
        let rise = |&(width, height): &(f64, f64)| height * (t / width).min(1.0);
        let bent = bends.iter().filter(|(width, _)| t < *width);
        [bends.iter().map(rise).sum(), bent.map(|(width, height)| height / width).sum()]
    }

    /// Most of the rise is at the beginning: from beyond Newton's method would lead to before the start. Slopes down to 1e-9 of what
    /// they are made of are mostly rounding.
    #[test]
    fn a_slope_that_levels_off_takes_few_trials() {
        let (mut most, mut all, mut searches) = (0, 0, 0);
        for kind in 0..50 {
            let bends = bends(kind);
            let [top, _] = slope_of(&bends, 1.0);
            for share in [1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9] {
                let trials = std::cell::Cell::new(0);
                let start = -share * top;
                let slope = |t: f64| {
                    trials.set(trials.get() + 1);
                    let [first, second] = slope_of(&bends, t);
                    [first + start, second]
                };
                let t = search_line(slope, start, &Weights::default(), &[], &[], EXACT);
                let left = slope_of(&bends, t)[0] + start;
                assert!(left.abs() <= 1e-12 * start.abs() + 1e-15 * top, "{kind} {share}: {left} is left");
                (most, all, searches) = (trials.get().max(most), all + trials.get(), searches + 1);
            }
        }
        assert!(most <= 20 && all <= 8 * searches, "{all} trials for {searches}, {most} for one of them");
    }

    #[test]
    fn a_slope_that_only_rounding_leaves_ends_the_search() {
        let slope = |t: f64| [t - 0.3 + 1e-10 * (1e12 * t).sin(), 1.0];
        let trials = std::cell::Cell::new(0);
        let counted = |t: f64| {
            trials.set(trials.get() + 1);
            slope(t)
        };
        let t = search_line(counted, -0.3, &Weights::default(), &[], &[], EXACT);
        assert!((t - 0.3).abs() < 1e-9 && trials.get() <= 5, "{t} after {} trials", trials.get());
    }
}
