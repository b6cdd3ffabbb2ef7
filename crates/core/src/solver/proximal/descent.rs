//! Proximal gradient steps w⁺ = prox of P/t at w - ∇f(w)/t, with t doubled until a test accepts.

use super::{Point, Smooth};
use crate::Regularizer;

/// Factor of t after a step that was not accepted (η of Gong et al.).
const ETA: f64 = 2.0;
/// What rounding may add to a sum that is compared, relative to it.
const ROUNDING: f64 = 1e-14;

/// A smooth part, plus a regulariser of one's own choice.
#[derive(Debug)]
pub(in crate::solver) struct Descent<'a> {
    pub(super) smooth: &'a dyn Smooth,
    /// P, which need not be the problem's.
    pub(in crate::solver) regularizer: Regularizer,
    /// The inverse of the step.
    t: f64,
    /// From here on every step is a descent, whatever rounding says.
    ceiling: f64,
    gradient: Vec<f64>,
    old_gradient: Vec<f64>,
    pulls: Vec<f64>,
    shifted: Vec<f64>,
}

/// A step that may be accepted.
#[derive(Debug, Clone, Copy)]
pub(in crate::solver) struct Trial {
    t: f64,
    /// f before and after.
    from: f64,
    to: f64,
    /// f + P after.
    pub(in crate::solver) objective: f64,
    /// ‖w⁺ - w‖².
    squared: f64,
    /// ⟨∇f(w), w⁺ - w⟩.
    along: f64,
}

impl Trial {
    /// f(w⁺) ≤ f(w) + ⟨∇f(w), w⁺ - w⟩ + (t/2)‖w⁺ - w‖²: t is no less than the curvature on the way.
    pub(super) fn is_majorised(&self) -> bool {
        let bound = self.from + self.along + 0.5 * self.t * self.squared;
        self.to <= bound + ROUNDING * self.from
    }

    /// F(w⁺) ≤ `highest` - (sigma/2)·t‖w⁺ - w‖².
    pub(in crate::solver) fn falls_below(&self, highest: f64, sigma: f64) -> bool {
        self.objective <= highest - 0.5 * sigma * self.t * self.squared + ROUNDING * highest
    }
}

impl<'a> Descent<'a> {
    /// Starts t at the largest curvature along one feature, a lower bound of ∇f's Lipschitz constant; the
    /// sum over all features is an upper bound.
    pub(in crate::solver) fn new(smooth: &'a dyn Smooth, regularizer: Regularizer) -> Self {
        let (n, d) = (smooth.x().rows(), smooth.x().cols());
        let curvatures = smooth.curvatures();
        let largest = curvatures.iter().copied().fold(0.0, f64::max);
        let sum: f64 = curvatures.iter().sum();
        Self {
            smooth,
            regularizer,
            t: largest.max(f64::MIN_POSITIVE.sqrt()),
            ceiling: 2.0 * sum,
            gradient: vec![0.0; d],
            old_gradient: vec![0.0; d],
            pulls: vec![0.0; n],
            shifted: vec![0.0; d],
        }
    }

    /// f + P at a point.
    pub(in crate::solver) fn objective(&self, at: &Point) -> f64 {
        at.loss + self.regularizer.value(&at.w)
    }

    /// Takes ∇f at a point from which the next step goes.
    pub(in crate::solver) fn look(&mut self, at: &Point) {
        std::mem::swap(&mut self.gradient, &mut self.old_gradient);
        at.gradient(self.smooth, &mut self.pulls, &mut self.gradient);
    }

    /// t = ⟨Δw, Δ∇f⟩/⟨Δw, Δw⟩ (Barzilai and Borwein), from the last two points that were looked at; as it
    /// was if these do not say anything.
    pub(in crate::solver) fn barzilai_borwein(&mut self, at: &Point, before: &Point) {
        let (mut bent, mut moved) = (0.0, 0.0);
        let gradients = self.gradient.iter().zip(&self.old_gradient);
        for ((now, old), (g, old_g)) in at.w.iter().zip(&before.w).zip(gradients) {
            bent += (now - old) * (g - old_g);
            moved += (now - old) * (now - old);
        }
        if bent > 0.0 && moved > 0.0 {
            self.t = (bent / moved).clamp(1e-12 * self.ceiling, self.ceiling);
        }
    }

    /// Steps from `from`, which was looked at last, to `to`.
    pub(in crate::solver) fn step(
        &mut self,
        from: &Point,
        to: &mut Point,
        accept: impl Fn(&Trial) -> bool,
    ) -> Trial {
        loop {
            for ((shifted, w), g) in self.shifted.iter_mut().zip(&from.w).zip(&self.gradient) {
                *shifted = w - g / self.t;
            }
            self.regularizer.prox(&self.shifted, 1.0 / self.t, &mut to.w);
            to.b = from.b;
            to.evaluate(self.smooth);
            let trial = self.trial(from, to);
            // At the ceiling no test can fail but by rounding.
            if self.t >= self.ceiling || accept(&trial) {
                return trial;
            }
            self.t = (ETA * self.t).min(self.ceiling);
        }
    }

    fn trial(&self, from: &Point, to: &Point) -> Trial {
        let (mut squared, mut along) = (0.0, 0.0);
        for ((now, old), g) in to.w.iter().zip(&from.w).zip(&self.gradient) {
            squared += (now - old) * (now - old);
            along += g * (now - old);
        }
        Trial { t: self.t, from: from.loss, to: to.loss, objective: self.objective(to), squared, along }
    }
}
