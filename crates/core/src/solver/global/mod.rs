//! The global solver: for small problems, the proven optimum of the hinge under a concave penalty.
//!
//! Spatial branch and bound. [`scaled`] is the problem in the units of the search; [`incumbent`] holds the
//! best point, which the exact solver finds first; [`reach`] proves how far better points can reach;
//! [`relax`] bounds F over a box by a linear program, solved by [`simplex`] over variables with piecewise
//! linear [`cost`]s, and rebuilt from its multipliers; [`tree`] splits boxes until nothing better can be
//! left. `docs/maths.md`, section 9, has the formulas and proofs.

mod cost;
mod incumbent;
mod reach;
mod relax;
mod scaled;
mod simplex;
mod tree;
mod watch;

use std::time::Instant;

use super::{Ended, Exact, Iterate, Observer, Solver, Stopping};
use crate::{Error, Problem, Result, Start};
use incumbent::Incumbent;
use scaled::Scaled;
use simplex::Simplex;
use tree::Tree;
use watch::Watch;

/// The gap is told after every so many boxes.
const TELL_EVERY: usize = 256;

/// What is proved about all of space, not about one valley.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlobalBound {
    /// No (w, b) has a lower F.
    pub value: f64,
    /// True if that holds for every (w, b); else for |w_j| up to the horizon, 10⁵ over the size of column j.
    pub everywhere: bool,
}

impl GlobalBound {
    /// (objective - bound)/objective.
    pub fn gap(&self, objective: f64) -> f64 {
        (objective - self.value).max(0.0) / objective.abs().max(f64::MIN_POSITIVE)
    }
}

/// The global solver's settings.
///
/// | field | default | range |
/// |---|---|---|
/// | `size_limit` | 5,000 | the largest n·d that is tried |
/// | `stopping.tol` | 1e-4 | relative gap between the best point and the bound |
/// | `stopping.max_iter` | 1,000,000 | boxes that are split |
#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    /// Above this n·d the problem is refused: the work grows exponentially with d.
    pub size_limit: usize,
    /// When to stop.
    pub stopping: Stopping,
}

impl Global {
    /// The largest n·d unless told otherwise.
    pub const SIZE_LIMIT: usize = 5_000;
    /// Boxes that are split unless told otherwise: about a gigabyte of them.
    pub const MAX_ITER: usize = 1_000_000;

    fn check(&self, problem: &Problem<'_>) -> Result<()> {
        if problem.regularizer().l2() > 0.0 {
            return Err(Error::Unsupported {
                solver: "global",
                what: format!("a ridge part (l2 = {})", problem.regularizer().l2()),
                instead: "use exact or feadmm".into(),
            });
        }
        let (n, d) = (problem.samples(), problem.features());
        if n.saturating_mul(d) > self.size_limit {
            return Err(Error::Unsupported {
                solver: "global",
                what: format!(
                    "{n} rows x {d} features = {} entries, more than its limit of {}",
                    n.saturating_mul(d),
                    self.size_limit
                ),
                instead: "use exact, fewer features, or a higher --size-limit and patience".into(),
            });
        }
        Ok(())
    }
}

impl Default for Global {
    fn default() -> Self {
        let stopping = Stopping { max_iter: Self::MAX_ITER, ..Stopping::default() };
        Self { size_limit: Self::SIZE_LIMIT, stopping }
    }
}

impl Solver for Global {
    fn name(&self) -> &'static str {
        "global"
    }

    fn stopping(&self) -> &Stopping {
        &self.stopping
    }

    fn settings(&self) -> Vec<(&'static str, f64)> {
        vec![("size_limit", self.size_limit as f64)]
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        self.check(problem)?;
        let (first, mut watch) = self.first_point(problem, start, observer)?;
        let data = Scaled::new(problem);
        let fresh = Simplex::new(&data);
        let at = data.scaled_point(&first.w, first.b);
        let far = reach::horizon(&data, &at);
        let incumbent = Incumbent::new(&data, far, &fresh, at);
        // Gaps are held against the tolerance by other sums than ours.
        let tol = 0.9 * self.stopping.tol;
        let reach = reach::reach(&data, &incumbent, tol, &mut fresh.clone(), &mut watch);
        let mut tree = Tree::new(&data, &fresh, incumbent, tol, reach.boxes);
        let splits = branch(&mut tree, &mut watch);
        let best = tree.incumbent();
        let (w, b) = data.raw_point(&best.w);
        Ok(Iterate {
            w,
            b,
            beta: data.all_samples(&best.beta, problem.samples()),
            ended: watch.ended(),
            iterations: splits,
            paper_objective: None,
            setup_seconds: 0.0,
            global_bound: Some(GlobalBound { value: tree.bound(), everywhere: reach.everywhere }),
        })
    }
}

impl Global {
    /// What the exact solver finds, and how long there is to go.
    fn first_point<'o>(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &'o mut dyn Observer,
    ) -> Result<(Iterate, Watch<'o>)> {
        let began = Instant::now();
        let tol = self.stopping.tol.clamp(1e-9, 1e-6);
        let stopping = Stopping { tol, max_iter: Exact::MAX_ITER, max_time: self.stopping.max_time };
        let first = Exact { stopping, ..Exact::default() }.run(problem, start, observer)?;
        let watch = Watch::new(observer, self.stopping, began, &first);
        Ok((first, watch))
    }
}

/// Splits boxes until none is left or the watch says stop; how many were split.
fn branch(tree: &mut Tree<'_>, watch: &mut Watch<'_>) -> usize {
    let mut splits = 0;
    while !watch.stopped() && tree.advance() {
        splits += 1;
        if splits % TELL_EVERY == 1 {
            let gap = GlobalBound { value: tree.bound(), everywhere: true }.gap(tree.incumbent().objective);
            watch.phase(&format!("branching, {} boxes left, global gap {gap:.1e}", tree.waiting()));
        }
        watch.step(tree.incumbent());
        if splits >= watch.most_splits() && tree.waiting() > 0 {
            watch.end(Ended::MaxIter);
        }
    }
    splits
}
