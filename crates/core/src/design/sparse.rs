//! A sparse design: compressed rows as a reader delivers them, and compressed columns made on first use.

use std::sync::OnceLock;

use faer::MatMut;
use rayon::prelude::*;

use super::{Design, PARALLEL_ENTRIES, Side, Slice};
use crate::{Error, Result};

/// Entries that one range of a transposition holds, about.
const RANGE_ENTRIES: usize = 1 << 18;

/// Compressed vectors along one axis: rows of a CSR matrix, or columns of a CSC matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Compressed {
    starts: Vec<usize>,
    at: Vec<u32>,
    values: Vec<f64>,
    across: usize,
}

impl Compressed {
    /// Checks and takes the three arrays. Positions in each vector must ascend strictly and lie below
    /// `across`, and values must be finite.
    ///
    /// # Errors
    /// [`Error::Matrix`] that names the first fault.
    pub fn new(starts: Vec<usize>, at: Vec<u32>, values: Vec<f64>, across: usize) -> Result<Self> {
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
    pub(super) fn gather<'a>(vectors: impl Iterator<Item = Slice<'a>>, across: usize) -> Self {
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
        Self { starts, at, values, across }
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
    fn transposed(&self) -> Self {
        let mut starts = vec![0usize; self.across + 1];
        for &j in &self.at {
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
        Self { starts, at, values, across: self.len() }
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
pub struct Sparse {
    rows: Compressed,
    columns: OnceLock<Compressed>,
}

impl Sparse {
    /// Takes compressed rows.
    pub fn from_rows(rows: Compressed) -> Self {
        Self { rows, columns: OnceLock::new() }
    }

    /// The compressed columns, made on first use and kept.
    pub fn columns(&self) -> &Compressed {
        self.columns.get_or_init(|| self.rows.transposed())
    }
}

impl Design for Sparse {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn cols(&self) -> usize {
        self.rows.across
    }

    fn stored(&self) -> usize {
        self.rows.values.len()
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn matvec(&self, v: &[f64], out: &mut [f64]) {
        self.rows.dots(v, out);
    }

    fn rmatvec(&self, u: &[f64], out: &mut [f64]) {
        self.columns().dots(u, out);
    }

    fn column(&self, j: usize) -> Slice<'_> {
        self.columns().vector(j)
    }

    fn row(&self, i: usize) -> Slice<'_> {
        self.rows.vector(i)
    }

    /// Row i of the Gram matrix is Σ_k a_ik · (the k-th vector across), so each row of the result is
    /// a sum of sparse vectors into a cache-resident buffer, and rows are independent of each other.
    fn gram(&self, side: Side, out: MatMut<'_, f64>) {
        let (along, across) = match side {
            Side::Samples => (&self.rows, self.columns()),
            Side::Features => (self.columns(), &self.rows),
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
        for (x, &j) in self.rows.values.iter_mut().zip(&self.rows.at) {
            *x *= factors[j as usize];
        }
        self.columns = OnceLock::new();
    }

    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design> {
        let stored = rows.iter().map(|&i| self.rows.parts(i).0.len()).sum();
        let (mut at, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        let mut starts = Vec::with_capacity(rows.len() + 1);
        starts.push(0);
        for &i in rows {
            let (js, xs) = self.rows.parts(i);
            at.extend_from_slice(js);
            values.extend_from_slice(xs);
            starts.push(values.len());
        }
        Box::new(Self::from_rows(Compressed { starts, at, values, across: self.rows.across }))
    }
}
