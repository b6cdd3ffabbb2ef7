//! The working set as a matrix of its own: the columns of H = YX that may be nonzero, and y for the
//! intercept, gathered, scaled to unit size and held by columns and by rows.
//!
//! Everything that a Newton step costs is of this size, not of the data's.

use faer::Mat;
use rayon::prelude::*;

use crate::Problem;
use crate::design::PARALLEL_ENTRIES;

/// Rows of one band of [`Rows::index`].
const BAND_ROWS: usize = 4096;

/// Gathered columns. The intercept, if free, is the last one.
#[derive(Debug)]
pub(super) struct Block {
    /// The features, ascending; the intercept is not among them.
    pub(super) features: Vec<usize>,
    /// Raw coefficient = scaled coefficient × scale.
    pub(super) scales: Vec<f64>,
    intercept: bool,
    column_starts: Vec<usize>,
    column_rows: Vec<u32>,
    column_values: Vec<f64>,
    rows: Rows,
}

/// The same entries by rows.
#[derive(Debug)]
struct Rows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    /// In bands of rows, in parallel: each band finds its part of every column.
    fn index(n: usize, column_starts: &[usize], column_rows: &[u32], column_values: &[f64]) -> Self {
        let mut starts = vec![0usize; n + 1];
        column_rows.iter().for_each(|&i| starts[i as usize + 1] += 1);
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        let (mut columns, mut values) = (vec![0u32; column_rows.len()], vec![0.0; column_rows.len()]);
        let (mut columns_rest, mut values_rest) = (&mut columns[..], &mut values[..]);
        let mut bands = Vec::new();
        for from in (0..n).step_by(BAND_ROWS) {
            let to = (from + BAND_ROWS).min(n);
            let (columns, values);
            (columns, columns_rest) = columns_rest.split_at_mut(starts[to] - starts[from]);
            (values, values_rest) = values_rest.split_at_mut(starts[to] - starts[from]);
            bands.push((from..to, columns, values));
        }
        bands.into_par_iter().for_each(|(band, columns, values)| {
            let base = starts[band.start];
            let mut next: Vec<usize> = starts[band.clone()].iter().map(|start| start - base).collect();
            for (p, ends) in column_starts.windows(2).enumerate() {
                let rows = &column_rows[ends[0]..ends[1]];
                let first = rows.partition_point(|&i| (i as usize) < band.start);
                let entries = rows[first..].iter().zip(&column_values[ends[0] + first..ends[1]]);
                for (&i, &value) in entries.take_while(|(i, _)| (**i as usize) < band.end) {
                    let slot = &mut next[i as usize - band.start];
                    (columns[*slot], values[*slot]) = (p as u32, value);
                    *slot += 1;
                }
            }
        });
        Self { starts, columns, values }
    }
}

/// 1/√squares, or 1 for a column that is zero or overflows.
fn unit_scale(squares: f64) -> f64 {
    let scale = 1.0 / squares.sqrt();
    if squares > 0.0 && scale.is_finite() { scale } else { 1.0 }
}

impl Block {
    pub(super) fn gather(problem: &Problem<'_>, features: Vec<usize>) -> Self {
        let (x, y, caps) = (problem.x(), problem.y(), problem.caps());
        let intercept = problem.has_intercept();
        let mut column_starts = vec![0];
        column_starts.extend(features.iter().scan(0, |end, &j| {
            *end += x.column(j).stored();
            Some(*end)
        }));
        let of_features = column_starts[features.len()];
        let stored = of_features + if intercept { y.len() } else { 0 };
        let (mut column_rows, mut column_values) = (vec![0u32; stored], vec![0.0; stored]);
        let mut pieces = Vec::with_capacity(features.len());
        let (mut rows_rest, mut values_rest) = (&mut column_rows[..], &mut column_values[..]);
        for (p, &j) in features.iter().enumerate() {
            let (rows, values);
            (rows, rows_rest) = rows_rest.split_at_mut(column_starts[p + 1] - column_starts[p]);
            (values, values_rest) = values_rest.split_at_mut(column_starts[p + 1] - column_starts[p]);
            pieces.push((j, rows, values));
        }
        let fill = |(j, rows, values): (usize, &mut [u32], &mut [f64])| {
            let (mut squares, mut k) = (0.0, 0);
            x.column(j).for_each(|i, value| {
                squares += caps[i] * value * value;
                (rows[k], values[k]) = (i as u32, y[i] * value);
                k += 1;
            });
            let scale = unit_scale(squares);
            values.iter_mut().for_each(|value| *value *= scale);
            scale
        };
        let mut scales: Vec<f64> = if stored < PARALLEL_ENTRIES {
            pieces.into_iter().map(fill).collect()
        } else {
            pieces.into_par_iter().map(fill).collect()
        };
        if intercept {
            let scale = unit_scale(caps.iter().sum());
            for (i, (row, value)) in rows_rest.iter_mut().zip(values_rest).enumerate() {
                (*row, *value) = (i as u32, y[i] * scale);
            }
            column_starts.push(stored);
            scales.push(scale);
        }
        let rows = Rows::index(y.len(), &column_starts, &column_rows, &column_values);
        Self { features, scales, intercept, column_starts, column_rows, column_values, rows }
    }

    /// Columns, the intercept counted.
    pub(super) fn width(&self) -> usize {
        self.scales.len()
    }

    pub(super) fn has_intercept(&self) -> bool {
        self.intercept
    }

    pub(super) fn column(&self, p: usize) -> (&[u32], &[f64]) {
        let range = self.column_starts[p]..self.column_starts[p + 1];
        (&self.column_rows[range.clone()], &self.column_values[range])
    }

    pub(super) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.rows.starts[i]..self.rows.starts[i + 1];
        (&self.rows.columns[range.clone()], &self.rows.values[range])
    }

    pub(super) fn stored(&self) -> usize {
        self.column_values.len()
    }

    /// out = B v.
    pub(super) fn times(&self, v: &[f64], out: &mut [f64]) {
        let one = |(i, out): (usize, &mut f64)| {
            let (columns, values) = self.row(i);
            *out = columns.iter().zip(values).map(|(&p, value)| v[p as usize] * value).sum();
        };
        if self.stored() < PARALLEL_ENTRIES {
            out.iter_mut().enumerate().for_each(one);
        } else {
            out.par_iter_mut().enumerate().with_min_len(1024).for_each(one);
        }
    }

    /// out = Bᵀ u.
    pub(super) fn transposed_times(&self, u: &[f64], out: &mut [f64]) {
        let one = |(p, out): (usize, &mut f64)| {
            let (rows, values) = self.column(p);
            *out = crate::design::Slice::Sparse { at: rows, values }.dot(u);
        };
        if self.stored() < PARALLEL_ENTRIES {
            out.iter_mut().enumerate().for_each(one);
        } else {
            out.par_iter_mut().enumerate().with_min_len(8).for_each(one);
        }
    }

    /// The lower triangle of Bᵀ diag(weights) B.
    pub(super) fn gram(&self, weights: &[f64], out: &mut Mat<f64>) {
        let one = |(p, column): (usize, faer::ColMut<'_, f64>)| {
            if let Some(column) = column.try_as_col_major_mut() {
                self.gram_column(p, p, weights, column.as_slice_mut());
            }
        };
        if self.stored() < PARALLEL_ENTRIES / 8 {
            out.col_iter_mut().enumerate().for_each(one);
        } else {
            out.par_col_iter_mut().enumerate().for_each(one);
        }
    }

    /// Column p of Bᵀ diag(weights) B, from row `from` on.
    pub(super) fn gram_column(&self, p: usize, from: usize, weights: &[f64], out: &mut [f64]) {
        out[from..].fill(0.0);
        let (rows, values) = self.column(p);
        for (&i, &value) in rows.iter().zip(values) {
            let weight = weights[i as usize] * value;
            if weight != 0.0 {
                let (columns, entries) = self.row(i as usize);
                let first = if from == 0 { 0 } else { columns.partition_point(|&q| (q as usize) < from) };
                for (&q, &entry) in columns[first..].iter().zip(&entries[first..]) {
                    out[q as usize] += weight * entry;
                }
            }
        }
    }

    /// Adds change · (row i)(row i)ᵀ to a lower triangle.
    pub(super) fn add_row(&self, i: usize, change: f64, gram: &mut Mat<f64>) {
        let (columns, values) = self.row(i);
        for (k, (&p, &value)) in columns.iter().zip(values).enumerate() {
            let weight = change * value;
            let column = gram.col_as_slice_mut(p as usize);
            for (&q, &entry) in columns[k..].iter().zip(&values[k..]) {
                column[q as usize] += weight * entry;
            }
        }
    }
}
