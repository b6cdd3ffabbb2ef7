//! When a solver stops.

use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use sparsvm_core::select::CvSettings;
use sparsvm_core::solver::{Exact, Stopping};

/// Tolerance and limits.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Solver")]
pub(crate) struct StoppingArgs {
    /// Stop at this relative accuracy: exact, the gap and the violation of the certificate; global, the
    /// gap between the best point and the bound on all others; the others, the change of their objective from one iteration to the next (0 runs to a limit; reweighted: from one
    /// round to the next). Either way the status is `converged` only if the certificate, recomputed from the
    /// data, is within it. Where lambda is chosen for 1000 rows or more, folds are solved to ten times that, if it is at most
    /// 1e-3 [default: 1e-4]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) tol: Option<f64>,

    /// Stop after this many iterations; where lambda is chosen, end each path there [default: 1000, exact 1000000
    /// Newton steps, where lambda is chosen 1500, global 1000000 boxes]
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<usize>,

    /// Stop after this many seconds of iterations (with --rho-grid: of each pair; where lambda is chosen: of each
    /// path) [default: no limit]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) max_time: Option<f64>,
}

impl StoppingArgs {
    /// Checked; what was not given is as usual.
    pub(crate) fn build(&self, usual: Stopping) -> Result<Stopping> {
        let max_time = match self.max_time {
            None => usual.max_time,
            Some(seconds) => match Duration::try_from_secs_f64(seconds) {
                Ok(limit) if !limit.is_zero() => Some(limit),
                _ => bail!("--max-time {seconds} is not allowed: give a number of seconds more than 0"),
            },
        };
        let (tol, max_iter) = (self.tol.unwrap_or(usual.tol), self.max_iter.unwrap_or(usual.max_iter));
        Ok(Stopping::new(tol, max_iter, max_time)?)
    }

    /// The exact solver as the paths use it that λ is chosen from.
    pub(crate) fn for_choice(&self) -> Result<Exact> {
        let usual = Exact::default();
        let stopping = Stopping { max_iter: CvSettings::MAX_ITER, ..usual.stopping };
        Ok(Exact { stopping: self.build(stopping)?, ..usual })
    }

    /// The exact solver as a path uses it.
    pub(crate) fn exact(&self) -> Result<Exact> {
        let usual = Exact::default();
        Ok(Exact { stopping: self.build(usual.stopping)?, ..usual })
    }
}
