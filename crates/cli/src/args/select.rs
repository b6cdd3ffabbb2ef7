//! `sparsvm select` as clap sees it.

use std::path::PathBuf;

use clap::Args;
use sparsvm_core::select::StabilitySettings;
use sparsvm_data::Source;

use super::objective::{LOSS, THETA};
use super::{InputArgs, ObjectiveArgs, OutputArgs, PageArgs, Resources, StoppingArgs};

/// Find the features that can be trusted: stability selection.
///
/// Halves the rows at random, B times, and selects features on each of the 2B halves (complementary pairs,
/// Shah and Samworth 2013). Features that are selected on nearly all halves are stable: prints each with the
/// share of halves that select it and its sign, and a proven bound on how many of them are there by chance.
///
/// The usual penalty here is l1: of features that say the same, nonconvex penalties keep one, now this one
/// and now that, and none of them looks stable.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("penalty", |arg| arg.help(PENALTY)),
    mut_arg("tol", |arg| arg.help("Solve each lambda to this relative accuracy [default: 1e-4]")),
    mut_arg("max_iter", |arg| arg.help("End a half after this many Newton steps [default: 1000000]")),
    mut_arg("max_time", |arg| arg.help(MAX_TIME)),
    mut_arg("theta", |arg| arg.help(THETA)),
    mut_arg("loss", |arg| arg.help(LOSS)),
    // No model is made that could be tested; what is given anyway is refused with a reason.
    mut_arg("test", |arg| arg.hide(true)),
    mut_arg("test_labels", |arg| arg.hide(true)),
)]
pub(crate) struct SelectArgs {
    /// Training data: LIBSVM, CSV, Parquet, Arrow, NumPy, Matrix Market or .spv, plain or compressed; `-` is standard
    /// input
    pub(crate) data: Source,

    /// Draw this many pairs of halves
    #[arg(long, value_name = "B", default_value_t = StabilitySettings::PAIRS, help_heading = "Selection")]
    pub(crate) pairs: usize,

    /// The share of halves that must select a feature, more than 0.5 and at most 1
    #[arg(long, value_name = "X", default_value_t = StabilitySettings::THRESHOLD,
          allow_negative_numbers = true, help_heading = "Selection")]
    pub(crate) threshold: f64,

    /// Select up to this many features on each half: those at a lambda of its path after which there are more. The bound is
    /// Q²/((2 threshold - 1) d) [default: as many as keep the bound at 1]
    #[arg(long, value_name = "Q", conflicts_with = "lambda", help_heading = "Selection")]
    pub(crate) expect: Option<usize>,

    /// Select what is kept at this lambda instead; the bound then uses the mean number of features
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Selection")]
    pub(crate) lambda: Option<f64>,

    /// Seed of the halves
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Selection")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) objective: ObjectiveArgs,

    #[command(flatten)]
    pub(crate) stopping: StoppingArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) resources: Resources,

    /// Show this many features at most; 0 shows all that some half selected. Stable ones are always shown
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Output")]
    pub(crate) top: usize,

    /// Keep every finished half in this folder (made if it is not there), and go on from what is in it: after
    /// a power cut or Ctrl-C the same command goes on, and ends with the same figures
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) resume: Option<PathBuf>,

    /// Write every feature that some half selected to this file, .json or .csv
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) page: PageArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const PENALTY: &str = "What a weight w costs. l1 is convex and keeps features that say the same together; the \
                       others keep fewer [default: l1]";
const MAX_TIME: &str = "End a half after this many seconds; the result may then depend on the machine [default: \
                        no limit]";

const EXAMPLES: &str = "\
Examples:
  sparsvm select colon-cancer.xz
      50 pairs of halves; at most one feature is expected there by chance
  sparsvm select --expect 10 --threshold 0.9 --scale standard leu.xz
      up to 10 features a half, selected on 90 % of the halves
  sparsvm select --resume run --pairs 500 --out stable.csv big.xz
      may be stopped at any time and goes on with the same command

Features are counted from 1 unless they have names. Ctrl-C stops; with --resume what is finished is
kept.";
