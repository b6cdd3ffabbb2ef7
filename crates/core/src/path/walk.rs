//! A path under way: one λ after the other, each from where the last one ended.

use std::time::Instant;

use super::prove::{Found, prove, together};
use super::{Path, PathSettings, slope_at_zero};
use crate::solver::{Ended, Entry, Follower, Heavy, Watch};
use crate::{PenaltySpec, Problem, Result, Status};

/// A point as soon as it is found, without its certificate.
#[derive(Debug)]
pub(crate) struct Step {
    /// Nonzero coefficients, ascending.
    pub(crate) w: Vec<(usize, f64)>,
    /// Intercept.
    pub(crate) b: f64,
}

/// Where a path begins, as the solver sees it.
#[derive(Clone, Copy)]
pub(super) struct Beginning<'p> {
    pub(super) problem: &'p Problem<'p>,
    /// The same with the features alone that the path can ever keep, and which these are.
    pub(super) narrow: Option<(&'p Problem<'p>, &'p Heavy<'p>)>,
    pub(super) entry: &'p Entry,
}

/// What is known on the way.
pub(super) struct Walk<'p> {
    at: Beginning<'p>,
    spec: &'p PenaltySpec,
    settings: &'p PathSettings,
    slope: f64,
    watch: Watch<'p>,
    follower: Follower<'p>,
    /// Points that wait for their certificates.
    found: Vec<Found<'p>>,
    path: Path,
}

impl<'p> Walk<'p> {
    pub(super) fn new(
        at: Beginning<'p>,
        spec: &'p PenaltySpec,
        settings: &'p PathSettings,
        watch: Watch<'p>,
    ) -> Result<Self> {
        let slope = slope_at_zero(spec)?;
        let narrow = at.narrow.map_or(at.problem, |(narrow, _)| narrow);
        let lambda_max = at.entry.strength / slope;
        Ok(Self {
            at,
            spec,
            settings,
            slope,
            watch,
            follower: Follower::new(narrow, at.entry),
            found: Vec::new(),
            path: Path { points: Vec::new(), lambda_max, status: Status::Converged },
        })
    }

    /// Tells the observer how far it is.
    pub(super) fn count(&mut self, done: usize, all: usize) {
        self.watch.part(done, all);
    }

    /// Operations so far.
    pub(super) fn work(&self) -> u64 {
        self.watch.work()
    }

    /// True if a limit or the observer ended the last step.
    pub(super) fn is_stopped(&self) -> bool {
        self.watch.stopped()
    }

    /// Goes on to the next λ; nothing if too many features are kept there, which ends the path before it.
    pub(super) fn step(&mut self, lambda: f64) -> Result<Option<Step>> {
        let found = self.solve(lambda)?;
        if self.settings.max_features.is_some_and(|most| found.kept() > most) {
            return Ok(None);
        }
        let (w, b) = found.problem.parted(found.at.w.clone(), found.at.b);
        self.keep(found)?;
        Ok(Some(Step { w, b }))
    }

    /// The point at this λ, from where the last one ended.
    pub(super) fn solve(&mut self, lambda: f64) -> Result<Found<'p>> {
        let clock = Instant::now();
        let steps = self.watch.steps();
        let problem = self.at.problem;
        let penalty = self.spec.with_lambda(lambda).build()?;
        let regularizer = problem.regularizer().with_penalty(penalty.clone());
        // At λ_max w = 0 is one of many solutions: it is the one that a path begins with.
        let at = if lambda >= self.path.lambda_max {
            self.at.entry.at.clone()
        } else if let Some((narrow, heavy)) = self.at.narrow {
            let regularizer = narrow.regularizer().with_penalty(penalty);
            heavy.back(self.follower.next(&regularizer, lambda * self.slope, &mut self.watch))
        } else {
            self.follower.next(&regularizer, lambda * self.slope, &mut self.watch)
        };
        Ok(Found {
            problem: problem.with_regularizer(regularizer)?,
            lambda,
            at,
            ended: self.watch.ended(),
            iterations: self.watch.steps() - steps,
            seconds: clock.elapsed().as_secs_f64(),
        })
    }

    /// Makes the point one of the path's.
    pub(super) fn keep(&mut self, found: Found<'p>) -> Result<()> {
        self.found.push(found);
        if self.found.len() == together(self.at.problem) {
            self.judge()?;
        }
        Ok(())
    }

    /// Makes the certificates of all points that wait for theirs.
    fn judge(&mut self) -> Result<()> {
        let found = std::mem::take(&mut self.found);
        self.path.points.extend(prove(self.at.problem, found, self.settings.exact.stopping.tol)?);
        Ok(())
    }

    /// The path as far as it went.
    pub(super) fn end(mut self) -> Result<Path> {
        self.judge()?;
        let mut path = self.path;
        // Jumps come by them in any order.
        path.points.sort_by(|a, b| b.lambda.total_cmp(&a.lambda));
        path.status = match self.watch.ended() {
            Ended::Rule => path
                .points
                .iter()
                .map(|point| point.status)
                .find(|s| *s != Status::Converged)
                .unwrap_or(Status::Converged),
            ended => Status::of(ended, false),
        };
        Ok(path)
    }
}
