//! The best model that keeps at most so many features.
//!
//! A path is followed from w = 0, and with a nonconvex penalty its models are what small steps lead to. A search from several
//! starts at a stronger λ, past λ_max, where w = 0 is a solution too, keeps as few features with a far lower loss (docs/maths.md,
//! section 8). So beside the path a λ is looked for at which that keeps just as many as it may.

use std::ops::ControlFlow;
use std::time::Instant;

use super::{Path, PathSettings, path};
use crate::solver::{Exact, Observer, Step, Stopping, solve};
use crate::{PenaltySpec, Problem, Result, Solution, Status};

/// The first λ, relative to λ_max: with text and the like a search there keeps dozens.
const FIRST: f64 = 4.0;
/// A model that keeps this share of what it may is near enough.
const NEARLY: f64 = 0.9;
/// About as many features are kept as λ to the power of minus this, where nothing better is known; …
const USUAL_POWER: f64 = 1.5;
/// … λ goes by at most this factor, …
const STRIDE: f64 = 8.0;
/// … and not to a weaker one where that would take long: from so many features on.
const MANY: usize = 300;
/// Two λ as near as this have nothing between them.
const ADJACENT: f64 = 1.05;
/// Between two others it keeps this share of their distance, in magnitudes, from both.
const INWARD: f64 = 0.1;
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
    /// How many λ were tried, on the path and off it.
    pub tried: usize,
}

/// Follows a path; of its models and, where the penalty is not convex, of those that searches at other λ find, takes the one
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
    let path = path(problem, spec, settings, observer)?;
    let Some((lambda, solution)) = path.best(problem.features()) else { return Ok((path, None)) };
    let mut best = Best { lambda, solution, tried: path.points.len() };
    let is_convex = spec.with_lambda(1.0).build()?.concavity() == 0.0;
    if let Some(most) = settings.max_features
        && !is_convex
        && settings.exact.starts > 0
        && !path.status.is_cut_short()
    {
        let weakest = settings.grid.lambdas(path.lambda_max)?.last().copied().unwrap_or(0.0);
        let mut bracket = Bracket { most, weakest, few: None, many: None };
        let most_tried = path.points.len() + MOST_SEARCHES;
        let mut next = Some(FIRST * path.lambda_max);
        while let Some(lambda) = next.filter(|next| next.is_finite() && best.tried < most_tried) {
            let exact =
                Exact { stopping: what_is_left(&settings.exact.stopping, clock, &best), ..settings.exact };
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

/// Limits are for the path and the searches together.
fn what_is_left(stopping: &Stopping, clock: Instant, best: &Best) -> Stopping {
    Stopping {
        max_iter: stopping.max_iter.saturating_sub(best.solution.iterations).max(1),
        max_time: stopping.max_time.map(|limit| limit.saturating_sub(clock.elapsed())),
        ..*stopping
    }
}

impl Best {
    /// Takes the other one if it is better.
    fn compare(&mut self, lambda: f64, other: Solution, most: usize) {
        self.tried += 1;
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

/// Where λ is looked for: λ and how many features are kept there.
#[derive(Debug)]
struct Bracket {
    most: usize,
    /// No λ is weaker than the last of the path's grid.
    weakest: f64,
    /// The weakest λ that keeps no more than that, …
    few: Option<(f64, usize)>,
    /// … and the strongest that does.
    many: Option<(f64, usize)>,
}

impl Bracket {
    /// The λ to try after this one, which keeps so many; nothing if that is near enough, or there is none.
    fn next(&mut self, lambda: f64, kept: usize) -> Option<f64> {
        let (aim, least) = (0.5 * (1.0 + NEARLY) * self.most as f64, NEARLY * self.most as f64);
        if kept <= self.most && kept as f64 >= least {
            return None;
        }
        *(if kept > self.most { &mut self.many } else { &mut self.few }) = Some((lambda, kept));
        let size = |kept: usize| (kept as f64).max(0.5).ln();
        let (low, high, power) = match (self.few, self.many) {
            (Some((few, _)), Some((many, _))) if few <= ADJACENT * many => return None,
            (Some((few, kept)), Some((many, others))) => {
                let (width, fewer) = ((few / many).ln(), size(others) - size(kept));
                (many.ln() + INWARD * width, few.ln() - INWARD * width, fewer / width)
            }
            (Some(_), None) if kept >= MANY => return None,
            _ => (lambda.ln() - STRIDE.ln(), lambda.ln() + STRIDE.ln(), USUAL_POWER),
        };
        let next = (lambda.ln() + (size(kept) - aim.ln()) / power).clamp(low, high).exp();
        (next >= self.weakest).then_some(next)
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

    fn wants_iterate(&self) -> bool {
        self.observer.wants_iterate()
    }

    fn on_iterate(&mut self, w: &[f64], b: f64) {
        self.observer.on_iterate(w, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The λ that are tried until one keeps as many as it may, if λ keeps `kept(λ)`.
    fn tried(most: usize, kept: impl Fn(f64) -> usize) -> Vec<f64> {
        let mut bracket = Bracket { most, weakest: 1e-3, few: None, many: None };
        let mut all = vec![1.0];
        while let Some(next) = bracket.next(all[all.len() - 1], kept(all[all.len() - 1])) {
            assert!(next > 0.0 && next.is_finite() && all.len() < 100, "{all:?}");
            all.push(next);
        }
        all
    }

    #[test]
    fn lambda_is_found_in_a_few_steps() {
        for (most, at_one, power) in [
            (10, 250.0, 1.6),
            (50, 250.0, 1.0),
            (5, 2000.0, 2.5),
            (100, 3.0, 1.5),
            (1, 40.0, 0.7),
            (7, 1.0, 3.0),
        ] {
            let kept = |lambda: f64| (at_one * lambda.powf(-power)) as usize;
            let all = tried(most, kept);
            let last = kept(all[all.len() - 1]);
            assert!(last <= most && last as f64 >= NEARLY * most as f64 && all.len() <= 8, "{most}: {all:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_looked_for_forever() {
        // From too many to far too few at once: nothing lies between.
        let all = tried(10, |lambda| if lambda < 3.7 { 200 } else { 2 });
        let (above, below): (Vec<f64>, Vec<f64>) = all.iter().copied().partition(|lambda| *lambda >= 3.7);
        let (few, many) =
            (above.iter().copied().fold(f64::INFINITY, f64::min), below.iter().copied().fold(0.0, f64::max));
        assert!(few <= ADJACENT * many && all.len() <= 30, "{all:?}");
        // Many features, and more are allowed: a weaker λ would take long.
        assert_eq!(tried(1_000, |_| 400).len(), 1);
        // More than there are: down to where the path's grid ends.
        let all = tried(100, |_| 13);
        assert!((1e-3..4e-3).contains(&all[all.len() - 1]) && all.len() <= 8, "{all:?}");
    }
}
