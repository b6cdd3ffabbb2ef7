//! A sparse design: compressed rows or columns, owned or borrowed, and the other ones made on first use.

use std::borrow::Cow;
use std::sync::OnceLock;

use faer::MatMut;
use rayon::prelude::*;

use super::{Design, PARALLEL_ENTRIES, Side, Slice};
use crate::{Error, Result};

/// Entries that one range of a transposition holds, about.
const RANGE_ENTRIES: usize = 1 << 18;

/// Compressed vectors along one axis: rows of a CSR matrix, or columns of a CSC matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Compressed<'a> {
    starts: Vec<usize>,
    at: Cow<'a, [u32]>,
    values: Cow<'a, [f64]>,
    across: usize,
}

impl<'a> Compressed<'a> {
    /// Checks and takes the three arrays; positions and values may be borrowed. Positions in each vector must ascend strictly and lie below
    /// `across`, and values must be finite.
    ///
    /// # Errors
    /// [`Error::Matrix`] that names the first fault.
    pub fn new(
        starts: Vec<usize>,
        at: impl Into<Cow<'a, [u32]>>,
        values: impl Into<Cow<'a, [f64]>>,
        across: usize,
    ) -> Result<Self> {
        let (at, values) = (at.into(), values.into());
        let fault = |text: String| Err(Error::Matrix(text));
        if starts.first() != Some(&0) || starts.last() != Some(&values.len()) || at.len() != values.len() {
            return fault("pointers, positions and values do not fit together".into());
        }
        if u32::try_from(across).is_err() {
            return fault(format!("dimension {across} is above {}", u32::MAX));
        }
        for (k, ends) in starts.windows(2).enumerate() {
            let Some(inside) = at.get(ends[0]..ends[1]) else {
                return fault(format!("pointers of vector {k} do not ascend"));
            };
            if inside.windows(2).any(|pair| pair[0] >= pair[1]) {
                return fault(format!("positions in vector {k} do not ascend strictly"));
            }
            if inside.last().is_some_and(|&last| last as usize >= across) {
                return fault(format!("a position in vector {k} is not below the dimension {across}"));
            }
        }
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            return fault(format!("entry {k} is {}, which is not a finite number", values[k]));
        }
        Ok(Self { starts, at, values, across })
    }

    /// What is not zero in each of `vectors`, which are finite.
    pub(super) fn gather<'b>(vectors: impl Iterator<Item = Slice<'b>>, across: usize) -> Self {
        let (mut starts, mut at, mut values) = (vec![0], Vec::new(), Vec::new());
        for vector in vectors {
            vector.for_each(|j, x| {
                if x != 0.0 {
                    at.push(j as u32);
                    values.push(x);
                }
            });
            starts.push(values.len());
        }
        Self { starts, at: at.into(), values: values.into(), across }
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// True if there is no vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Vector k.
    #[inline]
    pub fn vector(&self, k: usize) -> Slice<'_> {
        let range = self.starts[k]..self.starts[k + 1];
        Slice::Sparse { at: &self.at[range.clone()], values: &self.values[range] }
    }

    /// Stored positions and values of vector k.
    #[inline]
    fn parts(&self, k: usize) -> (&[u32], &[f64]) {
        let range = self.starts[k]..self.starts[k + 1];
        (&self.at[range.clone()], &self.values[range])
    }

    /// The same matrix compressed along the other axis. The result is made in ranges that hold about
    /// [`RANGE_ENTRIES`] each, in parallel: a range's pointers stay in the cache, where a single pass over
    /// a million columns would miss it at every entry.
    fn transposed(&self) -> Compressed<'static> {
        let mut starts = vec![0usize; self.across + 1];
        for &j in self.at.iter() {
            starts[j as usize + 1] += 1;
        }
        for j in 0..self.across {
            starts[j + 1] += starts[j];
        }
        let mut at = vec![0u32; self.at.len()];
        let mut values = vec![0.0; self.values.len()];
        let (mut at_rest, mut values_rest) = (&mut at[..], &mut values[..]);
        let mut ranges = Vec::new();
        let mut from = 0;
        while from < self.across {
            let goal = starts[from] + RANGE_ENTRIES;
            let to = starts.partition_point(|&start| start <= goal).clamp(from + 2, self.across + 1) - 1;
            let (at_here, values_here);
            (at_here, at_rest) = at_rest.split_at_mut(starts[to] - starts[from]);
            (values_here, values_rest) = values_rest.split_at_mut(starts[to] - starts[from]);
            ranges.push((from..to, at_here, values_here));
            from = to;
        }
        ranges.into_par_iter().for_each(|(columns, at, values)| {
            let base = starts[columns.start];
            let mut next: Vec<usize> = starts[columns.clone()].iter().map(|start| start - base).collect();
            for k in 0..self.len() {
                let (js, xs) = self.parts(k);
                let first = js.partition_point(|&j| (j as usize) < columns.start);
                for (&j, &x) in
                    js[first..].iter().zip(&xs[first..]).take_while(|(j, _)| (**j as usize) < columns.end)
                {
                    let slot = &mut next[j as usize - columns.start];
                    at[*slot] = k as u32;
                    values[*slot] = x;
                    *slot += 1;
                }
            }
        });
        Compressed { starts, at: at.into(), values: values.into(), across: self.len() }
    }

    /// out[k] = ⟨vector k, v⟩.
    fn dots(&self, v: &[f64], out: &mut [f64]) {
        let one = |(k, o): (usize, &mut f64)| *o = self.vector(k).dot(v);
        if self.values.len() < PARALLEL_ENTRIES {
            out.iter_mut().enumerate().for_each(one);
        } else {
            out.par_iter_mut().enumerate().with_min_len(512).for_each(one);
        }
    }
}

/// A sparse n × d matrix.
#[derive(Debug)]
pub struct Sparse<'a> {
    held: Compressed<'a>,
    along: Axis,
    /// The same along the other axis, made on first use and kept.
    across: OnceLock<Compressed<'static>>,
}

#[derive(Debug, Clone, Copy)]
enum Axis {
    Rows,
    Columns,
}

impl<'a> Sparse<'a> {
    /// Takes compressed rows.
    pub fn from_rows(rows: Compressed<'a>) -> Self {
        Self { held: rows, along: Axis::Rows, across: OnceLock::new() }
    }

    /// Takes compressed columns.
    pub fn from_columns(columns: Compressed<'a>) -> Self {
        Self { held: columns, along: Axis::Columns, across: OnceLock::new() }
    }

    fn across(&self) -> &Compressed<'_> {
        self.across.get_or_init(|| self.held.transposed())
    }

    fn by_rows(&self) -> &Compressed<'_> {
        match self.along {
            Axis::Rows => &self.held,
            Axis::Columns => self.across(),
        }
    }

    fn by_columns(&self) -> &Compressed<'_> {
        match self.along {
            Axis::Rows => self.across(),
            Axis::Columns => &self.held,
        }
    }
}

impl Design for Sparse<'_> {
    fn rows(&self) -> usize {
        match self.along {
            Axis::Rows => self.held.len(),
            Axis::Columns => self.held.across,
        }
    }

    fn cols(&self) -> usize {
        match self.along {
            Axis::Rows => self.held.across,
            Axis::Columns => self.held.len(),
        }
    }

    fn stored(&self) -> usize {
        self.held.values.len()
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn matvec(&self, v: &[f64], out: &mut [f64]) {
        self.by_rows().dots(v, out);
    }

    fn rmatvec(&self, u: &[f64], out: &mut [f64]) {
        self.by_columns().dots(u, out);
    }

    fn column(&self, j: usize) -> Slice<'_> {
        self.by_columns().vector(j)
    }

    fn row(&self, i: usize) -> Slice<'_> {
        self.by_rows().vector(i)
    }

    /// Row i of the Gram matrix is Σ_k a_ik · (the k-th vector across), so each row of the result is
    /// a sum of sparse vectors into a cache-resident buffer, and rows are independent of each other.
    fn gram(&self, side: Side, out: MatMut<'_, f64>) {
        let (along, across) = match side {
            Side::Samples => (self.by_rows(), self.by_columns()),
            Side::Features => (self.by_columns(), self.by_rows()),
        };
        // `out` is column-major and we need its lower triangle: column i below the diagonal.
        out.par_col_iter_mut().enumerate().for_each(|(i, mut column)| {
            column.fill(0.0);
            let (ks, xs) = along.parts(i);
            let Some(column) = column.try_as_col_major_mut() else { return };
            let column = column.as_slice_mut();
            for (&k, &x) in ks.iter().zip(xs) {
                let (at, values) = across.parts(k as usize);
                let below = at.partition_point(|&r| (r as usize) < i);
                for (&r, &y) in at[below..].iter().zip(&values[below..]) {
                    column[r as usize] += x * y;
                }
            }
        });
    }

    fn scale_columns(&mut self, factors: &[f64]) {
        self.across = OnceLock::new();
        let Compressed { starts, at, values, .. } = &mut self.held;
        let values = values.to_mut();
        match self.along {
            Axis::Rows => values.iter_mut().zip(at.iter()).for_each(|(x, &j)| *x *= factors[j as usize]),
            Axis::Columns => {
                for (ends, factor) in starts.windows(2).zip(factors) {
                    values[ends[0]..ends[1]].iter_mut().for_each(|x| *x *= factor);
                }
            }
        }
    }

    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design> {
        let all = self.by_rows();
        let stored = rows.iter().map(|&i| all.parts(i).0.len()).sum();
        let (mut at, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        let mut starts = Vec::with_capacity(rows.len() + 1);
        starts.push(0);
        for &i in rows {
            let (js, xs) = all.parts(i);
            at.extend_from_slice(js);
            values.extend_from_slice(xs);
            starts.push(values.len());
        }
        let chosen = Compressed { starts, at: at.into(), values: values.into(), across: self.cols() };
        Box::new(Sparse::from_rows(chosen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_columns_are_the_same_matrix() {
        // [1 0 2; 0 3 0; 4 0 5; 0 0 6]
        let rows =
            || Compressed::new(vec![0, 2, 3, 5, 6], vec![0, 2, 1, 0, 2, 2], vec![1., 2., 3., 4., 5., 6.], 3);
        let columns =
            || Compressed::new(vec![0, 2, 3, 6], vec![0, 2, 1, 0, 2, 3], vec![1., 4., 3., 2., 5., 6.], 4);
        let mut left = Sparse::from_rows(rows().unwrap());
        let mut right = Sparse::from_columns(columns().unwrap());
        for _ in 0..2 {
            assert_eq!(
                (left.rows(), left.cols(), left.stored()),
                (right.rows(), right.cols(), right.stored())
            );
            assert_eq!(left.by_rows(), right.by_rows());
            assert_eq!(left.by_columns(), right.by_columns());
            // Both axes are made by now; neither may be left as it was.
            left.scale_columns(&[2.0, 3.0, 0.5]);
            right.scale_columns(&[2.0, 3.0, 0.5]);
        }
        let mut out = [0.0; 2];
        right.select_rows(&[2, 0]).matvec(&[1.0, 1.0, 1.0], &mut out);
        assert_eq!(out, [4.0 * 4.0 + 5.0 * 0.25, 4.0 + 2.0 * 0.25]);
    }
}
