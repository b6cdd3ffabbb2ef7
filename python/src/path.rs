//! Paths: one for two classes, or one for each class against all others, side by side.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;
use sparsvm_core::path::{Grid, Path, PathSettings, lambda_max, path as follow};
use sparsvm_core::{Error, Result};

use crate::faults::Fault;
use crate::fit::{members, positives, signs};
use crate::matrix::Matrix;
use crate::settings::{Method, Objective};
use crate::team::PyTeam;
use crate::watch::supervised;

/// What Python gets of a path: columns of figures, and the coefficients for raw data compressed by strength.
#[pyclass(name = "Path", module = "sparsvm._core", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct PyPath {
    alphas: Py<PyArray1<f64>>,
    indptr: Py<PyArray1<i64>>,
    indices: Py<PyArray1<i64>>,
    values: Py<PyArray1<f64>>,
    intercepts: Py<PyArray1<f64>>,
    objectives: Py<PyArray1<f64>>,
    losses: Py<PyArray1<f64>>,
    gaps: Py<PyArray1<f64>>,
    violations: Py<PyArray1<f64>>,
    seconds: Py<PyArray1<f64>>,
    statuses: Vec<&'static str>,
    /// Of the whole path.
    n_iter: usize,
    alpha_max: f64,
    status: &'static str,
}

/// Which strengths: these, or so many down to a share of the largest.
#[derive(Debug, FromPyObject)]
pub(crate) enum Strengths {
    // A tuple is a sequence too: it comes first.
    Spaced(usize, f64),
    Given(Vec<f64>),
}

/// Follows one path for two classes, or one for each class against all others.
#[pyfunction]
#[pyo3(signature = (x, codes, n_classes, weights, alphas, max_features, objective, method, progress, team=None))]
#[expect(clippy::too_many_arguments, reason = "called by one Python function, which names them all")]
pub(crate) fn path<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    codes: PyReadonlyArray1<'py, i64>,
    n_classes: usize,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    alphas: Strengths,
    max_features: Option<usize>,
    objective: Objective,
    method: Method,
    progress: Option<Bound<'py, PyAny>>,
    team: Option<Bound<'py, PyTeam>>,
) -> PyResult<Vec<PyPath>> {
    let mut design = x.design()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let codes = codes.as_slice()?;
    let grid = match alphas {
        Strengths::Given(lambdas) => Grid::Given(lambdas),
        Strengths::Spaced(count, min_ratio) => Grid::Spaced { count, min_ratio },
    };
    let mut settings = method.path(grid, max_features).map_err(Fault)?;
    let team = team.as_ref().map(Bound::get);
    let found = supervised(py, method.threads, progress.as_ref(), |board| {
        let factors = objective.scale(&mut *design, members(team));
        let penalty = objective.penalty(1.0)?;
        let wide = objective.intercept()?.columns(&*design);
        let x = wide.as_deref().unwrap_or(&*design);
        let targets: Vec<Vec<f64>> = positives(n_classes).iter().map(|&k| signs(codes, k)).collect();
        let one = |y: &Vec<f64>, settings: &PathSettings| {
            let problem = objective.problem(x, y, weights, 1.0, members(team))?;
            follow(&problem, &penalty, settings, &mut board.looker(false))
        };
        // A single problem finds its own largest strength on the way.
        if let ([y], Grid::Spaced { .. }) = (&targets[..], &settings.grid) {
            match one(y, &settings) {
                Err(Error::Numerical { .. }) => {}
                path => return path.map(|path| (vec![path], factors)),
            }
        }
        if let Grid::Spaced { .. } = settings.grid {
            let largest = largest_of_all(&targets, team.is_some(), |y| {
                let problem = objective.problem(x, y, weights, 1.0, members(team))?;
                lambda_max(&problem, &penalty, &mut board.looker(false))
            })?;
            settings.grid = Grid::Given(settings.grid.lambdas(largest)?);
        }
        let one = |y: &Vec<f64>| one(y, &settings);
        let paths = match team {
            // Members are in step: one problem after the other.
            Some(_) => targets.iter().map(one).collect::<Result<Vec<Path>>>(),
            None => targets.par_iter().map(one).collect(),
        };
        paths.map(|paths| (paths, factors))
    })?;
    let (paths, factors) = found.map_err(Fault)?;
    Ok(paths.into_iter().map(|path| into_python(py, &path, &factors)).collect())
}

/// Several problems share the strengths of the one that begins first. Where no feature says anything about any
/// of them every strength gives the same model, and 1 is as good as another.
fn largest_of_all(
    targets: &[Vec<f64>],
    in_order: bool,
    largest: impl Fn(&[f64]) -> Result<f64> + Sync,
) -> Result<f64> {
    let one = |y: &Vec<f64>| match largest(y) {
        Err(Error::Numerical { .. }) => Ok(0.0),
        found => found,
    };
    let all: Vec<f64> = match in_order {
        true => targets.iter().map(one).collect::<Result<_>>()?,
        false => targets.par_iter().map(one).collect::<Result<_>>()?,
    };
    let most = all.into_iter().fold(0.0, f64::max);
    Ok(if most > 0.0 { most } else { 1.0 })
}

fn into_python(py: Python<'_>, path: &Path, factors: &[f64]) -> PyPath {
    let points = &path.points;
    let column = |of: &dyn Fn(&sparsvm_core::path::PathPoint) -> f64| {
        points.iter().map(of).collect::<Vec<f64>>().into_pyarray(py).unbind()
    };
    let mut indptr = vec![0i64];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for point in points {
        for &(j, w) in &point.w {
            indices.push(j as i64);
            values.push(w * factors.get(j).copied().unwrap_or(1.0));
        }
        indptr.push(indices.len() as i64);
    }
    PyPath {
        alphas: column(&|p| p.lambda),
        indptr: indptr.into_pyarray(py).unbind(),
        indices: indices.into_pyarray(py).unbind(),
        values: values.into_pyarray(py).unbind(),
        intercepts: column(&|p| p.b),
        objectives: column(&|p| p.certificate.objective),
        losses: column(&|p| p.certificate.loss),
        gaps: column(&|p| p.certificate.gap),
        violations: column(&|p| p.certificate.violation),
        seconds: column(&|p| p.seconds),
        statuses: points.iter().map(|p| p.status.name()).collect(),
        n_iter: points.iter().map(|p| p.iterations).sum(),
        alpha_max: path.lambda_max,
        status: path.status.name(),
    }
}
