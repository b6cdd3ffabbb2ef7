//! The methods of the paper's tables, and ours.

use serde::{Deserialize, Serialize};
use sparsvm_core::Loss;
use sparsvm_core::penalty::Family;
use sparsvm_core::solver::{Exact, Feadmm, Gist, Reweighted, Solver, Sqa, Stopping};

/// A row of the tables, by the paper's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Method {
    #[serde(rename = "FEADMM")]
    Feadmm,
    #[serde(rename = "GIST")]
    Gist,
    #[serde(rename = "SCAD SVM")]
    ScadSvm,
    #[serde(rename = "RankSVM-MCP")]
    RankSvmMcp,
    #[serde(rename = "exact")]
    Exact,
}

/// What has to be chosen before a method can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tuning {
    /// ρ₁ and ρ₂, at λ = 2⁻⁶.
    Rho,
    /// λ, by cross-validation.
    Lambda,
    /// Nothing: λ = 2⁻⁶.
    Nothing,
}

/// What was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Parameters {
    pub(super) lambda: f64,
    /// ρ₁ and ρ₂ of FEADMM.
    pub(super) rho: Option<(f64, f64)>,
}

/// The paper's λ for FEADMM.
pub(super) const LAMBDA: f64 = 1.0 / 64.0;
/// The paper's ε.
const TOL: f64 = 1e-4;
/// The paper's most iterations.
pub(super) const MAX_ITER: usize = 1000;

impl Method {
    pub(super) const ALL: [Self; 5] =
        [Self::Feadmm, Self::Gist, Self::ScadSvm, Self::RankSvmMcp, Self::Exact];

    /// As the paper spells it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Feadmm => "FEADMM",
            Self::Gist => "GIST",
            Self::ScadSvm => "SCAD SVM",
            Self::RankSvmMcp => "RankSVM-MCP",
            Self::Exact => "exact",
        }
    }

    /// For file names.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Feadmm => "feadmm",
            Self::Gist => "gist",
            Self::ScadSvm => "scad-svm",
            Self::RankSvmMcp => "ranksvm-mcp",
            Self::Exact => "exact",
        }
    }

    /// Where it stands in the paper's tables, for colours that stay the same from panel to panel.
    pub(super) fn rank(self) -> usize {
        Self::ALL.iter().position(|method| *method == self).unwrap_or(0)
    }

    /// SCAD SVM is for SCAD, RankSVM-MCP for MCP, as in the paper.
    pub(super) fn takes(self, penalty: Family) -> bool {
        match self {
            Self::ScadSvm => penalty == Family::Scad,
            Self::RankSvmMcp => penalty == Family::Mcp,
            _ => true,
        }
    }

    pub(super) fn loss(self) -> Loss {
        match self {
            Self::Gist | Self::RankSvmMcp => Loss::SquaredHinge,
            Self::Feadmm | Self::ScadSvm | Self::Exact => Loss::Hinge,
        }
    }

    pub(super) fn tuning(self) -> Tuning {
        match self {
            Self::Feadmm => Tuning::Rho,
            Self::Exact => Tuning::Nothing,
            _ => Tuning::Lambda,
        }
    }

    /// Ready to run, for so many iterations at most (but exact, whose iterations are Newton steps).
    pub(super) fn solver(self, chosen: &Parameters, most: usize, memory: u64) -> Box<dyn Solver> {
        let stopping = Stopping { tol: TOL, max_iter: most, max_time: None };
        match self {
            Self::Feadmm => {
                let usual = Feadmm::default();
                let (rho1, rho2) = chosen.rho.unwrap_or((usual.rho1, usual.rho2));
                Box::new(Feadmm { rho1, rho2, memory_limit: memory, stopping, ..usual })
            }
            Self::Gist => Box::new(Gist { stopping, ..Gist::default() }),
            Self::ScadSvm => Box::new(Sqa { memory_limit: memory, stopping, ..Sqa::default() }),
            Self::RankSvmMcp => Box::new(Reweighted { stopping, ..Reweighted::default() }),
            Self::Exact => Box::<Exact>::default(),
        }
    }
}
