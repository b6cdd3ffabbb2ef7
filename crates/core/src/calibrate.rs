//! Decision values → probabilities, by a sigmoid (Platt 1999).
//!
//! P(positive | s) = 1/(1 + exp(a·s + c)), with a and c of the largest likelihood for targets that are a
//! little inside 0 and 1, so that separable values do not run away. It is found by Newton's method with
//! halved steps, in the form that never takes the logarithm of a rounded 0 (Lin, Lin, Weng 2007, "A note on
//! Platt's probabilistic outputs for support vector machines"). The values must come from rows that the
//! model has not seen: from cross-validation, or from data that was put aside.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Newton steps; a dozen are usual.
const MOST_STEPS: usize = 100;
/// Both slopes below this, relative to the number of rows, end it.
const FLAT: f64 = 1e-9;
/// Added to the diagonal, so that equal values do not make it singular.
const RIDGE: f64 = 1e-12;
/// No step is halved further.
const SHORTEST: f64 = 1e-10;

/// P(positive | s) = 1/(1 + exp(a·s + c)).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sigmoid {
    /// Negative if larger values speak for the positive class.
    pub a: f64,
    /// The offset.
    pub c: f64,
}

impl Sigmoid {
    /// The probability of the positive class.
    pub fn probability(&self, score: f64) -> f64 {
        let z = self.a * score + self.c;
        // Neither exponential overflows.
        if z >= 0.0 { (-z).exp() / (1.0 + (-z).exp()) } else { 1.0 / (1.0 + z.exp()) }
    }

    /// Fits the sigmoid to decision values, labels ±1 and weights.
    ///
    /// # Errors
    /// If lengths differ, a value is not finite, or nothing has a positive weight.
    pub fn fit(scores: &[f64], y: &[f64], weights: &[f64]) -> Result<Self> {
        for (what, found) in [("labels", y.len()), ("sample weights", weights.len())] {
            if found != scores.len() {
                return Err(Error::Length { what, found, expected: scores.len() });
            }
        }
        if let Some(bad) = scores.iter().find(|score| !score.is_finite()) {
            return Err(Error::parameter("decision value", bad, "it must be a finite number"));
        }
        let weight_of = |sign: f64| {
            y.iter().zip(weights).filter(|(y, _)| (**y > 0.0) == (sign > 0.0)).map(|(_, c)| c).sum::<f64>()
        };
        let (positive, negative) = (weight_of(1.0), weight_of(-1.0));
        if !(positive + negative > 0.0 && (positive + negative).is_finite()) {
            return Err(Error::parameter("sample weights", positive + negative, "their sum is positive"));
        }
        let targets = Targets { high: (positive + 1.0) / (positive + 2.0), low: 1.0 / (negative + 2.0) };
        let rows = Rows { scores, y, weights, targets };
        let start = Self { a: 0.0, c: ((negative + 1.0) / (positive + 1.0)).ln() };
        Ok(rows.minimise(start, FLAT * (positive + negative)))
    }
}

/// What the sigmoid should say of each class.
struct Targets {
    high: f64,
    low: f64,
}

struct Rows<'a> {
    scores: &'a [f64],
    y: &'a [f64],
    weights: &'a [f64],
    targets: Targets,
}

impl Rows<'_> {
    /// Score, target and weight of each row.
    fn iter(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let target = |y: f64| if y > 0.0 { self.targets.high } else { self.targets.low };
        self.scores.iter().zip(self.y).zip(self.weights).map(move |((s, y), c)| (*s, target(*y), *c))
    }

    /// The negative logarithm of the likelihood.
    fn value(&self, at: Sigmoid) -> f64 {
        let row = |(s, t, c): (f64, f64, f64)| {
            let z = at.a * s + at.c;
            let folded = (-z.abs()).exp().ln_1p();
            c * if z >= 0.0 { t * z + folded } else { (t - 1.0) * z + folded }
        };
        self.iter().map(row).sum()
    }

    fn minimise(&self, mut at: Sigmoid, flat: f64) -> Sigmoid {
        let mut value = self.value(at);
        for _ in 0..MOST_STEPS {
            let (mut slopes, mut bends) = ([0.0; 2], [RIDGE, 0.0, RIDGE]);
            for (s, t, c) in self.iter() {
                let p = at.probability(s);
                let (slope, bend) = (c * (t - p), c * p * (1.0 - p));
                slopes = [slopes[0] + slope * s, slopes[1] + slope];
                bends = [bends[0] + bend * s * s, bends[1] + bend * s, bends[2] + bend];
            }
            if slopes.iter().all(|slope| slope.abs() < flat) {
                break;
            }
            let det = bends[0] * bends[2] - bends[1] * bends[1];
            let step = [
                -(bends[2] * slopes[0] - bends[1] * slopes[1]) / det,
                -(bends[0] * slopes[1] - bends[1] * slopes[0]) / det,
            ];
            let descent = slopes[0] * step[0] + slopes[1] * step[1];
            let mut length = 1.0;
            let found = loop {
                let next = Sigmoid { a: at.a + length * step[0], c: at.c + length * step[1] };
                let there = self.value(next);
                if there < value + 1e-4 * length * descent {
                    break Some((next, there));
                }
                length *= 0.5;
                if length < SHORTEST {
                    break None;
                }
            };
            let Some((next, there)) = found else { break };
            (at, value) = (next, there);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negative_likelihood(at: Sigmoid, scores: &[f64], y: &[f64]) -> f64 {
        let count = |sign: f64| y.iter().filter(|y| **y == sign).count() as f64;
        let (high, low) = ((count(1.0) + 1.0) / (count(1.0) + 2.0), 1.0 / (count(-1.0) + 2.0));
        let row = |(s, y): (&f64, &f64)| {
            let (p, t) = (1.0 / (1.0 + (at.a * s + at.c).exp()), if *y > 0.0 { high } else { low });
            -(t * p.ln() + (1.0 - t) * (1.0 - p).ln())
        };
        scores.iter().zip(y).map(row).sum()
    }

    #[test]
    fn no_sigmoid_of_a_grid_is_likelier() {
        let scores = [-2.0, -1.2, -0.4, 0.3, -0.1, 0.2, 0.8, 1.5, 2.2, 0.05];
        let y = [-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0];
        let found = Sigmoid::fit(&scores, &y, &[1.0; 10]).unwrap();
        let best = negative_likelihood(found, &scores, &y);
        assert!(found.a < 0.0);
        for i in -40..=40 {
            for k in -40..=40 {
                let other = Sigmoid { a: f64::from(i) * 0.1, c: f64::from(k) * 0.1 };
                assert!(best <= negative_likelihood(other, &scores, &y) + 1e-9);
            }
        }
    }

    #[test]
    fn a_weight_is_a_number_of_copies() {
        let (scores, y) = ([-1.0, 0.5, 1.0, -0.3], [-1.0, -1.0, 1.0, 1.0]);
        let weighted = Sigmoid::fit(&scores, &y, &[2.0, 1.0, 3.0, 1.0]).unwrap();
        let copied = [-1.0, -1.0, 0.5, 1.0, 1.0, 1.0, -0.3];
        let copies = Sigmoid::fit(&copied, &[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0], &[1.0; 7]).unwrap();
        assert!((weighted.a - copies.a).abs() < 1e-9 && (weighted.c - copies.c).abs() < 1e-9);
    }

    #[test]
    fn extremes_stay_numbers() {
        let separable = Sigmoid::fit(&[-1e6, -1e5, 1e5, 1e6], &[-1.0, -1.0, 1.0, 1.0], &[1.0; 4]).unwrap();
        for score in [-1e9, -1.0, 0.0, 1.0, 1e9] {
            let p = separable.probability(score);
            assert!((0.0..=1.0).contains(&p));
        }
        let equal = Sigmoid::fit(&[0.0; 4], &[-1.0, 1.0, 1.0, 1.0], &[1.0; 4]).unwrap();
        assert!((equal.probability(0.0) - 0.7).abs() < 0.1);
        assert!(Sigmoid::fit(&[f64::NAN], &[1.0], &[1.0]).is_err());
        assert!(Sigmoid::fit(&[1.0], &[1.0], &[]).is_err());
    }
}
