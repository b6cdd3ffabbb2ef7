//! The linear system of a step:
//!
//!   minimise ½ Σ_i D_i (t_i - x_iᵀw - b)² + ½ Σ_j q_j w_j² + ½ Σ_j e_j (w_j - w⁰_j)²
//!
//! over the kept features and b, with D the curvature of the loss at each sample, t = y(1 + a) its target
//! and q the stiffness of the penalty. The last sum holds what nothing else does (b, and features past the
//! penalty's flat end, where q = 0): e is a hundred-millionth of the curvature, and changes no fixed point.
//!
//! Rows times √D and columns over √(q + e) turn it into min ‖v - c‖² + ‖X̂v - r‖², which is what
//! [`linsys`](crate::linsys) solves: in the d × d or in the n × n form, or by conjugate gradients.

use super::Sqa;
use crate::design::{Compressed, Dense, Sparse};
use crate::linsys::{Cg, LinearSystem, Linsys};
use crate::{Design, Error, Problem, Result};

/// e_j relative to Σ_i D_i x_ij².
const HOLD: f64 = 1e-8;
/// Factors up to this size are made; past it conjugate gradients are cheaper, and need less memory.
const LARGEST_FACTOR: usize = 2000;
/// Conjugate gradients end after so many steps: cut short, they still lower what is minimised.
const CG_STEPS: usize = 100;

/// What is minimised.
pub(super) struct Quadratic<'a> {
    pub(super) problem: &'a Problem<'a>,
    /// The features that are not held at zero, ascending.
    pub(super) kept: &'a [usize],
    /// D, length n.
    pub(super) curvature: Vec<f64>,
    /// t, length n.
    pub(super) target: Vec<f64>,
    /// q, one for each kept feature.
    pub(super) stiffness: Vec<f64>,
}

impl Quadratic<'_> {
    /// Moves (w, b) to the minimiser; by conjugate gradients, to a relative residual of `accuracy`.
    pub(super) fn minimise(&self, settings: &Sqa, accuracy: f64, w: &mut [f64], b: &mut f64) -> Result<()> {
        let intercept = self.problem.has_intercept();
        let width = self.kept.len() + usize::from(intercept);
        if width == 0 {
            return Ok(());
        }
        let way = self.way(settings, width)?;
        let holds = self.holds();
        // √(q + e), the intercept last.
        let scales: Vec<f64> = (0..width)
            .map(|p| (self.stiffness.get(p).unwrap_or(&0.0) + holds[p]).max(f64::MIN_POSITIVE).sqrt())
            .collect();
        let roots: Vec<f64> = self.curvature.iter().map(|curvature| curvature.sqrt()).collect();
        let x = self.scaled(&roots, &scales)?;

        let old = |p: usize| self.kept.get(p).map_or(*b, |&j| w[j]);
        let mut v: Vec<f64> = (0..width).map(|p| old(p) * scales[p]).collect();
        let centre: Vec<f64> = (0..width).map(|p| holds[p] * old(p) / scales[p]).collect();
        let right: Vec<f64> = self.target.iter().zip(&roots).map(|(t, root)| t * root).collect();
        let mut scratch = vec![0.0; right.len()];
        let mut system: Box<dyn LinearSystem> = match way {
            Linsys::Cg => Box::new(Cg::new(&*x, 1.0).cut_short(accuracy, CG_STEPS)),
            way => way.build(&*x, 1.0, settings.memory_limit)?,
        };
        system.solve(&*x, &centre, &right, &mut v, &mut scratch);
        if v.iter().any(|v| !v.is_finite()) {
            return Err(Error::Numerical {
                what: "the quadratic approximation has no finite solution".into(),
                remedy: "scale the columns (--scale standard)",
            });
        }
        for (p, v) in v.iter().enumerate() {
            match self.kept.get(p) {
                Some(&j) => w[j] = v / scales[p],
                None => *b = v / scales[p],
            }
        }
        Ok(())
    }

    /// How it is solved; refuses a copy of the data that does not fit.
    fn way(&self, settings: &Sqa, width: usize) -> Result<Linsys> {
        let (x, n) = (self.problem.x(), self.problem.samples());
        // Sparse: rows and columns, each with positions and values.
        let copy = if x.is_sparse() { 24 * (x.stored() + n) } else { 8 * n * width } as u64;
        if copy > settings.memory_limit {
            return Err(Error::Memory {
                what: "the weighted copy of the data in sqa",
                needed_mib: copy.div_ceil(1 << 20),
                limit_mib: settings.memory_limit >> 20,
                remedy: "use solver feadmm with --linsys cg, or exact",
            });
        }
        let fits = settings.linsys.bytes(n, width) <= settings.memory_limit;
        let small = n.min(width) <= LARGEST_FACTOR;
        Ok(match settings.linsys {
            Linsys::Auto if !(small && fits) => Linsys::Cg,
            chosen => chosen.resolve(n, width),
        })
    }

    /// e, the intercept last.
    fn holds(&self) -> Vec<f64> {
        let of_column = |&j: &usize| {
            let mut sum = 0.0;
            self.problem.x().column(j).for_each(|i, x| sum += self.curvature[i] * x * x);
            HOLD * sum
        };
        let of_intercept = HOLD * self.curvature.iter().sum::<f64>();
        let last = self.problem.has_intercept().then_some(of_intercept);
        self.kept.iter().map(of_column).chain(last).collect()
    }

    /// The kept columns, and one of ones for b, each row times its root and each column over its scale.
    fn scaled(&self, roots: &[f64], scales: &[f64]) -> Result<Box<dyn Design>> {
        let (x, n, width) = (self.problem.x(), self.problem.samples(), scales.len());
        if !x.is_sparse() {
            let mut values = Vec::with_capacity(n * width);
            for (j, scale) in self.kept.iter().zip(scales) {
                x.column(*j).for_each(|i, x| values.push(x * roots[i] / scale));
            }
            if self.problem.has_intercept() {
                values.extend(roots.iter().map(|root| root / scales[width - 1]));
            }
            return Ok(Box::new(Dense::from_columns(n, width, values)?));
        }
        let mut position = vec![u32::MAX; self.problem.features()];
        self.kept.iter().enumerate().for_each(|(p, &j)| position[j] = p as u32);
        let (mut starts, mut at, mut values) = (vec![0], Vec::new(), Vec::new());
        for (i, root) in roots.iter().enumerate() {
            x.row(i).for_each(|j, x| {
                if position[j] != u32::MAX {
                    at.push(position[j]);
                    values.push(x * root / scales[position[j] as usize]);
                }
            });
            if self.problem.has_intercept() {
                at.push((width - 1) as u32);
                values.push(root / scales[width - 1]);
            }
            starts.push(values.len());
        }
        Ok(Box::new(Sparse::from_rows(Compressed::new(starts, at, values, width)?)))
    }
}
