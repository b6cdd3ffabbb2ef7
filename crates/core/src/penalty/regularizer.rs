//! The whole regulariser of the objective: Σ_j κ_j p(|w_j|) + (μ/2)‖w‖².

use std::sync::Arc;

use super::stretched::Stretched;
use super::{L1, Penalty, PenaltySpec};
use crate::error::check;
use crate::{Error, Result};

/// Penalty, ℓ2 part and per-feature factors in one.
#[derive(Debug, Clone)]
pub struct Regularizer {
    penalty: Arc<dyn Penalty>,
    l2: f64,
    factors: Option<Arc<[f64]>>,
}

impl Regularizer {
    /// A penalty alone: μ = 0, every κ_j = 1.
    pub fn new(penalty: Arc<dyn Penalty>) -> Self {
        Self { penalty, l2: 0.0, factors: None }
    }

    /// [`new`](Self::new) from a name and numbers.
    ///
    /// # Errors
    /// If these are out of range.
    pub fn from_spec(spec: &PenaltySpec) -> Result<Self> {
        Ok(Self::new(spec.build()?))
    }

    /// Σ_j ω_j|w_j| with this one's ℓ2 part: what remains of it under a tangent. A slope ω_j of ∞, which
    /// ℓp has at 0, holds the feature there.
    pub(crate) fn tangent(&self, slopes: Vec<f64>) -> Result<Self> {
        Ok(Self { penalty: Arc::new(L1::new(1.0)?), l2: self.l2, factors: Some(slopes.into()) })
    }

    /// Adds the elastic-net part (μ/2)‖w‖².
    ///
    /// # Errors
    /// Unless μ ≥ 0.
    pub fn with_l2(mut self, l2: f64) -> Result<Self> {
        check(l2 >= 0.0, "l2", l2, "the ridge part is 0 or more")?;
        self.l2 = l2;
        Ok(self)
    }

    /// Sets κ: 0 leaves a feature unpenalised, ∞ is not allowed.
    ///
    /// # Errors
    /// Unless every factor is finite and ≥ 0.
    pub fn with_factors(mut self, factors: Vec<f64>) -> Result<Self> {
        if let Some(&bad) = factors.iter().find(|k| !(**k >= 0.0 && k.is_finite())) {
            return Err(Error::parameter("penalty factor", bad, "factors are finite and 0 or more"));
        }
        self.factors = Some(factors.into());
        Ok(self)
    }

    /// The same ℓ2 part and factors on another penalty.
    #[must_use]
    pub fn with_penalty(&self, penalty: Arc<dyn Penalty>) -> Self {
        Self { penalty, ..self.clone() }
    }

    /// With p(|w_j|·by) in place of p(|w_j|): softer for by < 1.
    pub(crate) fn stretched(&self, by: f64) -> Self {
        self.with_penalty(Arc::new(Stretched::new(self.penalty.clone(), by)))
    }

    /// The part of it that belongs to some features, which are numbered anew.
    pub(crate) fn of_features(&self, features: &[usize]) -> Self {
        let factors = self.factors.as_ref().map(|all| features.iter().map(|&j| all[j]).collect());
        Self { factors, ..self.clone() }
    }

    /// p.
    pub fn penalty(&self) -> &dyn Penalty {
        &*self.penalty
    }

    /// μ.
    pub fn l2(&self) -> f64 {
        self.l2
    }

    /// κ, if it is not 1 throughout.
    pub fn factors(&self) -> Option<&[f64]> {
        self.factors.as_deref()
    }

    /// κ_j.
    #[inline]
    pub fn factor(&self, j: usize) -> f64 {
        self.factors.as_ref().map_or(1.0, |factors| factors[j])
    }

    /// Σ_j κ_j p(|w_j|) + (μ/2)‖w‖².
    pub fn value(&self, w: &[f64]) -> f64 {
        // An empty f64 sum is -0.0.
        w.iter().enumerate().filter(|(_, w)| **w != 0.0).map(|(j, &w)| self.value_of(j, w)).sum::<f64>() + 0.0
    }

    /// Feature j's share of [`value`](Self::value).
    #[inline]
    pub fn value_of(&self, j: usize, w: f64) -> f64 {
        self.factor(j) * self.penalty.value_at(w.abs()) + 0.5 * self.l2 * w * w
    }

    /// κ_j p'(|w|+), without the ℓ2 part; 0 where κ_j = 0, even if the penalty's slope is ∞.
    #[inline]
    pub fn slope_of(&self, j: usize, w: f64) -> f64 {
        let factor = self.factor(j);
        if factor == 0.0 { 0.0 } else { factor * self.penalty.slope_at(w.abs()) }
    }

    /// out_j = argmin_x ½(x - v_j)² + step·(κ_j p(|x|) + (μ/2)x²).
    pub fn prox(&self, v: &[f64], step: f64, out: &mut [f64]) {
        // The ℓ2 part shrinks the point and the step alike.
        let shrink = 1.0 / (1.0 + step * self.l2);
        for (j, (o, &v)) in out.iter_mut().zip(v).enumerate() {
            let step = step * self.factor(j) * shrink;
            *o = if step > 0.0 { self.penalty.prox(v * shrink, step) } else { v * shrink };
        }
    }

    /// Refuses factors that do not fit d features.
    pub(crate) fn check_features(&self, d: usize) -> Result<()> {
        match &self.factors {
            Some(factors) if factors.len() != d => {
                Err(Error::Length { what: "penalty factors", found: factors.len(), expected: d })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Family;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn prox_with_l2_and_factor_is_the_minimiser(
            v in -6.0..6.0f64, log_step in -3.0..3.0f64, l2 in 0.0..2.0f64, factor in 0.0..3.0f64,
        ) {
            let step = 10f64.powf(log_step);
            for family in Family::ALL {
                let r = Regularizer::from_spec(&PenaltySpec::new(family, 0.4)).unwrap();
                let r = r.with_l2(l2).unwrap().with_factors(vec![factor]).unwrap();
                let h = |x: f64| 0.5 * (x - v).powi(2) + step * r.value_of(0, x);
                let mut at = [0.0];
                r.prox(&[v], step, &mut at);
                for k in -3000..=3000 {
                    let x = v * f64::from(k) / 3000.0;
                    prop_assert!(h(at[0]) <= h(x) + 1e-12 * (1.0 + h(x)), "{family}: {} at {}, {} at {x}", h(at[0]), at[0], h(x));
                }
            }
        }
    }
}
