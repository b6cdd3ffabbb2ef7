//! One size grows, the other stays: seconds of FEADMM's parts on dense data.

use anyhow::Result;
use sparsvm_core::linsys::Linsys;
use sparsvm_core::penalty::Family;
use sparsvm_core::solver::{Feadmm, Stopping, solve};
use sparsvm_core::{Loss, PenaltySpec, Problem, Regularizer};
use sparsvm_data::synthetic::DenseGaussian;

use crate::bench::clock::{Stopwatch, cpu_seconds};

/// Each measurement is the shortest of so many,
const REPEATS: usize = 3;
/// unless these seconds are up before.
const PATIENCE: f64 = 3.0;
/// Iterations over which the cost of one is averaged.
const ITERATIONS: usize = 20;

/// Seconds of one shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    pub(super) setup: f64,
    pub(super) iteration: f64,
}

/// FEADMM on n × d dense data, with the linear system as asked for.
pub(super) fn cost(n: usize, d: usize, linsys: Linsys) -> Result<Cost> {
    let made = DenseGaussian { rows: n, columns: d, ..DenseGaussian::default() }.generate()?;
    let y = made.dataset.labels().signs()?;
    let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, 1.0 / 64.0))?;
    let problem = Problem::new(made.dataset.design(), &y, Loss::Hinge, regularizer)?;
    // A tolerance of 0 runs to the limit.
    let stopping = Stopping { tol: 0.0, max_iter: ITERATIONS, max_time: None };
    let feadmm = Feadmm { linsys, stopping, ..Feadmm::default() };
    let mut least = Cost { setup: f64::INFINITY, iteration: f64::INFINITY };
    let clock = cpu_seconds();
    for repeat in 0..REPEATS {
        if repeat > 0 && cpu_seconds() - clock > PATIENCE {
            break;
        }
        let mut watch = Stopwatch::start();
        let solution = solve(&feadmm, &problem, None, &mut watch)?;
        least.setup = least.setup.min(watch.setup());
        least.iteration = least.iteration.min(watch.iterations() / solution.iterations as f64);
    }
    Ok(least)
}
