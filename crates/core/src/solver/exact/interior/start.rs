//! Where the interior point method begins: near a point that the method of multipliers has come to.
//!
//! What is known of a pair is the difference of its right numbers (t - s = m - 1, u - v = w), and from the point's pulls the left
//! ones (a and κ - a, Ω - h and Ω + h). Left numbers that are 0 there, or next to it, are taken further inside, and the right ones
//! are as small as they may be with products of μ. So nothing but these changes is missing, where the pulls are good.

use super::super::block::Block;
use super::super::newton::{Point, Weights};
use super::{Interior, step_effort};
use crate::Problem;

/// Products of the mean share of the gap, in this range; a sample with a loss of 1 has 1.
const PRODUCTS: (f64, f64) = (1e-9, 0.1);
/// With a gap of more than this share of F the point's pulls say nothing: it begins at the centre for the point's margins and
/// coefficients, with the larger products.
const NEAR: f64 = 0.3;
/// No left number is nearer to its ends than this share of their distance, unless its right ones are what takes it there.
const INSIDE: f64 = 0.01;

impl Interior {
    /// As near to a point as one can be inside; F has a constant. Nothing if numbers are too far apart for its units.
    pub(super) fn new(
        problem: &Problem<'_>,
        block: &Block<'_>,
        weights: &Weights,
        point: &Point,
        constant: f64,
    ) -> Option<Self> {
        let caps = problem.caps();
        let samples: Vec<usize> = (0..caps.len()).filter(|&i| caps[i] > 0.0).collect();
        let unit = samples.iter().map(|&i| caps[i]).sum::<f64>() / samples.len() as f64;
        let most: Vec<f64> = samples.iter().map(|&i| caps[i] / unit).collect();
        let (penalised, free): (Vec<usize>, Vec<usize>) =
            (0..block.width()).partition(|&p| weights.slope[p] > 0.0);
        let slope: Vec<f64> = penalised.iter().map(|&p| weights.slope[p] / unit).collect();
        if !most.iter().chain(&slope).all(|length| (2.0 * length).is_finite()) {
            return None;
        }
        let ridge = weights.ridge.iter().map(|ridge| ridge / unit).collect();
        let pairs = || (vec![0.0; samples.len()], vec![0.0; slope.len()]);
        let ((pulls, plus), (spare, minus)) = (pairs(), pairs());
        let left = [pulls, spare, plus.clone(), minus.clone()];
        let right = left.clone();
        let effort = step_effort(block);
        let w = point.w.clone();
        let (constant, length) = (constant / unit, 1.0);
        let mut at = Self {
            samples,
            most,
            penalised,
            slope,
            free,
            ridge,
            unit,
            constant,
            w,
            left,
            right,
            effort,
            length,
        };
        let of_all = |numbers: &[f64]| -> Vec<f64> { at.samples.iter().map(|&i| numbers[i]).collect() };
        let (margins, mut pulls) = (of_all(&point.margins), of_all(&point.pulls));
        pulls.iter_mut().for_each(|a| *a /= unit);
        let [objective, gap] = at.objective_and_gap(&margins, &pulls, &at.forces(block, &pulls));
        if gap <= NEAR * objective {
            let count = 2 * (at.samples.len() + at.slope.len());
            let mu = (gap / count as f64).clamp(PRODUCTS.0, PRODUCTS.1);
            at.begin(block, &margins, Some(&pulls), mu);
        } else {
            at.begin(block, &margins, None, PRODUCTS.1);
        }
        Some(at)
    }

    /// Begins again from where it is, as if nothing but the coefficients were known.
    pub(super) fn begin_again(&mut self, block: &Block<'_>) {
        let margins = self.forth(block, &self.w);
        self.begin(block, &margins, None, PRODUCTS.1);
    }

    /// With products of μ at least, near these pulls, or at the centre for the margins and coefficients.
    fn begin(&mut self, block: &Block<'_>, margins: &[f64], pulls: Option<&[f64]>, mu: f64) {
        let pair = |length: f64, x: Option<f64>, difference: f64| {
            let x = x.unwrap_or_else(|| length * central(length * difference / mu));
            Pair::inside(length, x, difference, mu)
        };
        for k in 0..self.samples.len() {
            self.put(0, k, &pair(self.most[k], pulls.map(|pulls| pulls[k]), margins[k] - 1.0));
        }
        let forces = self.forces(block, &self.left[0]);
        for k in 0..self.slope.len() {
            let (p, slope) = (self.penalised[k], self.slope[k]);
            let below = pulls.map(|_| slope - forces[p]);
            self.put(2, k, &pair(2.0 * slope, below, self.w[p]));
        }
        self.length = 1.0;
    }

    fn put(&mut self, first: usize, k: usize, pair: &Pair) {
        for side in 0..2 {
            self.left[first + side][k] = pair.left[side];
            self.right[first + side][k] = pair.right[side];
        }
    }
}

/// Left numbers that add up to a length, and right ones with a given difference.
#[derive(Debug)]
struct Pair {
    left: [f64; 2],
    right: [f64; 2],
}

impl Pair {
    /// With products of at least μ, and x on the left as near as it may be.
    fn inside(length: f64, x: f64, difference: f64, mu: f64) -> Self {
        let least = |z: f64| length * central(length * z / mu).min(INSIDE);
        let [from, to] = [least(difference), least(-difference)];
        let left = [x.clamp(from, length - to), (length - x).clamp(to, length - from)];
        let [first, second] = left.map(|x| mu / x);
        let right = match first > second + difference {
            true => [first, first - difference],
            false => [second + difference, second],
        };
        Self { left, right }
    }
}

/// x in (0, 1) with 1/x - 1/(1-x) = z.
fn central(z: f64) -> f64 {
    2.0 / (z + 2.0 + z.hypot(2.0)).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_inside_with_their_difference() {
        for length in [1e-6, 1.0, 30.0] {
            for mu in [1e-9, 1e-4, 0.1] {
                for difference in [-1e9, -3.0, -1e-7, 0.0, 1e-12, 0.2, 1e6] {
                    for x in [-5.0, 0.0, 1e-9, 0.3, 0.5, 1.0, 7.0].map(|x| x * length) {
                        let pair = Pair::inside(length, x, difference, mu);
                        let [a, b] = pair.left;
                        let [t, s] = pair.right;
                        let case = format!("{length}, {x}, {difference}, {mu}: {pair:?}");
                        assert!(a > 0.0 && b > 0.0 && (a + b - length).abs() <= 1e-9 * length, "{case}");
                        assert!(t > 0.0 && s > 0.0, "{case}");
                        assert!((t - s - difference).abs() <= 1e-9 * (t + s), "{case}");
                        assert!(a * t >= mu * (1.0 - 1e-9) && b * s >= mu * (1.0 - 1e-9), "{case}");
                        assert!((a * t).min(b * s) <= mu * (1.0 + 1e-9), "{case}");
                        if (0.01 * length..=0.99 * length).contains(&x) {
                            assert_eq!(a, x, "{case}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_centre_has_equal_products() {
        for z in [-1e12, -40.0, -0.1, 0.0, 1e-9, 2.0, 1e7] {
            let [x, rest] = [central(z), central(-z)];
            assert!(x > 0.0 && rest > 0.0 && (x + rest - 1.0).abs() < 1e-9, "{z}");
            assert!((1.0 / x - 1.0 / rest - z).abs() <= 1e-9 * z.abs().max(1.0), "{z}");
        }
    }
}
