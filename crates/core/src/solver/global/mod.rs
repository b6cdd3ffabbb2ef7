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

use std::ops::ControlFlow;
use std::time::Instant;

use super::{Ended, Exact, Iterate, Observer, Solver, Step, Stopping};
use crate::{Error, Loss, Problem, Result, Start};
use incumbent::Incumbent;
use scaled::Scaled;
use simplex::Simplex;
use tree::Tree;

/// What is proved about all of space, not about one valley.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlobalBound {
    /// No (w, b) has a lower F.
    pub value: f64,
    /// True if that holds for every (w, b); else for |w_j| up to the horizon, 10⁴ over the size of column j.
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
        let refuse = |what: String| Err(Error::Unsupported { solver: "global", what, instead: "exact" });
        if problem.loss() != Loss::Hinge {
            return refuse(format!("the loss {}: it takes the hinge", problem.loss()));
        }
        if problem.regularizer().l2() > 0.0 {
            return refuse(format!("l2 = {}: it takes no ridge part", problem.regularizer().l2()));
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
                instead: "exact, fewer features, or a higher --size-limit and patience",
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

    fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        self.check(problem)?;
        let mut watch =
            Watch { observer, stopping: self.stopping, began: Instant::now(), before: 0, ended: None };
        let exact = Exact {
            stopping: Stopping {
                tol: self.stopping.tol.clamp(1e-9, 1e-6),
                max_iter: Exact::MAX_ITER,
                max_time: self.stopping.max_time,
            },
            ..Exact::default()
        };
        let first = exact.run(problem, start, watch.observer)?;
        watch.before = first.iterations;
        watch.ended = Some(first.ended).filter(|ended| *ended != Ended::Rule && *ended != Ended::MaxIter);

        let data = Scaled::new(problem);
        let at = data.from_raw(&first.w, first.b);
        let fresh = Simplex::new(&data);
        let (far, _) = reach::horizon(&data, &at, data.objective(&at));
        let incumbent = Incumbent::new(&data, far, &fresh, at);
        let everything = |value: f64, everywhere: bool| GlobalBound { value, everywhere };
        // Gaps are held against the tolerance by other sums than ours.
        let tol = 0.9 * self.stopping.tol;
        let (tree, everywhere) = if watch.ended.is_some() {
            (Tree::new(&data, &fresh, incumbent, 1.0, None), true)
        } else {
            watch.observer.on_phase("bounding the coefficients");
            let (w, best) = (incumbent.w.clone(), incumbent.objective);
            let mut simplex = fresh.clone();
            let nonzeros = w[..data.d].iter().filter(|w| **w != 0.0).count();
            let mut stop = || watch.step(0, best, nonzeros);
            let reach = reach::reach(&data, &w, best, best * (1.0 - tol), &mut simplex, &mut stop);
            watch.observer.on_phase("branching");
            (
                Tree::new(&data, &fresh, incumbent, tol, (!reach.empty).then_some(reach.boxes)),
                reach.everywhere,
            )
        };
        let (tree, splits) = branch(tree, &data, &mut watch);
        let best = tree.incumbent();
        let (w, b) = data.to_raw(&best.w);
        Ok(Iterate {
            w,
            b,
            beta: data.all_samples(&best.beta, problem.samples()),
            ended: watch.ended.unwrap_or(Ended::Rule),
            iterations: splits,
            paper_objective: None,
            setup_seconds: 0.0,
            global_bound: Some(everything(tree.bound().max(0.0), everywhere)),
        })
    }
}

/// Splits boxes until none is left or the watch says stop; how many were split.
fn branch<'a>(mut tree: Tree<'a>, data: &Scaled<'_>, watch: &mut Watch<'_>) -> (Tree<'a>, usize) {
    let mut splits = 0;
    while watch.ended.is_none() && tree.advance() {
        splits += 1;
        let best = tree.incumbent();
        let nonzeros = best.w[..data.d].iter().filter(|w| **w != 0.0).count();
        watch.step(splits, best.objective, nonzeros);
        if splits >= watch.stopping.max_iter && tree.waiting() > 0 {
            watch.ended.get_or_insert(Ended::MaxIter);
        }
    }
    (tree, splits)
}

/// Reports, and stops.
struct Watch<'o> {
    observer: &'o mut dyn Observer,
    stopping: Stopping,
    began: Instant,
    /// Iterations that were reported before ours.
    before: usize,
    ended: Option<Ended>,
}

impl Watch<'_> {
    /// True if it is time to stop.
    fn step(&mut self, splits: usize, objective: f64, nonzeros: usize) -> bool {
        let step = Step {
            iteration: self.before + splits.max(1),
            seconds: self.began.elapsed().as_secs_f64(),
            objective,
            nonzeros,
            detail: None,
        };
        if self.observer.on_step(&step) == ControlFlow::Break(()) {
            self.ended.get_or_insert(Ended::Interrupted);
        } else if self.stopping.out_of_time(self.began) {
            self.ended.get_or_insert(Ended::MaxTime);
        }
        self.ended.is_some()
    }
}
