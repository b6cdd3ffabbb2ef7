//! The best model that keeps at most so many features.
//!
//! A path is followed from w = 0, and with a nonconvex penalty its models are what small steps lead to. A search from several
//! starts at a stronger λ, past λ_max, where w = 0 is a solution too, keeps as few features with a far lower loss (docs/maths.md,
//! section 8). So beside the path a λ is looked for at which that keeps just as many as it may.

use std::ops::ControlFlow;
use std::time::Instant;

use super::bracket::Bracket;
use super::{Path, PathSettings, path_to_most};
use crate::solver::{Exact, Observer, Step, Stopping, solve};
use crate::{PenaltySpec, Problem, Result, Solution, Status};

/// The first λ, relative to λ_max: with text and the like a search there keeps dozens.
const FIRST: f64 = 4.0;
/// Losses that differ by less, relatively, are equal.
const ALIKE: f64 = 1e-6;
/// Searches, at most.
const MOST_SEARCHES: usize = 8;

/// The best model, and where it was found.
#[derive(Debug, Clone)]
pub struct Best {
    /// Its λ.
    pub lambda: f64,
    /// The model. Iterations are those of all that was tried, and so is the status if that was cut short.
    pub solution: Solution,
    /// How many λ were tried beside the path.
    pub beside: usize,
}

/// Follows a path, a convex penalty's by jumps; of its models and, where the penalty is not convex, of those that searches at other λ find, takes the one
/// with the lowest loss among those that keep at most `settings.max_features`, and of equals the one with fewer. Nothing if
/// the path has no such model.
///
/// # Errors
/// Those of [`path`].
pub fn best_within(
    problem: &Problem<'_>,
    spec: &PenaltySpec,
    settings: &PathSettings,
    observer: &mut dyn Observer,
) -> Result<(Path, Option<Best>)> {
    let clock = Instant::now();
    let path = path_to_most(problem, spec, settings, observer)?;
    let Some((lambda, solution)) = path.best(problem.named_features()) else { return Ok((path, None)) };
    let mut best = Best { lambda, solution, beside: 0 };
    if let Some(most) = settings.max_features
        && !spec.is_convex()?
        && settings.exact.starts > 0
        && !path.status.is_cut_short()
    {
        // Weaker than the path's weakest is not asked for.
        let weakest = settings.grid.lambdas(path.lambda_max)?.last().copied().unwrap_or(0.0);
        let mut bracket = Bracket::new(most, weakest);
        let mut next = Some(FIRST * path.lambda_max);
        while let Some(lambda) = next.filter(|next| next.is_finite() && best.beside < MOST_SEARCHES) {
            let Some(stopping) = what_is_left(&settings.exact.stopping, clock, &best) else {
                best.solution.status = Status::MaxIter;
                break;
            };
            let exact = Exact { stopping, ..settings.exact };
            let regularizer = problem.regularizer().with_penalty(spec.with_lambda(lambda).build()?);
            let problem = problem.with_regularizer(regularizer)?;
            let mut observer = InOne {
                observer,
                iterations: best.solution.iterations,
                seconds: clock.elapsed().as_secs_f64(),
            };
            let found = solve(&exact, &problem, None, &mut observer)?;
            // No loss is lower than none.
            let is_perfect = found.certificate.loss == 0.0 && found.nonzeros() <= most;
            let is_last = is_perfect || found.status.is_cut_short();
            next = bracket.next(lambda, found.nonzeros()).filter(|_| !is_last);
            best.compare(lambda, found, most);
        }
    }
    Ok((path, Some(best)))
}

/// Limits are for the path and the searches together; nothing if the iterations are up.
fn what_is_left(stopping: &Stopping, clock: Instant, best: &Best) -> Option<Stopping> {
    let max_iter = stopping.max_iter.saturating_sub(best.solution.iterations);
    let max_time = stopping.max_time.map(|limit| limit.saturating_sub(clock.elapsed()));
    (max_iter > 0).then_some(Stopping { max_iter, max_time, ..*stopping })
}

impl Best {
    /// Takes the other one if it is better.
    fn compare(&mut self, lambda: f64, other: Solution, most: usize) {
        self.beside += 1;
        let (iterations, status) = (self.solution.iterations + other.iterations, other.status);
        if other.nonzeros() <= most && self.is_worse_than(&other) {
            (self.lambda, self.solution) = (lambda, other);
        }
        self.solution.iterations = iterations;
        if status.is_cut_short() {
            self.solution.status = status;
        }
    }

    /// By the loss; of equals one that is proved is better, and then one with fewer features. What was cut short does not count.
    fn is_worse_than(&self, other: &Solution) -> bool {
        let (loss, others) = (self.solution.certificate.loss, other.certificate.loss);
        let rank = |solution: &Solution| (solution.status != Status::Converged, solution.nonzeros());
        let are_equal = (loss - others).abs() <= ALIKE * loss;
        !other.status.is_cut_short()
            && if are_equal { rank(other) < rank(&self.solution) } else { others < loss }
    }
}

/// Shows several searches as one: what each says of its own starts would be said again and again.
struct InOne<'a> {
    observer: &'a mut dyn Observer,
    /// Those before.
    iterations: usize,
    seconds: f64,
}

impl Observer for InOne<'_> {
    fn on_phase(&mut self, phase: &str) {
        self.observer.on_phase(&format!("searching beside the path: {phase}"));
    }

    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        let (iteration, seconds) = (self.iterations + step.iteration, self.seconds + step.seconds);
        self.observer.on_step(&Step { iteration, seconds, ..*step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::solver::Silent;
    use crate::{Family, Loss, Regularizer};

    #[test]
    fn models_are_compared_by_loss_proof_and_features() {
        let x = Dense::from_rows(4, 2, vec![2.0, 0.1, 1.0, 0.3, -1.0, 0.2, -2.0, 0.4]).unwrap();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        let problem = Problem::new(&x, &[1.0, 1.0, -1.0, -1.0], Loss::Hinge, regularizer).unwrap();
        let found = solve(&Exact::default(), &problem, None, &mut Silent).unwrap();
        let model = |loss: f64, kept: usize, status: Status| {
            let mut solution = Solution { status, w: vec![1.0; kept], ..found.clone() };
            solution.certificate.loss = loss;
            solution
        };
        let proved = Status::Converged;
        let is_taken = |other: Solution| {
            let mut best = Best { lambda: 1.0, solution: model(0.5, 3, proved), beside: 0 };
            best.compare(2.0, other, 4);
            assert_eq!((best.beside, best.solution.iterations), (1, 2 * found.iterations));
            best.lambda == 2.0
        };
        // A lower loss, with as many as are allowed, and not with more.
        assert!(is_taken(model(0.4, 4, proved)) && is_taken(model(0.4, 4, Status::Stalled)));
        assert!(!is_taken(model(0.4, 5, proved)) && !is_taken(model(0.6, 1, proved)));
        // One that differs by rounding: fewer features, if it is proved.
        assert!(is_taken(model(0.5 + 1e-8, 2, proved)) && !is_taken(model(0.5 - 1e-8, 3, proved)));
        assert!(!is_taken(model(0.5, 2, Status::Stalled)));
        // What was cut short may be anything.
        assert!(!is_taken(model(0.1, 1, Status::MaxTime)));
    }
}
