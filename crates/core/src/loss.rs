//! The losses ℓ(m) of a margin m = y(xᵀw + b), each a function φ of the slack ξ = [1-m]₊.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::check;
use crate::{Error, Result};

/// The losses of `docs/maths.md`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum Loss {
    /// φ(ξ) = ξ: the paper's, and the default.
    Hinge,
    /// φ(ξ) = ξ²: GIST's, RankSVM-MCP's and LIBLINEAR's.
    SquaredHinge,
    /// φ(ξ) = ξ²/(2δ) up to δ, then ξ - δ/2 (Wang, Zhu, Zou 2008; gcdnet's form).
    HuberHinge {
        /// Width of the quadratic part, δ > 0.
        delta: f64,
    },
}

impl Loss {
    /// One of each kind.
    pub const ALL: [Self; 3] = [Self::Hinge, Self::SquaredHinge, Self::HuberHinge { delta: Self::DELTA }];

    /// Default δ of the huberised hinge, as in gcdnet and hdsvm.
    pub const DELTA: f64 = 2.0;

    /// The huberised hinge.
    ///
    /// # Errors
    /// Unless δ > 0.
    pub fn huber(delta: f64) -> Result<Self> {
        check(delta > 0.0, "delta", delta, "the huberised hinge needs delta > 0")?;
        Ok(Self::HuberHinge { delta })
    }

    /// The name that `--loss` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hinge => "hinge",
            Self::SquaredHinge => "squared-hinge",
            Self::HuberHinge { .. } => "huber-hinge",
        }
    }

    /// ℓ(m).
    #[inline]
    pub fn value(self, m: f64) -> f64 {
        let slack = (1.0 - m).max(0.0);
        match self {
            Self::Hinge => slack,
            Self::SquaredHinge => slack * slack,
            Self::HuberHinge { delta } if slack < delta => slack * slack / (2.0 * delta),
            Self::HuberHinge { delta } => slack - delta / 2.0,
        }
    }

    /// -ℓ'(m) ≥ 0; at the hinge's kink the value from the right, 0.
    #[inline]
    pub fn pull(self, m: f64) -> f64 {
        let slack = (1.0 - m).max(0.0);
        match self {
            Self::Hinge => f64::from(slack > 0.0),
            Self::SquaredHinge => 2.0 * slack,
            Self::HuberHinge { delta } => (slack / delta).min(1.0),
        }
    }

    /// ℓ''(m) where the loss is quadratic, 0 where it is straight.
    #[inline]
    pub fn curvature(self, m: f64) -> f64 {
        let slack = 1.0 - m;
        match self {
            Self::SquaredHinge if slack > 0.0 => 2.0,
            Self::HuberHinge { delta } if slack > 0.0 && slack < delta => 1.0 / delta,
            _ => 0.0,
        }
    }

    /// The largest ℓ'': ∞ for the hinge, which has a kink.
    pub fn max_curvature(self) -> f64 {
        match self {
            Self::Hinge => f64::INFINITY,
            Self::SquaredHinge => 2.0,
            Self::HuberHinge { delta } => 1.0 / delta,
        }
    }

    /// The largest value that [`pull`](Self::pull) takes.
    pub fn max_pull(self) -> f64 {
        match self {
            Self::Hinge | Self::HuberHinge { .. } => 1.0,
            Self::SquaredHinge => f64::INFINITY,
        }
    }

    /// -ℓ*(-a), the value of a dual variable a ∈ [0, max_pull]; ℓ(m) ≥ -a·m + dual_value(a), with
    /// equality where a = pull(m).
    #[inline]
    pub fn dual_value(self, a: f64) -> f64 {
        match self {
            Self::Hinge => a,
            Self::SquaredHinge => a - a * a / 4.0,
            Self::HuberHinge { delta } => a - delta * a * a / 2.0,
        }
    }

    /// argmin over ξ ≥ 0 of ½(ξ-a)² + step·φ(ξ).
    #[inline]
    pub fn slack_prox(self, a: f64, step: f64) -> f64 {
        match self {
            Self::Hinge => (a - step).max(0.0),
            Self::SquaredHinge => a.max(0.0) / (1.0 + 2.0 * step),
            Self::HuberHinge { delta } => {
                let inner = a.max(0.0) / (1.0 + step / delta);
                if inner <= delta { inner } else { a - step }
            }
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Loss {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let allowed = "one of hinge, squared-hinge, huber-hinge";
        Self::ALL
            .into_iter()
            .find(|loss| loss.name() == text)
            .ok_or_else(|| Error::parameter("loss", text, allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Loss; 4] =
        [Loss::Hinge, Loss::SquaredHinge, Loss::HuberHinge { delta: 2.0 }, Loss::HuberHinge { delta: 0.1 }];

    /// φ at a slack, through the public ℓ.
    fn of_slack(loss: Loss, slack: f64) -> f64 {
        loss.value(1.0 - slack)
    }

    proptest! {
        #[test]
        fn slack_prox_is_the_minimiser(a in -5.0..5.0f64, log_step in -3.0..3.0f64) {
            let step = 10f64.powf(log_step);
            for loss in ALL {
                let h = |x: f64| 0.5 * (x - a).powi(2) + step * of_slack(loss, x);
                let at = loss.slack_prox(a, step);
                prop_assert!(at >= 0.0);
                let best = (0..=5000).map(|k| h(f64::from(k) * 1e-3)).fold(f64::INFINITY, f64::min);
                prop_assert!(h(at) <= best + 1e-12, "{loss}: {} > {best}", h(at));
            }
        }

        #[test]
        fn duality_is_tight_at_the_pull_and_nowhere_violated(m in -3.0..3.0f64, a in 0.0..1.0f64) {
            for loss in ALL {
                let tight = -loss.pull(m) * m + loss.dual_value(loss.pull(m));
                prop_assert!((loss.value(m) - tight).abs() < 1e-12);
                prop_assert!(loss.value(m) >= -a * m + loss.dual_value(a) - 1e-12);
            }
        }

        #[test]
        fn curvature_is_the_slope_of_the_pull(m in -3.0..3.0f64) {
            for loss in ALL {
                prop_assume!((m - 1.0).abs() > 1e-4 && (m + 1.0).abs() > 1e-4 && (m - 0.9).abs() > 1e-4);
                let slope = (loss.pull(m - 1e-6) - loss.pull(m + 1e-6)) / 2e-6;
                prop_assert!((slope - loss.curvature(m)).abs() < 1e-5, "{loss} at {m}: {slope}");
                prop_assert!(loss.curvature(m) <= loss.max_curvature());
            }
        }

        #[test]
        fn pull_is_the_negative_slope(m in -3.0..3.0f64) {
            for loss in ALL {
                prop_assume!((m - 1.0).abs() > 1e-4);
                let slope = (loss.value(m + 1e-6) - loss.value(m - 1e-6)) / 2e-6;
                prop_assert!((slope + loss.pull(m)).abs() < 2e-5 , "{loss} at {m}: {slope}");
            }
        }
    }
}
