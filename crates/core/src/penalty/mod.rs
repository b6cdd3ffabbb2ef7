//! Penalties p(|w|): ℓ1 and the nonconvex ones, one file each. What they have in common is this trait;
//! `spec` turns names into penalties, `regularizer` adds the ℓ2 part and the per-feature factors.
//!
//! The proximal operators are exact for EVERY step. The paper's appendix prints SCAD and MCP formulas
//! that hold only for ρ₁ = 1; the ones here are derived in `docs/maths.md` and tested against a grid.

mod capped_l1;
mod l1;
mod lp;
mod lsp;
mod mcp;
mod regularizer;
mod scad;
mod spec;
mod stretched;

use std::fmt::Debug;

pub use capped_l1::CappedL1;
pub use l1::L1;
pub use lp::Lp;
pub use lsp::Lsp;
pub use mcp::Mcp;
pub use regularizer::Regularizer;
pub use scad::Scad;
pub use spec::{Family, PenaltySpec};

/// p(t) for t = |w| ≥ 0: nondecreasing, concave, p(0) = 0.
pub trait Penalty: Debug + Send + Sync {
    /// p(t), t ≥ 0.
    fn value_at(&self, t: f64) -> f64;

    /// The slope from the right, p'(t+); may be ∞ at 0.
    fn slope_at(&self, t: f64) -> f64;

    /// The GLOBAL minimiser over x ≥ 0 of ½(x-u)² + step·p(x), for u ≥ 0 and any step > 0.
    fn prox_at(&self, u: f64, step: f64) -> f64;

    /// The least c that makes p(|·|) + c/2 (·)² convex: 0 for ℓ1, ∞ if there is none.
    fn concavity(&self) -> f64;

    /// Which of the built-in ones this is; `None` for one of your own.
    fn family(&self) -> Option<Family> {
        None
    }

    /// The prox of p(|·|) at any real v.
    #[inline]
    fn prox(&self, v: f64, step: f64) -> f64 {
        self.prox_at(v.abs(), step).copysign(v)
    }
}

/// The candidate x ≥ 0 with the least ½(x-u)² + step·p(x); 0 is always one, and wins ties.
#[inline]
fn best_of<P: Penalty + ?Sized>(p: &P, u: f64, step: f64, candidates: &[f64]) -> f64 {
    let (mut at, mut best) = (0.0, 0.5 * u * u);
    for &x in candidates {
        let h = 0.5 * (x - u) * (x - u) + step * p.value_at(x);
        if h < best {
            (at, best) = (x, h);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every family, at every strength the tests draw. A new penalty is added here, and nowhere else.
    fn every(lambda: f64, shape: f64) -> Vec<PenaltySpec> {
        let spec = |family, theta| PenaltySpec { family, lambda, theta };
        vec![
            spec(Family::L1, 0.0),
            spec(Family::Scad, 2.0 + shape),
            spec(Family::Mcp, shape),
            spec(Family::Lsp, shape),
            spec(Family::CappedL1, shape),
            spec(Family::Lp, shape / (1.0 + shape)),
        ]
    }

    fn h(p: &dyn Penalty, x: f64, u: f64, step: f64) -> f64 {
        0.5 * (x - u) * (x - u) + step * p.value_at(x)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// No point of a fine grid beats the prox, at steps on both sides of 1/concavity.
        #[test]
        fn prox_is_the_global_minimiser(
            u in 0.0..8.0f64, log_step in -3.0..3.0f64, log_lambda in -3.0..1.0f64, log_shape in -1.5..1.0f64,
        ) {
            let (step, lambda, shape) = (10f64.powf(log_step), 10f64.powf(log_lambda), 10f64.powf(log_shape));
            for spec in every(lambda, shape) {
                let p = spec.build().unwrap();
                let x = p.prox_at(u, step);
                prop_assert!(x >= 0.0 && x <= u, "{spec}: prox({u}, {step}) = {x}");
                let found = h(&*p, x, u, step);
                for k in 0..=4000 {
                    let at = u * f64::from(k) / 4000.0;
                    let grid = h(&*p, at, u, step);
                    prop_assert!(
                        found <= grid + 1e-13 * (1.0 + grid.abs()),
                        "{spec}, u {u}, step {step}: {found} at {x}, but {grid} at {at}"
                    );
                }
            }
        }

        /// Where the prox is inside (0, ∞) it is stationary to machine precision.
        #[test]
        fn prox_is_stationary(u in 0.01..8.0f64, log_step in -3.0..3.0f64, log_shape in -1.5..1.0f64) {
            let (step, shape) = (10f64.powf(log_step), 10f64.powf(log_shape));
            for spec in every(0.3, shape) {
                let p = spec.build().unwrap();
                let x = p.prox_at(u, step);
                if x > 0.0 {
                    let residual = x - u + step * p.slope_at(x);
                    prop_assert!(residual.abs() <= 1e-12 * (1.0 + u + step), "{spec}: {residual} at {x}");
                }
            }
        }

        #[test]
        fn slope_is_the_derivative_and_never_rises(t in 0.001..6.0f64, log_shape in -1.0..1.0f64) {
            for spec in every(0.7, 10f64.powf(log_shape)) {
                let p = spec.build().unwrap();
                let e = 1e-7 * t;
                let ahead = (p.value_at(t + e) - p.value_at(t)) / e;
                prop_assert!((ahead - p.slope_at(t)).abs() < 1e-4 * (1.0 + p.slope_at(t)), "{spec} at {t}");
                prop_assert!(p.slope_at(t) <= p.slope_at(0.9 * t) + 1e-15);
                prop_assert!(p.slope_at(t) >= 0.0);
            }
        }

        #[test]
        fn concavity_is_the_least_that_makes_it_convex(a in 0.0..4.0f64, b in 0.0..4.0f64, log_shape in -1.0..1.0f64) {
            for spec in every(0.7, 10f64.powf(log_shape)) {
                let p = spec.build().unwrap();
                let c = p.concavity();
                if c.is_finite() {
                    let g = |t: f64| p.value_at(t) + c / 2.0 * t * t;
                    prop_assert!(g(0.5 * (a + b)) <= 0.5 * (g(a) + g(b)) + 1e-12, "{spec}");
                }
            }
        }
    }

    #[test]
    fn wide_shapes_tend_to_l1() {
        let l1 = L1::new(0.4).unwrap();
        let wide: [Box<dyn Penalty>; 3] = [
            Box::new(Mcp::new(0.4, 1e9).unwrap()),
            Box::new(Scad::new(0.4, 1e9).unwrap()),
            Box::new(CappedL1::new(0.4, 1e9).unwrap()),
        ];
        for p in &wide {
            for u in [0.1, 0.5, 3.0] {
                for step in [1e-3, 1.0, 1e3] {
                    assert!((p.prox(-u, step) - l1.prox(-u, step)).abs() < 1e-6, "{p:?}");
                }
            }
        }
    }

    /// The paper prints ρ₁(θ-2) and ρ₁(θ-1) as denominators: right at ρ₁ = 1 only.
    #[test]
    fn errata_of_the_paper() {
        let (lambda, rho1, u) = (0.5, 4.0, 0.9);
        let step = 1.0 / rho1;
        let scad = Scad::new(lambda, 3.7).unwrap();
        let printed: f64 = (rho1 * u * 2.7 - 3.7 * lambda) / (rho1 * 1.7);
        let right = scad.prox_at(u, step);
        assert!(h(&scad, right, u, step) < h(&scad, printed.clamp(lambda, 3.7 * lambda), u, step) - 1e-6);
        let mcp = Mcp::new(lambda, 3.0).unwrap();
        let printed: f64 = 3.0 * (rho1 * u - lambda) / (rho1 * 2.0);
        let right = mcp.prox_at(u, step);
        assert!(h(&mcp, right, u, step) < h(&mcp, printed.clamp(0.0, 3.0 * lambda), u, step) - 1e-6);
    }
}
