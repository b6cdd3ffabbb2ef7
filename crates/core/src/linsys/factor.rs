//! A dense Cholesky factor that is made in place and solves without allocating.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor, solve};
use faer::{Mat, MatMut, Par, Spec};

use crate::{Error, Result};

/// C = LLᵀ.
#[derive(Debug)]
pub struct Factor {
    lower: Mat<f64>,
}

impl Factor {
    /// Factors the lower triangle of `matrix` in its own memory.
    ///
    /// # Errors
    /// [`Error::Numerical`] if the matrix is not positive definite to working precision.
    pub fn new(mut matrix: Mat<f64>) -> Result<Self> {
        let dim = matrix.nrows();
        let par = parallelism(dim);
        let params = Spec::default();
        let mut memory = MemBuffer::new(factor::cholesky_in_place_scratch::<f64>(dim, par, params));
        let stack = MemStack::new(&mut memory);
        factor::cholesky_in_place(matrix.as_mut(), factor::LltRegularization::default(), par, stack, params)
            .map_err(|error| Error::Numerical {
                what: format!("the linear system is not positive definite ({error})"),
                remedy: "scale the columns (--scale standard), raise rho1 or lower rho2",
            })?;
        Ok(Self { lower: matrix })
    }

    /// right ← C⁻¹ right.
    pub fn solve(&self, right: &mut [f64]) {
        let dim = right.len();
        self.solve_many(MatMut::from_column_major_slice_mut(right, dim, 1));
    }

    /// right ← C⁻¹ right, every column.
    pub fn solve_many(&self, right: MatMut<'_, f64>) {
        // faer takes nothing from the stack here.
        solve::solve_in_place(self.lower.as_ref(), right, Par::Seq, MemStack::new(&mut []));
    }
}

/// Threads for a factorisation. Small ones run on one: starting others costs more than it saves.
fn parallelism(dim: usize) -> Par {
    if dim < 512 { Par::Seq } else { Par::rayon(0) }
}
