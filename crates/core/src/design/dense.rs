//! A dense design, held by columns: solvers that keep a few features read a few columns.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::slice::dot;
use super::{Design, PARALLEL_ENTRIES, Side, Slice};
use crate::{Error, Result};

/// Rows that one task of [`Dense::matvec`] sums: fixed, so that threads do not change the bits.
const ROW_BLOCK: usize = 2048;

/// A dense n × d matrix in column-major order.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    n: usize,
    d: usize,
    values: Vec<f64>,
}

impl Dense {
    /// Takes n·d values, column after column.
    ///
    /// # Errors
    /// If the length is not n·d, or a value is not finite.
    pub fn from_columns(n: usize, d: usize, values: Vec<f64>) -> Result<Self> {
        if n.checked_mul(d) != Some(values.len()) {
            return Err(Error::Matrix(format!("{} values for {n} rows and {d} columns", values.len())));
        }
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            let (i, j) = (k % n, k / n);
            return Err(Error::Matrix(format!(
                "the value in row {i}, column {j} (counting from 0) is {}, which is not a finite number",
                values[k]
            )));
        }
        Ok(Self { n, d, values })
    }

    /// Takes n·d values, row after row.
    ///
    /// # Errors
    /// As [`from_columns`](Self::from_columns).
    pub fn from_rows(n: usize, d: usize, values: &[f64]) -> Result<Self> {
        if n.checked_mul(d) != Some(values.len()) {
            return Err(Error::Matrix(format!("{} values for {n} rows and {d} columns", values.len())));
        }
        let by_column = (0..d).flat_map(|j| values.iter().skip(j).step_by(d.max(1)).copied()).collect();
        Self::from_columns(n, d, by_column)
    }

    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.n, self.d)
    }
}

impl Design for Dense {
    fn rows(&self) -> usize {
        self.n
    }

    fn cols(&self) -> usize {
        self.d
    }

    fn stored(&self) -> usize {
        self.values.len()
    }

    fn is_sparse(&self) -> bool {
        false
    }

    fn matvec(&self, v: &[f64], out: &mut [f64]) {
        let block = |(k, out): (usize, &mut [f64])| {
            out.fill(0.0);
            let from = k * ROW_BLOCK;
            for (column, &a) in self.values.chunks_exact(self.n).zip(v) {
                if a != 0.0 {
                    Slice::Dense(&column[from..from + out.len()]).axpy(a, out);
                }
            }
        };
        if self.values.len() < PARALLEL_ENTRIES {
            out.chunks_mut(ROW_BLOCK).enumerate().for_each(block);
        } else {
            out.par_chunks_mut(ROW_BLOCK).enumerate().for_each(block);
        }
    }

    fn rmatvec(&self, u: &[f64], out: &mut [f64]) {
        let one = |(o, column): (&mut f64, &[f64])| *o = dot(column, u);
        if self.values.len() < PARALLEL_ENTRIES {
            out.iter_mut().zip(self.values.chunks_exact(self.n)).for_each(one);
        } else {
            let at_least = PARALLEL_ENTRIES.div_ceil(8 * self.n);
            out.par_iter_mut().zip(self.values.par_chunks_exact(self.n)).with_min_len(at_least).for_each(one);
        }
    }

    fn column(&self, j: usize) -> Slice<'_> {
        Slice::Dense(&self.values[j * self.n..(j + 1) * self.n])
    }

    fn row(&self, i: usize) -> Slice<'_> {
        Slice::Strided { values: &self.values[i..], stride: self.n }
    }

    fn gram(&self, side: Side, out: MatMut<'_, f64>) {
        let x = self.view();
        let (left, right) = match side {
            Side::Samples => (x, x.transpose()),
            Side::Features => (x.transpose(), x),
        };
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        // One thread: faer splits a product by the number of threads, which would change the bits.
        matmul(out, lower, Accum::Replace, left, full, right, full, 1.0, Par::Seq);
    }

    fn scale_columns(&mut self, factors: &[f64]) {
        for (column, &a) in self.values.chunks_exact_mut(self.n).zip(factors) {
            column.iter_mut().for_each(|x| *x *= a);
        }
    }

    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design> {
        let values = self.values.chunks_exact(self.n).flat_map(|c| rows.iter().map(|&i| c[i])).collect();
        Box::new(Self { n: rows.len(), d: self.d, values })
    }
}
