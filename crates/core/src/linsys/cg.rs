//! Conjugate gradients on (ρI + XᵀX) w = ρq + Xᵀr, started at the previous w: no factor, so no memory but
//! a few vectors. Preconditioned by the diagonal.

use super::LinearSystem;
use crate::Design;
use crate::design::dot;

/// The residual, relative to the right-hand side, at which a solve ends: near rounding, so that the
/// outer iteration cannot tell this from a factor.
const TOLERANCE: f64 = 1e-13;

/// ρI + XᵀX, by its products alone.
#[derive(Debug)]
pub struct Cg {
    rho: f64,
    tolerance: f64,
    most_steps: usize,
    inverse_diagonal: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    right: Vec<f64>,
}

impl Cg {
    /// Needs the column norms only.
    pub fn new(x: &dyn Design, rho: f64) -> Self {
        let d = x.cols();
        let diagonal = |j| {
            let mut squares = rho;
            x.column(j).for_each(|_, value| squares += value * value);
            1.0 / squares
        };
        Self {
            rho,
            tolerance: TOLERANCE,
            // In exact arithmetic d steps suffice; rounding may ask for some more.
            most_steps: 2 * d + 50,
            inverse_diagonal: (0..d).map(diagonal).collect(),
            residual: vec![0.0; d],
            direction: vec![0.0; d],
            product: vec![0.0; d],
            right: vec![0.0; d],
        }
    }

    /// Ends each solve at a relative residual, or after so many steps. Every step lowers ρ‖w - q‖² +
    /// ‖Xw - r‖², so a solve that is cut short is still an improvement of the w that it began with.
    #[must_use]
    pub fn cut_short(self, tolerance: f64, most_steps: usize) -> Self {
        Self { tolerance, most_steps, ..self }
    }

    /// product = (ρI + XᵀX) v, and xv = Xv on the way.
    fn apply(x: &dyn Design, rho: f64, v: &[f64], xv: &mut [f64], product: &mut [f64]) {
        x.matvec(v, xv);
        x.rmatvec(xv, product);
        product.iter_mut().zip(v).for_each(|(p, v)| *p += rho * v);
    }
}

impl LinearSystem for Cg {
    fn solve(&mut self, x: &dyn Design, q: &[f64], r: &[f64], w: &mut [f64], xw: &mut [f64]) {
        let Self { rho, tolerance, most_steps, inverse_diagonal, residual, direction, product, right } = self;
        x.rmatvec(r, right);
        right.iter_mut().zip(q).for_each(|(f, q)| *f += *rho * q);
        Self::apply(x, *rho, w, xw, product);
        for (residual, (f, p)) in residual.iter_mut().zip(right.iter().zip(product.iter())) {
            *residual = f - p;
        }
        let scaled = |r: &[f64], m: &[f64]| r.iter().zip(m).map(|(r, m)| r * r * m).sum::<f64>();
        let goal = *tolerance * *tolerance * scaled(right, inverse_diagonal);
        let mut size = scaled(residual, inverse_diagonal);
        for (p, (r, m)) in direction.iter_mut().zip(residual.iter().zip(inverse_diagonal.iter())) {
            *p = r * m;
        }
        for _ in 0..*most_steps {
            if !(size > goal) {
                break;
            }
            Self::apply(x, *rho, direction, xw, product);
            let step = size / dot(direction, product);
            w.iter_mut().zip(direction.iter()).for_each(|(w, p)| *w += step * p);
            residual.iter_mut().zip(product.iter()).for_each(|(r, p)| *r -= step * p);
            let next = scaled(residual, inverse_diagonal);
            let keep = next / size;
            size = next;
            for (p, (r, m)) in direction.iter_mut().zip(residual.iter().zip(inverse_diagonal.iter())) {
                *p = r * m + keep * *p;
            }
        }
        x.matvec(w, xw);
    }
}
