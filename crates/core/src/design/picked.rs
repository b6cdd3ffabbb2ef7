//! Some columns of a sparse matrix, where they lie: nothing is copied for who works by columns.

use std::sync::OnceLock;

use faer::MatMut;

use super::{Compressed, Design, Side, Slice, Sparse, shares};

/// Some of these vectors, as the columns of a matrix.
#[derive(Debug)]
pub(super) struct Picked<'a> {
    columns: &'a Compressed<'a>,
    which: Vec<u32>,
    /// Where each would start if they lay one after the other.
    starts: Vec<usize>,
    /// A copy, made when rows are asked for, or something is to be changed.
    own: OnceLock<Sparse<'static>>,
}

impl<'a> Picked<'a> {
    pub(super) fn new(columns: &'a Compressed<'a>, which: impl Iterator<Item = u32>) -> Self {
        let which: Vec<u32> = which.collect();
        let starts = shares::starts(which.iter().map(|&j| columns.vector(j as usize).stored()));
        Self { columns, which, starts, own: OnceLock::new() }
    }

    fn own(&self) -> &Sparse<'static> {
        self.own.get_or_init(|| {
            let which: Vec<usize> = self.which.iter().map(|&j| j as usize).collect();
            Sparse::from_columns(self.columns.select(&which))
        })
    }
}

impl Design for Picked<'_> {
    fn rows(&self) -> usize {
        self.columns.across
    }

    fn cols(&self) -> usize {
        self.which.len()
    }

    fn stored(&self) -> usize {
        self.starts[self.which.len()]
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn matvec(&self, v: &[f64], out: &mut [f64]) {
        self.own().matvec(v, out);
    }

    fn rmatvec(&self, u: &[f64], out: &mut [f64]) {
        shares::for_each(&self.starts, out, &|k, out| *out = self.column(k).dot(u));
    }

    fn column(&self, j: usize) -> Slice<'_> {
        match self.own.get() {
            Some(own) => own.column(j),
            None => self.columns.vector(self.which[j] as usize),
        }
    }

    fn row(&self, i: usize) -> Slice<'_> {
        self.own().row(i)
    }

    fn gram(&self, side: Side, out: MatMut<'_, f64>) {
        self.own().gram(side, out);
    }

    fn scale_columns(&mut self, factors: &[f64]) {
        self.own();
        if let Some(own) = self.own.get_mut() {
            own.scale_columns(factors);
        }
    }

    fn has_rows(&self) -> bool {
        self.own.get().is_some_and(Design::has_rows)
    }

    fn select_columns(&self, columns: &[usize]) -> Option<Box<dyn Design + '_>> {
        match self.own.get() {
            Some(own) => own.select_columns(columns),
            None => Some(Box::new(Picked::new(self.columns, columns.iter().map(|&j| self.which[j])))),
        }
    }

    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design> {
        self.own().select_rows(rows)
    }
}
