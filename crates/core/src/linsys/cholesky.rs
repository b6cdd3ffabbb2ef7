//! The d × d branch, for n ≥ d: w = (LLᵀ)⁻¹(ρq + Xᵀr) with ρI + XᵀX = LLᵀ.

use super::{Factor, LinearSystem, shifted_gram};
use crate::design::Side;
use crate::{Design, Result};

/// ρI + XᵀX, factored.
#[derive(Debug)]
pub struct Cholesky {
    factor: Factor,
    rho: f64,
}

impl Cholesky {
    /// Forms XᵀX and factors it.
    ///
    /// # Errors
    /// If the factorisation breaks down.
    pub fn new(x: &dyn Design, rho: f64) -> Result<Self> {
        Ok(Self { factor: Factor::new(shifted_gram(x, Side::Features, 1.0, rho))?, rho })
    }
}

impl LinearSystem for Cholesky {
    fn solve(&mut self, x: &dyn Design, q: &[f64], r: &[f64], w: &mut [f64], xw: &mut [f64]) {
        x.rmatvec(r, w);
        w.iter_mut().zip(q).for_each(|(w, q)| *w += self.rho * q);
        self.factor.solve(w);
        x.matvec(w, xw);
    }
}
