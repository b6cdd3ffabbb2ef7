//! The d × d branch, for n ≥ d: w = (LLᵀ)⁻¹(ρq + Xᵀr) with ρI + XᵀX = LLᵀ.

use super::{Factor, LinearSystem, shifted_gram};
use crate::design::Side;
use crate::team::{Alone, Team};
use crate::{Design, Result};

/// ρI + XᵀX, factored.
#[derive(Debug)]
pub struct Cholesky<'a> {
    factor: Factor,
    rho: f64,
    team: &'a dyn Team,
}

impl<'a> Cholesky<'a> {
    /// Forms XᵀX and factors it.
    ///
    /// # Errors
    /// If the factorisation breaks down.
    pub fn new(x: &dyn Design, rho: f64) -> Result<Self> {
        Self::in_team(x, rho, &Alone)
    }

    /// The same over the rows of all members: XᵀX is summed once, and Xᵀr for each solve.
    ///
    /// # Errors
    /// If the factorisation breaks down.
    pub fn in_team(x: &dyn Design, rho: f64, team: &'a dyn Team) -> Result<Self> {
        Ok(Self { factor: Factor::new(shifted_gram(x, Side::Features, 1.0, rho, team))?, rho, team })
    }
}

impl LinearSystem for Cholesky<'_> {
    fn solve(&mut self, x: &dyn Design, q: &[f64], r: &[f64], w: &mut [f64], xw: &mut [f64]) {
        x.rmatvec(r, w);
        self.team.sum(w);
        w.iter_mut().zip(q).for_each(|(w, q)| *w += self.rho * q);
        self.factor.solve(w);
        x.matvec(w, xw);
    }
}
