//! More than one machine: the rows are split over the members of a team, and every member runs the same
//! solver on its own rows, in lockstep.
//!
//! Whatever is a sum over all samples goes through [`Team::sum`], which gives every member the same bits. So all
//! of them take the same decisions and the same steps, and end with the same w and b; vectors with an entry
//! a sample (margins, dual variables) stay where the rows are. Alone, nothing is added to what a member has.

use std::fmt::Debug;

use faer::Mat;

use crate::{Error, Result};

/// Those who fit together.
///
/// A member that is lost makes every later sum meaningless: [`failure`](Self::failure) then says why, solvers
/// stop at their next step, and nothing of theirs is returned.
pub trait Team: Debug + Send + Sync {
    /// How many there are.
    fn members(&self) -> usize;

    /// Replaces each number by its sum over all members.
    fn sum(&self, numbers: &mut [f64]);

    /// Replaces each number by the largest that a member has.
    fn max(&self, numbers: &mut [f64]);

    /// Why the team is no more, if it is.
    fn failure(&self) -> Option<String>;
}

/// A team of one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Team for Alone {
    fn members(&self) -> usize {
        1
    }

    fn sum(&self, _numbers: &mut [f64]) {}

    fn max(&self, _numbers: &mut [f64]) {}

    fn failure(&self) -> Option<String> {
        None
    }
}

/// True if there are others.
pub(crate) fn is_shared(team: &dyn Team) -> bool {
    team.members() > 1
}

/// A single sum over all members.
pub(crate) fn total(team: &dyn Team, number: f64) -> f64 {
    let mut all = [number];
    team.sum(&mut all);
    all[0]
}

/// The smallest that any member has.
pub(crate) fn least(team: &dyn Team, number: f64) -> f64 {
    let mut all = [-number];
    team.max(&mut all);
    -all[0]
}

/// Sums the lower triangle of a matrix over all members.
pub(crate) fn sum_lower(team: &dyn Team, matrix: &mut Mat<f64>) {
    if !is_shared(team) {
        return;
    }
    let dim = matrix.ncols();
    let mut packed: Vec<f64> = (0..dim).flat_map(|c| matrix.col_as_slice(c)[c..].iter().copied()).collect();
    team.sum(&mut packed);
    let mut rest = &packed[..];
    for c in 0..dim {
        let (column, others) = rest.split_at(dim - c);
        matrix.col_as_slice_mut(c)[c..].copy_from_slice(column);
        rest = others;
    }
}

/// An error if a member was lost.
pub(crate) fn check(team: &dyn Team) -> Result<()> {
    team.failure().map_or(Ok(()), |why| Err(Error::Team(why)))
}
