//! Ranking with any solver.

use std::time::Instant;

use super::{Ranking, certificate};
use crate::pool;
use crate::solver::{Iterate, Observer, Solver, solve};
use crate::team::Alone;
use crate::{Result, Solution, Start};

/// A solver that ranks without forming the pairs.
pub trait Ranker: Sync {
    /// As [`Solver::run`]. There are no dual variables to hand over: the certificate makes its own.
    ///
    /// # Errors
    /// If there is no answer at all.
    fn rank(
        &self,
        ranking: &Ranking<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate>;
}

/// Ranks, and judges the outcome: a [`Ranker`] without forming the pairs, another solver on a row for each.
///
/// # Errors
/// As [`solve`]; [`Error::Memory`](crate::Error::Memory) if the pairs have to be formed and are too many.
pub fn solve_ranking(
    solver: &dyn Solver,
    ranking: &Ranking<'_>,
    start: Option<&Start>,
    observer: &mut dyn Observer,
) -> Result<Solution> {
    let family = ranking.regularizer().penalty().family();
    solver.scope().check(solver.name(), ranking.loss(), family)?;
    if let Some(start) = start {
        start.check_features(ranking.x().cols())?;
    }
    let start = start.map(|start| Start { w: start.w.clone(), b: 0.0, beta: None });
    let Some(ranker) = solver.ranker() else {
        observer.on_phase("forming the pairs");
        let pairs = ranking.pair_design()?;
        let ones = vec![1.0; crate::Design::rows(&pairs)];
        return solve(solver, &ranking.pair_problem(&pairs, &ones)?, start.as_ref(), observer);
    };
    pool::inside(&Alone, || {
        let clock = Instant::now();
        let iterate = ranker.rank(ranking, start.as_ref(), observer)?;
        let solve_seconds = clock.elapsed().as_secs_f64() - iterate.setup_seconds;
        let certificate = certificate::certify(ranking, &iterate.w);
        Ok(iterate.judged(certificate, solver.stopping().tol, solve_seconds))
    })
}
