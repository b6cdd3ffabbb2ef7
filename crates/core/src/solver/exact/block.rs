//! The working set: the columns of H = YX that may be nonzero, and y for the intercept, in units in which
//! each has length one.
//!
//! Columns stay where they are in the data; a block only knows which they are and how long. Its rows are
//! gathered when a Gram matrix is first asked for: what a Newton step on a narrow block costs is then of
//! the block's size, not of the data's.

use std::ops::Range;
use std::sync::OnceLock;

use faer::Mat;
use rayon::prelude::*;

use super::rows::Rows;
use crate::design::{PARALLEL_ENTRIES, Slice, lower_product, shares};
use crate::team::{Team, is_shared};
use crate::{Design, Problem};

/// Bands of rows for each thread in a product by columns, …
const BANDS: usize = 2;
/// … of at least so many rows.
const LEAST_BAND: usize = 1 << 12;

/// Some columns, scaled. The intercept, if free, is the last one.
#[derive(Debug)]
pub(super) struct Block<'a> {
    problem: &'a Problem<'a>,
    /// The features, ascending; the intercept is not among them.
    pub(super) features: Vec<usize>,
    /// Raw coefficient = scaled coefficient × scale.
    pub(super) scales: Vec<f64>,
    /// Where each column starts if one follows the other, and where the last one ends; the intercept is not counted.
    starts: Vec<usize>,
    rows: OnceLock<Rows>,
}

/// Where columns start.
fn starts_of(x: &dyn Design, columns: &[usize]) -> Vec<usize> {
    shares::starts(columns.iter().map(|&j| x.column(j).stored()))
}

/// 1/√squares, or 1 for a column that is zero or overflows.
fn unit_scale(squares: f64) -> f64 {
    let scale = 1.0 / squares.sqrt();
    if squares > 0.0 && scale.is_finite() { scale } else { 1.0 }
}

impl<'a> Block<'a> {
    /// No features yet.
    pub(super) fn empty(problem: &'a Problem<'a>) -> Self {
        let scales = if problem.has_intercept() { vec![unit_scale(problem.total_cap())] } else { Vec::new() };
        Self { problem, features: Vec::new(), scales, starts: vec![0], rows: OnceLock::new() }
    }

    /// Other features; lengths that are known already are not measured again.
    pub(super) fn with_features(&self, features: Vec<usize>) -> Self {
        let (x, caps) = (self.problem.x(), self.problem.caps());
        let known = |j: &usize| self.features.binary_search(j).ok();
        let new: Vec<usize> = features.iter().copied().filter(|j| known(j).is_none()).collect();
        let mut squares = vec![0.0; new.len()];
        shares::for_each(&starts_of(x, &new), &mut squares, &|k, squares| {
            x.column(new[k]).for_each(|i, value| *squares += caps[i] * value * value);
        });
        self.problem.sum(&mut squares);
        let mut squares = squares.into_iter();
        let scale = |j: &usize| match known(j) {
            Some(p) => self.scales[p],
            None => unit_scale(squares.next().unwrap_or(0.0)),
        };
        let mut scales: Vec<f64> = features.iter().map(scale).collect();
        scales.extend(&self.scales[self.features.len()..]);
        let starts = starts_of(x, &features);
        Self { problem: self.problem, features, scales, starts, rows: OnceLock::new() }
    }

    /// True if others hold rows too: sums over samples are then to be made over all.
    pub(super) fn is_shared(&self) -> bool {
        is_shared(self.problem.team())
    }

    pub(super) fn team(&self) -> &'a dyn Team {
        self.problem.team()
    }

    /// Replaces sums over the samples that are held here by sums over all.
    pub(super) fn sum(&self, numbers: &mut [f64]) {
        self.problem.sum(numbers);
    }

    /// The same with a count more, which is returned, in one go.
    pub(super) fn sum_with(&self, numbers: &mut Vec<f64>, count: usize) -> usize {
        if !self.is_shared() {
            return count;
        }
        numbers.push(count as f64);
        self.problem.sum(numbers);
        numbers.pop().unwrap_or(0.0) as usize
    }

    /// Samples that are held here.
    pub(super) fn samples(&self) -> usize {
        self.problem.samples()
    }

    /// Columns, the intercept counted.
    pub(super) fn width(&self) -> usize {
        self.scales.len()
    }

    pub(super) fn has_intercept(&self) -> bool {
        self.problem.has_intercept()
    }

    /// Stored entries, the intercept's counted.
    pub(super) fn stored(&self) -> usize {
        let of_intercept = if self.has_intercept() { self.problem.samples() } else { 0 };
        self.starts[self.features.len()] + of_intercept
    }

    /// The raw column of feature p of the block: entry i of the block's own is y_i · scale · this.
    pub(super) fn column(&self, p: usize) -> Slice<'a> {
        self.problem.x().column(self.features[p])
    }

    /// out = B v: by the rows, if they are gathered and v needs most of them, or by the columns that it needs.
    pub(super) fn times(&self, v: &[f64], out: &mut [f64]) {
        let last = self.features.len();
        if let Some(rows) = self.rows.get()
            && 2 * v.iter().filter(|v| **v != 0.0).count() > last
        {
            rows.times(v, out);
            return;
        }
        let used =
            (0..last).filter(|&p| v[p] != 0.0).map(|p| self.starts[p + 1] - self.starts[p]).sum::<usize>();
        let n = out.len();
        if used < PARALLEL_ENTRIES {
            self.times_in(0..n, v, out);
            return;
        }
        let band = n.div_ceil(BANDS * rayon::current_num_threads()).max(LEAST_BAND);
        out.par_chunks_mut(band).enumerate().for_each(|(k, out)| {
            self.times_in(k * band..k * band + out.len(), v, out);
        });
    }

    /// The same by columns, for some rows.
    fn times_in(&self, rows: Range<usize>, v: &[f64], out: &mut [f64]) {
        let last = self.features.len();
        out.fill(if self.has_intercept() { v[last] * self.scales[last] } else { 0.0 });
        for (p, &v) in v[..last].iter().enumerate().filter(|(_, v)| **v != 0.0) {
            self.column(p).axpy_in(rows.clone(), v * self.scales[p], out);
        }
        out.iter_mut().zip(&self.problem.y()[rows]).for_each(|(out, y)| *out *= y);
    }

    /// out = Bᵀ u, over the samples that are held here.
    pub(super) fn transposed_times(&self, u: &[f64], out: &mut [f64]) {
        let signed: Vec<f64> = u.iter().zip(self.problem.y()).map(|(u, y)| u * y).collect();
        let (of_features, of_intercept) = out.split_at_mut(self.features.len());
        shares::for_each(&self.starts, of_features, &|p, out| {
            *out = self.scales[p] * self.column(p).dot(&signed);
        });
        if let [out] = of_intercept {
            *out = self.scales[self.features.len()] * signed.iter().sum::<f64>();
        }
    }

    fn rows(&self) -> &Rows {
        self.rows.get_or_init(|| Rows::gather(self.problem, &self.features, &self.scales))
    }

    /// Row i: positions in the block, and entries.
    pub(super) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        self.rows().row(i)
    }

    /// The work of one entry of the weights in a Gram matrix.
    pub(super) fn gram_work(&self, i: usize) -> usize {
        if self.is_full() { self.width().pow(2) } else { self.rows().row(i).0.len().pow(2) }
    }

    /// True if no entry is missing.
    pub(super) fn is_full(&self) -> bool {
        self.stored() == self.problem.samples() * self.width()
    }

    /// The lower triangle of Bᵀ diag(weights) B on some columns of a full block, as a product of dense matrices.
    pub(super) fn dense_gram(&self, columns: &[usize], weights: &[f64]) -> Mat<f64> {
        let y = self.problem.y();
        let bent: Vec<(usize, f64)> = (0..weights.len())
            .filter(|&i| weights[i] != 0.0)
            .map(|i| (i, weights[i].sqrt() * y[i]))
            .collect();
        let mut part = Mat::<f64>::zeros(bent.len(), columns.len());
        let mut whole = vec![1.0; y.len()];
        for (c, &p) in columns.iter().enumerate() {
            match self.features.get(p) {
                Some(_) => self.column(p).for_each(|i, value| whole[i] = value),
                None => whole.fill(1.0),
            }
            let to = part.col_as_slice_mut(c);
            to.iter_mut().zip(&bent).for_each(|(to, &(i, root))| *to = root * self.scales[p] * whole[i]);
        }
        let mut gram = Mat::zeros(columns.len(), columns.len());
        lower_product(part.transpose(), part.as_ref(), gram.as_mut());
        gram
    }

    /// The lower triangle of Bᵀ diag(weights) B on some columns, over the samples that are held here.
    pub(super) fn gram(&self, columns: &[usize], weights: &[f64]) -> Mat<f64> {
        self.rows().gram(weights, columns)
    }

    /// The rows whose weight is not 0, times its root, on some columns only: positions are among these.
    pub(super) fn weighted_rows(&self, columns: &[usize], weights: &[f64]) -> Rows {
        self.rows().weighted(weights, columns)
    }

    /// Adds column p of Bᵀ diag(weights) B, above the diagonal too.
    pub(super) fn gram_column(&self, p: usize, weights: &[f64], out: &mut [f64]) {
        let (rows, y, scale) = (self.rows(), self.problem.y(), self.scales[p]);
        let mut add = |i: usize, value: f64| {
            let weight = weights[i] * y[i] * scale * value;
            if weight != 0.0 {
                let (at, entries) = rows.row(i);
                at.iter().zip(entries).for_each(|(&q, entry)| out[q as usize] += weight * entry);
            }
        };
        if p < self.features.len() {
            self.column(p).for_each(add);
        } else {
            (0..y.len()).for_each(|i| add(i, 1.0));
        }
    }

    /// Adds change · (row i)(row i)ᵀ to a lower triangle.
    pub(super) fn add_row(&self, i: usize, change: f64, gram: &mut Mat<f64>) {
        let (columns, values) = self.rows().row(i);
        for (k, (&p, &value)) in columns.iter().zip(values).enumerate() {
            let column = gram.col_as_slice_mut(p as usize);
            if columns.len() == column.len() {
                Slice::Dense(&values[k..]).axpy(change * value, &mut column[k..]);
            } else {
                Slice::Sparse { at: &columns[k..], values: &values[k..] }.axpy(change * value, column);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, Loss, PenaltySpec, Regularizer};

    #[test]
    fn products_are_those_of_the_entries_however_they_are_made() {
        let (n, d) = (23, 7);
        let values: Vec<f64> = (0..n * d).map(|k| ((k * 37 + 11) % 101) as f64 / 50.0 - 1.0).collect();
        let x = Dense::from_rows(n, d, &values[..]).unwrap();
        let y: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
        let block = Block::empty(&problem).with_features(vec![0, 2, 3, 6]);
        assert!(block.is_full() && block.width() == 5);
        let weights: Vec<f64> = (0..n).map(|i| if i % 4 == 0 { 0.0 } else { 0.1 * i as f64 }).collect();
        let columns = [0, 2, 4];
        let entry = |i: usize, p: usize| match block.features.get(p) {
            Some(&j) => y[i] * block.scales[p] * values[i * d + j],
            None => y[i] * block.scales[p],
        };
        let sum = |p: usize, q: usize| (0..n).map(|i| weights[i] * entry(i, p) * entry(i, q)).sum::<f64>();

        let (dense, some) = (block.dense_gram(&columns, &weights), block.gram(&columns, &weights));
        let by_rows = block.gram(&[0, 1, 2, 3, 4], &weights);
        let mut added = Mat::zeros(5, 5);
        (0..n).for_each(|i| block.add_row(i, weights[i], &mut added));
        // Rows are gathered by now: products by them are those by columns.
        let v = [0.5, -1.0, 2.0, 0.25, -0.75];
        let (mut margins, mut by_columns) = (vec![0.0; n], vec![0.0; n]);
        block.times(&v, &mut margins);
        Block::empty(&problem).with_features(vec![0, 2, 3, 6]).times(&v, &mut by_columns);
        for i in 0..n {
            let expected: f64 = (0..5).map(|p| entry(i, p) * v[p]).sum();
            assert!((margins[i] - expected).abs() + (by_columns[i] - expected).abs() < 1e-14, "{i}");
        }

        for (r, &p) in columns.iter().enumerate() {
            for (c, &q) in columns.iter().enumerate().take(r + 1) {
                for found in [dense[(r, c)], some[(r, c)], by_rows[(p, q)], added[(p, q)]] {
                    assert!((found - sum(p, q)).abs() < 1e-14, "{p}, {q}");
                }
            }
        }
    }
}
