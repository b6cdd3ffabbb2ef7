//! Keyword arguments → checked settings of the core. Python hands them over as two dictionaries.

use std::time::Duration;

use pyo3::prelude::*;
use sparsvm_core::path::{Grid, PathSettings};
use sparsvm_core::select::Recipe;
use sparsvm_core::solver::{Exact, Feadmm, Gist, Global, Reweighted, Solver, Sqa, Stopping};
use sparsvm_core::team::Team;
use sparsvm_core::{
    Design, Error, Family, Intercept, Loss, PenaltySpec, Problem, Regularizer, Result, Scaling,
};

/// What is minimised, but for λ.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Objective {
    penalty: String,
    theta: Option<f64>,
    loss: String,
    l2: f64,
    penalty_factors: Option<Vec<f64>>,
    intercept: String,
    standardize: bool,
}

impl Objective {
    /// The penalty at a strength.
    pub(crate) fn penalty(&self, lambda: f64) -> Result<PenaltySpec> {
        let usual = PenaltySpec::new(plain(&self.penalty).parse::<Family>()?, lambda);
        let spec = match self.theta {
            Some(theta) if usual.family != Family::L1 => PenaltySpec { theta, ..usual },
            Some(theta) => {
                return Err(Error::parameter("theta", theta, "the l1 penalty has no shape: leave it out"));
            }
            None => usual,
        };
        spec.build()?;
        Ok(spec)
    }

    /// The loss.
    pub(crate) fn loss(&self) -> Result<Loss> {
        plain(&self.loss).parse()
    }

    pub(crate) fn l2(&self) -> f64 {
        self.l2
    }

    /// The same as what is fitted to parts of the data.
    pub(crate) fn recipe(&self, weights: Option<Vec<f64>>, method: &Method) -> Result<Recipe> {
        Ok(Recipe {
            loss: self.loss()?,
            l2: self.l2,
            factors: self.penalty_factors.clone(),
            weights,
            balanced: false,
            scaling: self.scaling(),
            exact: method.exact()?,
        })
    }

    /// What becomes of b.
    pub(crate) fn intercept(&self) -> Result<Intercept> {
        self.intercept.parse()
    }

    /// How columns are scaled.
    pub(crate) fn scaling(&self) -> Scaling {
        if self.standardize { Scaling::Standard } else { Scaling::None }
    }

    /// Scales the columns; their factors, or none if they stay as they are.
    pub(crate) fn scale(&self, x: &mut dyn Design, team: &dyn Team) -> Vec<f64> {
        if self.scaling() == Scaling::None {
            return Vec::new();
        }
        let factors = self.scaling().factors_in(x, team);
        x.scale_columns(&factors);
        factors
    }

    /// The problem of telling y = 1 from y = -1 at one strength, on columns with one for the intercept if it is penalised.
    pub(crate) fn problem<'a>(
        &self,
        x: &'a dyn Design,
        y: &'a [f64],
        weights: Option<&[f64]>,
        lambda: f64,
        team: &'a dyn Team,
    ) -> Result<Problem<'a>> {
        let intercept = self.intercept()?;
        let mut regularizer = Regularizer::from_spec(&self.penalty(lambda)?)?.with_l2(self.l2)?;
        if let Some(factors) = &self.penalty_factors {
            regularizer = regularizer.with_factors(intercept.factors(factors.clone()))?;
        }
        let mut problem = Problem::in_team(x, y, self.loss()?, regularizer, team)?;
        if let Some(weights) = weights {
            problem = problem.with_weights(weights)?;
        }
        Ok(problem.with_intercept(intercept))
    }
}

/// Which solver, and when it stops.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Method {
    solver: String,
    tol: f64,
    max_iter: Option<usize>,
    max_time: Option<f64>,
    n_starts: usize,
    /// 0: one for each core.
    pub(crate) threads: usize,
}

impl Method {
    fn stopping(&self, usual: Stopping) -> Result<Stopping> {
        let max_time = match self.max_time.map(|seconds| (seconds, Duration::try_from_secs_f64(seconds))) {
            None => None,
            Some((_, Ok(limit))) if !limit.is_zero() => Some(limit),
            Some((seconds, _)) => {
                return Err(Error::parameter("max_time", seconds, "a number of seconds more than 0"));
            }
        };
        Stopping::new(self.tol, self.max_iter.unwrap_or(usual.max_iter), max_time)
    }

    fn exact(&self) -> Result<Exact> {
        Ok(Exact { starts: self.n_starts, stopping: self.stopping(Exact::default().stopping)? })
    }

    /// The solver by name.
    pub(crate) fn solver(&self) -> Result<Box<dyn Solver>> {
        Ok(match self.solver.as_str() {
            "auto" | "exact" => Box::new(self.exact()?),
            "feadmm" => {
                let usual = Feadmm::default();
                Box::new(Feadmm { stopping: self.stopping(usual.stopping)?, ..usual })
            }
            "gist" => {
                let usual = Gist::default();
                Box::new(Gist { stopping: self.stopping(usual.stopping)?, ..usual })
            }
            "sqa" => {
                let usual = Sqa::default();
                Box::new(Sqa { stopping: self.stopping(usual.stopping)?, ..usual })
            }
            "reweighted" => {
                let usual = Reweighted::default();
                Box::new(Reweighted { stopping: self.stopping(usual.stopping)?, ..usual })
            }
            "global" => {
                let usual = Global::default();
                Box::new(Global { stopping: self.stopping(usual.stopping)?, ..usual })
            }
            other => {
                let allowed = "one of auto, exact, feadmm, gist, sqa, reweighted, global";
                return Err(Error::parameter("solver", other, allowed));
            }
        })
    }

    /// A path, which only the exact solver follows.
    pub(crate) fn path(&self, grid: Grid, max_features: Option<usize>) -> Result<PathSettings> {
        if !matches!(self.solver.as_str(), "auto" | "exact") {
            let allowed = "a path is followed by the exact solver: leave the solver out";
            return Err(Error::parameter("solver", &self.solver, allowed));
        }
        grid.check()?;
        Ok(PathSettings { grid, max_features, exact: self.exact()? })
    }
}

/// Python's names have underscores where the core's have hyphens.
fn plain(name: &str) -> String {
    name.replace('_', "-")
}
