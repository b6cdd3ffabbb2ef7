//! The working set as a matrix of its own: the columns of H = YX that may be nonzero, and y for the
//! intercept, gathered, scaled to unit size and held by columns and by rows.
//!
//! Everything that a Newton step costs is of this size, not of the data's.

use faer::Mat;
use rayon::prelude::*;

use crate::Problem;

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
    row_starts: Vec<usize>,
    row_columns: Vec<u32>,
    row_values: Vec<f64>,
}

impl Block {
    pub(super) fn gather(problem: &Problem<'_>, features: Vec<usize>) -> Self {
        let (x, y, caps) = (problem.x(), problem.y(), problem.caps());
        let n = y.len();
        let width = features.len() + usize::from(problem.has_intercept());
        let mut scales = Vec::with_capacity(width);
        let mut column_starts = Vec::with_capacity(width + 1);
        let (mut column_rows, mut column_values) = (Vec::new(), Vec::new());
        column_starts.push(0);
        for &j in &features {
            let mut squares = 0.0;
            let column = x.column(j);
            column.for_each(|i, value| squares += caps[i] * value * value);
            let scale = 1.0 / squares.sqrt();
            let scale = if squares > 0.0 && scale.is_finite() { scale } else { 1.0 };
            column.for_each(|i, value| {
                if value != 0.0 {
                    column_rows.push(i as u32);
                    column_values.push(y[i] * value * scale);
                }
            });
            column_starts.push(column_values.len());
            scales.push(scale);
        }
        if problem.has_intercept() {
            let scale = 1.0 / caps.iter().sum::<f64>().sqrt();
            column_rows.extend(0..n as u32);
            column_values.extend(y.iter().map(|y| y * scale));
            column_starts.push(column_values.len());
            scales.push(scale);
        }
        let mut block = Self {
            features,
            scales,
            intercept: problem.has_intercept(),
            column_starts,
            column_rows,
            column_values,
            row_starts: Vec::new(),
            row_columns: Vec::new(),
            row_values: Vec::new(),
        };
        block.index_rows(n);
        block
    }

    fn index_rows(&mut self, n: usize) {
        let mut starts = vec![0usize; n + 1];
        self.column_rows.iter().for_each(|&i| starts[i as usize + 1] += 1);
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        self.row_columns = vec![0; self.column_rows.len()];
        self.row_values = vec![0.0; self.column_rows.len()];
        for p in 0..self.width() {
            for k in self.column_starts[p]..self.column_starts[p + 1] {
                let slot = &mut next[self.column_rows[k] as usize];
                self.row_columns[*slot] = p as u32;
                self.row_values[*slot] = self.column_values[k];
                *slot += 1;
            }
        }
        self.row_starts = starts;
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
        let range = self.row_starts[i]..self.row_starts[i + 1];
        (&self.row_columns[range.clone()], &self.row_values[range])
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
        if self.stored() < crate::design::PARALLEL_ENTRIES {
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
        if self.stored() < crate::design::PARALLEL_ENTRIES {
            out.iter_mut().enumerate().for_each(one);
        } else {
            out.par_iter_mut().enumerate().with_min_len(8).for_each(one);
        }
    }

    /// The lower triangle of Bᵀ diag(weights) B.
    pub(super) fn gram(&self, weights: &[f64], out: &mut Mat<f64>) {
        let one = |(p, column): (usize, faer::ColMut<'_, f64>)| {
            let Some(column) = column.try_as_col_major_mut() else { return };
            let column = column.as_slice_mut();
            column[p..].fill(0.0);
            let (rows, values) = self.column(p);
            for (&i, &value) in rows.iter().zip(values) {
                let weight = weights[i as usize] * value;
                if weight != 0.0 {
                    let (columns, entries) = self.row(i as usize);
                    let from = columns.partition_point(|&q| (q as usize) < p);
                    for (&q, &entry) in columns[from..].iter().zip(&entries[from..]) {
                        column[q as usize] += weight * entry;
                    }
                }
            }
        };
        if self.stored() < crate::design::PARALLEL_ENTRIES / 8 {
            out.col_iter_mut().enumerate().for_each(one);
        } else {
            out.par_col_iter_mut().enumerate().for_each(one);
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
