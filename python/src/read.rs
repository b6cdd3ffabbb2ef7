//! Files in every format that the program reads, as the arrays of a SciPy matrix.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sparsvm_core::{Dataset, Design};
use sparsvm_data::{ReadOptions, Source, TableOptions, read as read_data};

/// Row starts, columns, values, shape, class names, codes and feature names.
type Rows<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f64>>,
    (usize, usize),
    Vec<String>,
    Bound<'py, PyArray1<i64>>,
    Option<Vec<String>>,
);

/// Reads a file.
#[pyfunction]
#[pyo3(signature = (file, *, features=None, zero_based=false, label=None, memory_limit=None))]
pub(crate) fn read<'py>(
    py: Python<'py>,
    file: PathBuf,
    features: Option<usize>,
    zero_based: bool,
    label: Option<String>,
    memory_limit: Option<u64>,
) -> PyResult<Rows<'py>> {
    let options = ReadOptions {
        zero_based,
        features,
        memory_limit,
        table: TableOptions { label, ..TableOptions::default() },
        ..ReadOptions::default()
    };
    let found = py.detach(|| read_data(&Source::Path(file), &options).map(|data| compressed(&data)));
    let Compressed { starts, at, values, shape, classes, codes, names } =
        found.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((
        starts.into_pyarray(py),
        at.into_pyarray(py),
        values.into_pyarray(py),
        shape,
        classes,
        codes.into_pyarray(py),
        names,
    ))
}

/// The same before Python sees it.
struct Compressed {
    starts: Vec<i64>,
    at: Vec<i32>,
    values: Vec<f64>,
    shape: (usize, usize),
    classes: Vec<String>,
    codes: Vec<i64>,
    names: Option<Vec<String>>,
}

fn compressed(data: &Dataset) -> Compressed {
    let x: &dyn Design = data.design();
    let (mut starts, mut at, mut values) = (vec![0], Vec::new(), Vec::with_capacity(x.stored()));
    for i in 0..x.rows() {
        x.row(i).for_each(|j, value| {
            if value != 0.0 {
                // Columns of a design are counted in 32 bits, and scipy's are signed.
                at.push(i32::try_from(j).unwrap_or(i32::MAX));
                values.push(value);
            }
        });
        starts.push(values.len() as i64);
    }
    let labels = data.labels();
    Compressed {
        starts,
        at,
        values,
        shape: (x.rows(), x.cols()),
        classes: labels.classes().to_vec(),
        codes: labels.codes().iter().map(|&code| i64::from(code)).collect(),
        names: data.names().map(<[String]>::to_vec),
    }
}
