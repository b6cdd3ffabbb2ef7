//! What comes out of a solver, and what is known about it.

use serde::{Deserialize, Serialize};

use crate::solver::{Ended, GlobalBound};
use crate::{Certificate, Error, Problem, Result};

/// Why a solver stopped. "Converged" is never a solver's own word: it means that the certificate,
/// recomputed from the raw data, is within the tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Gap and violation are below the tolerance.
    Converged,
    /// The iterations ran out.
    MaxIter,
    /// The time ran out.
    MaxTime,
    /// Someone asked to stop.
    Interrupted,
    /// The solver's own rule stopped it, or it could get no further, but the certificate is not within
    /// the tolerance.
    Stalled,
    /// No solver of ours: another program trained the model, and nothing is proved.
    Imported,
}

impl Status {
    /// Judges an ending by whether the certificate is within the tolerance.
    pub(crate) fn of(ended: Ended, proved: bool) -> Self {
        match ended {
            Ended::Interrupted => Self::Interrupted,
            _ if proved => Self::Converged,
            Ended::Rule => Self::Stalled,
            Ended::MaxIter => Self::MaxIter,
            Ended::MaxTime => Self::MaxTime,
        }
    }

    /// True if a limit or someone ended it before its time.
    pub fn is_cut_short(self) -> bool {
        matches!(self, Self::MaxIter | Self::MaxTime | Self::Interrupted)
    }

    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::MaxIter => "max_iter",
            Self::MaxTime => "max_time",
            Self::Interrupted => "interrupted",
            Self::Stalled => "stalled",
            Self::Imported => "imported",
        }
    }
}

/// Where a solver begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Coefficients, length d.
    pub w: Vec<f64>,
    /// Intercept.
    pub b: f64,
    /// Dual variables, length n, if known.
    pub beta: Option<Vec<f64>>,
}

impl Start {
    /// Refuses a start of another size than the problem.
    pub(crate) fn check(&self, problem: &Problem<'_>) -> Result<()> {
        self.check_features(problem.features())?;
        let duals = self.beta.as_ref().map_or(problem.samples(), Vec::len);
        length("dual variables of the start", duals, problem.samples())
    }

    /// Refuses a start with another number of coefficients.
    pub(crate) fn check_features(&self, d: usize) -> Result<()> {
        length("coefficients of the start", self.w.len(), d)
    }
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Length { what, found, expected }) }
}

/// A solution with its certificate.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Coefficients, length d.
    pub w: Vec<f64>,
    /// Intercept.
    pub b: f64,
    /// Dual variables, length n.
    pub beta: Vec<f64>,
    /// Why it ended.
    pub status: Status,
    /// Iterations done.
    pub iterations: usize,
    /// What was proved.
    pub certificate: Certificate,
    /// FEADMM's own objective, mean(φ(ξ)) + P(z), which its stop rule looks at.
    pub paper_objective: Option<f64>,
    /// Seconds before the first iteration: Gram matrix and factor.
    pub setup_seconds: f64,
    /// Seconds in the iterations.
    pub solve_seconds: f64,
    /// What the global solver proved about all (w, b).
    pub global_bound: Option<GlobalBound>,
}

impl Solution {
    /// Number of features that are kept.
    pub fn nonzeros(&self) -> usize {
        self.w.iter().filter(|w| **w != 0.0).count()
    }
}
