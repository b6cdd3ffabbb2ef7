//! `sparsvm path` as clap sees it.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use sparsvm_core::path::{Grid, PathSettings};
use sparsvm_data::Source;

use super::objective::{LOSS, THETA};
use super::{GridArgs, InputArgs, ObjectiveArgs, OutputArgs, PageArgs, Resources, StoppingArgs};

/// Follow the models from the strongest penalty to a weak one.
///
/// Finds lambda_max, from which on no feature is kept, and fits log-spaced lambdas from there down, each
/// from where the last one ended. Prints a line for each: lambda, features kept, F, loss, gap, seconds.
/// Every fit has its certificate, recomputed from the data.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("tol", |arg| arg.help(TOL)),
    mut_arg("max_iter", |arg| arg.help(MAX_ITER)),
    mut_arg("max_time", |arg| arg.help(MAX_TIME)),
    mut_arg("penalty", |arg| arg.help(PENALTY)),
    mut_arg("theta", |arg| arg.help(THETA)),
    mut_arg("loss", |arg| arg.help(LOSS)),
)]
pub(crate) struct PathArgs {
    /// Training data: LIBSVM, CSV, Parquet, Arrow, NumPy, Matrix Market or .spv, plain or compressed; `-` is standard
    /// input
    pub(crate) data: Source,

    #[command(flatten)]
    lambdas: GridArgs,

    #[command(flatten)]
    pub(crate) objective: ObjectiveArgs,

    #[command(flatten)]
    pub(crate) stopping: StoppingArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) resources: Resources,

    /// Write the path to this file: .json has every figure and the coefficients (for the raw data, pairs of
    /// index, counted from 0, and value), .csv a line for each lambda, without coefficients
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Draw coefficients against lambda into this file, .svg or .png (on scaled columns if --scale is
    /// given, so that they can be compared)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) page: PageArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const PENALTY: &str = "What a weight w costs. l1 is convex and shrinks every weight; the others level off, so that large \
                       weights are left alone and fewer features are kept [default: mcp]";
const TOL: &str = "Solve each lambda to this relative accuracy: gap and violation of its certificate \
                   [default: 1e-4]";
const MAX_ITER: &str = "Stop after this many Newton steps over the whole path [default: 1000000]";
const MAX_TIME: &str = "Stop after this many seconds on the whole path [default: no limit]";

const EXAMPLES: &str = "\
Examples:
  sparsvm path heart_scale
      100 lambdas with the MCP penalty, as a table
  sparsvm path --penalty l1 --scale standard --plot path.svg --out path.json heart
      the picture, and everything for another program
  sparsvm path --max-features 50 --test leu.t.xz leu.xz
      until 50 features are kept, with the accuracy on a test file
  sparsvm path --json news20.xz | python3 -c 'import json; print(json.loads(input())[\"nonzeros\"])'

Train the model at one of the lambdas with `sparsvm train --lambda`, or the best one that keeps at
most K features with `sparsvm train --max-features K`. Ctrl-C stops after the iteration and writes
the path so far; a second Ctrl-C quits at once.";

impl PathArgs {
    /// Which lambdas, checked.
    pub(crate) fn settings(&self) -> Result<PathSettings> {
        Ok(PathSettings {
            grid: self.lambdas.grid(Grid::USUAL)?,
            max_features: self.lambdas.max_features()?,
            exact: self.stopping.exact()?,
        })
    }
}
