//! A path: the same problem at many strengths λ, from where nothing is kept down to where much is.

use std::time::Instant;

use crate::error::check;
use crate::solver::{Ended, Entry, Exact, Follower, Observer, Watch};
use crate::{Certificate, Error, Family, PenaltySpec, Problem, Result, Status, certify};

/// Which λ, and when to stop.
///
/// | field | default | range |
/// |---|---|---|
/// | `n_lambda` | 100 | ≥ 1 |
/// | `min_ratio` | 0.01 | 0 < x < 1, the last λ relative to the first |
/// | `max_features` | none | the path ends before it keeps more |
/// | `exact` | default | tolerance and limits of each fit |
#[derive(Debug, Clone, PartialEq)]
pub struct PathSettings {
    /// How many λ.
    pub n_lambda: usize,
    /// λ_min / λ_max.
    pub min_ratio: f64,
    /// Most features that a model may keep.
    pub max_features: Option<usize>,
    /// How each λ is solved; `max_time` is for the whole path.
    pub exact: Exact,
}

impl Default for PathSettings {
    fn default() -> Self {
        Self { n_lambda: 100, min_ratio: 0.01, max_features: None, exact: Exact::default() }
    }
}

/// The solution at one λ.
#[derive(Debug, Clone, PartialEq)]
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

/// All of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// From the largest λ down.
    pub points: Vec<PathPoint>,
    /// The largest λ: from there on nothing is kept (for ℓp, which has no such λ, where ℓ1 keeps nothing).
    pub lambda_max: f64,
    /// How the whole path ended: the last point's status, or why it stopped early.
    pub status: Status,
}

/// λ_max of a family of penalties: from there on w = 0 is a solution of the convex problem that majorises F
/// at w = 0.
///
/// # Errors
/// If no feature can ever enter, or θ is out of range.
pub fn lambda_max(problem: &Problem<'_>, spec: &PenaltySpec) -> Result<f64> {
    Ok(entry(problem)?.strength / slope_at_zero(spec)?)
}

fn entry(problem: &Problem<'_>) -> Result<Entry> {
    let entry = Entry::find(problem);
    let strength = entry.strength;
    if !(strength > 0.0 && strength.is_finite()) {
        return Err(Error::Numerical {
            what: "no penalised feature says anything about the labels, so there is no path".into(),
            remedy: "check that the data has two classes and columns that are not constant",
        });
    }
    Ok(entry)
}

/// p'(0+) at λ = 1; 1 for ℓp, where it is ∞.
fn slope_at_zero(spec: &PenaltySpec) -> Result<f64> {
    let unit = spec.with_lambda(1.0).build()?;
    Ok(if spec.family == Family::Lp { 1.0 } else { unit.slope_at(0.0) })
}

/// Log-spaced from `first` down to `first · min_ratio`.
fn grid(first: f64, settings: &PathSettings) -> Vec<f64> {
    let last = (settings.n_lambda.max(2) - 1) as f64;
    (0..settings.n_lambda).map(|k| first * settings.min_ratio.powf(k as f64 / last)).collect()
}

/// Follows the path. `spec` names the family and θ; its λ is not looked at. The regulariser of `problem`
/// gives the ℓ2 part and the factors.
///
/// # Errors
/// If a setting is out of range or there is no path.
pub fn path(
    problem: &Problem<'_>,
    spec: &PenaltySpec,
    settings: &PathSettings,
    observer: &mut dyn Observer,
) -> Result<Path> {
    if settings.n_lambda == 0 {
        return Err(Error::parameter("n-lambda", 0, "at least 1"));
    }
    let ratio = settings.min_ratio;
    check(ratio > 0.0 && ratio < 1.0, "lambda-min-ratio", ratio, "it lies between 0 and 1")?;
    observer.on_phase("finding the largest lambda");
    let slope = slope_at_zero(spec)?;
    let entry = entry(problem)?;
    let first = entry.strength / slope;
    let tol = settings.exact.stopping.tol;
    let mut watch = Watch::new(observer, settings.exact.stopping);
    let mut follower = Follower::new(problem);
    let mut path = Path { points: Vec::new(), lambda_max: first, status: Status::Converged };
    let lambdas = grid(first, settings);
    for (k, &lambda) in lambdas.iter().enumerate() {
        let clock = Instant::now();
        let steps = watch.steps();
        watch.part(k, lambdas.len());
        let regularizer = problem.regularizer().with_penalty(spec.with_lambda(lambda).build()?);
        let at = match k {
            // At λ_max w = 0 is one of many solutions: it is the one that a path begins with.
            0 => entry.at.clone(),
            _ => follower.next(&regularizer, lambda * slope, &mut watch),
        };
        if settings.max_features.is_some_and(|most| at.w.len() > most) {
            break;
        }
        let penalised = problem.with_regularizer(regularizer)?;
        let certificate = certify(&penalised, &at.dense(problem.features()), at.b, &at.pulls);
        let status = Status::of(watch.ended(), certificate.within(tol));
        path.points.push(PathPoint {
            lambda,
            w: at.w,
            b: at.b,
            certificate,
            status,
            iterations: watch.steps() - steps,
            seconds: clock.elapsed().as_secs_f64(),
            beta: at.pulls,
        });
        if watch.stopped() {
            break;
        }
    }
    path.status = match watch.ended() {
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
