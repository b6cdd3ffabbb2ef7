//! The paths of several problems on the same columns in step: all of them at one λ, then at the next.

use rayon::prelude::*;

use super::walk::{Beginning, Step, Walk};
use super::{Path, PathSettings, check_largest, slope_at_zero};
use crate::solver::{Entry, Observer, Watch};
use crate::{Error, PenaltySpec, Problem, Result};

/// Hears of the points of all problems at one λ as soon as they are found, and of the operations so far on all of them. False
/// ends all paths with them.
pub(crate) type AllGoOn<'g> = dyn FnMut(&[Step], u64) -> bool + Send + 'g;

/// Follows them, as long as somebody wants it, at the same λ for all: spaced ones begin at the largest λ_max of the problems, or at 1
/// where no feature says anything about any of them, as every λ then gives the same model. What ends one path ends all. Each has an
/// observer of its own, which may stop it. Also the first λ.
pub(crate) fn paths_in_step<O: Observer>(
    problems: &[Problem<'_>],
    spec: &PenaltySpec,
    settings: &PathSettings,
    observers: &mut [O],
    goes_on: &mut AllGoOn<'_>,
) -> Result<(f64, Vec<Path>)> {
    settings.grid.check()?;
    let find = |(problem, observer): (&Problem<'_>, &mut O)| {
        Entry::find(problem, observer).ok_or(Error::Interrupted)
    };
    let entries = problems.par_iter().zip(&mut *observers).map(find).collect::<Result<Vec<Entry>>>()?;
    let slope = slope_at_zero(spec)?;
    let own = entries.iter().map(|entry| entry.strength / slope).filter(|own| check_largest(*own).is_ok());
    let largest = own.reduce(f64::max).unwrap_or(1.0);
    let mut walks = Vec::with_capacity(problems.len());
    for ((problem, entry), observer) in problems.iter().zip(&entries).zip(observers) {
        let watch = Watch::new(observer, settings.exact.stopping, problem.team());
        walks.push(Walk::new(Beginning { problem, narrow: None, entry }, spec, settings, watch)?);
    }
    let lambdas = settings.grid.lambdas(largest)?;
    for lambda in lambdas {
        let steps: Vec<Option<Step>> =
            walks.par_iter_mut().map(|walk| walk.step(lambda)).collect::<Result<_>>()?;
        let Some(steps): Option<Vec<Step>> = steps.into_iter().collect() else { break };
        let work = walks.iter().map(Walk::work).sum();
        if !goes_on(&steps, work) || walks.iter().any(Walk::is_stopped) {
            break;
        }
    }
    Ok((largest, walks.into_iter().map(Walk::end).collect::<Result<_>>()?))
}
