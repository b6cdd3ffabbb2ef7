//! A sparse design: compressed rows, columns or both; what is missing is made on first use.

use std::sync::OnceLock;

use faer::MatMut;
use rayon::prelude::*;

use super::compressed::Parts;
use super::picked::Picked;
use super::storage::Values;
use super::{Compressed, Design, Side, Slice};
use crate::{Error, Result};

/// A sparse n × d matrix.
#[derive(Debug)]
pub struct Sparse<'a> {
    held: Compressed<'a>,
    along: Axis,
    /// The same along the other axis: given, or made on first use and kept. As wide as `held`.
    across: OnceLock<Compressed<'a>>,
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

    /// Takes both, so that none is ever made: for files that hold both.
    ///
    /// # Errors
    /// [`Error::Matrix`] if their shapes, counts or widths differ. That they are the same matrix is the
    /// caller's promise.
    pub fn from_both(rows: Compressed<'a>, columns: Compressed<'a>) -> Result<Self> {
        let shape = |c: &Compressed<'_>| [c.len(), c.across];
        let [n, d] = shape(&columns);
        if shape(&rows) != [d, n]
            || rows.values.len() != columns.values.len()
            || rows.values.width() != columns.values.width()
        {
            return Err(Error::Matrix("rows and columns are not of the same matrix".into()));
        }
        Ok(Self { held: rows, along: Axis::Rows, across: OnceLock::from(columns) })
    }

    fn across(&self) -> &Compressed<'a> {
        self.across.get_or_init(|| self.held.transposed())
    }

    fn by_rows(&self) -> &Compressed<'a> {
        match self.along {
            Axis::Rows => &self.held,
            Axis::Columns => self.across(),
        }
    }

    fn by_columns(&self) -> &Compressed<'a> {
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
        match (&along.values, &across.values) {
            (Values::F64(x), Values::F64(y)) => gram(along.with(x), across.with(y), out),
            (Values::F32(x), Values::F32(y)) => gram(along.with(x), across.with(y), out),
            // Both axes are equally wide.
            _ => {}
        }
    }

    /// Shared, borrowed and 32-bit values are scaled into a copy of our own in 64 bits; positions stay where
    /// they are.
    fn scale_columns(&mut self, factors: &[f64]) {
        let (along, other) = match self.along {
            Axis::Rows => (Axis::Rows, Axis::Columns),
            Axis::Columns => (Axis::Columns, Axis::Rows),
        };
        scale(&mut self.held, along, factors);
        if let Some(across) = self.across.get_mut() {
            scale(across, other, factors);
        }
    }

    fn bytes_to_come(&self, scaled: bool) -> u64 {
        let copied = |all: &Compressed<'_>| if scaled { all.values.copied_to_write() } else { 0 };
        let other = match self.across.get() {
            Some(across) => copied(across),
            None => {
                let entry = 4 + if scaled { 8 } else { self.held.values.bytes_each() };
                entry * self.stored() as u64 + 8 * self.held.across as u64
            }
        };
        copied(&self.held) + other
    }

    fn has_rows(&self) -> bool {
        matches!(self.along, Axis::Rows) || self.across.get().is_some()
    }

    fn has_columns(&self) -> bool {
        matches!(self.along, Axis::Columns) || self.across.get().is_some()
    }

    fn turn_to_columns(&mut self) {
        if !(matches!(self.along, Axis::Rows) && self.held.is_owned()) {
            return;
        }
        let nothing = Compressed::made(vec![0], Vec::new(), Vec::<f64>::new(), 0);
        let rows = std::mem::replace(&mut self.held, nothing);
        self.held = self.across.take().unwrap_or_else(|| rows.turned());
        self.along = Axis::Columns;
    }

    /// Made from the rows if columns are not at hand, and without making the others.
    fn select_columns(&self, columns: &[usize]) -> Option<Box<dyn Design + '_>> {
        Some(if self.has_columns() {
            Box::new(Picked::new(self.by_columns(), columns.iter().map(|&j| j as u32)))
        } else {
            Box::new(Sparse::from_columns(self.held.transposed_at(columns)))
        })
    }

    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design> {
        Box::new(Sparse::from_rows(self.by_rows().select(rows)))
    }
}

/// Vectors along an axis, with each column multiplied by its factor.
fn scale(vectors: &mut Compressed<'_>, along: Axis, factors: &[f64]) {
    let Compressed { starts, at, values, .. } = vectors;
    let values = values.to_mut();
    match along {
        Axis::Rows => values.iter_mut().zip(at.iter()).for_each(|(x, &j)| *x *= factors[j as usize]),
        Axis::Columns => {
            for (ends, factor) in starts.windows(2).zip(factors) {
                values[ends[0]..ends[1]].iter_mut().for_each(|x| *x *= factor);
            }
        }
    }
}

fn gram<T>(along: Parts<'_, T>, across: Parts<'_, T>, out: MatMut<'_, f64>)
where
    T: Copy + Default + Into<f64> + Send + Sync + 'static,
    Vec<T>: Into<Values<'static>>,
{
    // `out` is column-major and we need its lower triangle: column i below the diagonal.
    out.par_col_iter_mut().enumerate().for_each(|(i, mut column)| {
        column.fill(0.0);
        let (ks, xs) = along.vector(i);
        let Some(column) = column.try_as_col_major_mut() else { return };
        let column = column.as_slice_mut();
        for (&k, &x) in ks.iter().zip(xs) {
            let x: f64 = x.into();
            let (at, values) = across.vector(k as usize);
            let below = at.partition_point(|&r| (r as usize) < i);
            for (&r, &y) in at[below..].iter().zip(&values[below..]) {
                column[r as usize] += x * y.into();
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use faer::Mat;
    use proptest::prelude::*;

    use super::*;
    use crate::design::{Dense, Shared};

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

    /// Every bit that a design gives away.
    fn all_of(x: &dyn Design) -> Vec<u64> {
        let (n, d) = (x.rows(), x.cols());
        let u: Vec<f64> = (0..n).map(|i| (1.0 + i as f64).sin()).collect();
        let v: Vec<f64> = (0..d).map(|j| (0.3 + j as f64).cos()).collect();
        let (mut forth, mut back) = (vec![0.0; n], vec![0.0; d]);
        x.matvec(&v, &mut forth);
        x.rmatvec(&u, &mut back);
        let mut all = [forth, back].concat();
        let mut of = |slice: Slice<'_>, with: &[f64]| {
            let mut out = with.to_vec();
            slice.axpy(0.7, &mut out);
            all.extend(out);
            slice.for_each(|k, x| all.extend([k as f64, x]));
            slice.for_each_in(1..with.len().div_ceil(2), |k, x| all.extend([k as f64, x]));
            all.extend([slice.dot(with), slice.stored() as f64]);
        };
        (0..d).for_each(|j| of(x.column(j), &u));
        (0..n).for_each(|i| of(x.row(i), &v));
        (1..n).for_each(|i| of(x.row(i).apart(x.row(i - 1)).unwrap(), &v));
        for (side, size) in [(Side::Samples, n), (Side::Features, d)] {
            let mut gram = Mat::zeros(size, size);
            x.gram(side, gram.as_mut());
            (0..size).for_each(|j| all.extend((j..size).map(|i| gram[(i, j)])));
        }
        all.into_iter().map(f64::to_bits).collect()
    }

    /// Every bit of its columns and of what is computed from them, without asking for a row.
    fn by_columns(x: &dyn Design) -> Vec<u64> {
        let u: Vec<f64> = (0..x.rows()).map(|i| (1.0 + i as f64).sin()).collect();
        let mut all = vec![0.0; x.cols()];
        x.rmatvec(&u, &mut all);
        (0..x.cols()).for_each(|j| x.column(j).for_each(|i, value| all.extend([j as f64, i as f64, value])));
        all.push(x.stored() as f64);
        all.into_iter().map(f64::to_bits).collect()
    }

    fn shared<T: Clone + Send + Sync + 'static>(all: &[T]) -> Shared<T> {
        Arc::new(all.to_vec())
    }

    prop_compose! {
        /// One to five rows of 30 entries together, about half of them zero.
        fn some_rows()(
            entries in prop::collection::vec(prop_oneof![Just(0.0), -3.0..3.0f64], 30), n in 1usize..6,
        ) -> Compressed<'static> {
            let d = 30 / n;
            let dense = Dense::from_rows(n, d, &entries[..n * d]).unwrap();
            Compressed::gather((0..n).map(|i| dense.row(i)), d)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn the_storage_changes_no_bit(rows in some_rows()) {
            let (n, d) = (rows.len(), rows.across);
            let Values::F64(values) = &rows.values else { panic!() };
            let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            let rounded: Vec<f64> = narrow.iter().map(|&x| x.into()).collect();
            let make = |values: Values<'static>| {
                Compressed::new(shared(&rows.starts), shared(&rows.at), values, d).unwrap()
            };
            let both = |rows: Compressed<'static>| {
                let columns = rows.transposed();
                Sparse::from_both(rows, columns).unwrap()
            };
            let pairs: [[Sparse<'_>; 2]; 4] = [
                [Sparse::from_rows(rows.clone()), Sparse::from_rows(make(shared(values).into()))],
                [Sparse::from_rows(rows.clone()), both(make(shared(values).into()))],
                [Sparse::from_rows(make(rounded.clone().into())), both(make(shared(&narrow).into()))],
                [Sparse::from_rows(make(rounded.into())), Sparse::from_rows(make(narrow.into()))],
            ];
            let some: Vec<usize> = (0..n).rev().step_by(2).collect();
            let factors: Vec<f64> = (0..d).map(|j| 0.3 + j as f64).collect();
            for (k, [mut plain, mut other]) in pairs.into_iter().enumerate() {
                prop_assert_eq!(all_of(&plain), all_of(&other));
                let chosen = other.select_rows(&some);
                prop_assert_eq!(all_of(&*plain.select_rows(&some)), all_of(&*chosen));
                prop_assert_eq!(k >= 2, matches!(chosen.row(0), Slice::Sparse32 { .. }));
                plain.scale_columns(&factors);
                other.scale_columns(&factors);
                prop_assert_eq!(all_of(&plain), all_of(&other));
            }
        }

        #[test]
        fn neither_turning_nor_picking_changes_a_bit(rows in some_rows()) {
            let d = rows.across;
            let plain = Sparse::from_rows(rows.clone());
            let mut fresh = Sparse::from_rows(rows.clone());
            let mut used = Sparse::from_both(rows.clone(), rows.transposed()).unwrap();
            let some: Vec<usize> = (0..d).rev().step_by(2).rev().collect();
            let few: Vec<usize> = (0..some.len()).rev().step_by(2).rev().collect();
            let factors: Vec<f64> = (0..some.len()).map(|j| 0.3 + j as f64).collect();
            for turned in [&mut fresh, &mut used] {
                turned.turn_to_columns();
                prop_assert!(turned.has_columns() && !turned.has_rows());
                let mut copied = plain.select_columns(&some).unwrap();
                let mut picked = turned.select_columns(&some).unwrap();
                prop_assert_eq!(by_columns(&*picked), by_columns(&*copied));
                {
                    let (of_picked, of_copied) = (picked.select_columns(&few).unwrap(), copied.select_columns(&few).unwrap());
                    prop_assert_eq!(by_columns(&*of_picked), by_columns(&*of_copied));
                    prop_assert_eq!(all_of(&*of_picked), all_of(&*of_copied));
                }
                prop_assert!(!picked.has_rows(), "nothing is copied for its columns");
                prop_assert_eq!(all_of(&*picked), all_of(&*copied));
                picked.scale_columns(&factors);
                copied.scale_columns(&factors);
                prop_assert_eq!(all_of(&*picked), all_of(&*copied));
                prop_assert_eq!(by_columns(turned), by_columns(&plain));
                prop_assert_eq!(all_of(turned), all_of(&plain));
            }
        }
    }

    #[test]
    fn what_is_not_ours_is_not_turned() {
        let (starts, at, values) = (shared(&[0, 1, 2]), shared(&[0, 1]), shared(&[2.0, 3.0]));
        let mut x = Sparse::from_rows(Compressed::new(starts, at, Arc::clone(&values), 2).unwrap());
        x.turn_to_columns();
        assert!(x.has_rows() && !x.has_columns());
        assert_eq!(Arc::strong_count(&values), 2);
    }

    #[test]
    fn rows_and_columns_must_fit_together() {
        let make = |starts: &[usize], at: &[u32], across, narrow: bool| {
            let values: Vec<f32> = at.iter().map(|&k| k as f32 + 1.0).collect();
            let wide: Vec<f64> = values.iter().map(|&x| x.into()).collect();
            let values: Values<'static> = if narrow { values.into() } else { wide.into() };
            Compressed::new(starts.to_vec(), at.to_vec(), values, across).unwrap()
        };
        let rows = || make(&[0, 1, 2], &[0, 2], 3, false);
        assert!(Sparse::from_both(rows(), make(&[0, 1, 1, 2], &[0, 1], 2, false)).is_ok());
        assert!(Sparse::from_both(rows(), make(&[0, 1, 2], &[0, 1], 2, false)).is_err());
        assert!(Sparse::from_both(rows(), make(&[0, 1, 1, 2], &[0, 1], 3, false)).is_err());
        assert!(Sparse::from_both(rows(), make(&[0, 1, 1, 1], &[0], 2, false)).is_err());
        assert!(Sparse::from_both(rows(), make(&[0, 1, 1, 2], &[0, 1], 2, true)).is_err());
        let nan = Compressed::new(vec![0, 1], vec![0], vec![f32::NAN], 1).unwrap_err().to_string();
        assert!(nan.contains("entry 0 is NaN"), "{nan}");
    }

    #[test]
    fn shared_arrays_are_given_back() {
        let (starts, at, values) = (shared(&[0, 1]), shared(&[0]), shared(&[2.0f32]));
        let mut x = Sparse::from_rows(
            Compressed::new(Arc::clone(&starts), Arc::clone(&at), Arc::clone(&values), 1).unwrap(),
        );
        assert_eq!(Arc::strong_count(&values), 2);
        x.scale_columns(&[0.5]);
        assert_eq!((Arc::strong_count(&values), Arc::strong_count(&at)), (1, 2));
        assert_eq!((*values).as_ref(), [2.0]);
        drop(x);
        assert_eq!((Arc::strong_count(&starts), Arc::strong_count(&at)), (1, 1));
    }
}
