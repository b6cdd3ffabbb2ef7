//! The problem in the units of the search: a dense copy with labels multiplied in, columns of about unit
//! size, samples of weight 0 left out. Scales are powers of two, so that scaling rounds nothing.

use crate::{Problem, Regularizer};

/// H = YX by columns, scaled; w here is w of the problem times its scale.
#[derive(Debug)]
pub(super) struct Scaled<'a> {
    /// Samples that count.
    pub(super) n: usize,
    /// Features.
    pub(super) d: usize,
    /// Column j is `h[j * n..][..n]`; the last one, of number d, is y for the intercept.
    h: Vec<f64>,
    /// c_i/n.
    pub(super) caps: Vec<f64>,
    /// Where the samples stand in the problem.
    rows: Vec<usize>,
    /// Raw coefficient = coefficient / scale.
    scales: Vec<f64>,
    /// Σ_i caps_i|h_ij|: the most that the loss can pull at coefficient j.
    pub(super) force: Vec<f64>,
    /// From here on the penalty is constant; ∞ if it never is. Raw units.
    flat: f64,
    regularizer: &'a Regularizer,
    /// True if b is free.
    pub(super) intercept: bool,
}

impl<'a> Scaled<'a> {
    pub(super) fn new(problem: &'a Problem<'_>) -> Self {
        let (y, d) = (problem.y(), problem.features());
        let rows: Vec<usize> = (0..y.len()).filter(|&i| problem.caps()[i] > 0.0).collect();
        let mut place = vec![None; y.len()];
        rows.iter().enumerate().for_each(|(k, &i)| place[i] = Some(k));
        let n = rows.len();
        let caps: Vec<f64> = rows.iter().map(|&i| problem.caps()[i]).collect();
        let mut h = vec![0.0; n * (d + 1)];
        let mut scales = vec![1.0; d + 1];
        for (j, column) in h.chunks_exact_mut(n).enumerate() {
            if j == d {
                column.iter_mut().zip(&rows).for_each(|(h, &i)| *h = y[i]);
                break;
            }
            problem.x().column(j).for_each(|i, value| {
                if let Some(k) = place[i] {
                    column[k] = y[i] * value;
                }
            });
            let largest = column.iter().fold(0.0f64, |most, h| most.max(h.abs()));
            if largest > 0.0 {
                scales[j] = 2f64.powi(largest.log2().round() as i32);
                column.iter_mut().for_each(|h| *h /= scales[j]);
            }
        }
        let of = |column: &[f64]| column.iter().zip(&caps).map(|(h, cap)| cap * h.abs()).sum();
        let force = h.chunks_exact(n).map(of).collect();
        let regularizer = problem.regularizer();
        let flat = flat_end(regularizer);
        Self { n, d, h, caps, rows, scales, force, flat, regularizer, intercept: problem.has_intercept() }
    }

    /// Column j of H; y for j = d.
    pub(super) fn column(&self, j: usize) -> &[f64] {
        &self.h[j * self.n..][..self.n]
    }

    /// κ_j p(|w|); 0 for the intercept.
    #[inline]
    pub(super) fn penalty(&self, j: usize, w: f64) -> f64 {
        if j == self.d {
            return 0.0;
        }
        self.regularizer.factor(j) * self.regularizer.penalty().value_at(w.abs() / self.scales[j])
    }

    /// The slope of that to the right of |w|.
    pub(super) fn slope(&self, j: usize, w: f64) -> f64 {
        self.regularizer.slope_of(j, w / self.scales[j]) / self.scales[j]
    }

    /// From this |w_j| on the penalty is constant.
    pub(super) fn flat_end(&self, j: usize) -> f64 {
        if j == self.d || self.regularizer.factor(j) == 0.0 { 0.0 } else { self.flat * self.scales[j] }
    }

    /// The least |w_j|, from above, whose penalty alone exceeds `value`; ∞ if there is none.
    pub(super) fn exceeding(&self, j: usize, value: f64) -> f64 {
        let exceeds = |w: f64| self.penalty(j, w) > value;
        let mut high = self.scales[j];
        while !exceeds(high) {
            high *= 2.0;
            if high > 1e30 || high >= 2.0 * self.flat_end(j) {
                return f64::INFINITY;
            }
        }
        last_false(0.0, high, exceeds).1
    }

    /// F and the true margins' shortfalls 1 - m_i, at w with b last.
    pub(super) fn objective(&self, w: &[f64]) -> f64 {
        let mut short = vec![1.0; self.n];
        for (j, w) in w.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            short.iter_mut().zip(self.column(j)).for_each(|(short, h)| *short -= h * w);
        }
        let loss: f64 = short.iter().zip(&self.caps).map(|(short, cap)| cap * short.max(0.0)).sum();
        loss + (0..self.d).filter(|&j| w[j] != 0.0).map(|j| self.penalty(j, w[j])).sum::<f64>()
    }

    /// Coefficients and intercept of the problem in units of the search, b last.
    pub(super) fn scaled_point(&self, w: &[f64], b: f64) -> Vec<f64> {
        w.iter().chain(&[b]).zip(&self.scales).map(|(w, scale)| w * scale).collect()
    }

    /// And back.
    pub(super) fn raw_point(&self, w: &[f64]) -> (Vec<f64>, f64) {
        let raw = w.iter().zip(&self.scales).take(self.d).map(|(w, scale)| w / scale).collect();
        (raw, w[self.d])
    }

    /// Multipliers of all samples, 0 for those that do not count.
    pub(super) fn all_samples(&self, beta: &[f64], samples: usize) -> Vec<f64> {
        let mut all = vec![0.0; samples];
        self.rows.iter().zip(beta).for_each(|(&i, beta)| all[i] = *beta);
        all
    }
}

/// Where the slope of the penalty has come down to 0, rounded up; ∞ if nowhere.
fn flat_end(regularizer: &Regularizer) -> f64 {
    let is_flat = |t: f64| regularizer.penalty().slope_at(t) == 0.0;
    if is_flat(0.0) {
        return 0.0;
    }
    let mut high = 1e-12;
    while !is_flat(high) {
        high *= 2.0;
        if high > 1e15 {
            return f64::INFINITY;
        }
    }
    last_false(0.0, high, is_flat).1
}

/// The change of a monotone test from false at `low` to true at `high`, bracketed to the last bits.
pub(super) fn last_false(mut low: f64, mut high: f64, test: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if !(middle > low && middle < high) {
            break;
        }
        if test(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low, high)
}
