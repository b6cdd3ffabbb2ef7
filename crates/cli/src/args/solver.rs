//! Which solver runs, with which settings. A new solver is a name in [`SolverName`] and an arm in
//! [`SolverArgs::build`].

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use sparsvm_core::linsys::Linsys;
use sparsvm_core::solver::{Exact, Feadmm, Observer, RHO_GRID, Solver, Stopping, rho_grid, solve};
use sparsvm_core::{Problem, Solution, Start};

use super::data::named;

/// The solvers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum SolverName {
    /// exact, or feadmm if an option is given that only feadmm has
    #[default]
    Auto,
    /// certified: working set, semismooth Newton, several starts; nothing to tune
    Exact,
    /// the paper's Algorithm 1, an ADMM with closed-form updates
    Feadmm,
}

impl SolverName {
    /// What `auto` is, unless an option that only one solver has says more.
    const DEFAULT: Self = Self::Exact;
}

/// The solver and when it stops.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolverArgs {
    /// The algorithm
    #[arg(long, value_name = "NAME", value_enum, default_value_t = SolverName::Auto)]
    pub(crate) solver: SolverName,

    /// Stop at this relative accuracy: exact, the gap and the violation of the certificate; feadmm, the
    /// change of its objective from one iteration to the next (0 runs to a limit). Either way the status is
    /// `converged` only if the certificate, recomputed from the data, is within it [default: 1e-4]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) tol: Option<f64>,

    /// Stop after this many iterations [default: feadmm 1000, exact 1000000 Newton steps]
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<usize>,

    /// Stop after this many seconds of iterations (with --rho-grid: of each pair) [default: no limit]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) max_time: Option<f64>,

    /// exact: descend from this many points of the l1 path and keep the best; more starts, better optima,
    /// more time. The l1 penalty is convex and needs none [default: 20]
    #[arg(long, value_name = "K")]
    pub(crate) starts: Option<usize>,

    /// exact: start from this model too, trained on the same features
    #[arg(long, value_name = "MODEL")]
    pub(crate) start: Option<PathBuf>,

    /// feadmm: how strongly w = z is enforced, more than 0 [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) rho1: Option<f64>,

    /// feadmm: how strongly the margins are enforced, more than 0 [default: 0.1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) rho2: Option<f64>,

    /// feadmm: proximal parameter of the z-update, 0 or more [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) beta: Option<f64>,

    /// feadmm: how the w-update is solved: cholesky (a d x d factor), woodbury (n x n) or cg (conjugate
    /// gradients, no factor: little memory, slower iterations); auto takes the smaller factor
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = named::<Linsys>(&["auto", "cholesky", "woodbury", "cg"]))]
    pub(crate) linsys: Linsys,

    /// feadmm: run all 36 pairs of rho1 and rho2 in {0.01, 0.1, 1, 1.5, 5, 10}, as in the paper, and keep
    /// the one with the lowest objective
    #[arg(long, conflicts_with_all = ["rho1", "rho2"])]
    pub(crate) rho_grid: bool,
}

impl SolverArgs {
    /// The solver that will run: with `auto`, an option that only FEADMM has chooses FEADMM.
    fn resolve(&self) -> Result<SolverName> {
        let of_feadmm = [
            ("--rho1", self.rho1.is_some()),
            ("--rho2", self.rho2.is_some()),
            ("--beta", self.beta.is_some()),
            ("--linsys", self.linsys != Linsys::Auto),
            ("--rho-grid", self.rho_grid),
        ];
        let of_exact = [("--starts", self.starts.is_some()), ("--start", self.start.is_some())];
        let given = |options: &[(&'static str, bool)]| {
            options.iter().find(|(_, given)| *given).map(|(name, _)| *name)
        };
        let (feadmm, exact) = (given(&of_feadmm), given(&of_exact));
        let chosen = match self.solver {
            SolverName::Auto if feadmm.is_some() => SolverName::Feadmm,
            SolverName::Auto => SolverName::DEFAULT,
            named => named,
        };
        match (chosen, feadmm, exact) {
            (SolverName::Exact, Some(option), _) => {
                bail!("{option} is an option of --solver feadmm: leave it out")
            }
            (SolverName::Feadmm, _, Some(option)) => {
                bail!("{option} is an option of --solver exact: leave it out")
            }
            _ => Ok(chosen),
        }
    }

    /// Names → algorithms.
    pub(crate) fn build(&self, memory_limit: u64) -> Result<Plan> {
        Ok(match self.resolve()? {
            SolverName::Exact | SolverName::Auto => Plan::Exact(self.exact()?),
            SolverName::Feadmm => {
                let usual = Feadmm::default();
                let feadmm = Feadmm {
                    rho1: self.rho1.unwrap_or(usual.rho1),
                    rho2: self.rho2.unwrap_or(usual.rho2),
                    beta: self.beta.unwrap_or(usual.beta),
                    linsys: self.linsys,
                    memory_limit,
                    stopping: self.stopping(usual.stopping)?,
                };
                if self.rho_grid { Plan::RhoGrid(feadmm) } else { Plan::Feadmm(feadmm) }
            }
        })
    }

    /// The exact solver, as it is also used for paths.
    pub(crate) fn exact(&self) -> Result<Exact> {
        let usual = Exact::default();
        Ok(Exact { starts: self.starts.unwrap_or(usual.starts), stopping: self.stopping(usual.stopping)? })
    }

    fn stopping(&self, usual: Stopping) -> Result<Stopping> {
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
}

/// What will be run.
#[derive(Debug)]
pub(crate) enum Plan {
    /// The exact solver.
    Exact(Exact),
    /// One run of FEADMM.
    Feadmm(Feadmm),
    /// The paper's 36.
    RhoGrid(Feadmm),
}

/// What was run, and what came out.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) solution: Solution,
    pub(crate) stopping: Stopping,
    /// The solver's name.
    pub(crate) solver: &'static str,
    /// Its own settings, for the report and the model.
    pub(crate) settings: Vec<(&'static str, f64)>,
}

impl Run {
    /// In one line, for the model's provenance.
    pub(crate) fn describe(&self) -> String {
        let settings: String = self.settings.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        format!("{}{settings} tol={:?} max_iter={}", self.solver, self.stopping.tol, self.stopping.max_iter)
    }
}

impl Plan {
    /// How many runs a progress bar has to count.
    pub(crate) fn runs(&self) -> usize {
        match self {
            Self::Exact(_) | Self::Feadmm(_) => 1,
            Self::RhoGrid(_) => RHO_GRID.len() * RHO_GRID.len(),
        }
    }

    /// When each run stops.
    pub(crate) fn stopping(&self) -> Stopping {
        match self {
            Self::Exact(exact) => exact.stopping,
            Self::Feadmm(feadmm) | Self::RhoGrid(feadmm) => feadmm.stopping,
        }
    }

    /// Runs it, from `start` if the solver takes one.
    pub(crate) fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Run> {
        let of_feadmm = |used: &Feadmm| vec![("rho1", used.rho1), ("rho2", used.rho2), ("beta", used.beta)];
        let (solver, settings, solution) = match self {
            Self::Exact(exact) => {
                (exact.name(), vec![("starts", exact.starts as f64)], solve(exact, problem, start, observer)?)
            }
            Self::Feadmm(feadmm) => {
                (feadmm.name(), of_feadmm(feadmm), solve(feadmm, problem, None, observer)?)
            }
            Self::RhoGrid(feadmm) => {
                let (used, solution) = rho_grid(feadmm, problem, observer)?;
                (used.name(), of_feadmm(&used), solution)
            }
        };
        Ok(Run { solution, stopping: self.stopping(), solver, settings })
    }
}
