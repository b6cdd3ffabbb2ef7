//! The paper's grid search over (ρ₁, ρ₂) for FEADMM, judged by the true F.

use std::time::Duration;

use super::{Feadmm, Observer, solve};
use crate::{Error, Problem, Result, Solution, Status};

/// The values that the paper tries for ρ₁ and for ρ₂.
pub const RHO_GRID: [f64; 6] = [0.01, 0.1, 1.0, 1.5, 5.0, 10.0];

/// Runs the 36 pairs and keeps the solution with the lowest true F; its seconds are those of the whole
/// grid, its iterations those of its own run. `max_time` is for the whole grid. Pairs that diverge are passed over. Each pair makes its factor anew, so the grid takes no more
/// memory than one run.
///
/// # Errors
/// If no pair gives an answer.
pub fn rho_grid(
    base: &Feadmm,
    problem: &Problem<'_>,
    observer: &mut dyn Observer,
) -> Result<(Feadmm, Solution)> {
    let mut best: Option<(Feadmm, Solution)> = None;
    let mut outcome =
        Err(Error::Numerical { what: "no pair of the grid was run".into(), remedy: "try again" });
    let (mut setup_seconds, mut solve_seconds, mut interrupted) = (0.0, 0.0, false);
    for (rho1, rho2) in RHO_GRID.into_iter().flat_map(|rho1| RHO_GRID.map(|rho2| (rho1, rho2))) {
        let mut settings = Feadmm { rho1, rho2, ..base.clone() };
        if let Some(limit) = base.stopping.max_time {
            let spent = Duration::from_secs_f64(setup_seconds + solve_seconds);
            let left = limit.saturating_sub(spent);
            if left.is_zero() {
                break;
            }
            settings.stopping.max_time = Some(left);
        }
        let solution = match solve(&settings, problem, None, observer) {
            Ok(solution) => solution,
            Err(error @ Error::Numerical { .. }) => {
                outcome = Err(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        setup_seconds += solution.setup_seconds;
        solve_seconds += solution.solve_seconds;
        interrupted = solution.status == Status::Interrupted;
        let lower =
            |(_, best): &(Feadmm, Solution)| solution.certificate.objective < best.certificate.objective;
        if best.as_ref().is_none_or(lower) {
            best = Some((settings, solution));
        }
        if interrupted {
            break;
        }
    }
    if let Some((settings, solution)) = best {
        let status = if interrupted { Status::Interrupted } else { solution.status };
        outcome = Ok((settings, Solution { status, setup_seconds, solve_seconds, ..solution }));
    }
    outcome
}
