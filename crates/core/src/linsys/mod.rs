//! The w-update of the paper as a plug below the algorithm: factor once, solve many. (SQA brings each of its
//! steps into the same form, with ρ = 1.)
//!
//! Every ADMM iteration asks for
//!
//!   w = argmin ρ‖w - q‖² + ‖Xw - r‖²,   that is   (ρI + XᵀX) w = ρq + Xᵀr,   and for Xw,
//!
//! with ρ = ρ₁/ρ₂, q = z - u and r = Y(s + 1 - ξ - v - by). (H = YX and Y² = I, so no y-scaled copy of X
//! is needed.) Three ways, which agree: [`Cholesky`] factors the d × d matrix, [`Woodbury`] the n × n one,
//! and [`Cg`] holds none. `docs/maths.md` derives the form used here, with two products by X a solve.

mod cg;
mod cholesky;
mod factor;
mod woodbury;

use std::fmt;
use std::str::FromStr;

pub use cg::Cg;
pub use cholesky::Cholesky;
pub use factor::Factor;
pub use woodbury::Woodbury;

use crate::design::Side;
use crate::team::{Team, sum_lower};
use crate::{Design, Error, Result};

/// (ρI + XᵀX) w = ρq + Xᵀr, again and again.
pub trait LinearSystem: Send {
    /// Solves for `w` and gives `xw` = Xw. `w` holds the previous solution on entry.
    fn solve(&mut self, x: &dyn Design, q: &[f64], r: &[f64], w: &mut [f64], xw: &mut [f64]);
}

/// Which way to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Linsys {
    /// The paper's rule: d × d if n ≥ d, else n × n.
    #[default]
    Auto,
    /// d × d.
    Cholesky,
    /// n × n.
    Woodbury,
    /// Conjugate gradients: no factor, little memory.
    Cg,
}

impl Linsys {
    /// The way that will be taken for n × d data.
    #[must_use]
    pub fn resolve(self, n: usize, d: usize) -> Self {
        match self {
            Self::Auto if n >= d => Self::Cholesky,
            Self::Auto => Self::Woodbury,
            chosen => chosen,
        }
    }

    /// Bytes that the factor takes: 8 · dimension², or 0 for conjugate gradients.
    pub fn bytes(self, n: usize, d: usize) -> u64 {
        let dim = match self.resolve(n, d) {
            Self::Cholesky | Self::Auto => d,
            Self::Woodbury => n,
            Self::Cg => 0,
        } as u64;
        dim.saturating_mul(dim).saturating_mul(8)
    }

    /// Refuses a factor that would not fit, before anything is allocated.
    pub(crate) fn check_memory(self, n: usize, d: usize, memory_limit: u64) -> Result<()> {
        let needed = self.bytes(n, d);
        if needed > memory_limit {
            return Err(Error::Memory {
                what: "the Cholesky factor",
                needed_mib: needed.div_ceil(1 << 20),
                limit_mib: memory_limit >> 20,
                remedy: "use --linsys cg, which needs no factor, or a solver that needs none",
            });
        }
        Ok(())
    }

    /// Forms and factors.
    ///
    /// # Errors
    /// [`Error::Memory`] before anything is allocated that would not fit, [`Error::Numerical`] if the
    /// factorisation breaks down.
    pub fn build(self, x: &dyn Design, rho: f64, memory_limit: u64) -> Result<Box<dyn LinearSystem>> {
        let (n, d) = (x.rows(), x.cols());
        self.check_memory(n, d, memory_limit)?;
        Ok(match self.resolve(n, d) {
            Self::Cholesky | Self::Auto => Box::new(Cholesky::new(x, rho)?),
            Self::Woodbury => Box::new(Woodbury::new(x, rho)?),
            Self::Cg => Box::new(Cg::new(x, rho)),
        })
    }
}

impl fmt::Display for Linsys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Cholesky => "cholesky",
            Self::Woodbury => "woodbury",
            Self::Cg => "cg",
        })
    }
}

impl FromStr for Linsys {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(Self::Auto),
            "cholesky" => Ok(Self::Cholesky),
            "woodbury" => Ok(Self::Woodbury),
            "cg" => Ok(Self::Cg),
            _ => Err(Error::parameter("linsys", text, "one of auto, cholesky, woodbury, cg")),
        }
    }
}

/// The lower triangle of the Gram matrix, summed over a team, times `times`, plus `shift` on the diagonal.
fn shifted_gram(x: &dyn Design, side: Side, times: f64, shift: f64, team: &dyn Team) -> faer::Mat<f64> {
    let dim = match side {
        Side::Samples => x.rows(),
        Side::Features => x.cols(),
    };
    let mut gram = faer::Mat::<f64>::zeros(dim, dim);
    x.gram(side, gram.as_mut());
    sum_lower(team, &mut gram);
    if times != 1.0 {
        faer::zip!(&mut gram).for_each(|faer::unzip!(g)| *g *= times);
    }
    for i in 0..dim {
        gram[(i, i)] += shift;
    }
    gram
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Compressed, Dense, Sparse};
    use proptest::prelude::*;

    fn designs(n: usize, d: usize, values: &[f64]) -> [Box<dyn Design>; 2] {
        // Small values become zeros, so that the sparse design has holes.
        let values: Vec<f64> = values.iter().map(|v| if v.abs() < 0.5 { 0.0 } else { *v }).collect();
        let (mut starts, mut at, mut kept) = (vec![0], vec![], vec![]);
        for row in values.chunks(d) {
            for (j, v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                at.push(j as u32);
                kept.push(*v);
            }
            starts.push(kept.len());
        }
        let sparse = Sparse::from_rows(Compressed::new(starts, at, kept, d).unwrap());
        [Box::new(Dense::from_rows(n, d, values).unwrap()), Box::new(sparse)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn three_ways_agree(
            n in 1usize..12, d in 1usize..12, log_rho in -3.0..3.0f64,
            values in prop::collection::vec(-2.0..2.0f64, 144), rest in prop::collection::vec(-2.0..2.0f64, 24),
        ) {
            let rho = 10f64.powf(log_rho);
            let (q, r) = (&rest[..d], &rest[12..12 + n]);
            let mut first: Option<Vec<f64>> = None;
            for x in designs(n, d, &values[..n * d]) {
                for way in [Linsys::Cholesky, Linsys::Woodbury, Linsys::Cg] {
                    let (mut w, mut xw, mut check) = (vec![0.0; d], vec![0.0; n], vec![0.0; n]);
                    way.build(&*x, rho, u64::MAX).unwrap().solve(&*x, q, r, &mut w, &mut xw);
                    // The normal equations, from the raw data.
                    x.matvec(&w, &mut check);
                    let mut residual = vec![0.0; d];
                    let difference: Vec<f64> = check.iter().zip(r).map(|(a, b)| a - b).collect();
                    x.rmatvec(&difference, &mut residual);
                    for j in 0..d {
                        prop_assert!((residual[j] + rho * (w[j] - q[j])).abs() < 1e-8 * (1.0 + rho), "{way}");
                    }
                    for i in 0..n {
                        prop_assert!((check[i] - xw[i]).abs() < 1e-8, "{way}: {} {}", check[i], xw[i]);
                    }
                    let expected = first.get_or_insert_with(|| w.clone());
                    for (a, b) in w.iter().zip(expected.iter()) {
                        prop_assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{way}: {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn too_large_a_factor_is_refused_before_it_is_made() {
        let [x, _] = designs(1, 1, &[1.0]);
        let error = Linsys::Auto.build(&*x, 1.0, 7).err().unwrap();
        assert!(matches!(error, Error::Memory { .. }) && error.to_string().contains("--linsys cg"));
        assert!(Linsys::Cg.build(&*x, 1.0, 0).is_ok());
        assert_eq!(Linsys::Auto.bytes(20_000, 1_000_000), 8 * 20_000 * 20_000);
    }
}
