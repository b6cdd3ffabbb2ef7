//! `sparsvm cv` as clap sees it.

use std::path::PathBuf;

use clap::Args;
use sparsvm_data::Source;

use super::objective::LOSS;
use super::{ChoiceArgs, GridArgs, InputArgs, ObjectiveArgs, OutputArgs, PageArgs, Resources, StoppingArgs};

/// Compare lambdas, penalties and shapes by cross-validation.
///
/// Rows are held out in K parts. On the rows of the other parts a path is followed, from the strongest penalty
/// to a weak one, and each of its models is scored by the rows that it never saw; columns are scaled with what
/// the training rows say alone. Prints a line for each lambda: features kept on all data, mean score, its
/// standard error, with `best` at the highest score and `chosen` at what --rule takes. Where paths take long they end
/// once the rows that are held out say that they are past their best.
///
/// The score at the chosen lambda is a little too good, as it was the best of many. --outer K measures the
/// whole procedure honestly: it is run once without each of K other parts.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("n_lambda", |arg| arg.help("How many lambdas, log-spaced [default: 25]")),
    mut_arg("lambda_min_ratio", |arg| arg.help(MIN_RATIO)),
    mut_arg("tol", |arg| arg.help(TOL)),
    mut_arg("max_iter", |arg| arg.help(MAX_ITER)),
    mut_arg("max_time", |arg| arg.help(MAX_TIME)),
    mut_arg("loss", |arg| arg.help(LOSS)),
    // Rows of DATA are held out; what is given anyway is refused with a reason.
    mut_arg("test", |arg| arg.hide(true)),
    mut_arg("test_labels", |arg| arg.hide(true)),
)]
pub(crate) struct CvArgs {
    /// Training data: LIBSVM, CSV, Parquet, Arrow, NumPy, Matrix Market or .spv, plain or compressed; `-` is standard
    /// input
    pub(crate) data: Source,

    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,

    /// Hold out the rows of a group together: a file with one name a line for each row of DATA, such as the
    /// patient that a sample comes from
    #[arg(long, value_name = "FILE", conflicts_with = "folds_file", help_heading = "Choice of lambda")]
    pub(crate) groups: Option<PathBuf>,

    /// Take the folds from a file with one name a line for each row of DATA: rows with the same name are held
    /// out together
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["folds", "repeats", "outer"],
        help_heading = "Choice of lambda"
    )]
    pub(crate) folds_file: Option<PathBuf>,

    /// Measure the whole procedure, the choice with it: run it once without each of K parts of the rows, and
    /// score what it chose by them
    #[arg(long, value_name = "K", help_heading = "Choice of lambda")]
    pub(crate) outer: Option<usize>,

    /// Seed of the folds
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Choice of lambda")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) lambdas: GridArgs,

    #[command(flatten)]
    pub(crate) objective: ObjectiveArgs,

    #[command(flatten)]
    pub(crate) stopping: StoppingArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) resources: Resources,

    /// Write everything to this file: .json, or .csv with a line for each penalty and lambda
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Draw score against lambda into this file, .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) page: PageArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const MIN_RATIO: &str = "The last lambda as a share of the first, between 0 and 1 [default: 0.003]";
const TOL: &str = "Solve each lambda to this relative accuracy: gap and violation of its certificate; with 1000 rows \
                   or more ten times that in the folds, if it is at most 1e-3 [default: 1e-4]";
const MAX_ITER: &str = "End a path after this many Newton steps; lambdas that not every fold reaches cannot be \
                        chosen [default: 1500]";
const MAX_TIME: &str = "End a path after this many seconds; the result may then depend on the machine [default: \
                        no limit]";

const EXAMPLES: &str = "\
Examples:
  sparsvm cv heart_scale
      5 folds, MCP and l1, 25 lambdas each; which one the 1-SE rule takes
  sparsvm cv --penalty mcp,scad,l1 --repeats 10 --scale standard --plot cv.svg heart
      three penalties, folds drawn ten times, and a picture
  sparsvm cv --penalty mcp --theta 1.5,3,10 --score auc --rule min leu.xz
      three shapes of one penalty, by the area under the ROC curve
  sparsvm cv --outer 5 --groups patients.txt samples
      the error of the whole procedure; the samples of a patient stay together
  sparsvm cv --resume run --out cv.json big.xz
      may be stopped at any time and goes on with the same command

Train the model at the lambda that was chosen with `sparsvm train`, which does the same choice itself
if it is given no --lambda, or with --lambda X. Ctrl-C stops; with --resume what is finished is kept.";
