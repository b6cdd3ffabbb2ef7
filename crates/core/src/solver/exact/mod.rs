//! The exact solver: any loss, any penalty, certified, and nothing to tune.
//!
//! Bottom up: [`ramp`] shows every loss as a smooth, piecewise quadratic one; [`newton`] minimises that
//! plus a weighted ℓ1 norm on the few columns of a [`block`]; [`convex`] chooses these columns and, for the
//! hinge, renews the multipliers, until the duality gap of a weighted ℓ1 problem is closed (or hands it over to an [`interior`]
//! point method); [`descent`]
//! solves a nonconvex penalty as a sequence of these; [`search`] does so from one start, to which it [leaps](leap), or from several.
//! Before all that [`heavy`] leaves out the features that can never matter.
//! `docs/maths.md` has the formulas, `docs/architecture.md` what was measured.

mod ahead;
mod balance;
mod block;
mod budget;
mod conjugate;
mod convex;
mod descent;
mod direction;
mod dust;
mod follow;
mod forward;
mod gap;
mod gradient;
mod gram;
mod heavy;
mod interior;
mod leap;
mod line;
mod newton;
mod nothing;
mod parts;
mod prune;
mod ramp;
mod rows;
mod scan;
mod scout;
mod search;
mod shorten;
mod snapshot;
mod soften;
mod steepness;
mod sweeps;
mod widen;

use std::sync::Arc;

use balance::balanced;
use convex::Convex;
use descent::Tangent;
use dust::tidied;
pub(crate) use follow::{Entry, Follower};
pub(crate) use heavy::Heavy;
use nothing::no_worse_than_nothing;
pub(crate) use snapshot::Snapshot;

use super::{Iterate, Observer, Solver, Stopping, Watch};
use crate::{Error, Problem, Result, Start};

/// The exact solver's settings.
///
/// | field | default | range |
/// |---|---|---|
/// | `starts` | 20 | points of the ℓ1 path to descend from; only nonconvex penalties need any, and with 10,000 samples or more up to 20 are one. 0: from the caller's start alone |
/// | `stopping.tol` | 1e-4 | relative gap and violation |
/// | `stopping.max_iter` | 1,000,000 | Newton steps over all starts |
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    /// More starts, better optima, more time.
    pub starts: usize,
    /// When to stop.
    pub stopping: Stopping,
}

/// Fewer entries than so many a feature, and most features are rare.
const RARE: usize = 8;

impl Exact {
    /// Newton steps that are allowed unless told otherwise: a guard, not a setting.
    pub const MAX_ITER: usize = 1_000_000;
    /// Starts unless told otherwise.
    pub const STARTS: usize = 20;
    /// The most starts; more would only fill the memory.
    pub const MOST_STARTS: usize = 1_000_000;
}

impl Default for Exact {
    fn default() -> Self {
        Self { starts: Self::STARTS, stopping: Stopping { max_iter: Self::MAX_ITER, ..Stopping::default() } }
    }
}

impl Solver for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn stopping(&self) -> &Stopping {
        &self.stopping
    }

    fn takes_teams(&self) -> bool {
        true
    }

    /// Where features are rare most of them are light, and a convex fit makes the columns of the others alone (see [`Heavy`]),
    /// which takes a third of the time. A search takes longer than they all do.
    fn wants_columns_only(&self, problem: &Problem<'_>) -> bool {
        let x = problem.x();
        problem.regularizer().penalty().concavity() > 0.0 || x.stored() >= RARE * x.cols()
    }

    fn settings(&self) -> Vec<(&'static str, f64)> {
        vec![("starts", self.starts as f64)]
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        if self.starts == 0 && start.is_none() {
            return Err(Error::parameter("starts", 0, "at least 1, unless there is a start to descend from"));
        }
        if self.starts > Self::MOST_STARTS {
            return Err(Error::parameter("starts", self.starts, "at most 1000000"));
        }
        let start = start.map(|start| snapshot_of(problem, start));
        let mut watch = Watch::new(observer, self.stopping, problem.team());
        let narrow = if start.is_none() { self.among_heavy(problem, &mut watch) } else { None };
        let at = match narrow {
            Some((at, true)) => at,
            Some((at, false)) => self.point(problem, Some(&at), &mut watch),
            None => self.point(problem, start.as_ref(), &mut watch),
        };
        Ok(Iterate {
            w: at.dense(problem.features()),
            b: at.b,
            beta: at.pulls,
            ended: watch.ended(),
            iterations: watch.steps(),
            paper_objective: None,
            setup_seconds: 0.0,
            global_bound: None,
        })
    }
}

impl Exact {
    /// The best point among the features that can matter, and whether it is good for all of them; nothing if none is to
    /// be left out.
    fn among_heavy(&self, problem: &Problem<'_>, watch: &mut Watch<'_>) -> Option<(Snapshot, bool)> {
        let heavy = Heavy::of_fit(problem, self.starts)?;
        watch.name_features(Some((Arc::clone(&heavy.features), problem.features())));
        let at = heavy.back(self.point(&heavy.of(problem), None, watch));
        watch.name_features(None);
        let is_enough = watch.stopped() || heavy.is_enough(problem, &at);
        Some((at, is_enough))
    }

    /// The best point that is found.
    fn point(&self, problem: &Problem<'_>, start: Option<&Snapshot>, watch: &mut Watch<'_>) -> Snapshot {
        let at = if problem.regularizer().penalty().concavity() > 0.0 {
            search::search(problem, start, self.starts, watch)
        } else {
            convex_point(problem, start, watch)
        };
        no_worse_than_nothing(problem, tidied(problem, problem.regularizer(), at, watch.tol()))
    }
}

fn convex_point(problem: &Problem<'_>, start: Option<&Snapshot>, watch: &mut Watch<'_>) -> Snapshot {
    let mut convex = Convex::new(problem);
    convex.is_shown = true;
    if let Some(start) = start {
        convex.restore(start);
    }
    let tol = watch.tol();
    convex.solve(Tangent::new(problem.regularizer(), problem.features()).at_zero(), 0.0, tol, watch);
    balanced(problem, convex.snapshot(), tol)
}

fn snapshot_of(problem: &Problem<'_>, start: &Start) -> Snapshot {
    let pulls = start.beta.clone().unwrap_or_else(|| vec![0.0; problem.samples()]);
    let w = start.w.iter().copied().enumerate().filter(|(_, w)| *w != 0.0).collect();
    Snapshot { w, b: start.b, pulls }
}
