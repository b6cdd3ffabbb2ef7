//! Stability selection.

use pyo3::prelude::*;
use sparsvm_core::path::Grid;
use sparsvm_core::select::{Host, Selector, StabilitySettings, Variant, stability_selection};
use sparsvm_core::{Dataset, Labels};

use crate::faults::Fault;
use crate::matrix::Matrix;
use crate::settings::{Method, Objective};
use crate::watch::{Board, supervised};

/// What Python gets: a row for each feature that some half selected, the most frequent first.
#[pyclass(module = "sparsvm._core", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct Stability {
    /// Feature, share of the halves that selected it, share of these where its weight was positive.
    features: Vec<(usize, f64, f64)>,
    halves: usize,
    failures: Vec<String>,
    /// The most that a half could select, or the mean of what they did.
    q: f64,
    /// On the expected number of false selections.
    bound: f64,
}

impl Host for Board {
    fn on_progress(&self, done: usize, all: usize) {
        self.show_parts(done, all);
    }

    fn wants_stop(&self) -> bool {
        self.is_stopped()
    }
}

/// Selects features on complementary pairs of halves.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by one Python function, which names them all")]
pub(crate) fn stability(
    py: Python<'_>,
    x: Matrix<'_>,
    signs: Vec<f64>,
    weights: Option<Vec<f64>>,
    selector: (Option<usize>, Option<f64>),
    draw: (usize, f64, u64),
    grid: (usize, f64),
    objective: Objective,
    method: Method,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Stability> {
    let design = x.design()?;
    let ((pairs, threshold, seed), (count, min_ratio)) = (draw, grid);
    let settings = StabilitySettings {
        variant: Variant {
            penalty: objective.penalty(1.0).map_err(Fault)?,
            intercept: objective.intercept().map_err(Fault)?,
        },
        pairs,
        selector: match selector {
            (_, Some(lambda)) => Selector::AtLambda(lambda),
            (most, None) => Selector::AtMost(most.unwrap_or(1)),
        },
        threshold,
        seed,
        grid: Grid::Spaced { count, min_ratio },
    };
    let recipe = objective.recipe(weights, &method).map_err(Fault)?;
    let found = supervised(py, method.threads, progress.as_ref(), |board| {
        // Halves are copied anyway, and a data set owns its design.
        let rows: Vec<usize> = (0..design.rows()).collect();
        let data = Dataset::from_box(design.select_rows(&rows), Labels::from_numbers(&signs))?;
        stability_selection(&data, &recipe, &settings, board)
    })?;
    let found = found.map_err(Fault)?;
    let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    Ok(Stability {
        features: found
            .features
            .iter()
            .map(|f| (f.feature as usize, f.frequency(), share(f.positive, f.positive + f.negative)))
            .collect(),
        halves: found.halves,
        q: found.q,
        bound: found.bound(),
        failures: found.failures,
    })
}
