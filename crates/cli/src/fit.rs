//! Data → problem → solution → model: the one line that `train` and `demo` share.

use anyhow::{Context, Result};
use sparsvm_core::model::{Provenance, Trained};
use sparsvm_core::{Dataset, Loss, Model, PenaltySpec, Problem, Regularizer, Scaling, Start};

use crate::args::{Plan, Run};
use crate::progress::Watcher;

/// What to fit, besides the data.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) penalty: PenaltySpec,
    pub(crate) l2: f64,
    /// One for each feature, or 1 throughout.
    pub(crate) factors: Option<Vec<f64>>,
    pub(crate) loss: Loss,
    /// One for each row, or 1 throughout.
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) intercept: bool,
    pub(crate) scaling: Scaling,
    /// A model to start from.
    pub(crate) start: Option<Model>,
    /// What the model calls the data.
    pub(crate) data_name: String,
}

/// A model, and how it came about.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) run: Run,
    pub(crate) model: Model,
}

/// Scales the data in place and trains on it.
pub(crate) fn fit(data: &mut Dataset, task: Task, plan: &Plan, watcher: &mut Watcher) -> Result<Fitted> {
    let mut regularizer = Regularizer::from_spec(&task.penalty)?.with_l2(task.l2)?;
    if let Some(factors) = task.factors {
        regularizer = regularizer.with_factors(factors)?;
    }
    let y = data.labels().signs().with_context(|| task.data_name.clone())?;
    let scale_factors = match task.scaling {
        Scaling::None => Vec::new(),
        scaling => {
            let factors = scaling.factors(data.design());
            data.scale_columns(&factors);
            factors
        }
    };

    let mut problem = Problem::new(data.design(), &y, task.loss, regularizer)?;
    if let Some(weights) = &task.weights {
        problem = problem.with_weights(weights)?;
    }
    if !task.intercept {
        problem = problem.without_intercept();
    }
    watcher.expect(plan.runs(), plan.stopping());
    let start = task.start.map(|model| start_from(&model, data.design().cols(), &scale_factors));
    let run = plan.run(&problem, start.as_ref(), watcher)?;

    let provenance = Provenance {
        program: concat!("sparsvm ", env!("CARGO_PKG_VERSION")).into(),
        data: task.data_name,
        samples: data.design().rows(),
        solver: run.describe(),
    };
    let trained = Trained {
        labels: data.labels(),
        names: data.names(),
        scaling: (task.scaling, &scale_factors),
        loss: task.loss,
        penalty: task.penalty,
        l2: task.l2,
        provenance,
    };
    let model = Model::new(&run.solution, trained)?;
    Ok(Fitted { run, model })
}

/// A model's coefficients in the units of the scaled columns.
fn start_from(model: &Model, d: usize, scale_factors: &[f64]) -> Start {
    let mut w = model.dense_weights(d);
    w.iter_mut().zip(scale_factors).for_each(|(w, factor)| *w /= factor);
    Start { w, b: model.intercept, beta: None }
}
