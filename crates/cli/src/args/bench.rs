//! `sparsvm bench` as clap sees it.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use super::OutputArgs;
use super::size::bytes;

/// Repeat the paper's experiment, and measure its complexity claims.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Paper(PaperArgs),
    Scaling(ScalingArgs),
    /// One cell of `bench paper`, told and answered in JSON: how the program calls itself
    #[command(hide = true)]
    Cell {
        /// The task
        task: String,
    },
}

/// Run every method of the paper on its data sets and print its tables, with the published figures beside.
///
/// Methods: FEADMM (hinge), GIST (squared hinge), SCAD SVM (hinge), RankSVM-MCP (squared hinge) and, on the
/// same problem as FEADMM, exact. Penalties: SCAD (theta 3.7) and MCP (theta 3). Protocol: 9:1 stratified
/// split (rcv1: its own), lambda 2^-6 and rho by grid for FEADMM, lambda from 2^-18..2^4 by five-fold
/// cross-validation for GIST, SCAD SVM and RankSVM-MCP, zero starts, tolerance 1e-4 or 1000 iterations. On
/// large sets rho and lambda are chosen on a stratified tenth of the training rows.
///
/// Writes into DIR: table.csv, table.md, accuracy.svg and .png (accuracy against CPU seconds), index.html
/// (all of it on one page) and cells/ (what was measured, for --resume).
#[derive(Debug, Args)]
#[command(after_help = PAPER_EXAMPLES)]
pub(crate) struct PaperArgs {
    /// A folder with LIBSVM files, compressed or not: heart_scale, mushrooms, real-sim (or imdb),
    /// news20.binary (or news20like.binary), rcv1_train.binary with rcv1_test.binary (or rcv1sub.binary with
    /// rcv1sub.binary.t). Without it, data that is built in is used
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,

    /// Only these, by name; also built-in ones (breast-cancer, gaussian, text-like) and any other LIBSVM file
    /// in FOLDER, tested on NAME.t if there is one
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) datasets: Vec<String>,

    /// Where the results go; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "sparsvm-paper")]
    pub(crate) out: PathBuf,

    /// A quick look: coarser grids, three folds, smaller built-in data, 20 s a cell
    #[arg(long)]
    pub(crate) quick: bool,

    /// Choose rho and lambda on all training rows of large sets too; takes many hours
    #[arg(long, conflicts_with = "quick")]
    pub(crate) full_grid: bool,

    /// Go on after a stop: cells in DIR that were measured under the same settings are kept
    #[arg(long)]
    pub(crate) resume: bool,

    /// Seed of the splits
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) limits: CellLimits,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What one cell (a data set, a penalty and a method) may take.
#[derive(Debug, Args)]
#[command(next_help_heading = "Resources")]
pub(crate) struct CellLimits {
    /// CPU seconds for choosing the parameters and for the fit, together; a method that has no answer by then
    /// is `unable` [default: 300, or 20 with --quick]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,

    /// Memory of one cell, such as 4G; a method that needs more is `unable` [default: 60 % of the machine's,
    /// divided by --jobs]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,

    /// Cells that run at the same time, each in a process of its own [default: cores / --threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// Threads of one cell
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: u16,
}

const PAPER_EXAMPLES: &str = "\
Examples:
  sparsvm bench paper --quick
      on data that is built in, in a minute or two
  sparsvm bench paper --data libsvm --out results
      the paper's tables on its data; what FOLDER lacks is left out, with a note on where to get it
  sparsvm bench paper --data libsvm --out results --resume
      go on after Ctrl-C or a power cut
  sparsvm bench paper --data libsvm --datasets heart_scale,mushrooms --out small

Seconds are CPU seconds of the final fit. Reading the data, choosing parameters, measuring the accuracy
along the way and the certificate are not counted.";

impl CellLimits {
    /// Seconds of a cell, checked.
    pub(crate) fn seconds(&self, usual: f64) -> Result<f64> {
        let seconds = self.time_limit.unwrap_or(usual);
        if !(seconds > 0.0 && seconds < 1e9) {
            bail!("--time-limit {seconds} is not allowed: give a number of seconds more than 0");
        }
        Ok(seconds)
    }
}

/// Measure the paper's complexity claims on generated data, and fit exponents.
///
/// Pre-computation of FEADMM against n and d, for d much larger than n and for n at least d; the cost of an
/// iteration; and the d x d update against the n x n one of Proposition 1, which should gain (d/n)^2.
///
/// Writes into DIR: scaling.csv, scaling.md, scaling.svg and .png, and index.html, which holds what `bench
/// paper` left in DIR too.
#[derive(Debug, Args)]
pub(crate) struct ScalingArgs {
    /// Where the results go; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "sparsvm-paper")]
    pub(crate) out: PathBuf,

    /// Smaller sizes: some seconds instead of minutes
    #[arg(long)]
    pub(crate) quick: bool,

    /// Use this many threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: u16,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
