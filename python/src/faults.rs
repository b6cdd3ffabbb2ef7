//! Errors of the core as Python's own exceptions, with the same text.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;
use sparsvm_core::Error;

use crate::team::TeamError;

/// An error on its way to Python.
#[derive(Debug)]
pub(crate) struct Fault(pub(crate) Error);

impl From<Fault> for PyErr {
    fn from(Fault(error): Fault) -> Self {
        match error {
            Error::Team(why) => TeamError::new_err(why),
            error => PyValueError::new_err(error.to_string()),
        }
    }
}
