//! A dense design, owned or borrowed, by columns or by rows. Solvers that keep a few features read a few
//! columns, so that of a matrix that is held by rows each column that is asked for is copied, once.
//!
//! Every sum runs in the same order for both: how a matrix lies in memory changes no bit of a result.

use std::borrow::Cow;
use std::sync::OnceLock;

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::slice::{LANES, dot, sum_of_lanes};
use super::{Design, PARALLEL_ENTRIES, Side, Slice};
use crate::{Error, Result};

/// Rows that one task of [`Dense::matvec`] sums: fixed, so that threads do not change the bits.
const ROW_BLOCK: usize = 2048;
/// Rows whose sums run side by side where each is a chain of additions.
const ROWS_ABREAST: usize = 8;
/// Columns that one task of [`Dense::rmatvec`] sums if the matrix is held by rows: their lanes stay in the
/// first cache.
const COLUMN_BLOCK: usize = 256;

/// A dense n × d matrix.
#[derive(Debug, Clone)]
pub struct Dense<'a> {
    n: usize,
    d: usize,
    values: Cow<'a, [f64]>,
    layout: Layout,
}

/// What lies beside what.
#[derive(Debug, Clone)]
enum Layout {
    /// Column after column.
    Columns,
    /// Row after row, with the columns that were asked for.
    Rows { columns: Vec<OnceLock<Box<[f64]>>> },
}

impl Layout {
    fn rows(d: usize) -> Self {
        Self::Rows { columns: std::iter::repeat_with(OnceLock::new).take(d).collect() }
    }
}

impl<'a> Dense<'a> {
    /// Takes or borrows n·d values, column after column.
    ///
    /// # Errors
    /// If the length is not n·d, or a value is not finite.
    pub fn from_columns(n: usize, d: usize, values: impl Into<Cow<'a, [f64]>>) -> Result<Self> {
        Self::checked(n, d, values.into(), Layout::Columns, |k| (k % n, k / n))
    }

    /// Takes or borrows n·d values, row after row.
    ///
    /// # Errors
    /// As [`from_columns`](Self::from_columns).
    pub fn from_rows(n: usize, d: usize, values: impl Into<Cow<'a, [f64]>>) -> Result<Self> {
        Self::checked(n, d, values.into(), Layout::rows(d), |k| (k / d, k % d))
    }

    fn checked(
        n: usize,
        d: usize,
        values: Cow<'a, [f64]>,
        layout: Layout,
        place: impl Fn(usize) -> (usize, usize),
    ) -> Result<Self> {
        if n.checked_mul(d) != Some(values.len()) {
            return Err(Error::Matrix(format!("{} values for {n} rows and {d} columns", values.len())));
        }
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            let (i, j) = place(k);
            return Err(Error::Matrix(format!(
                "the value in row {i}, column {j} (counting from 0) is {}, which is not a finite number",
                values[k]
            )));
        }
        Ok(Self { n, d, values, layout })
    }

    fn view(&self) -> MatRef<'_, f64> {
        match self.layout {
            Layout::Columns => MatRef::from_column_major_slice(&self.values, self.n, self.d),
            Layout::Rows { .. } => MatRef::from_row_major_slice(&self.values, self.n, self.d),
        }
    }

    /// The part of Xv that begins at row `from`. Each entry is summed in the order of the columns.
    fn part_of_matvec(&self, v: &[f64], from: usize, out: &mut [f64]) {
        out.fill(0.0);
        let used = || v.iter().enumerate().filter(|(_, a)| **a != 0.0);
        match self.layout {
            Layout::Columns => {
                for (j, &a) in used() {
                    let begin = j * self.n + from;
                    Slice::Dense(&self.values[begin..begin + out.len()]).axpy(a, out);
                }
            }
            Layout::Rows { .. } => {
                let used: Vec<(usize, f64)> = used().map(|(j, &a)| (j, a)).collect();
                for (k, out) in out.chunks_mut(ROWS_ABREAST).enumerate() {
                    let rows = &self.values[(from + k * ROWS_ABREAST) * self.d..];
                    for &(j, a) in &used {
                        for (r, out) in out.iter_mut().enumerate() {
                            *out += a * rows[r * self.d + j];
                        }
                    }
                }
            }
        }
    }

    /// The part of Xᵀu that begins at column `from`, of a matrix that is held by rows. Each entry is summed
    /// in the lanes of [`dot`].
    fn part_of_rmatvec_by_rows(&self, u: &[f64], from: usize, out: &mut [f64]) {
        let mut lanes = [[0.0; COLUMN_BLOCK]; LANES + 1];
        let whole = self.n - self.n % LANES;
        for (i, &a) in u.iter().enumerate() {
            let begin = i * self.d + from;
            let lane = &mut lanes[if i < whole { i % LANES } else { LANES }];
            Slice::Dense(&self.values[begin..begin + out.len()]).axpy(a, &mut lane[..out.len()]);
        }
        for (k, out) in out.iter_mut().enumerate() {
            *out = sum_of_lanes(std::array::from_fn(|lane| lanes[lane][k])) + lanes[LANES][k];
        }
    }
}

impl Design for Dense<'_> {
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
        let block = |(k, out): (usize, &mut [f64])| self.part_of_matvec(v, k * ROW_BLOCK, out);
        if self.values.len() < PARALLEL_ENTRIES {
            out.chunks_mut(ROW_BLOCK).enumerate().for_each(block);
        } else {
            out.par_chunks_mut(ROW_BLOCK).enumerate().for_each(block);
        }
    }

    fn rmatvec(&self, u: &[f64], out: &mut [f64]) {
        let small = self.values.len() < PARALLEL_ENTRIES;
        match self.layout {
            Layout::Columns => {
                let one = |(o, column): (&mut f64, &[f64])| *o = dot(column, u);
                if small {
                    out.iter_mut().zip(self.values.chunks_exact(self.n)).for_each(one);
                } else {
                    let at_least = PARALLEL_ENTRIES.div_ceil(8 * self.n);
                    let columns = self.values.par_chunks_exact(self.n);
                    out.par_iter_mut().zip(columns).with_min_len(at_least).for_each(one);
                }
            }
            Layout::Rows { .. } => {
                let block =
                    |(k, out): (usize, &mut [f64])| self.part_of_rmatvec_by_rows(u, k * COLUMN_BLOCK, out);
                if small {
                    out.chunks_mut(COLUMN_BLOCK).enumerate().for_each(block);
                } else {
                    out.par_chunks_mut(COLUMN_BLOCK).enumerate().for_each(block);
                }
            }
        }
    }

    fn column(&self, j: usize) -> Slice<'_> {
        Slice::Dense(match &self.layout {
            Layout::Columns => &self.values[j * self.n..(j + 1) * self.n],
            Layout::Rows { columns } => {
                columns[j].get_or_init(|| self.values.iter().skip(j).step_by(self.d).copied().collect())
            }
        })
    }

    fn row(&self, i: usize) -> Slice<'_> {
        match self.layout {
            Layout::Columns => Slice::Strided { values: &self.values[i..], stride: self.n },
            Layout::Rows { .. } => Slice::Dense(&self.values[i * self.d..(i + 1) * self.d]),
        }
    }

    fn gram(&self, side: Side, out: MatMut<'_, f64>) {
        let x = self.view();
        let (left, right) = match side {
            Side::Samples => (x, x.transpose()),
            Side::Features => (x.transpose(), x),
        };
        lower_product(left, right, out);
    }

    fn scale_columns(&mut self, factors: &[f64]) {
        match &mut self.layout {
            Layout::Columns => {
                for (column, &a) in self.values.to_mut().chunks_exact_mut(self.n).zip(factors) {
                    column.iter_mut().for_each(|x| *x *= a);
                }
            }
            layout @ Layout::Rows { .. } => {
                *layout = Layout::rows(self.d);
                for row in self.values.to_mut().chunks_exact_mut(self.d) {
                    row.iter_mut().zip(factors).for_each(|(x, a)| *x *= a);
                }
            }
        }
    }

    fn select_columns(&self, columns: &[usize]) -> Option<Box<dyn Design + '_>> {
        let entries = columns.iter().flat_map(|&j| match self.layout {
            Layout::Columns => self.values[j * self.n..(j + 1) * self.n].iter().step_by(1),
            Layout::Rows { .. } => self.values[j..].iter().step_by(self.d),
        });
        let values: Vec<f64> = entries.copied().collect();
        Some(Box::new(Dense { n: self.n, d: columns.len(), values: values.into(), layout: Layout::Columns }))
    }

    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design> {
        let (values, layout): (Vec<f64>, _) = match self.layout {
            Layout::Columns => {
                let columns = self.values.chunks_exact(self.n);
                (columns.flat_map(|c| rows.iter().map(|&i| c[i])).collect(), Layout::Columns)
            }
            Layout::Rows { .. } => {
                let row = |&i: &usize| &self.values[i * self.d..(i + 1) * self.d];
                (rows.iter().flat_map(row).copied().collect(), Layout::rows(self.d))
            }
        };
        Box::new(Dense { n: rows.len(), d: self.d, values: values.into(), layout })
    }
}

/// The lower triangle of left · right.
pub(crate) fn lower_product(left: MatRef<'_, f64>, right: MatRef<'_, f64>, out: MatMut<'_, f64>) {
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    // One thread: faer splits a product by the number of threads, which would change the bits.
    matmul(out, lower, Accum::Replace, left, full, right, full, 1.0, Par::Seq);
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use proptest::prelude::*;

    /// Every bit that a design gives away.
    fn all_of(x: &dyn Design, u: &[f64], v: &[f64]) -> Vec<u64> {
        let (n, d) = (x.rows(), x.cols());
        let (mut by_rows, mut by_columns) = (vec![0.0; n], vec![0.0; d]);
        x.matvec(v, &mut by_rows);
        x.rmatvec(u, &mut by_columns);
        let mut all = [by_rows, by_columns].concat();
        (0..d).for_each(|j| all.push(x.column(j).dot(u)));
        (0..n).for_each(|i| all.push(x.row(i).dot(v)));
        for (side, size) in [(Side::Samples, n), (Side::Features, d)] {
            let mut gram = Mat::zeros(size, size);
            x.gram(side, gram.as_mut());
            (0..size).for_each(|j| all.extend((j..size).map(|i| gram[(i, j)])));
        }
        all.into_iter().map(f64::to_bits).collect()
    }

    fn by_columns(n: usize, d: usize, rows: &[f64]) -> Vec<f64> {
        (0..n * d).map(|k| rows[(k % n) * d + k / n]).collect()
    }

    #[test]
    fn chosen_columns_are_the_same_however_the_matrix_lies() {
        let rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let both = [Dense::from_rows(2, 3, &rows[..]), Dense::from_columns(2, 3, by_columns(2, 3, &rows))];
        for x in both.map(Result::unwrap) {
            let chosen = x.select_columns(&[0, 2]).unwrap();
            let mut sums = [0.0; 2];
            chosen.rmatvec(&[1.0, 10.0], &mut sums);
            assert_eq!((chosen.rows(), chosen.cols(), sums), (2, 2, [41.0, 63.0]));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_layout_changes_no_bit(n in 1usize..40, d in 1usize..600, seed in any::<u32>()) {
            let mut state = u64::from(seed);
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
            };
            let rows: Vec<f64> = (0..n * d).map(|_| random()).collect();
            let u: Vec<f64> = (0..n).map(|_| random()).collect();
            let v: Vec<f64> = (0..d).map(|j| if j % 3 == 0 { random() } else { 0.0 }).collect();
            let columns = by_columns(n, d, &rows);
            let mut left = Dense::from_rows(n, d, &rows).unwrap();
            let mut right = Dense::from_columns(n, d, &columns).unwrap();
            prop_assert_eq!(all_of(&left, &u, &v), all_of(&right, &u, &v));
            let some: Vec<usize> = (0..n).rev().step_by(2).collect();
            let (fewer, u_fewer) = (left.select_rows(&some), &u[..some.len()]);
            prop_assert_eq!(all_of(&*fewer, u_fewer, &v), all_of(&*right.select_rows(&some), u_fewer, &v));
            let factors: Vec<f64> = (0..d).map(|_| random()).collect();
            left.scale_columns(&factors);
            right.scale_columns(&factors);
            prop_assert_eq!(all_of(&left, &u, &v), all_of(&right, &u, &v));
        }
    }

    #[test]
    fn what_is_not_a_number_is_found() {
        let values = [1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0];
        let by_rows = Dense::from_rows(2, 3, &values[..]).unwrap_err().to_string();
        assert!(by_rows.contains("row 1, column 1"), "{by_rows}");
        let by_columns = Dense::from_columns(2, 3, &values[..]).unwrap_err().to_string();
        assert!(by_columns.contains("row 0, column 2"), "{by_columns}");
        assert!(Dense::from_rows(2, 2, &values[..]).is_err());
    }
}
