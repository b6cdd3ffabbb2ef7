//! The smooth face that every loss shows to the Newton engine: a sum of clipped ramps.
//!
//! ψ_i is convex and piecewise quadratic in the margin m, with the pull
//!
//!   -ψ_i'(m) = clip(β_i + σ_i(1-m), 0, top_i),
//!
//! so it is a straight line, then a parabola of curvature σ_i, then a straight line.
//! The squared hinge is β = 0, σ = 2c/n, top = ∞; the huberised hinge β = 0, σ = c/(nδ), top = c/n.
//! The hinge is neither, but its augmented Lagrangian with multiplier β ∈ [0, c/n] and parameter σ is.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::parts::{self, PART};
use crate::{Loss, Problem};

/// One ramp a sample.
#[derive(Debug, Clone)]
pub(super) struct Ramps {
    /// Multipliers; stay zero for the smooth losses.
    pub(super) beta: Vec<f64>,
    /// σ_i = steepness · c_i/n.
    sigma: Vec<f64>,
    top: Vec<f64>,
    steepness: f64,
    /// True for the hinge, whose rounds have multipliers.
    pub(super) is_renewed: bool,
}

impl Ramps {
    /// For the hinge, the augmented Lagrangian at β = 0 with σ_i = steepness · c_i/n.
    pub(super) fn new(problem: &Problem<'_>, steepness: f64) -> Self {
        let caps = problem.caps();
        let steepness = match problem.loss() {
            Loss::Hinge => steepness,
            Loss::SquaredHinge => 2.0,
            Loss::HuberHinge { delta } => 1.0 / delta,
        };
        Self {
            beta: vec![0.0; caps.len()],
            sigma: caps.iter().map(|cap| steepness * cap).collect(),
            top: (0..caps.len()).map(|i| problem.most_pull(i)).collect(),
            steepness,
            is_renewed: problem.loss() == Loss::Hinge,
        }
    }

    pub(super) fn steepness(&self) -> f64 {
        self.steepness
    }

    /// Only the hinge's ramps may change.
    pub(super) fn set_steepness(&mut self, problem: &Problem<'_>, steepness: f64) {
        self.steepness = steepness;
        self.sigma.iter_mut().zip(problem.caps()).for_each(|(sigma, cap)| *sigma = steepness * cap);
    }

    /// -ψ_i'(m).
    #[inline]
    pub(super) fn pull(&self, i: usize, m: f64) -> f64 {
        (self.beta[i] + self.sigma[i] * (1.0 - m)).max(0.0).min(self.top[i])
    }

    /// ψ_i''(m): σ_i on the parabola, 0 on the lines.
    #[inline]
    pub(super) fn curvature(&self, i: usize, m: f64) -> f64 {
        let at = self.beta[i] + self.sigma[i] * (1.0 - m);
        if at > 0.0 && at < self.top[i] { self.sigma[i] } else { 0.0 }
    }

    /// ψ_i'' where the multiplier is the pull: what it was when the multipliers were made, were it as steep.
    #[inline]
    pub(super) fn curvature_before(&self, i: usize) -> f64 {
        if self.beta[i] > 0.0 && self.beta[i] < self.top[i] { self.sigma[i] } else { 0.0 }
    }

    /// Pulls and curvatures at all margins.
    pub(super) fn evaluate(&self, margins: &[f64], pulls: &mut [f64], curvatures: &mut Vec<f64>) {
        curvatures.resize(margins.len(), 0.0);
        if margins.len() <= PART {
            self.evaluate_from(0, margins, pulls, curvatures);
            return;
        }
        let places = pulls.par_chunks_mut(PART).zip(curvatures.par_chunks_mut(PART));
        margins.par_chunks(PART).zip(places).enumerate().for_each(|(k, (margins, (pulls, curvatures)))| {
            self.evaluate_from(k * PART, margins, pulls, curvatures);
        });
    }

    /// The same for the samples from one on.
    fn evaluate_from(&self, first: usize, margins: &[f64], pulls: &mut [f64], curvatures: &mut [f64]) {
        Arch::new().dispatch(|| {
            let ramps = self.beta[first..].iter().zip(&self.sigma[first..]).zip(&self.top[first..]);
            let places = margins.iter().zip(pulls).zip(curvatures);
            for (((beta, sigma), top), ((m, pull), curvature)) in ramps.zip(places) {
                let at = beta + sigma * (1.0 - m);
                *pull = at.max(0.0).min(*top);
                *curvature = if at > 0.0 && at < *top { *sigma } else { 0.0 };
            }
        });
    }

    /// d/dt Σ_i ψ_i(m_i + t q_i), and its own derivative.
    pub(super) fn along(&self, margins: &[f64], q: &[f64], t: f64) -> [f64; 2] {
        parts::sums(margins.len(), |samples| {
            Arch::new().dispatch(Along { ramps: self, samples, margins, q, t })
        })
    }
}

/// Written out for the widest instructions of the machine, since no compiler finds them: an exact line search spends its
/// time here, and so did a quarter of a fit with many rows and few features.
struct Along<'a> {
    ramps: &'a Ramps,
    samples: Range<usize>,
    margins: &'a [f64],
    q: &'a [f64],
    t: f64,
}

impl<'a> WithSimd for Along<'a> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f64; 2] {
        let Self { ramps, samples, margins, q, t } = self;
        let n = samples.len();
        let some = |all: &'a [f64]| &all[samples.clone()];
        let [beta, sigma, top] = [&ramps.beta, &ramps.sigma, &ramps.top].map(|all| some(all));
        let (margins, q) = (some(margins), some(q));
        let lanes = |numbers| S::as_simd_f64s(numbers).0;
        let (zero, one, far) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0), simd.splat_f64s(t));
        let (mut firsts, mut seconds) = (zero, zero);
        let each = lanes(beta).iter().zip(lanes(sigma)).zip(lanes(top)).zip(lanes(margins)).zip(lanes(q));
        for ((((&beta, &sigma), &top), &m), &q) in each {
            let slack = simd.sub_f64s(simd.sub_f64s(one, m), simd.mul_f64s(far, q));
            let at = simd.add_f64s(beta, simd.mul_f64s(sigma, slack));
            let pull = simd.min_f64s(simd.max_f64s(at, zero), top);
            firsts = simd.sub_f64s(firsts, simd.mul_f64s(pull, q));
            let bend = simd.mul_f64s(simd.mul_f64s(sigma, q), q);
            seconds = simd.add_f64s(seconds, simd.select_f64s(simd.equal_f64s(pull, at), bend, zero));
        }
        let (mut first, mut second) = (simd.reduce_sum_f64s(firsts), simd.reduce_sum_f64s(seconds));
        for i in n - n % S::F64_LANES..n {
            let at = beta[i] + sigma[i] * (1.0 - margins[i] - t * q[i]);
            let pull = at.max(0.0).min(top[i]);
            first -= pull * q[i];
            second += if pull == at { sigma[i] * q[i] * q[i] } else { 0.0 };
        }
        [first, second]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multipliers 0, inside and at the top, margins on both sides of the bends.
    fn ramps(n: usize) -> (Ramps, Vec<f64>, Vec<f64>) {
        let wave = |k: f64| (0..n).map(|i| (k * i as f64).sin()).collect::<Vec<f64>>();
        let beta = wave(1.3).iter().map(|x| x.clamp(0.0, 0.4)).collect();
        let sigma = wave(2.1).iter().map(|x| 0.1 + x.abs()).collect();
        (
            Ramps { beta, sigma, top: vec![0.4; n], steepness: 1.0, is_renewed: true },
            wave(0.7).iter().map(|x| 1.0 + 2.0 * x).collect(),
            wave(3.7),
        )
    }

    #[test]
    fn sums_along_a_line_are_those_of_the_samples() {
        for n in [0, 1, 3, 4, 7, 8, 64, 131, 2 * PART + 5] {
            let (ramps, margins, q) = ramps(n);
            for t in [0.25, 1.0, 3.0] {
                let there = |i: usize| margins[i] + t * q[i];
                let first: f64 = (0..n).map(|i| -ramps.pull(i, there(i)) * q[i]).sum();
                let second: f64 = (0..n).map(|i| ramps.curvature(i, there(i)) * q[i] * q[i]).sum();
                let found = ramps.along(&margins, &q, t);
                assert!((found[0] - first).abs() < 1e-12 * (1.0 + n as f64), "{n} {t}: {found:?} {first}");
                assert!((found[1] - second).abs() < 1e-12 * (1.0 + n as f64), "{n} {t}: {found:?} {second}");
            }
        }
    }

    #[test]
    fn all_pulls_and_curvatures_are_those_of_each() {
        for n in [131, PART + 131] {
            let (ramps, margins, _) = ramps(n);
            let (mut pulls, mut curvatures) = (vec![f64::NAN; n], vec![f64::NAN; 3]);
            ramps.evaluate(&margins, &mut pulls, &mut curvatures);
            assert_eq!((pulls.len(), curvatures.len()), (n, n));
            for (i, &m) in margins.iter().enumerate() {
                assert_eq!((pulls[i], curvatures[i]), (ramps.pull(i, m), ramps.curvature(i, m)), "{i}");
            }
            assert!(curvatures.contains(&0.0) && pulls.contains(&0.0) && pulls.contains(&0.4));
        }
    }
}
