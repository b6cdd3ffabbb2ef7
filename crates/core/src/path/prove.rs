//! The certificates of a path's points, a few at a time: dense data is read once for all of them.

use std::time::Instant;

use super::PathPoint;
use crate::certificate::{Evidence, judge};
use crate::solver::{Ended, Snapshot};
use crate::{Problem, Result, Status, team};

/// A point that was found and is not yet judged.
pub(super) struct Found<'a> {
    /// The problem with the penalty of this point.
    pub(super) problem: Problem<'a>,
    pub(super) lambda: f64,
    pub(super) at: Snapshot,
    /// How the watch stood by then.
    pub(super) ended: Ended,
    pub(super) iterations: usize,
    pub(super) seconds: f64,
}

impl Found<'_> {
    /// How many features are kept.
    pub(super) fn kept(&self) -> usize {
        self.problem.count(&self.at.w)
    }
}

/// How many had better wait for each other.
pub(super) fn together(problem: &Problem<'_>) -> usize {
    Evidence::together(problem)
}

/// Judges them; the time that it takes is shared.
pub(super) fn prove(problem: &Problem<'_>, found: Vec<Found<'_>>, tol: f64) -> Result<Vec<PathPoint>> {
    let clock = Instant::now();
    let betas: Vec<&[f64]> = found.iter().map(|found| &found.at.pulls[..]).collect();
    let evidence = Evidence::of_all(problem, &betas);
    let judged = found.into_iter().zip(evidence).map(|(found, evidence)| {
        let Found { problem, lambda, at, ended, iterations, seconds } = found;
        let certificate = judge(&problem, &at.dense(problem.features()), at.b, evidence);
        let status = Status::of(ended, certificate.within(tol));
        let (w, b) = problem.parted(at.w, at.b);
        PathPoint { lambda, w, b, certificate, status, iterations, seconds, beta: at.pulls }
    });
    let mut points: Vec<PathPoint> = judged.collect();
    team::check(problem.team())?;
    let share = clock.elapsed().as_secs_f64() / points.len().max(1) as f64;
    points.iter_mut().for_each(|point| point.seconds += share);
    Ok(points)
}
