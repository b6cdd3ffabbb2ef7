//! The smooth face that every loss shows to the Newton engine: a sum of clipped ramps.
//!
//! ψ_i is convex and piecewise quadratic in the margin m, with the pull
//!
//!   -ψ_i'(m) = clip(β_i + σ_i(1-m), 0, top_i),
//!
//! so it is a straight line, then a parabola of curvature σ_i, then a straight line.
//! The squared hinge is β = 0, σ = 2c/n, top = ∞; the huberised hinge β = 0, σ = c/(nδ), top = c/n.
//! The hinge is neither, but its augmented Lagrangian with multiplier β ∈ [0, c/n] and parameter σ is.

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

    /// d/dt Σ_i ψ_i(m_i + t q_i), and its own derivative. Summed in four lanes without branches: this is
    /// what an exact line search spends its time on.
    pub(super) fn along(&self, margins: &[f64], q: &[f64], t: f64) -> (f64, f64) {
        let (mut first, mut second) = ([0.0; 4], [0.0; 4]);
        let n = margins.len();
        let (beta, sigma, top) = (&self.beta[..n], &self.sigma[..n], &self.top[..n]);
        let q = &q[..n];
        let mut one = |i: usize, lane: usize| {
            let at = beta[i] + sigma[i] * (1.0 - margins[i] - t * q[i]);
            let pull = at.max(0.0).min(top[i]);
            first[lane] -= pull * q[i];
            second[lane] += if pull == at { sigma[i] * q[i] * q[i] } else { 0.0 };
        };
        for i in (0..n / 4 * 4).step_by(4) {
            for lane in 0..4 {
                one(i + lane, lane);
            }
        }
        for i in n / 4 * 4..n {
            one(i, 0);
        }
        ((first[0] + first[1]) + (first[2] + first[3]), (second[0] + second[1]) + (second[2] + second[3]))
    }
}
