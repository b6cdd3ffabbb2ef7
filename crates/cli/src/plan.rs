//! What will be run, and what came out: one solver, a grid of them, or a path of which one point is taken.

use std::time::Instant;

use anyhow::{Result, bail};
use sparsvm_core::path::{Best, Path, PathSettings, best_within};
use sparsvm_core::rank::{Ranking, solve_ranking};
use sparsvm_core::solver::{Feadmm, Observer, RHO_GRID, Solver, Stopping, describe, rho_grid, solve};
use sparsvm_core::{Design, Loss, PenaltySpec, Problem, Solution, Start, Status};

use crate::choose::Validated;
use crate::progress::Counting;

/// What will be run.
#[derive(Debug)]
pub(crate) enum Plan {
    /// One run of a solver.
    Once(Box<dyn Solver>),
    /// The exact solver along a path; the lowest loss is taken.
    Path(PathSettings),
    /// The paper's 36 runs of FEADMM.
    RhoGrid(Feadmm),
}

/// What was run, and what came out.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) solution: Solution,
    /// With the λ that was taken.
    pub(crate) penalty: PenaltySpec,
    pub(crate) stopping: Stopping,
    /// The solver's name.
    pub(crate) solver: &'static str,
    /// Its own settings, for the report and the model.
    pub(crate) settings: Vec<(&'static str, f64)>,
    /// Where λ comes from, if a path chose it.
    pub(crate) chosen: Option<Chosen>,
    /// Where λ comes from, if cross-validation chose it.
    pub(crate) validated: Option<Validated>,
}

/// How a path chose λ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen {
    pub(crate) lambda_max: f64,
    /// How many λ were fitted along the path and beside it, and how many features they might keep.
    pub(crate) followed: usize,
    pub(crate) beside: usize,
    pub(crate) most: usize,
}

impl Run {
    /// In one line, for the model's provenance.
    pub(crate) fn describe(&self) -> String {
        describe(self.solver, &self.settings, &self.stopping)
    }
}

impl Plan {
    fn solver(&self) -> &dyn Solver {
        match self {
            Self::Once(solver) => &**solver,
            Self::Path(settings) => &settings.exact,
            Self::RhoGrid(feadmm) => feadmm,
        }
    }

    /// Refuses a loss or a penalty that the solver cannot take.
    pub(crate) fn check(&self, loss: Loss, penalty: &PenaltySpec) -> Result<()> {
        let solver = self.solver();
        Ok(solver.scope().check(solver.name(), loss, Some(penalty.family))?)
    }

    /// True if a run may hold a matrix as large as the memory limit allows: then there is one run at a time.
    pub(crate) fn holds_factor(&self) -> bool {
        matches!(self.solver().name(), "feadmm" | "sqa")
    }

    /// True if this data had better lie by columns only. A path takes longer than all columns do.
    pub(crate) fn wants_columns_only(&self, problem: &Problem<'_>) -> bool {
        matches!(self, Self::Path(_)) || self.solver().wants_columns_only(problem)
    }

    /// What a progress bar has to count.
    pub(crate) fn counting(&self) -> Counting {
        match self {
            // These announce the exact solver's starts; their iterations have no limit that is near.
            Self::Once(solver) if matches!(solver.name(), "exact" | "global") => Counting::Starts,
            Self::Once(_) => Counting::Runs(1),
            Self::Path(_) => Counting::Lambdas,
            Self::RhoGrid(_) => Counting::Runs(RHO_GRID.len() * RHO_GRID.len()),
        }
    }

    /// When each run stops.
    pub(crate) fn stopping(&self) -> Stopping {
        *self.solver().stopping()
    }

    /// Runs it, from `start` if the solver takes one.
    pub(crate) fn run(
        &self,
        problem: &Problem<'_>,
        penalty: PenaltySpec,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Run> {
        let (solver, settings, solution) = match self {
            Self::Path(settings) => return best_of_path(problem, penalty, settings, observer),
            Self::Once(solver) => {
                (solver.name(), solver.settings(), solve(&**solver, problem, start, observer)?)
            }
            Self::RhoGrid(feadmm) => {
                let (used, solution) = rho_grid(feadmm, problem, observer)?;
                (used.name(), used.settings(), solution)
            }
        };
        Ok(self.ran(solver, settings, solution, penalty))
    }
}

impl Plan {
    /// The same on a ranking; what has no way of its own forms the pairs.
    pub(crate) fn rank(
        &self,
        ranking: &Ranking<'_>,
        penalty: PenaltySpec,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Run> {
        let Self::Once(solver) = self else {
            let pairs = ranking.pair_design()?;
            let ones = vec![1.0; pairs.rows()];
            return self.run(&ranking.pair_problem(&pairs, &ones)?, penalty, None, observer);
        };
        let solution = solve_ranking(&**solver, ranking, start, observer)?;
        Ok(self.ran(solver.name(), solver.settings(), solution, penalty))
    }

    fn ran(
        &self,
        solver: &'static str,
        settings: Vec<(&'static str, f64)>,
        solution: Solution,
        penalty: PenaltySpec,
    ) -> Run {
        Run { solution, penalty, stopping: self.stopping(), solver, settings, chosen: None, validated: None }
    }
}

/// A path that Ctrl-C ended before its first point is none.
pub(crate) fn unless_empty(path: Path) -> Result<Path> {
    if path.points.is_empty() && path.status == Status::Interrupted {
        bail!("stopped by Ctrl-C before the first model: nothing is kept");
    }
    Ok(path)
}

/// Follows the path and takes the best model that keeps no more features than are asked for.
fn best_of_path(
    problem: &Problem<'_>,
    penalty: PenaltySpec,
    settings: &PathSettings,
    observer: &mut dyn Observer,
) -> Result<Run> {
    let clock = Instant::now();
    let (path, best) = best_within(problem, &penalty, settings, observer)?;
    let path = unless_empty(path)?;
    let most = settings.max_features.unwrap_or(problem.features());
    let Some(Best { lambda, mut solution, beside }) = best else {
        bail!(
            "the path keeps more than {most} features from the first lambda on: give a larger --max-features"
        );
    };
    solution.solve_seconds = clock.elapsed().as_secs_f64();
    Ok(Run {
        solution,
        penalty: penalty.with_lambda(lambda),
        stopping: settings.exact.stopping,
        solver: settings.exact.name(),
        settings: settings.settings(),
        chosen: Some(Chosen { lambda_max: path.lambda_max, followed: path.points.len(), beside, most }),
        validated: None,
    })
}
