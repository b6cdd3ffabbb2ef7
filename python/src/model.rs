//! A model: what `fit` keeps, and what files hold.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use sparsvm_core::{Goal, Model};

use crate::faults::Fault;

/// A trained binary classifier, as the command line's model files hold it.
#[pyclass(name = "Model", module = "sparsvm._core", frozen)]
#[derive(Debug, Clone)]
pub(crate) struct PyModel(pub(crate) Model);

#[pymethods]
impl PyModel {
    /// From a file's text.
    #[staticmethod]
    fn from_text(text: &str) -> PyResult<Self> {
        Ok(Self(Model::read(text.as_bytes()).map_err(Fault)?))
    }

    /// The file's text.
    fn text(&self) -> PyResult<String> {
        let mut text = Vec::new();
        self.0.write(&mut text)?;
        Ok(String::from_utf8(text)?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("from_text")?, (self.text()?,)))
    }

    /// Negative, positive; empty for a ranking.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.0.classes.clone()
    }

    #[getter]
    fn is_ranking(&self) -> bool {
        self.0.goal == Goal::Rank
    }

    /// All weights, for raw data.
    fn coef<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.dense_weights(self.0.features).into_pyarray(py)
    }

    #[getter]
    fn intercept(&self) -> f64 {
        self.0.intercept
    }

    /// Of the kept features, if there are any names.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.0.names.clone()
    }

    #[getter]
    fn penalty(&self) -> Option<&'static str> {
        self.0.penalty.map(|penalty| penalty.family.name())
    }

    #[getter]
    fn theta(&self) -> Option<f64> {
        self.0.penalty.map(|penalty| penalty.theta)
    }

    #[getter]
    fn alpha(&self) -> Option<f64> {
        self.0.penalty.map(|penalty| penalty.lambda)
    }

    #[getter]
    fn loss(&self) -> Option<&'static str> {
        self.0.loss.map(|loss| loss.name())
    }

    #[getter]
    fn l2(&self) -> Option<f64> {
        self.0.l2
    }

    #[getter]
    fn scaling(&self) -> &'static str {
        self.0.scaling.name()
    }

    #[getter]
    fn status(&self) -> &'static str {
        self.0.status.name()
    }

    /// Objective, loss, gap and violation; not there if another program trained the model, as its objective.
    #[getter]
    fn certificate(&self) -> Option<(f64, f64, f64, f64)> {
        let told = self.0.certificate?;
        Some((told.objective, told.loss, told.gap, told.violation))
    }
}
