//! The n × n branch, for n < d (Sherman-Morrison-Woodbury), with I + XXᵀ/ρ = LLᵀ.
//!
//! The paper writes w = f/ρ - Xᵀ(LLᵀ)⁻¹Xf/ρ² with f = ρq + Xᵀr: three products by X, and a fourth for Xw.
//! Put t = (LLᵀ)⁻¹(r - Xq); then w = q + Xᵀt/ρ and Xw = r - t: the same numbers with two products.

use super::{Factor, LinearSystem, shifted_gram};
use crate::design::Side;
use crate::team::Alone;
use crate::{Design, Result};

/// I + XXᵀ/ρ, factored.
#[derive(Debug)]
pub struct Woodbury {
    factor: Factor,
    rho: f64,
}

impl Woodbury {
    /// Forms XXᵀ and factors it.
    ///
    /// # Errors
    /// If the factorisation breaks down.
    pub fn new(x: &dyn Design, rho: f64) -> Result<Self> {
        Ok(Self { factor: Factor::new(shifted_gram(x, Side::Samples, 1.0 / rho, 1.0, &Alone))?, rho })
    }
}

impl LinearSystem for Woodbury {
    fn solve(&mut self, x: &dyn Design, q: &[f64], r: &[f64], w: &mut [f64], xw: &mut [f64]) {
        x.matvec(q, xw);
        xw.iter_mut().zip(r).for_each(|(t, r)| *t = r - *t);
        self.factor.solve(xw);
        x.rmatvec(xw, w);
        w.iter_mut().zip(q).for_each(|(w, q)| *w = q + *w / self.rho);
        xw.iter_mut().zip(r).for_each(|(t, r)| *t = r - *t);
    }
}
