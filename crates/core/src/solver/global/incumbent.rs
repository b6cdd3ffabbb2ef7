//! The best point so far, and descents to better ones: reweighting (local linear approximation) with the
//! simplex method for the tangent problems, so that what comes out is a vertex with exact zeros and with
//! multipliers that prove it.

use super::cost::Cost;
use super::relax::Boxes;
use super::scaled::Scaled;
use super::simplex::Simplex;

/// Reweightings in one descent; a handful is usual.
const MOST_REWEIGHTINGS: usize = 100;
/// Objectives that differ by less than this, relatively, are the same.
const SAME: f64 = 1e-12;
/// What rounding may do to coefficients and slopes, relatively.
const ROUNDING: f64 = 1e-9;

/// The best point so far.
#[derive(Debug)]
pub(super) struct Incumbent<'a> {
    data: &'a Scaled<'a>,
    /// Where descents may go.
    boxes: Boxes,
    simplex: Simplex,
    /// Coefficients, b last.
    pub(super) w: Vec<f64>,
    /// Multipliers of the tangent problem at w.
    pub(super) beta: Vec<f64>,
    /// F there.
    pub(super) objective: f64,
}

impl<'a> Incumbent<'a> {
    /// Begins at a point and descends from there.
    pub(super) fn new(data: &'a Scaled<'a>, boxes: Boxes, fresh: &Simplex, w: Vec<f64>) -> Self {
        let objective = data.objective(&w);
        let beta = vec![0.0; data.n];
        let mut it = Self { data, boxes, simplex: fresh.clone(), w, beta, objective };
        let from = it.w.clone();
        it.descend(&from);
        it
    }

    /// Features that it keeps.
    pub(super) fn nonzeros(&self) -> usize {
        self.w[..self.data.d].iter().filter(|w| **w != 0.0).count()
    }

    /// Descends from a point; keeps what it finds if that is not worse than the best.
    pub(super) fn descend(&mut self, from: &[f64]) {
        let (mut w, mut objective) = (from.to_vec(), self.data.objective(from));
        for _ in 0..MOST_REWEIGHTINGS {
            self.touch(&w);
            self.simplex.minimise();
            let next = self.settled(self.simplex.coefficients());
            let value = self.data.objective(&next);
            // Relative to F, and to the loss at w = 0, which is the size of what is summed.
            let same = SAME * objective + 0.01 * SAME * self.data.force[self.data.d];
            let falls = value < objective - same;
            // If F does not fall, w solves its own tangent problem. So does the vertex, if it has the same
            // tangent, and that is preferred: its zeros are exact.
            if falls || self.same_tangent(&w, &next) {
                (w, objective) = (next, value);
            }
            if objective <= self.objective + same {
                self.w.clone_from(&w);
                self.beta = self.simplex.multipliers(&self.data.caps);
                self.objective = self.objective.min(objective);
            }
            if !falls {
                break;
            }
        }
    }

    /// Coefficients that miss 0 or the flat end of the penalty by rounding go there: the slope jumps at 0, and
    /// for the capped ℓ1 at the flat end too, where a solution may well stand.
    fn settled(&self, mut w: Vec<f64>) -> Vec<f64> {
        let largest = w.iter().fold(1.0f64, |most, w| most.max(w.abs()));
        for (j, w) in w.iter_mut().enumerate().take(self.data.d) {
            let flat = self.data.flat_end(j);
            if w.abs() <= SAME * largest {
                *w = 0.0;
            } else if (w.abs() - flat).abs() <= ROUNDING * flat && flat.is_finite() {
                *w = flat.copysign(*w);
            }
        }
        w
    }

    fn same_tangent(&self, a: &[f64], b: &[f64]) -> bool {
        (0..self.data.d).all(|j| {
            let (one, other) = (self.data.slope(j, a[j]), self.data.slope(j, b[j]));
            one == other || (one - other).abs() <= ROUNDING * self.data.force[j]
        })
    }

    /// Lays the tangent of the penalty at w under it.
    fn touch(&mut self, w: &[f64]) {
        for (j, [low, high]) in self.boxes.iter().copied().enumerate() {
            let slope = if j == self.data.d { 0.0 } else { self.data.slope(j, w[j]) };
            let wall =
                2.0 * (self.data.force[j] + if slope.is_finite() { slope } else { 0.0 }) + f64::MIN_POSITIVE;
            self.simplex.set_cost(
                j,
                if !slope.is_finite() || low == high {
                    Cost::chord(0.0, 0.0, 0.0, wall)
                } else {
                    Cost::tent(low, high, slope, slope, wall)
                },
            );
        }
    }
}
