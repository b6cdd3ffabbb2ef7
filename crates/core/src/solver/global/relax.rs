//! The convex relaxation of F on a box, its safe bound, and what the bound excludes of the box.
//!
//! κp(|w|) is concave on either side of 0, so on [low, high] its convex envelope is the chord, or two chords
//! that meet at 0. Minimising the loss plus these is a linear program (`simplex`). Its value is never
//! believed: for ANY multipliers 0 ≤ β_i ≤ c_i/n, with g = Hᵀβ,
//!
//!   F(w, b) ≥ Σβ_i - Σ_j max over the box of (g_j w_j - κ_j p(|w_j|)) - max over its interval of b·yᵀβ,
//!
//! evaluated from the data, with the rounding of every sum counted against it. Each maximum is at an end of
//! the interval or at 0: the function is convex on either side of 0. Intervals may be long and g_j meant to be
//! 0, so g is summed in twice the precision.

use super::cost::Cost;
use super::scaled::{Scaled, last_false};
use super::simplex::Simplex;

/// An interval for each coefficient, and for b at last.
pub(super) type Boxes = Vec<[f64; 2]>;

/// Cutting less than this share off an interval is not worth the search for where to cut.
const WORTHWHILE: f64 = 0.05;

/// A bound on F over a box, and what it is made of.
#[derive(Debug)]
pub(super) struct Bound {
    /// No (w, b) in the box has a lower F.
    pub(super) value: f64,
    /// g_j, and yᵀβ at last.
    g: Vec<f64>,
    /// The maximum for each j: what the coefficient can take off Σβ.
    gains: Vec<f64>,
}

/// The envelope of the penalty of coefficient j (nothing for b) on an interval, with walls around it that no
/// multiplier can climb.
pub(super) fn envelope(data: &Scaled<'_>, j: usize, [low, high]: [f64; 2]) -> Cost {
    let (at_low, at_high) = (data.penalty(j, low), data.penalty(j, high));
    let wall = |steepest: f64| 2.0 * (data.force[j] + steepest) + f64::MIN_POSITIVE;
    if low < 0.0 && high > 0.0 {
        let (left, right) = (at_low / -low, at_high / high);
        Cost::tent(low, high, left, right, wall(left.max(right)))
    } else {
        let slope = if high > low { (at_high - at_low) / (high - low) } else { 0.0 };
        Cost::chord(low, high, slope, wall(slope.abs()))
    }
}

/// The envelope's value.
pub(super) fn envelope_at(data: &Scaled<'_>, j: usize, [low, high]: [f64; 2], w: f64) -> f64 {
    let share = |end: f64| if end == 0.0 { 0.0 } else { data.penalty(j, end) * (w / end) };
    if low < 0.0 && high > 0.0 {
        return if w < 0.0 { share(low) } else { share(high) };
    }
    let (at_low, at_high) = (data.penalty(j, low), data.penalty(j, high));
    if high > low { at_low + (at_high - at_low) * ((w - low) / (high - low)) } else { at_low }
}

/// Minimises the relaxation from where the simplex stands.
pub(super) fn solve(data: &Scaled<'_>, boxes: &Boxes, simplex: &mut Simplex) {
    for (j, interval) in boxes.iter().enumerate() {
        simplex.set_cost(j, envelope(data, j, *interval));
    }
    simplex.minimise();
}

impl Bound {
    /// The formula above.
    pub(super) fn new(data: &Scaled<'_>, boxes: &Boxes, beta: &[f64]) -> Self {
        Self::under(data, boxes, beta, |j, w| data.penalty(j, w))
    }

    /// The same for the loss alone.
    pub(super) fn of_loss(data: &Scaled<'_>, boxes: &Boxes, beta: &[f64]) -> f64 {
        Self::under(data, boxes, beta, |_, _| 0.0).value
    }

    fn under(data: &Scaled<'_>, boxes: &Boxes, beta: &[f64], penalty: impl Fn(usize, f64) -> f64) -> Self {
        let total: f64 = beta.iter().sum();
        let (mut g, mut gains) = (Vec::with_capacity(boxes.len()), Vec::with_capacity(boxes.len()));
        let (mut value, mut size, mut below) = (total, total, 0.0);
        for (j, interval) in boxes.iter().enumerate() {
            let (sum, absolute) = dot(data.column(j), beta);
            let gain = gain(sum, *interval, |w| penalty(j, w));
            let furthest = interval[0].abs().max(interval[1].abs());
            size += sum.abs() * furthest + penalty(j, furthest);
            below += absolute * furthest;
            value -= gain;
            g.push(sum);
            gains.push(gain);
        }
        let unit = (data.n + data.d + 16) as f64 * f64::EPSILON;
        Self { value: value - unit * size - unit * unit * below, g, gains }
    }

    /// Cuts off the box what cannot hold a point with F < cutoff: where coefficient j alone, all others at
    /// their best, makes the bound exceed it. False if nothing is left; else `shrunk` says whether an interval
    /// became substantially shorter.
    pub(super) fn tighten(
        &self,
        data: &Scaled<'_>,
        cutoff: f64,
        boxes: &mut Boxes,
        shrunk: &mut bool,
    ) -> bool {
        for (j, interval) in boxes.iter_mut().enumerate() {
            match self.allowed(data, j, cutoff, *interval) {
                None => return false,
                Some(cut) => {
                    *shrunk |= cut[1] - cut[0] < 0.8 * (interval[1] - interval[0]);
                    *interval = cut;
                }
            }
        }
        true
    }

    /// The hull of all t in the interval with κp(|t|) - g_j t ≤ cutoff - (bound without j).
    pub(super) fn allowed(
        &self,
        data: &Scaled<'_>,
        j: usize,
        cutoff: f64,
        interval: [f64; 2],
    ) -> Option<[f64; 2]> {
        let (spare, g) = (cutoff - (self.value + self.gains[j]), self.g[j]);
        let [low, high] = interval;
        let right = (high >= 0.0)
            .then(|| one_side(low.max(0.0), high, |t| data.penalty(j, t) - g * t <= spare))
            .flatten();
        let left = (low < 0.0)
            .then(|| one_side((-high).max(0.0), -low, |t| data.penalty(j, t) + g * t <= spare))
            .flatten()
            .map(|[near, far]| [-far, -near]);
        match (left, right) {
            (Some(left), Some(right)) => Some([left[0], right[1]]),
            (left, right) => left.or(right),
        }
    }
}

/// Σ h_i β_i as if in twice the precision (Ogita, Rump and Oishi 2005), and Σ |h_i| β_i.
fn dot(h: &[f64], beta: &[f64]) -> (f64, f64) {
    let (mut sum, mut rest, mut absolute) = (0.0f64, 0.0, 0.0);
    for (h, beta) in h.iter().zip(beta).filter(|(_, beta)| **beta != 0.0) {
        let product = h * beta;
        let next = sum + product;
        let back = next - sum;
        rest += (sum - (next - back)) + (product - back) + h.mul_add(*beta, -product);
        (sum, absolute) = (next, absolute + product.abs());
    }
    (sum + rest, absolute)
}

/// max over the interval of g·w - penalty(w).
fn gain(g: f64, [low, high]: [f64; 2], penalty: impl Fn(f64) -> f64) -> f64 {
    let at = |w: f64| g * w - penalty(w);
    let ends = at(low).max(at(high));
    if low < 0.0 && high > 0.0 { ends.max(0.0) } else { ends }
}

/// The hull of where a test holds on [near, far], for a test of the form "a concave function is at most so
/// much": it fails on an interval inside, at most.
fn one_side(near: f64, far: f64, holds: impl Fn(f64) -> bool) -> Option<[f64; 2]> {
    let margin = WORTHWHILE * (far - near);
    match (holds(near), holds(far)) {
        (false, false) => None,
        (true, true) => Some([near, far]),
        (true, false) if holds(far - margin) => Some([near, far]),
        (true, false) => Some([near, last_false(near, far, |t| !holds(t)).1]),
        (false, true) if holds(near + margin) => Some([near, far]),
        (false, true) => Some([last_false(near, far, &holds).0, far]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, Loss, PenaltySpec, Problem, Regularizer};
    use proptest::collection::vec;
    use proptest::prelude::*;

    const N: usize = 6;
    const D: usize = 3;

    /// A point at the given shares of each interval.
    fn inside(boxes: &Boxes, shares: &[f64]) -> Vec<f64> {
        boxes.iter().zip(shares).map(|([low, high], share)| low + share * (high - low)).collect()
    }

    proptest! {
        /// Whatever the multipliers and the box, no point of it is below the bound, and none that is below the
        /// cutoff is cut off.
        #[test]
        fn any_multipliers_give_a_bound_and_cut_off_nothing_better(
            x in vec(-3.0..3.0f64, N * D), beta in vec(0.0..1.0 / N as f64, N), lambda in 0.01..1.0f64,
            ends in vec((-4.0..4.0f64, 0.0..5.0f64), D + 1), shares in vec(0.0..=1.0f64, D + 1),
        ) {
            let x = Dense::from_rows(N, D, &x).unwrap();
            let y = [1.0, -1.0, 1.0, -1.0, 1.0, 1.0];
            for family in Family::ALL {
                let regularizer = Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap();
                let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
                let data = Scaled::new(&problem);
                let boxes: Boxes = ends.iter().map(|(low, length)| [*low, low + length]).collect();
                let point = inside(&boxes, &shares);
                let objective = data.objective(&point);
                let bound = Bound::new(&data, &boxes, &beta);
                prop_assert!(bound.value <= objective, "{family}: {} > {objective}", bound.value);
                let mut cut = boxes.clone();
                prop_assert!(bound.tighten(&data, objective * (1.0 + 1e-9), &mut cut, &mut false), "{family}");
                for (j, w) in point.iter().enumerate() {
                    prop_assert!(cut[j][0] <= *w && *w <= cut[j][1], "{family}: {w} is not in {:?}", cut[j]);
                    let miss = data.penalty(j, *w) - envelope_at(&data, j, boxes[j], *w);
                    prop_assert!(miss >= -1e-12, "{family}: the envelope is above the penalty by {miss}");
                }
            }
        }

        /// The simplex method's multipliers give the value of its own point: it is optimal.
        #[test]
        fn the_bound_of_the_simplex_method_is_attained(
            x in vec(-3.0..3.0f64, N * D), lambda in 0.01..0.5f64,
            ends in vec((-4.0..4.0f64, 0.0..5.0f64), D + 1),
        ) {
            let x = Dense::from_rows(N, D, &x).unwrap();
            let y = [1.0, -1.0, 1.0, -1.0, 1.0, 1.0];
            let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, lambda)).unwrap();
            let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
            let data = Scaled::new(&problem);
            let boxes: Boxes = ends.iter().map(|(low, length)| [*low, low + length]).collect();
            let mut simplex = Simplex::new(&data);
            solve(&data, &boxes, &mut simplex);
            let (w, beta) = (simplex.coefficients(), simplex.multipliers(&data.caps));
            let miss = |j: usize| data.penalty(j, w[j]) - envelope_at(&data, j, boxes[j], w[j]);
            let relaxed = data.objective(&w) - (0..D).map(miss).sum::<f64>();
            let bound = Bound::new(&data, &boxes, &beta).value;
            prop_assert!((relaxed - bound).abs() <= 1e-8 * (1.0 + relaxed), "{relaxed} {bound}");
            for (w, [low, high]) in w.iter().zip(&boxes) {
                prop_assert!(*w >= low - 1e-8 && *w <= high + 1e-8, "{w} is not in [{low}, {high}]");
            }
        }
    }
}
