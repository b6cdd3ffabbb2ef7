//! Which solver runs, with which settings. A new solver is a name in [`SolverName`] and an arm in
//! [`SolverArgs::build`].

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use sparsvm_core::linsys::Linsys;
use sparsvm_core::path::PathSettings;
use sparsvm_core::solver::{Exact, Feadmm, Global};

use super::data::named;
use super::{StoppingArgs, at_least_one};
use crate::plan::Plan;

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
    /// small problems: the proven global optimum of the hinge, by branch and bound
    Global,
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

    #[command(flatten)]
    pub(crate) stopping: StoppingArgs,

    /// exact: descend from this many points of the l1 path and keep the best; more starts, better optima,
    /// more time. The l1 penalty is convex and needs none [default: 20]
    #[arg(long, value_name = "K")]
    pub(crate) starts: Option<usize>,

    /// exact, global: start from this model too, trained on the same features and classes; features that it does
    /// not know start at 0
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

    /// global: refuse data with more than this many entries, rows times features; the time grows
    /// exponentially with the features, so give --max-time with a higher limit [default: 5000]
    #[arg(long, value_name = "N")]
    pub(crate) size_limit: Option<usize>,
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
        let global = given(&[("--size-limit", self.size_limit.is_some())]);
        let chosen = match self.solver {
            SolverName::Auto if feadmm.is_some() => SolverName::Feadmm,
            SolverName::Auto if global.is_some() => SolverName::Global,
            SolverName::Auto => SolverName::DEFAULT,
            named => named,
        };
        match (chosen, feadmm, exact) {
            (SolverName::Global, None, Some("--starts")) => {
                bail!("--starts is an option of --solver exact: leave it out")
            }
            (SolverName::Exact | SolverName::Global, Some(option), _) => {
                bail!("{option} is an option of --solver feadmm: leave it out")
            }
            (SolverName::Feadmm, _, Some(option)) => {
                bail!("{option} is an option of --solver exact: leave it out")
            }
            _ => match global.filter(|_| chosen != SolverName::Global) {
                Some(option) => bail!("{option} is an option of --solver global: leave it out"),
                None => Ok(chosen),
            },
        }
    }

    /// Names → algorithms. `max_features` asks for the best model on a path.
    pub(crate) fn build(&self, max_features: Option<usize>, memory_limit: u64) -> Result<Plan> {
        let solver = self.resolve()?;
        if let Some(most) = max_features {
            return self.along_path(solver, at_least_one("--max-features", most)?);
        }
        Ok(match solver {
            SolverName::Exact | SolverName::Auto => {
                let usual = Exact::default();
                Plan::Exact(Exact {
                    starts: at_least_one("--starts", self.starts.unwrap_or(usual.starts))?,
                    stopping: self.stopping.build(usual.stopping)?,
                })
            }
            SolverName::Feadmm => {
                let usual = Feadmm::default();
                let feadmm = Feadmm {
                    rho1: self.rho1.unwrap_or(usual.rho1),
                    rho2: self.rho2.unwrap_or(usual.rho2),
                    beta: self.beta.unwrap_or(usual.beta),
                    linsys: self.linsys,
                    memory_limit,
                    stopping: self.stopping.build(usual.stopping)?,
                };
                if self.rho_grid { Plan::RhoGrid(feadmm) } else { Plan::Feadmm(feadmm) }
            }
            SolverName::Global => {
                let usual = Global::default();
                let size_limit = at_least_one("--size-limit", self.size_limit.unwrap_or(usual.size_limit))?;
                Plan::Global(Global { size_limit, stopping: self.stopping.build(usual.stopping)? })
            }
        })
    }

    fn along_path(&self, solver: SolverName, most: usize) -> Result<Plan> {
        for (other, name) in [(SolverName::Feadmm, "feadmm"), (SolverName::Global, "global")] {
            if solver == other {
                bail!("--max-features follows a path, which --solver {name} does not: leave one of them out");
            }
        }
        for (option, given) in [("--starts", self.starts.is_some()), ("--start", self.start.is_some())] {
            if given {
                bail!("{option} means nothing with --max-features: a path starts at 0 and warms itself up");
            }
        }
        let exact = self.stopping.exact()?;
        Ok(Plan::Path(PathSettings { max_features: Some(most), exact, ..PathSettings::default() }))
    }
}
