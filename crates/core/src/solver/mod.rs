//! Solvers, one algorithm a file, behind one call: [`solve`] runs one, judges what came out by the
//! certificate, and says how it ended.

mod exact;
mod feadmm;
mod gist;
mod global;
mod proximal;
mod reweighted;
mod rho_grid;
mod scope;
mod sqa;
mod stopping;
mod watch;

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::time::Instant;

pub use exact::Exact;
pub(crate) use exact::{Entry, Follower, Heavy, Snapshot};
pub use feadmm::Feadmm;
pub use gist::Gist;
pub use global::{Global, GlobalBound};
pub use reweighted::Reweighted;
pub use rho_grid::{RHO_GRID, rho_grid};
pub use scope::{SCOPES, Scope};
pub use sqa::Sqa;
pub use stopping::Stopping;
pub(crate) use watch::Watch;

use crate::intercept::Parting;
use crate::pool;
use crate::rank::Ranker;
use crate::team::{self, is_shared};
use crate::{Certificate, Error, Problem, Result, Solution, Start, Status, certify};

/// One iteration, as an observer sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Counted from 1.
    pub iteration: usize,
    /// Since the first iteration began.
    pub seconds: f64,
    /// The objective that the solver itself looks at (FEADMM: the paper's).
    pub objective: f64,
    /// Features that are not zero.
    pub nonzeros: usize,
    /// What costs extra work, given only to observers that ask for it.
    pub detail: Option<Detail>,
}

/// The costlier figures of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detail {
    /// F(w, b) at the iterate that would be returned.
    pub true_objective: f64,
    /// Norm of what the constraints miss.
    pub primal_residual: f64,
    /// Norm of what stationarity misses.
    pub dual_residual: f64,
    /// ‖D⁽ᵏ⁺¹⁾ - D⁽ᵏ⁾‖ over all variables, which the paper's convergence part is about.
    pub movement: f64,
}

/// Sees each iteration: progress bars, traces, Ctrl-C. It is called from a thread of the pool that the work is done in.
pub trait Observer: Send {
    /// A phase begins, such as "factorising a 2000 × 2000 matrix (31 MiB)".
    fn on_phase(&mut self, _phase: &str) {}

    /// `done` of `all` equal parts of the work are behind us: starts, or points of a path.
    fn on_part(&mut self, _done: usize, _all: usize) {}

    /// An iteration ended; `Break` asks the solver to stop with what it has.
    fn on_step(&mut self, step: &Step) -> ControlFlow<()>;

    /// True if steps should carry [`Detail`].
    fn wants_detail(&self) -> bool {
        false
    }

    /// True if the point that was just reached is to be shown; asked after each step.
    fn wants_iterate(&self) -> bool {
        false
    }

    /// The point (w, b) that would be returned if the solver stopped now, shown only on request.
    fn on_iterate(&mut self, _w: &[f64], _b: f64) {}
}

/// Sees nothing and never stops anything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Why the iterations ended, in the solver's own view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By the solver's own rule.
    Rule,
    /// See [`Status::MaxIter`].
    MaxIter,
    /// See [`Status::MaxTime`].
    MaxTime,
    /// See [`Status::Interrupted`].
    Interrupted,
}

/// What a solver hands over, not yet judged.
#[derive(Debug, Clone)]
pub struct Iterate {
    /// Coefficients.
    pub w: Vec<f64>,
    /// Intercept.
    pub b: f64,
    /// Dual variables.
    pub beta: Vec<f64>,
    /// Why it ended.
    pub ended: Ended,
    /// Iterations done.
    pub iterations: usize,
    /// See [`Solution::paper_objective`].
    pub paper_objective: Option<f64>,
    /// See [`Solution::setup_seconds`].
    pub setup_seconds: f64,
    /// See [`Solution::global_bound`].
    pub global_bound: Option<GlobalBound>,
}

impl Iterate {
    /// With what was proved about it.
    pub(crate) fn judged(self, certificate: Certificate, tol: f64, solve_seconds: f64) -> Solution {
        let Self { w, b, beta, ended, iterations, paper_objective, setup_seconds, global_bound } = self;
        let globally = global_bound.is_none_or(|bound| bound.gap(certificate.objective) <= tol);
        let status = Status::of(ended, globally && certificate.within(tol));
        Solution {
            w,
            b,
            beta,
            status,
            iterations,
            certificate,
            paper_objective,
            setup_seconds,
            solve_seconds,
            global_bound,
        }
    }
}

/// An algorithm with its settings.
pub trait Solver: Debug + Send + Sync {
    /// The name that `--solver` takes.
    fn name(&self) -> &'static str;

    /// When it stops.
    fn stopping(&self) -> &Stopping;

    /// Its own settings by name, for reports.
    fn settings(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The losses and penalties that it can take: as in the table [`SCOPES`], or all.
    fn scope(&self) -> Scope {
        Scope::of(self.name())
    }

    /// True if it can fit rows that are spread over a [`Team`](crate::team::Team).
    fn takes_teams(&self) -> bool {
        false
    }

    /// True if this data had better lie by columns only: see [`Dataset::turn_to_columns`](crate::Dataset::turn_to_columns).
    fn wants_columns_only(&self, _problem: &Problem<'_>) -> bool {
        false
    }

    /// Runs. `start` is where to begin; `None` is zero.
    ///
    /// # Errors
    /// If there is no answer at all.
    fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate>;

    /// The same algorithm on a ranking whose pairs are never formed, if it has one. The others are run on
    /// the pairs, one row each; see [`solve_ranking`](crate::rank::solve_ranking).
    fn ranker(&self) -> Option<&dyn Ranker> {
        None
    }
}

/// A solver with its settings in one line, for a model's provenance.
pub fn describe(solver: &str, settings: &[(&str, f64)], stopping: &Stopping) -> String {
    let settings: String = settings.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    format!("{solver}{settings} tol={:?} max_iter={}", stopping.tol, stopping.max_iter)
}

/// Runs a solver and judges the outcome. What it cannot take is refused before any work.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported) if the solver cannot take the problem,
/// [`Error::Length`](crate::Error::Length) if the start does not fit it, and whatever leaves the solver
/// without any answer; not converging is a [`Status`].
pub fn solve(
    solver: &dyn Solver,
    problem: &Problem<'_>,
    start: Option<&Start>,
    observer: &mut dyn Observer,
) -> Result<Solution> {
    solver.scope().check(solver.name(), problem.loss(), problem.regularizer().penalty().family())?;
    if is_shared(problem.team()) && !solver.takes_teams() {
        return Err(Error::Unsupported {
            solver: solver.name(),
            what: "rows that are spread over several machines".into(),
            instead: "exact and feadmm can".into(),
        });
    }
    let start = start.map(|start| problem.joined(start));
    if let Some(start) = &start {
        start.check(problem)?;
    }
    pool::inside(problem.team(), || {
        let clock = Instant::now();
        let mut observer = Parting::new(problem, observer);
        let mut iterate = solver.run(problem, start.as_deref(), &mut observer)?;
        let solve_seconds = clock.elapsed().as_secs_f64() - iterate.setup_seconds;
        team::check(problem.team())?;
        let certificate = certify(problem, &iterate.w, iterate.b, &iterate.beta);
        team::check(problem.team())?;
        (iterate.w, iterate.b) = problem.parted_dense(iterate.w, iterate.b);
        Ok(iterate.judged(certificate, solver.stopping().tol, solve_seconds))
    })
}
