//! A design whose rows are differences of two rows of another one, never stored: for preference pairs.

use std::sync::OnceLock;

use faer::MatMut;

use super::{Compressed, Design, Side, Slice, Sparse};
use crate::{Error, Result};

/// Row p is row i less row k of another design, for each pair p = (i, k).
#[derive(Debug)]
pub struct PairDesign<'a> {
    x: Raw<'a>,
    pairs: Vec<[u32; 2]>,
    /// Made when asked for, and kept: a solver with a working set asks for few.
    columns: Vec<OnceLock<Box<Column>>>,
    /// Entries of all rows, counted once.
    stored: OnceLock<usize>,
}

/// What the rows are differences of.
#[derive(Debug)]
enum Raw<'a> {
    Borrowed(&'a dyn Design),
    /// Scaled differently than the borrowed one.
    Own(Box<dyn Design>),
}

#[derive(Debug)]
enum Column {
    Dense(Vec<f64>),
    Sparse { at: Vec<u32>, values: Vec<f64> },
}

impl<'a> PairDesign<'a> {
    /// Takes the pairs.
    ///
    /// # Errors
    /// If a pair names a row that is not there, there are more than 4294967295 pairs, or the rows of `x` are
    /// differences themselves.
    pub fn new(x: &'a dyn Design, pairs: Vec<[u32; 2]>) -> Result<Self> {
        let n = x.rows();
        if let Some(pair) = pairs.iter().find(|pair| pair.iter().any(|&i| i as usize >= n)) {
            return Err(Error::Matrix(format!(
                "the pair ({}, {}) is not among {n} rows, counting from 0",
                pair[0], pair[1]
            )));
        }
        if u32::try_from(pairs.len()).is_err() {
            return Err(Error::Matrix(format!("{} pairs, more than {}", pairs.len(), u32::MAX)));
        }
        if n > 0 && x.row(0).apart(x.row(0)).is_none() {
            return Err(Error::Matrix("differences of rows that are differences themselves".into()));
        }
        let columns = fresh(x.cols());
        Ok(Self { x: Raw::Borrowed(x), pairs, columns, stored: OnceLock::new() })
    }

    fn x(&self) -> &dyn Design {
        match &self.x {
            Raw::Borrowed(x) => *x,
            Raw::Own(x) => &**x,
        }
    }

    /// out_p = s_i - s_k.
    fn differences(&self, s: &[f64], out: &mut [f64]) {
        for (out, &[i, k]) in out.iter_mut().zip(&self.pairs) {
            *out = s[i as usize] - s[k as usize];
        }
    }

    /// Column j of x as a dense vector.
    fn raw_column(&self, j: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.x().rows()];
        self.x().column(j).for_each(|i, x| values[i] = x);
        values
    }

    fn make_column(&self, j: usize) -> Column {
        let raw = self.raw_column(j);
        if !self.x().is_sparse() {
            let mut values = vec![0.0; self.pairs.len()];
            self.differences(&raw, &mut values);
            return Column::Dense(values);
        }
        let (mut at, mut values) = (Vec::new(), Vec::new());
        for (p, &[i, k]) in self.pairs.iter().enumerate() {
            let difference = raw[i as usize] - raw[k as usize];
            if difference != 0.0 {
                at.push(p as u32);
                values.push(difference);
            }
        }
        Column::Sparse { at, values }
    }
}

fn fresh(d: usize) -> Vec<OnceLock<Box<Column>>> {
    std::iter::repeat_with(OnceLock::new).take(d).collect()
}

impl Design for PairDesign<'_> {
    fn rows(&self) -> usize {
        self.pairs.len()
    }

    fn cols(&self) -> usize {
        self.x().cols()
    }

    fn stored(&self) -> usize {
        *self.stored.get_or_init(|| (0..self.rows()).map(|p| self.row(p).stored()).sum())
    }

    /// Nothing is held, so rows are the cheap way in.
    fn is_sparse(&self) -> bool {
        true
    }

    fn matvec(&self, v: &[f64], out: &mut [f64]) {
        let mut scores = vec![0.0; self.x().rows()];
        self.x().matvec(v, &mut scores);
        self.differences(&scores, out);
    }

    fn rmatvec(&self, u: &[f64], out: &mut [f64]) {
        let mut sums = vec![0.0; self.x().rows()];
        for (u, &[i, k]) in u.iter().zip(&self.pairs) {
            sums[i as usize] += u;
            sums[k as usize] -= u;
        }
        self.x().rmatvec(&sums, out);
    }

    fn column(&self, j: usize) -> Slice<'_> {
        match &**self.columns[j].get_or_init(|| Box::new(self.make_column(j))) {
            Column::Dense(values) => Slice::Dense(values),
            Column::Sparse { at, values } => Slice::Sparse { at, values },
        }
    }

    fn row(&self, p: usize) -> Slice<'_> {
        let [i, k] = self.pairs[p];
        let (plus, minus) = (self.x().row(i as usize), self.x().row(k as usize));
        // `new` has made sure that there is a difference.
        plus.apart(minus).unwrap_or(Slice::Dense(&[]))
    }

    fn gram(&self, side: Side, out: MatMut<'_, f64>) {
        let size = out.nrows();
        let mut product = vec![0.0; size];
        let mut across = vec![0.0; if side == Side::Samples { self.cols() } else { self.rows() }];
        for (k, mut column) in out.col_iter_mut().enumerate() {
            match side {
                Side::Samples => {
                    across.fill(0.0);
                    self.row(k).for_each(|j, x| across[j] = x);
                    self.matvec(&across, &mut product);
                }
                Side::Features => {
                    self.differences(&self.raw_column(k), &mut across);
                    self.rmatvec(&across, &mut product);
                }
            }
            product.iter().enumerate().for_each(|(r, value)| column[r] = *value);
        }
    }

    fn scale_columns(&mut self, factors: &[f64]) {
        let all: Vec<usize> = (0..self.x().rows()).collect();
        let mut own = self.x().select_rows(&all);
        own.scale_columns(factors);
        self.columns = fresh(own.cols());
        self.x = Raw::Own(own);
    }

    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design> {
        Box::new(Sparse::from_rows(Compressed::gather(rows.iter().map(|&p| self.row(p)), self.cols())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use faer::Mat;
    use proptest::prelude::*;

    const N: usize = 6;
    const D: usize = 4;

    fn entries() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(prop_oneof![Just(0.0), Just(1.5), -3.0..3.0f64], N * D)
    }

    fn of(slice: Slice<'_>, len: usize) -> Vec<f64> {
        let mut values = vec![0.0; len];
        let mut last = None;
        slice.for_each(|i, x| {
            assert!(last.is_none_or(|last| last < i), "positions ascend");
            last = Some(i);
            values[i] = x;
        });
        values
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    /// Everything that a design can be asked, against the matrix of differences.
    fn compare(pairs: &PairDesign<'_>, plain: &Dense<'_>) {
        let (n, d) = (plain.rows(), plain.cols());
        assert_eq!((pairs.rows(), pairs.cols()), (n, d));
        let v: Vec<f64> = (0..d).map(|j| (j as f64).cos()).collect();
        let u: Vec<f64> = (0..n).map(|i| (1.0 + i as f64).sin()).collect();
        let product = |x: &dyn Design| {
            let (mut forth, mut back) = (vec![9.0; n], vec![9.0; d]);
            x.matvec(&v, &mut forth);
            x.rmatvec(&u, &mut back);
            (forth, back)
        };
        let (found, expected) = (product(pairs), product(plain));
        assert!(near(&found.0, &expected.0) && near(&found.1, &expected.1));
        let same = |found: Slice<'_>, expected: Slice<'_>, with: &[f64]| {
            let expected = of(expected, with.len());
            assert_eq!(of(found, with.len()), expected);
            assert!(
                (found.dot(with) - expected.iter().zip(with).map(|(a, b)| a * b).sum::<f64>()).abs() < 1e-12
            );
            let mut out = with.to_vec();
            found.axpy(2.0, &mut out);
            let sum: Vec<f64> = with.iter().zip(&expected).map(|(a, b)| a + 2.0 * b).collect();
            assert!(near(&out, &sum));
            assert!(found.stored() >= expected.iter().filter(|x| **x != 0.0).count());
        };
        (0..n).for_each(|p| same(pairs.row(p), plain.row(p), &v));
        (0..d).for_each(|j| same(pairs.column(j), plain.column(j), &u));
        for (side, size) in [(Side::Samples, n), (Side::Features, d)] {
            let gram = |x: &dyn Design| {
                let mut out = Mat::<f64>::zeros(size, size);
                x.gram(side, out.as_mut());
                (0..size).flat_map(|c| (c..size).map(move |r| (r, c))).map(|at| out[at]).collect::<Vec<_>>()
            };
            assert!(near(&gram(pairs), &gram(plain)));
        }
    }

    proptest! {
        #[test]
        fn a_pair_design_is_the_matrix_of_differences(
            values in entries(), pairs in prop::collection::vec((0..N as u32, 0..N as u32), 1..12),
        ) {
            let pairs: Vec<[u32; 2]> = pairs.into_iter().map(|(i, k)| [i, k]).collect();
            let at = |i: u32, j: usize| values[i as usize * D + j];
            let plain = |factors: &[f64], pairs: &[[u32; 2]]| {
                let rows: Vec<f64> = pairs
                    .iter()
                    .flat_map(|&[i, k]| (0..D).map(move |j| (i, k, j)))
                    .map(|(i, k, j)| factors[j] * at(i, j) - factors[j] * at(k, j))
                    .collect();
                Dense::from_rows(pairs.len(), D, rows).unwrap()
            };
            let dense = Dense::from_rows(N, D, &values).unwrap();
            let all: Vec<usize> = (0..N).collect();
            let sparse = Sparse::from_rows(Compressed::gather(all.iter().map(|&i| dense.row(i)), D));
            for x in [&dense as &dyn Design, &sparse] {
                let mut found = PairDesign::new(x, pairs.clone()).unwrap();
                compare(&found, &plain(&[1.0; D], &pairs));
                let factors = [2.0, 0.5, 3.0, 0.25];
                found.scale_columns(&factors);
                compare(&found, &plain(&factors, &pairs));
                let last = pairs.len() - 1;
                let some = found.select_rows(&[last, 0]);
                let expected = plain(&factors, &[pairs[last], pairs[0]]);
                for p in 0..2 {
                    prop_assert_eq!(of(some.row(p), D), of(expected.row(p), D));
                }
            }
        }
    }

    #[test]
    fn refusals() {
        let x = Dense::from_rows(2, 1, &[1.0, 2.0]).unwrap();
        assert!(PairDesign::new(&x, vec![[0, 2]]).is_err());
        let pairs = PairDesign::new(&x, vec![[0, 1]]).unwrap();
        assert!(PairDesign::new(&pairs, vec![[0, 0]]).is_err());
    }
}
