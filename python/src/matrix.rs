//! X as Python holds it, seen as a design without copying its values.

use std::borrow::Cow;

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use sparsvm_core::design::{Compressed, Dense, Design, Sparse};
use sparsvm_core::{Error, Result};

use crate::faults::Fault;

/// A two-dimensional float64 array, or a SciPy matrix or array in CSR or CSC format.
#[derive(Debug)]
pub(crate) enum Matrix<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse {
        /// True if rows are compressed, false if columns are.
        by_rows: bool,
        shape: (usize, usize),
        starts: Positions<'py>,
        at: Positions<'py>,
        values: PyReadonlyArray1<'py, f64>,
    },
}

/// SciPy chooses 32 or 64 bits by what fits.
#[derive(Debug, FromPyObject)]
pub(crate) enum Positions<'py> {
    Narrow(PyReadonlyArray1<'py, i32>),
    Wide(PyReadonlyArray1<'py, i64>),
}

impl<'py> FromPyObject<'_, 'py> for Matrix<'py> {
    type Error = PyErr;

    fn extract(x: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(dense) = x.extract::<PyReadonlyArray2<'py, f64>>() {
            return Ok(Self::Dense(dense));
        }
        let wrong = || {
            PyTypeError::new_err(
                "X must be a 2-d float64 array or a float64 SciPy matrix in CSR or CSC format",
            )
        };
        let format: String = x.getattr("format").and_then(|format| format.extract()).map_err(|_| wrong())?;
        let by_rows = match format.as_str() {
            "csr" => true,
            "csc" => false,
            _ => return Err(wrong()),
        };
        Ok(Self::Sparse {
            by_rows,
            shape: x.getattr("shape")?.extract()?,
            starts: x.getattr("indptr")?.extract().map_err(|_| wrong())?,
            at: x.getattr("indices")?.extract().map_err(|_| wrong())?,
            values: x.getattr("data")?.extract().map_err(|_| wrong())?,
        })
    }
}

impl Matrix<'_> {
    /// The design. Dense values and sparse values are borrowed, 32-bit positions too; 64-bit ones are
    /// narrowed to the core's 32.
    pub(crate) fn design(&self) -> PyResult<Box<dyn Design + '_>> {
        match self {
            Self::Dense(array) => {
                let (n, d) = (array.shape()[0], array.shape()[1]);
                let by_rows = array.is_c_contiguous();
                let values = array.as_slice()?;
                let dense = match by_rows {
                    true => Dense::from_rows(n, d, values),
                    false => Dense::from_columns(n, d, values),
                };
                Ok(Box::new(dense.map_err(Fault)?))
            }
            Self::Sparse { by_rows, shape: (n, d), starts, at, values } => {
                let across = if *by_rows { *d } else { *n };
                let vectors = Compressed::new(starts.offsets()?, at.narrow()?, values.as_slice()?, across)
                    .map_err(Fault)?;
                Ok(Box::new(if *by_rows {
                    Sparse::from_rows(vectors)
                } else {
                    Sparse::from_columns(vectors)
                }))
            }
        }
    }
}

impl Positions<'_> {
    fn offsets(&self) -> PyResult<Vec<usize>> {
        let all: Result<Vec<usize>> = match self {
            Self::Narrow(array) => array.as_slice()?.iter().map(|&k| offset(k.into())).collect(),
            Self::Wide(array) => array.as_slice()?.iter().map(|&k| offset(k)).collect(),
        };
        Ok(all.map_err(Fault)?)
    }

    /// A negative position becomes one that is too large, which is refused.
    fn narrow(&self) -> PyResult<Cow<'_, [u32]>> {
        Ok(match self {
            Self::Narrow(array) => bytemuck::cast_slice(array.as_slice()?).into(),
            Self::Wide(array) => {
                let narrow = |&k: &i64| u32::try_from(k).unwrap_or(u32::MAX);
                array.as_slice()?.iter().map(narrow).collect::<Vec<u32>>().into()
            }
        })
    }
}

fn offset(k: i64) -> Result<usize> {
    usize::try_from(k).map_err(|_| Error::Matrix(format!("the pointer {k} is negative")))
}
