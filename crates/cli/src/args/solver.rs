//! Which solver runs, with which settings. A new solver is a name in [`SolverName`], its options in
//! [`SolverArgs::special`] and an arm in [`SolverArgs::solver`]; what it can take stands in the core's table.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use sparsvm_core::linsys::Linsys;
use sparsvm_core::path::PathSettings;
use sparsvm_core::solver::{Exact, Feadmm, Gist, Global, Reweighted, Scope, Solver, Sqa};

use super::data::named;
use super::{StoppingArgs, at_least_one};
use crate::plan::Plan;

/// The solvers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SolverName {
    #[default]
    Auto,
    Exact,
    Feadmm,
    Gist,
    Sqa,
    Reweighted,
    Global,
}

use SolverName as By;

impl SolverName {
    /// In the order in which `auto` looks for one that has the options that were given.
    const ALL: [Self; 6] = [Self::Exact, Self::Feadmm, Self::Gist, Self::Sqa, Self::Reweighted, Self::Global];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Exact => "exact",
            Self::Feadmm => "feadmm",
            Self::Gist => "gist",
            Self::Sqa => "sqa",
            Self::Reweighted => "reweighted",
            Self::Global => "global",
        }
    }

    /// In a few words, for the help.
    fn about(self) -> &'static str {
        match self {
            Self::Auto => "exact, or the one that has the options that are given",
            Self::Exact => "certified: working set, semismooth Newton, several starts; nothing to tune",
            Self::Feadmm => "the paper's Algorithm 1, an ADMM with closed-form updates",
            Self::Gist => "proximal gradient, Barzilai-Borwein steps (Gong et al. 2013)",
            Self::Sqa => "the SCAD SVM's successive quadratic approximation (Zhang et al. 2006)",
            Self::Reweighted => "reweighted l1 with FISTA inside (Laporte et al. 2014), also RankSVM-MCP",
            Self::Global => "small problems: the proven global optimum, by branch and bound",
        }
    }
}

impl ValueEnum for SolverName {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Auto, Self::Exact, Self::Feadmm, Self::Gist, Self::Sqa, Self::Reweighted, Self::Global]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (scope, mut help) = (Scope::of(self.name()), self.about().to_owned());
        if scope.losses != Scope::ANY.losses {
            help += &format!("; for {}", scope.loss_names());
        }
        if scope.penalties != Scope::ANY.penalties {
            help += &format!(" with {}", scope.penalty_names());
        }
        Some(PossibleValue::new(self.name()).help(help))
    }
}

/// The solver and when it stops.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolverArgs {
    /// The algorithm; each takes every loss and penalty unless it says otherwise
    #[arg(long, value_name = "NAME", value_enum, default_value_t = SolverName::Auto)]
    pub(crate) solver: SolverName,

    #[command(flatten)]
    pub(crate) stopping: StoppingArgs,

    /// exact: descend from at most this many points of the l1 path and keep the best. 1 is a quick look; from 10,000
    /// samples on all up to 20 are one start, and more search the whole path; 40 also doubles the work that a search
    /// may take, 60 triples it. The l1 penalty is convex and needs none [default: 20]
    #[arg(long, value_name = "K")]
    pub(crate) starts: Option<usize>,

    /// Start from this model, trained on the same features and classes; features that it does not know
    /// start at 0. exact and global start from it too; gist, sqa and reweighted from it alone; sqa keeps its zeros
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

    /// feadmm, sqa: how the linear system is solved: cholesky (a d x d factor), woodbury (n x n) or cg
    /// (conjugate gradients, no factor: little memory, slower iterations); auto takes the smaller factor
    /// (sqa: cg while both are large)
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = named::<Linsys>(&["auto", "cholesky", "woodbury", "cg"]))]
    pub(crate) linsys: Linsys,

    /// feadmm: run all 36 pairs of rho1 and rho2 in {0.01, 0.1, 1, 1.5, 5, 10}, as in the paper, and keep
    /// the one with the lowest objective
    #[arg(long, conflicts_with_all = ["rho1", "rho2"])]
    pub(crate) rho_grid: bool,

    /// gist: the objective must fall below the largest of the last M; 1 is the monotone line search
    /// [default: 5]
    #[arg(long, value_name = "M")]
    pub(crate) nonmonotone: Option<usize>,

    /// sqa: weights below this share of the largest are set to zero for good, from 0 to below 1
    /// [default: 1e-3]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) zero_below: Option<f64>,

    /// reweighted: solve at most this many weighted l1 problems; 1 is plain l1 [default: 100]
    #[arg(long, value_name = "K")]
    pub(crate) rounds: Option<usize>,

    /// global: refuse data with more than this many entries, rows times features; the time grows
    /// exponentially with the features, so give --max-time with a higher limit [default: 5000]
    #[arg(long, value_name = "N")]
    pub(crate) size_limit: Option<usize>,
}

impl SolverArgs {
    /// The options that not every solver has: was it given, and whose is it.
    fn special(&self) -> [(&'static str, bool, &'static [By]); 11] {
        [
            ("--starts", self.starts.is_some(), &[By::Exact]),
            ("--start", self.start.is_some(), &[By::Exact, By::Gist, By::Sqa, By::Reweighted, By::Global]),
            ("--rho1", self.rho1.is_some(), &[By::Feadmm]),
            ("--rho2", self.rho2.is_some(), &[By::Feadmm]),
            ("--beta", self.beta.is_some(), &[By::Feadmm]),
            ("--rho-grid", self.rho_grid, &[By::Feadmm]),
            ("--linsys", self.linsys != Linsys::Auto, &[By::Feadmm, By::Sqa]),
            ("--nonmonotone", self.nonmonotone.is_some(), &[By::Gist]),
            ("--zero-below", self.zero_below.is_some(), &[By::Sqa]),
            ("--rounds", self.rounds.is_some(), &[By::Reweighted]),
            ("--size-limit", self.size_limit.is_some(), &[By::Global]),
        ]
    }

    /// The solver that will run: with `auto`, the first one that has every option that was given.
    fn resolve(&self) -> Result<SolverName> {
        let special = self.special();
        let given: Vec<_> = special.iter().filter(|(_, given, _)| *given).collect();
        let has_all = |solver: &By| given.iter().all(|(_, _, owners)| owners.contains(solver));
        let chosen = match (self.solver, given.first()) {
            (By::Auto, None) => By::Exact,
            // If no solver has all of them, one that has the first refuses the others.
            (By::Auto, Some((_, _, owners))) => By::ALL.into_iter().find(has_all).unwrap_or(owners[0]),
            (named, _) => named,
        };
        for (option, _, owners) in given {
            if !owners.contains(&chosen) {
                let owners: Vec<&str> = owners.iter().map(|owner| owner.name()).collect();
                bail!("{option} is an option of --solver {}: leave it out", owners.join(", "));
            }
        }
        Ok(chosen)
    }

    /// True if λ can be chosen along paths: they have a solver of their own and begin at w = 0.
    pub(crate) fn follows_paths(&self) -> Result<bool> {
        Ok(self.resolve()? == By::Exact && self.start.is_none())
    }

    /// The search from a λ that was chosen, if --starts asks for one.
    pub(crate) fn search(&self) -> Result<Option<Exact>> {
        let from = |starts| Ok(Exact { starts, ..self.stopping.exact()? });
        self.starts.map(from).transpose()
    }

    /// Names → algorithms. `max_features` asks for the best model on a path.
    pub(crate) fn build(&self, max_features: Option<usize>, memory_limit: u64) -> Result<Plan> {
        let name = self.resolve()?;
        if let Some(most) = max_features {
            return self.along_path(name, at_least_one("--max-features", most)?);
        }
        if self.rho_grid {
            return Ok(Plan::RhoGrid(self.feadmm(memory_limit)?));
        }
        Ok(Plan::Once(self.solver(name, memory_limit)?))
    }

    fn solver(&self, name: SolverName, memory_limit: u64) -> Result<Box<dyn Solver>> {
        Ok(match name {
            By::Exact | By::Auto => {
                let usual = Exact::default();
                Box::new(Exact {
                    starts: at_least_one("--starts", self.starts.unwrap_or(usual.starts))?,
                    stopping: self.stopping.build(usual.stopping)?,
                })
            }
            By::Feadmm => Box::new(self.feadmm(memory_limit)?),
            By::Gist => {
                let usual = Gist::default();
                Box::new(Gist {
                    nonmonotone: at_least_one(
                        "--nonmonotone",
                        self.nonmonotone.unwrap_or(usual.nonmonotone),
                    )?,
                    stopping: self.stopping.build(usual.stopping)?,
                })
            }
            By::Sqa => {
                let usual = Sqa::default();
                Box::new(Sqa {
                    zero_below: self.zero_below.unwrap_or(usual.zero_below),
                    linsys: self.linsys,
                    memory_limit,
                    stopping: self.stopping.build(usual.stopping)?,
                })
            }
            By::Reweighted => {
                let usual = Reweighted::default();
                Box::new(Reweighted {
                    rounds: at_least_one("--rounds", self.rounds.unwrap_or(usual.rounds))?,
                    stopping: self.stopping.build(usual.stopping)?,
                })
            }
            By::Global => {
                let usual = Global::default();
                Box::new(Global {
                    size_limit: at_least_one("--size-limit", self.size_limit.unwrap_or(usual.size_limit))?,
                    stopping: self.stopping.build(usual.stopping)?,
                })
            }
        })
    }

    fn feadmm(&self, memory_limit: u64) -> Result<Feadmm> {
        let usual = Feadmm::default();
        Ok(Feadmm {
            rho1: self.rho1.unwrap_or(usual.rho1),
            rho2: self.rho2.unwrap_or(usual.rho2),
            beta: self.beta.unwrap_or(usual.beta),
            linsys: self.linsys,
            memory_limit,
            stopping: self.stopping.build(usual.stopping)?,
        })
    }

    fn along_path(&self, name: SolverName, most: usize) -> Result<Plan> {
        if name != By::Exact {
            bail!(
                "--max-features follows a path, which --solver {} does not: leave one of them out",
                name.name()
            );
        }
        for (option, given, _) in self.special() {
            if given {
                bail!("{option} means nothing with --max-features: a path starts at 0 and warms itself up");
            }
        }
        let exact = self.stopping.exact()?;
        Ok(Plan::Path(PathSettings { max_features: Some(most), exact, ..PathSettings::default() }))
    }
}
