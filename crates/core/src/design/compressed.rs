//! Compressed vectors along one axis: their checks and their products.

use super::slice::sparse_dot;
use super::storage::{Array, Values};
use super::transpose::{Everything, Named};
use super::{Slice, shares};
use crate::{Error, Result};

/// Rows of a CSR matrix, or columns of a CSC matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Compressed<'a> {
    pub(super) starts: Array<'a, usize>,
    pub(super) at: Array<'a, u32>,
    pub(super) values: Values<'a>,
    pub(super) across: usize,
}

impl<'a> Compressed<'a> {
    /// Checks and takes the three arrays; each may be owned, borrowed or shared, and values may have 32 bits.
    /// Positions in each vector must ascend strictly and lie below `across`, and values must be finite.
    ///
    /// # Errors
    /// [`Error::Matrix`] that names the first fault.
    pub fn new(
        starts: impl Into<Array<'a, usize>>,
        at: impl Into<Array<'a, u32>>,
        values: impl Into<Values<'a>>,
        across: usize,
    ) -> Result<Self> {
        let all = Self::already_checked(starts, at, values, across)?;
        let fault = |text: String| Err(Error::Matrix(text));
        let at = &*all.at;
        for (k, ends) in all.starts.windows(2).enumerate() {
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
        if let Some((k, x)) = all.values.not_finite() {
            return fault(format!("entry {k} is {x}, which is not a finite number"));
        }
        Ok(all)
    }

    /// [`new`](Self::new) for arrays that the caller has checked in full, as a reader of large files does on
    /// the way: only their lengths are looked at. What breaks the promise ends in a panic or in wrong
    /// numbers.
    ///
    /// # Errors
    /// [`Error::Matrix`] if the lengths do not fit together, or `across` needs more than 32 bits.
    pub fn already_checked(
        starts: impl Into<Array<'a, usize>>,
        at: impl Into<Array<'a, u32>>,
        values: impl Into<Values<'a>>,
        across: usize,
    ) -> Result<Self> {
        let all = Self { starts: starts.into(), at: at.into(), values: values.into(), across };
        let entries = all.values.len();
        if all.starts.first() != Some(&0) || all.starts.last() != Some(&entries) || all.at.len() != entries {
            return Err(Error::Matrix("pointers, positions and values do not fit together".into()));
        }
        if u32::try_from(across).is_err() {
            return Err(Error::Matrix(format!("dimension {across} is above {}", u32::MAX)));
        }
        Ok(all)
    }

    /// [`already_checked`](Self::already_checked) for arrays that were made to fit.
    pub(crate) fn made(
        starts: Vec<usize>,
        at: Vec<u32>,
        values: impl Into<Values<'a>>,
        across: usize,
    ) -> Self {
        Self { starts: starts.into(), at: at.into(), values: values.into(), across }
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
        Self::made(starts, at, values, across)
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
        let starts = &*self.starts;
        let range = starts[k]..starts[k + 1];
        let at = &self.at[range.clone()];
        match &self.values {
            Values::F64(values) => Slice::Sparse { at, values: &values[range] },
            Values::F32(values) => Slice::Sparse32 { at, values: &values[range] },
        }
    }

    /// The three arrays, with values of one type.
    #[inline]
    pub(super) fn with<'b, T>(&'b self, values: &'b [T]) -> Parts<'b, T>
    where
        T: Copy + Default + Into<f64> + Send + Sync + 'static,
        Vec<T>: Into<Values<'static>>,
    {
        Parts::new(&self.starts, &self.at, values, self.across)
    }

    /// The same matrix compressed along the other axis, as wide as this one.
    pub(crate) fn transposed(&self) -> Compressed<'static> {
        match &self.values {
            Values::F64(values) => self.with(values).transposed(&Everything(self.across)),
            Values::F32(values) => self.with(values).transposed(&Everything(self.across)),
        }
    }

    /// The same with nothing but the named positions, which ascend.
    pub(super) fn transposed_at(&self, positions: &[usize]) -> Compressed<'static> {
        let named = Named::new(positions, self.across);
        match &self.values {
            Values::F64(values) => self.with(values).transposed(&named),
            Values::F32(values) => self.with(values).transposed(&named),
        }
    }

    /// The named vectors, in that order, as wide as these.
    pub(super) fn select(&self, vectors: &[usize]) -> Compressed<'static> {
        match &self.values {
            Values::F64(values) => self.with(values).select(vectors),
            Values::F32(values) => self.with(values).select(vectors),
        }
    }

    /// out[k] = ⟨vector k, v⟩.
    pub(crate) fn dots(&self, v: &[f64], out: &mut [f64]) {
        match &self.values {
            Values::F64(values) => self.with(values).dots(v, out),
            Values::F32(values) => self.with(values).dots(v, out),
        }
    }
}

/// Compressed vectors as three plain arrays: what loops run on, looked up once a loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'b, T> {
    pub(super) starts: &'b [usize],
    pub(super) at: &'b [u32],
    pub(super) values: &'b [T],
    pub(super) across: usize,
}

impl<'b, T> Parts<'b, T>
where
    T: Copy + Default + Into<f64> + Send + Sync + 'static,
    Vec<T>: Into<Values<'static>>,
{
    pub(crate) fn new(starts: &'b [usize], at: &'b [u32], values: &'b [T], across: usize) -> Self {
        Self { starts, at, values, across }
    }

    /// Stored positions and values of vector k.
    #[inline]
    pub(super) fn vector(&self, k: usize) -> (&'b [u32], &'b [T]) {
        let range = self.starts[k]..self.starts[k + 1];
        (&self.at[range.clone()], &self.values[range])
    }

    fn select(&self, vectors: &[usize]) -> Compressed<'static> {
        let stored = vectors.iter().map(|&k| self.vector(k).0.len()).sum();
        let (mut at, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        let mut starts = Vec::with_capacity(vectors.len() + 1);
        starts.push(0);
        for &k in vectors {
            let (js, xs) = self.vector(k);
            at.extend_from_slice(js);
            values.extend_from_slice(xs);
            starts.push(values.len());
        }
        Compressed { starts: starts.into(), at: at.into(), values: values.into(), across: self.across }
    }

    /// out[k] = ⟨vector k, v⟩.
    pub(crate) fn dots(&self, v: &[f64], out: &mut [f64]) {
        shares::for_each(self.starts, out, &|k, out| {
            let (at, values) = self.vector(k);
            *out = sparse_dot(at, values, v);
        });
    }
}
