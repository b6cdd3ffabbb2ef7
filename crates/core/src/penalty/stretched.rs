//! A penalty that has been stretched.

use std::sync::Arc;

use super::Penalty;

/// p(t·by) with by ≤ 1: less steep at 0 by that factor, nowhere above p, and as high in the end if p has a flat end. MCP, LSP and
/// capped ℓ1 stay what they are, with other λ and θ.
#[derive(Debug, Clone)]
pub(super) struct Stretched {
    penalty: Arc<dyn Penalty>,
    by: f64,
}

impl Stretched {
    pub(super) fn new(penalty: Arc<dyn Penalty>, by: f64) -> Self {
        Self { penalty, by }
    }
}

impl Penalty for Stretched {
    fn value_at(&self, t: f64) -> f64 {
        self.penalty.value_at(self.by * t)
    }

    fn slope_at(&self, t: f64) -> f64 {
        self.by * self.penalty.slope_at(self.by * t)
    }

    /// In z = by·x it is the prox of p, with a step that is by² times as long.
    fn prox_at(&self, u: f64, step: f64) -> f64 {
        self.penalty.prox_at(self.by * u, step * self.by * self.by) / self.by
    }

    fn concavity(&self) -> f64 {
        self.by * self.by * self.penalty.concavity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::{Family, Mcp, PenaltySpec};

    #[test]
    fn an_mcp_stays_one() {
        let (lambda, theta, by) = (0.4, 3.0, 0.1);
        let stretched = Stretched::new(Arc::new(Mcp::new(lambda, theta).unwrap()), by);
        let mcp = Mcp::new(lambda * by, theta / (by * by)).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + a.abs());
        for t in [0.0, 0.1, 1.0, 5.0, 11.9, 12.1, 100.0] {
            assert!(close(stretched.value_at(t), mcp.value_at(t)));
            assert!(close(stretched.slope_at(t), mcp.slope_at(t)));
            assert!(close(stretched.prox_at(t, 2.0), mcp.prox_at(t, 2.0)));
        }
        assert!(close(stretched.concavity(), mcp.concavity()));
    }

    #[test]
    fn it_lies_below_and_is_as_high_in_the_end() {
        for family in [Family::Scad, Family::Mcp, Family::CappedL1, Family::Lsp] {
            let p = PenaltySpec::new(family, 0.3).build().unwrap();
            let stretched = Stretched::new(p.clone(), 0.05);
            for t in [0.01, 0.1, 1.0, 10.0, 30.0] {
                assert!(stretched.value_at(t) <= p.value_at(t), "{family} at {t}");
            }
            if family != Family::Lsp {
                assert!((stretched.value_at(1e3) - p.value_at(1e3)).abs() < 1e-12, "{family}");
            }
        }
    }
}
