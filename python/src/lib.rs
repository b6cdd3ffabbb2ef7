//! `sparsvm._core`: NumPy and SciPy arrays in, the mathematics of `sparsvm-core` beneath, arrays out.
//!
//! Nothing is computed here. What Python sees of it is private; `_core.pyi` beside the package's Python files
//! says what there is. The interpreter's lock is released while a solver runs, and Ctrl-C stops it.

mod faults;
mod fit;
mod matrix;
mod model;
mod path;
mod read;
mod settings;
mod stability;
mod team;
mod watch;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use sparsvm_core::calibrate::Sigmoid;
use sparsvm_core::design::PARALLEL_ENTRIES;

use faults::Fault;
use matrix::Matrix;
use watch::supervised;

/// Xw + b for each row.
#[pyfunction]
fn decisions<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    coef: PyReadonlyArray1<'py, f64>,
    intercept: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (design, coef) = (x.design()?, coef.as_slice()?);
    let decide = || {
        let mut scores = vec![0.0; design.rows()];
        design.matvec(coef, &mut scores);
        scores.iter_mut().for_each(|score| *score += intercept);
        scores
    };
    // For little data a pool would take longer than the product, which needs none.
    let is_little = design.stored() < PARALLEL_ENTRIES;
    let scores = if is_little { decide() } else { supervised(py, threads, None, |_| decide())? };
    Ok(scores.into_pyarray(py))
}

/// The sigmoid (a, c) that turns decision values into probabilities.
#[pyfunction]
fn fit_sigmoid(
    scores: PyReadonlyArray1<'_, f64>,
    signs: PyReadonlyArray1<'_, f64>,
    weights: PyReadonlyArray1<'_, f64>,
) -> PyResult<(f64, f64)> {
    let found = Sigmoid::fit(scores.as_slice()?, signs.as_slice()?, weights.as_slice()?).map_err(Fault)?;
    Ok((found.a, found.c))
}

/// The probability of the positive class for each decision value.
#[pyfunction]
fn probabilities<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'py, f64>,
    sigmoid: (f64, f64),
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let sigmoid = Sigmoid { a: sigmoid.0, c: sigmoid.1 };
    let all: Vec<f64> = scores.as_slice()?.iter().map(|score| sigmoid.probability(*score)).collect();
    Ok(all.into_pyarray(py))
}

/// The tolerance of folds of so many rows where a model has this one.
#[pyfunction]
fn fold_tol(tol: f64, rows: usize) -> f64 {
    sparsvm_core::select::fold_tol(tol, rows)
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<fit::Fit>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<path::PyPath>()?;
    module.add_class::<stability::Stability>()?;
    module.add_class::<team::Seat>()?;
    module.add_class::<team::PyTeam>()?;
    module.add("TeamError", module.py().get_type::<team::TeamError>())?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(path::path, module)?)?;
    module.add_function(wrap_pyfunction!(read::read, module)?)?;
    module.add_function(wrap_pyfunction!(stability::stability, module)?)?;
    module.add_function(wrap_pyfunction!(model::read_models, module)?)?;
    module.add_function(wrap_pyfunction!(model::models_text, module)?)?;
    module.add_function(wrap_pyfunction!(decisions, module)?)?;
    module.add_function(wrap_pyfunction!(fit_sigmoid, module)?)?;
    module.add_function(wrap_pyfunction!(fold_tol, module)?)?;
    module.add_function(wrap_pyfunction!(probabilities, module)?)
}
