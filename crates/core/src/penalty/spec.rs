//! Text ↔ penalty: the only place that knows the families by name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{CappedL1, L1, Lp, Lsp, Mcp, Penalty, Scad};
use crate::{Error, Result};

/// The families of penalties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// [`L1`].
    L1,
    /// [`Scad`].
    Scad,
    /// [`Mcp`].
    Mcp,
    /// [`Lsp`].
    Lsp,
    /// [`CappedL1`].
    CappedL1,
    /// [`Lp`].
    Lp,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::L1, Self::Scad, Self::Mcp, Self::Lsp, Self::CappedL1, Self::Lp];

    /// The name that `--penalty` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Scad => "scad",
            Self::Mcp => "mcp",
            Self::Lsp => "lsp",
            Self::CappedL1 => "capped-l1",
            Self::Lp => "lp",
        }
    }

    /// The θ that is used if none is given: the literature's for SCAD and MCP; ℓ1 has none.
    pub fn default_theta(self) -> f64 {
        match self {
            Self::L1 => 0.0,
            Self::Scad => 3.7,
            Self::Mcp => 3.0,
            Self::Lsp | Self::CappedL1 => 1.0,
            Self::Lp => 0.5,
        }
    }

    /// True if the penalty is convex, so that a small gap proves a global optimum.
    pub fn is_convex(self) -> bool {
        self == Self::L1
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Family {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let allowed = "one of l1, scad, mcp, lsp, capped-l1, lp";
        Self::ALL
            .into_iter()
            .find(|family| family.name() == text)
            .ok_or_else(|| Error::parameter("penalty", text, allowed))
    }
}

/// A penalty by name and numbers: what a command line, a model file and a path of λ values speak.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PenaltySpec {
    /// Which one.
    pub family: Family,
    /// Strength λ ≥ 0.
    pub lambda: f64,
    /// Shape θ (the exponent p for ℓp; unused by ℓ1).
    pub theta: f64,
}

impl PenaltySpec {
    /// A penalty with its usual θ.
    pub fn new(family: Family, lambda: f64) -> Self {
        Self { family, lambda, theta: family.default_theta() }
    }

    /// The same at another strength.
    #[must_use]
    pub fn with_lambda(self, lambda: f64) -> Self {
        Self { lambda, ..self }
    }

    /// True if it is convex, whatever λ.
    ///
    /// # Errors
    /// [`Error::Parameter`] if θ is out of range.
    pub fn is_convex(&self) -> Result<bool> {
        Ok(self.with_lambda(1.0).build()?.concavity() == 0.0)
    }

    /// Checks the numbers and builds the penalty.
    ///
    /// # Errors
    /// [`Error::Parameter`] if λ or θ is out of range.
    pub fn build(&self) -> Result<Arc<dyn Penalty>> {
        let Self { lambda, theta, .. } = *self;
        Ok(match self.family {
            Family::L1 => Arc::new(L1::new(lambda)?),
            Family::Scad => Arc::new(Scad::new(lambda, theta)?),
            Family::Mcp => Arc::new(Mcp::new(lambda, theta)?),
            Family::Lsp => Arc::new(Lsp::new(lambda, theta)?),
            Family::CappedL1 => Arc::new(CappedL1::new(lambda, theta)?),
            Family::Lp => Arc::new(Lp::new(lambda, theta)?),
        })
    }
}

impl fmt::Display for PenaltySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (lambda {}", self.family, self.lambda)?;
        match self.family {
            Family::L1 => {}
            Family::Lp => write!(f, ", p {}", self.theta)?,
            _ => write!(f, ", theta {}", self.theta)?,
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for family in Family::ALL {
            assert_eq!(family.name().parse::<Family>().unwrap(), family);
            assert!(PenaltySpec::new(family, 0.1).build().is_ok());
            assert_eq!(PenaltySpec::new(family, 0.0).is_convex().unwrap(), family == Family::L1);
        }
        assert!("elastic".parse::<Family>().is_err());
    }

    #[test]
    fn out_of_range_is_refused_and_nan_with_it() {
        for (family, theta) in
            [(Family::Scad, 2.0), (Family::Mcp, 0.0), (Family::Lp, 1.0), (Family::Lsp, f64::NAN)]
        {
            assert!(PenaltySpec { family, lambda: 0.1, theta }.build().is_err(), "{family} {theta}");
        }
        for lambda in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(PenaltySpec::new(Family::Mcp, lambda).build().is_err());
        }
    }
}
