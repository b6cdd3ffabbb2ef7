//! One fit, or one for each class against the others: these share X and run side by side.

use std::borrow::Cow;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;
use sparsvm_core::model::{Provenance, Trained};
use sparsvm_core::path::{Grid, best_within, lambda_max};
use sparsvm_core::solver::{describe, solve};
use sparsvm_core::team::{Alone, Team};
use sparsvm_core::{Design, Error, Goal, Model, PenaltySpec, Problem, Result, Solution, Start};

use crate::faults::Fault;
use crate::matrix::Matrix;
use crate::model::PyModel;
use crate::settings::{Method, Objective};
use crate::team::PyTeam;
use crate::watch::{Looker, Record, supervised};

/// The strength that is used if none is given, as a share of the largest one that keeps anything.
const USUAL_SHARE: f64 = 0.3;

/// What Python gets of a fit. Coefficients are those of raw data.
#[pyclass(module = "sparsvm._core", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct Fit {
    coef: Py<PyArray1<f64>>,
    intercept: f64,
    dual: Py<PyArray1<f64>>,
    alpha: f64,
    status: &'static str,
    n_iter: usize,
    objective: f64,
    gap: f64,
    violation: f64,
    history: Option<Vec<Record>>,
    model: Py<PyModel>,
}

/// Where to begin: a row of coefficients for raw data and an intercept for each problem.
type Warm<'py> = (PyReadonlyArray2<'py, f64>, Vec<f64>);

/// Fits one problem for two classes, or one for each class against all others.
#[pyfunction]
#[pyo3(signature = (x, codes, classes, weights, alpha, max_features, objective, method, names, start, keep_history, progress, team=None))]
#[expect(clippy::too_many_arguments, reason = "called by one Python function, which names them all")]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    codes: PyReadonlyArray1<'py, i64>,
    classes: Vec<String>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    alpha: Option<f64>,
    max_features: Option<usize>,
    objective: Objective,
    method: Method,
    names: Option<Vec<String>>,
    start: Option<Warm<'py>>,
    keep_history: bool,
    progress: Option<Bound<'py, PyAny>>,
    team: Option<Bound<'py, PyTeam>>,
) -> PyResult<Vec<Fit>> {
    let mut design = x.design()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let start = match &start {
        Some((coef, intercepts)) => Some((coef.as_slice()?, &intercepts[..])),
        None => None,
    };
    let codes = codes.as_slice()?;
    let team = team.as_ref().map(Bound::get);
    let found = supervised(py, method.threads, progress.as_ref(), |board| {
        let scale_factors = objective.scale(&mut *design, members(team));
        let mut samples = [design.rows() as f64];
        members(team).sum(&mut samples);
        let wide = objective.intercept()?.columns(&*design);
        let task = Task {
            samples: samples[0] as usize,
            x: &*design,
            wide: wide.as_deref(),
            codes,
            classes: &classes,
            weights,
            alpha,
            max_features,
            objective: &objective,
            method: &method,
            names: names.as_deref(),
            start,
            scale_factors,
            team,
        };
        let one = |k: usize| task.fit(k, board.looker(keep_history));
        if team.is_some() {
            // Members are in step: one problem after the other.
            return (0..task.problems()).map(one).collect::<Result<Vec<Fitted>>>();
        }
        (0..task.problems()).into_par_iter().map(one).collect::<Result<Vec<Fitted>>>()
    })?;
    found.map_err(Fault)?.into_iter().map(|fitted| fitted.into_python(py)).collect()
}

/// Those who fit together, or nobody else.
pub(crate) fn members(team: Option<&PyTeam>) -> &dyn Team {
    team.map_or(&Alone, PyTeam::team)
}

/// ±1: whether a row is of the positive class.
pub(crate) fn signs(codes: &[i64], positive: usize) -> Vec<f64> {
    codes.iter().map(|&code| if code == positive as i64 { 1.0 } else { -1.0 }).collect()
}

/// Two classes are one problem, whose positive class is the second.
pub(crate) fn positives(classes: usize) -> Vec<usize> {
    if classes == 2 { vec![1] } else { (0..classes).collect() }
}

/// Everything that the problems share.
struct Task<'a> {
    x: &'a dyn Design,
    /// With a column for the intercept, if it is penalised.
    wide: Option<&'a dyn Design>,
    codes: &'a [i64],
    classes: &'a [String],
    weights: Option<&'a [f64]>,
    alpha: Option<f64>,
    max_features: Option<usize>,
    objective: &'a Objective,
    method: &'a Method,
    names: Option<&'a [String]>,
    start: Option<(&'a [f64], &'a [f64])>,
    scale_factors: Vec<f64>,
    team: Option<&'a PyTeam>,
    /// Rows of all members.
    samples: usize,
}

/// A solution and its model.
struct Fitted {
    coef: Vec<f64>,
    signs: Vec<f64>,
    solution: Solution,
    model: Model,
    alpha: f64,
    history: Option<Vec<Record>>,
}

impl Task<'_> {
    fn problems(&self) -> usize {
        positives(self.classes.len()).len()
    }

    fn fit(&self, k: usize, mut looker: Looker<'_>) -> Result<Fitted> {
        let positive = positives(self.classes.len())[k];
        let y = signs(self.codes, positive);
        looker.keeper = self.team.map(|team| team.keeper(k, &self.scale_factors));
        let (penalty, solution, solver) = match self.max_features {
            Some(most) => self.best_of_path(&y, most, &mut looker)?,
            None => self.at_one_strength(k, &y, &mut looker)?,
        };
        let classes = match self.classes.len() {
            2 => Cow::Borrowed(self.classes),
            _ => vec![format!("not {}", self.classes[positive]), self.classes[positive].clone()].into(),
        };
        let model = Model::new(
            &solution,
            Trained {
                goal: Goal::Classify,
                classes: &classes,
                names: self.names,
                table: None,
                scaling: (self.objective.scaling(), &self.scale_factors),
                loss: self.objective.loss()?,
                penalty,
                l2: self.objective.l2(),
                provenance: Provenance {
                    program: concat!("sparsvm ", env!("CARGO_PKG_VERSION")).into(),
                    data: "array".into(),
                    samples: self.samples,
                    solver,
                },
            },
        )?;
        let coef = model.dense_weights(self.x.cols());
        Ok(Fitted { coef, signs: y, solution, model, alpha: penalty.lambda, history: looker.history })
    }

    fn problem<'b>(&'b self, y: &'b [f64], lambda: f64) -> Result<Problem<'b>> {
        let x = self.wide.unwrap_or(self.x);
        self.objective.problem(x, y, self.weights, lambda, members(self.team))
    }

    fn at_one_strength(
        &self,
        k: usize,
        y: &[f64],
        looker: &mut Looker<'_>,
    ) -> Result<(PenaltySpec, Solution, String)> {
        let alpha = match self.alpha {
            Some(alpha) => alpha,
            None => {
                let penalty = self.objective.penalty(1.0)?;
                usual_strength(&self.problem(y, 1.0)?, &penalty, &mut looker.without_history())?
            }
        };
        let solver = self.method.solver()?;
        let start = self.start.map(|(coef, intercepts)| self.start_from(coef, intercepts, k)).transpose()?;
        let solution = solve(&*solver, &self.problem(y, alpha)?, start.as_ref(), looker)?;
        let description = describe(solver.name(), &solver.settings(), solver.stopping());
        Ok((self.objective.penalty(alpha)?, solution, description))
    }

    /// The best model that keeps no more than `most` features.
    fn best_of_path(
        &self,
        y: &[f64],
        most: usize,
        looker: &mut Looker<'_>,
    ) -> Result<(PenaltySpec, Solution, String)> {
        let settings = self.method.path(Grid::default(), Some(most))?;
        let penalty = self.objective.penalty(1.0)?;
        let (_, best) = best_within(&self.problem(y, 1.0)?, &penalty, &settings, looker)?;
        let best = best.ok_or_else(|| {
            let allowed = "the path keeps more features from the first alpha on: give a larger number";
            Error::parameter("max_features", most, allowed)
        })?;
        Ok((penalty.with_lambda(best.lambda), best.solution, settings.describe()))
    }

    fn start_from(&self, coef: &[f64], intercepts: &[f64], k: usize) -> Result<Start> {
        let d = self.x.cols();
        let (Some(w), Some(&b)) = (coef.get(k * d..(k + 1) * d), intercepts.get(k)) else {
            return Err(Error::Length {
                what: "coefficients of the start",
                found: coef.len(),
                expected: d * self.problems(),
            });
        };
        let mut w = w.to_vec();
        w.iter_mut().zip(&self.scale_factors).for_each(|(w, factor)| *w /= factor);
        Ok(Start { w, b, beta: None })
    }
}

/// A share of λ_max, or 1 where no feature says anything and every strength gives the same model.
fn usual_strength(problem: &Problem<'_>, penalty: &PenaltySpec, looker: &mut Looker<'_>) -> Result<f64> {
    match lambda_max(problem, penalty, looker) {
        Err(Error::Numerical { .. }) => Ok(1.0),
        largest => largest.map(|largest| USUAL_SHARE * largest),
    }
}

impl Fitted {
    fn into_python(self, py: Python<'_>) -> PyResult<Fit> {
        let Self { coef, signs, solution, model, alpha, history } = self;
        let dual: Vec<f64> = solution.beta.iter().zip(&signs).map(|(beta, y)| beta * y).collect();
        Ok(Fit {
            coef: coef.into_pyarray(py).unbind(),
            intercept: solution.b,
            dual: dual.into_pyarray(py).unbind(),
            alpha,
            status: solution.status.name(),
            n_iter: solution.iterations,
            objective: solution.certificate.objective,
            gap: solution.certificate.gap,
            violation: solution.certificate.violation,
            history,
            model: Py::new(py, PyModel(model))?,
        })
    }
}
