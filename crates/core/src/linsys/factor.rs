//! A dense Cholesky factor that is made in place and solves without allocating.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor, solve};
use faer::{Mat, MatMut, Par, Spec};

use crate::design::dot;
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

    /// right ← C⁻¹ right. For one column faer would copy the factor into buffers of the size of the machine's last cache.
    pub fn solve(&self, right: &mut [f64]) {
        for c in 0..right.len() {
            let column = &self.lower.col_as_slice(c)[c..];
            let (first, rest) = right[c..].split_at_mut(1);
            first[0] /= column[0];
            rest.iter_mut().zip(&column[1..]).for_each(|(r, entry)| *r -= first[0] * entry);
        }
        for c in (0..right.len()).rev() {
            let column = &self.lower.col_as_slice(c)[c..];
            right[c] = (right[c] - dot(&column[1..], &right[c + 1..])) / column[0];
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_is_solved_as_many_are() {
        for dim in [1, 2, 7, 40] {
            // B Bᵀ + I of a matrix without symmetry.
            let b = Mat::from_fn(dim, dim, |r, c| ((3 * r + 5 * c * c + 1) % 11) as f64 - 5.0);
            let matrix = Mat::from_fn(dim, dim, |r, c| {
                let product: f64 = (0..dim).map(|k| b[(r, k)] * b[(c, k)]).sum();
                product + f64::from(r == c)
            });
            let factor = Factor::new(matrix.clone()).unwrap();
            let right: Vec<f64> = (0..dim).map(|r| (r as f64).sin() + 0.5).collect();
            let mut one = right.clone();
            factor.solve(&mut one);
            let mut many = Mat::from_fn(dim, 1, |r, _| right[r]);
            factor.solve_many(many.as_mut());
            for r in 0..dim {
                assert!((one[r] - many[(r, 0)]).abs() <= 1e-9 * (1.0 + one[r].abs()), "{dim}: {one:?}");
                let back: f64 = (0..dim).map(|c| matrix[(r, c)] * one[c]).sum();
                assert!((back - right[r]).abs() < 1e-9, "{dim}: row {r} gives {back}");
            }
        }
    }
}
