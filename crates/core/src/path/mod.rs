//! A path: the same problem at many strengths λ, from where nothing is kept down to where much is.

mod bracket;
mod grid;
mod in_step;
mod jump;
mod prove;
mod walk;
mod within;

use serde::{Deserialize, Serialize};

pub use grid::Grid;
pub use within::{Best, best_within};

pub(crate) use in_step::paths_in_step;
pub(crate) use walk::Step;

use self::jump::jump;
use self::walk::{Beginning, Walk};
use crate::pool;
use crate::solver::{Entry, Exact, Heavy, Observer, Solver, Watch, describe};
use crate::team;
use crate::{Certificate, Error, Family, PenaltySpec, Problem, Result, Solution, Status};

/// Which λ, and when to stop.
///
/// | field | default | range |
/// |---|---|---|
/// | `grid` | 100, down to 0.01 λ_max | |
/// | `max_features` | none | the path ends before it keeps more |
/// | `exact` | default | tolerance and limits of each fit |
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathSettings {
    /// Which λ.
    pub grid: Grid,
    /// Most features that a model may keep.
    pub max_features: Option<usize>,
    /// How each λ is solved; `max_time` is for the whole path.
    pub exact: Exact,
}

impl PathSettings {
    /// By name, for reports.
    pub fn settings(&self) -> Vec<(&'static str, f64)> {
        let mut list = vec![("n_lambda", self.grid.len() as f64)];
        if let Grid::Spaced { min_ratio, .. } = self.grid {
            list.push(("lambda_min_ratio", min_ratio));
        }
        list.extend(self.max_features.map(|most| ("max_features", most as f64)));
        list
    }

    /// In one line, for the provenance of the path's models.
    pub fn describe(&self) -> String {
        describe(self.exact.name(), &self.settings(), &self.exact.stopping)
    }
}

/// The solution at one λ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// λ.
    pub lambda: f64,
    /// Nonzero coefficients, ascending.
    pub w: Vec<(usize, f64)>,
    /// Intercept.
    pub b: f64,
    /// What was proved.
    pub certificate: Certificate,
    /// How the fit ended.
    pub status: Status,
    /// Newton steps.
    pub iterations: usize,
    /// Time of this λ alone.
    pub seconds: f64,
    /// Dual variables, length n.
    pub beta: Vec<f64>,
}

impl PathPoint {
    /// As if it had been solved alone.
    pub fn solution(&self, features: usize) -> Solution {
        let mut w = vec![0.0; features];
        self.w.iter().for_each(|&(j, value)| w[j] = value);
        Solution {
            w,
            b: self.b,
            beta: self.beta.clone(),
            status: self.status,
            iterations: self.iterations,
            certificate: self.certificate,
            paper_objective: None,
            setup_seconds: 0.0,
            solve_seconds: self.seconds,
            global_bound: None,
        }
    }
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// From the largest λ down.
    pub points: Vec<PathPoint>,
    /// The largest λ: from there on nothing is kept (for ℓp, which has no such λ, where ℓ1 keeps nothing).
    pub lambda_max: f64,
    /// How the whole path ended: the last point's status, or why it stopped early.
    pub status: Status,
}

impl Path {
    /// The point with the lowest loss, its λ and the solution there; of equals the one with the larger λ. One
    /// at which the path was cut short counts only if there is no other. Iterations are those of the whole path,
    /// and so is the status if it was cut short. Nothing if the first point kept too many features already.
    pub fn best(&self, features: usize) -> Option<(f64, Solution)> {
        let whole = self.points.iter().filter(|point| !point.status.is_cut_short());
        let least = whole.min_by(|a, b| a.certificate.loss.total_cmp(&b.certificate.loss));
        let point = least.or(self.points.last())?;
        let mut solution = point.solution(features);
        solution.iterations = self.points.iter().map(|point| point.iterations).sum();
        if self.status.is_cut_short() {
            solution.status = self.status;
        }
        Some((point.lambda, solution))
    }
}

/// No path begins below this: it goes down by some magnitudes, and numbers below 1e-308 have few digits.
const SMALLEST_LAMBDA: f64 = 1e-290;

/// λ_max of a family of penalties: from there on w = 0 is a solution of the convex problem that majorises F
/// at w = 0.
///
/// # Errors
/// If no feature can ever enter, θ is out of range, or the observer wants to stop.
pub fn lambda_max(problem: &Problem<'_>, spec: &PenaltySpec, observer: &mut dyn Observer) -> Result<f64> {
    let entry = Entry::find(problem, observer);
    team::check(problem.team())?;
    let entry = entry.ok_or(Error::Interrupted)?;
    let largest = entry.strength / slope_at_zero(spec)?;
    check_largest(largest)?;
    Ok(largest)
}

fn check_largest(largest: f64) -> Result<()> {
    if !(largest > 0.0) {
        return Err(Error::Numerical {
            what: "no penalised feature says anything about the labels, so there is no path".into(),
            remedy: "check that the data has two classes and columns that are not constant",
        });
    }
    if !(largest.is_finite() && largest >= SMALLEST_LAMBDA) {
        return Err(Error::Numerical {
            what: format!("the largest lambda would be {largest:e}, where numbers lose their digits"),
            remedy: "give the columns other units: their numbers are too small or too large",
        });
    }
    Ok(())
}

/// p'(0+) at λ = 1; 1 for ℓp, where it is ∞.
fn slope_at_zero(spec: &PenaltySpec) -> Result<f64> {
    let unit = spec.with_lambda(1.0).build()?;
    Ok(if spec.family == Family::Lp { 1.0 } else { unit.slope_at(0.0) })
}

/// Follows the path. `spec` names the family and θ; its λ is not looked at. The regulariser of `problem`
/// gives the ℓ2 part and the factors.
///
/// # Errors
/// If a setting is out of range, or λ_max is asked for and no feature ever enters.
pub fn path(
    problem: &Problem<'_>,
    spec: &PenaltySpec,
    settings: &PathSettings,
    observer: &mut dyn Observer,
) -> Result<Path> {
    path_while(problem, spec, settings, observer, &mut |_, _| true)
}

/// Hears of a point as soon as it is found, and of the operations so far. False ends the path with it.
pub(crate) type GoesOn<'g> = dyn FnMut(&Step, u64) -> bool + Send + 'g;

/// The same as long as somebody wants it to go on.
pub(crate) fn path_while(
    problem: &Problem<'_>,
    spec: &PenaltySpec,
    settings: &PathSettings,
    observer: &mut dyn Observer,
    goes_on: &mut GoesOn<'_>,
) -> Result<Path> {
    walk(problem, spec, settings, observer, &mut |walk, lambdas| {
        for (k, &lambda) in lambdas.iter().enumerate() {
            walk.count(k, lambdas.len());
            let Some(step) = walk.step(lambda)? else { break };
            if !goes_on(&step, walk.work()) || walk.is_stopped() {
                break;
            }
        }
        Ok(())
    })
}

/// The path up to `settings.max_features`, if they are limited: a convex penalty's without most of its points, but with the last.
pub(crate) fn path_to_most(
    problem: &Problem<'_>,
    spec: &PenaltySpec,
    settings: &PathSettings,
    observer: &mut dyn Observer,
) -> Result<Path> {
    match settings.max_features {
        Some(most) if spec.is_convex()? => {
            walk(problem, spec, settings, observer, &mut |walk, lambdas| jump(walk, lambdas, most))
        }
        _ => path(problem, spec, settings, observer),
    }
}

/// Where a path begins, and the features that it can ever keep if leaving out the others spares something; nothing
/// if the observer wanted to stop.
fn begin<'a>(
    problem: &Problem<'a>,
    spec: &PenaltySpec,
    slope: f64,
    grid: &Grid,
    observer: &mut dyn Observer,
) -> Result<Option<(Option<Heavy<'a>>, Entry)>> {
    if let Some(heavy) = Heavy::of_path(problem, spec.is_convex()?, slope, grid) {
        let Some(entry) = Entry::find(&heavy.of(problem), observer) else { return Ok(None) };
        let weakest = match grid {
            Grid::Spaced { min_ratio, .. } => min_ratio * entry.strength,
            Grid::Given(_) => entry.strength,
        };
        if weakest >= heavy.least {
            return Ok(Some((Some(heavy), entry)));
        }
    }
    Ok(Entry::find(problem, observer).map(|entry| (None, entry)))
}

/// Goes to some λ of the grid, in any order.
type Goes<'g> = dyn FnMut(&mut Walk<'_>, &[f64]) -> Result<()> + Send + 'g;

fn walk(
    problem: &Problem<'_>,
    spec: &PenaltySpec,
    settings: &PathSettings,
    observer: &mut dyn Observer,
    goes: &mut Goes<'_>,
) -> Result<Path> {
    settings.grid.check()?;
    pool::inside(problem.team(), || {
        observer.on_phase("finding the largest lambda");
        let slope = slope_at_zero(spec)?;
        let beginning = begin(problem, spec, slope, &settings.grid, observer)?;
        team::check(problem.team())?;
        let Some((heavy, entry)) = beginning else {
            return Ok(Path { points: Vec::new(), lambda_max: f64::NAN, status: Status::Interrupted });
        };
        let narrow = heavy.as_ref().map(|heavy| (heavy.of(problem), heavy));
        let narrow = narrow.as_ref().map(|(narrow, heavy)| (narrow, *heavy));
        let largest = entry.strength / slope;
        if matches!(settings.grid, Grid::Spaced { .. }) {
            check_largest(largest)?;
        }
        let watch = Watch::new(observer, settings.exact.stopping, problem.team());
        let mut walk = Walk::new(Beginning { problem, narrow, entry: &entry }, spec, settings, watch)?;
        goes(&mut walk, &settings.grid.lambdas(largest)?)?;
        walk.end()
    })
}
