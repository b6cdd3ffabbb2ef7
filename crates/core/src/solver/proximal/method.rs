//! A method that needs the smooth part only, and so serves two masters: a classification, where its pulls are
//! the dual variables, and a ranking, whose certificate makes its own.

use super::{Found, Smooth};
use crate::rank::{Ranker, Ranking};
use crate::solver::{Iterate, Observer};
use crate::{Problem, Result, Start};

pub(in crate::solver) trait Method: Sync {
    fn descend(
        &self,
        smooth: &dyn Smooth,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Found>;

    /// As [`Solver::run`](crate::solver::Solver::run).
    fn classify(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        let found = self.descend(problem, start, observer)?;
        let beta = found.at.beta(problem);
        Ok(found.iterate(beta))
    }
}

impl<M: Method> Ranker for M {
    fn rank(
        &self,
        ranking: &Ranking<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        Ok(self.descend(ranking, start, observer)?.iterate(Vec::new()))
    }
}
