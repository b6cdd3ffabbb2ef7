//! The command line as clap sees it, and from there to checked settings. Text that is no number or no
//! known name is a usage error (exit code 2); a number out of its range is a bad setting (exit code 1).

mod bench;
mod choice;
mod class_weight;
mod convert;
mod cv;
mod data;
mod export;
mod grid;
#[cfg(test)]
mod hostile;
mod objective;
mod path;
mod report;
mod select;
mod shell;
mod size;
mod solver;
mod stopping;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand};
use sparsvm_core::Goal;
use sparsvm_data::Source;

pub(crate) use bench::{BenchArgs, BenchCommand, PaperArgs, ScalingArgs};
pub(crate) use choice::ChoiceArgs;
pub(crate) use class_weight::{ClassWeight, canonical};
pub(crate) use convert::{ConvertArgs, ValueType};
pub(crate) use cv::CvArgs;
pub(crate) use data::{InputArgs, ReadArgs, Resources};
pub(crate) use export::{ExportArgs, ExportFormat, ImportArgs, ImportFormat};
pub(crate) use grid::GridArgs;
pub(crate) use objective::{ObjectiveArgs, StrengthArgs};
pub(crate) use path::PathArgs;
pub(crate) use report::{PageArgs, ReportArgs};
pub(crate) use select::SelectArgs;
pub(crate) use shell::{CompletionsArgs, ManArgs};
pub(crate) use solver::SolverArgs;
pub(crate) use stopping::StoppingArgs;

/// Sparse linear support vector machines with nonconvex penalties.
///
/// Minimises  F(w,b) = (1/n) Σ loss(y(x·w + b)) + Σ penalty(|w_j|)  so that most weights w_j are exactly 0:
/// the features that are left are the ones that matter.
#[derive(Debug, Parser)]
#[command(name = "sparsvm", version, max_term_width = 100, after_help = ROOT_EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const ROOT_EXAMPLES: &str = "\
Examples:
  sparsvm demo                                   see it work on real data that is built in
  sparsvm train heart_scale                      choose lambda, train; writes heart_scale.model
  sparsvm path heart_scale --plot path.svg       how the weights grow as the penalty gets weaker
  sparsvm cv heart_scale --penalty mcp,l1        compare lambdas and penalties by cross-validation
  sparsvm select heart_scale                     which features can be trusted
  sparsvm train --report heart.html heart_scale  the same as a page to look at and to hand on
  sparsvm predict heart_scale.t heart_scale.model predictions.txt
  sparsvm inspect heart_scale.model              which features were kept
  sparsvm inspect visits.csv --label sick        what the data is like, before training
  sparsvm convert big.csv big.spv --label sick   a file that opens at once, at any size
  sparsvm export --to csv heart_scale.model -    the model for other systems: also onnx, c, liblinear
  sparsvm bench paper --quick                    the paper's experiment, with data that is built in

`sparsvm train --help` explains every option.
Exit codes: 0 done, 1 bad input or setting, 2 usage error, 130 stopped by Ctrl-C.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Train(Box<TrainArgs>),
    Path(Box<PathArgs>),
    Cv(Box<CvArgs>),
    Select(Box<SelectArgs>),
    Report(ReportArgs),
    Predict(PredictArgs),
    Inspect(InspectArgs),
    Convert(ConvertArgs),
    Export(ExportArgs),
    Import(ImportArgs),
    Demo(DemoArgs),
    Bench(BenchArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Train a model.
///
/// Reads DATA (rows of features and a label each, of which there are two or more: LIBSVM, CSV, Parquet …), minimises
/// F(w,b) = (1/n) Σ_i c_i loss(y_i(x_i·w + b)) + Σ_j k_j penalty(|w_j|) + (l2/2)‖w‖², and writes MODEL, a
/// small JSON file. A certificate, recomputed from the raw data, says how good the solution is.
///
/// Without --lambda (and --max-features) lambda is chosen: paths of 25 lambdas with MCP
/// and with l1 (or with what --penalty says), scored by 5-fold cross-validation as `sparsvm cv` does it. The
/// penalty is that of the best score, and of its lambdas the one with the fewest features within one standard error
/// of that is taken. The model is the point of the path on all data there, which is what the folds measured.
///
/// More than two labels are told apart one against the rest: each has weights of its own, fitted to tell it from
/// all others, and the largest x·w + b decides (of equal ones the first label). A lambda is the same for all of
/// them, given or chosen; --max-features is for each. --positive LABEL tells one label from all others instead.
///
/// With --task rank, rows are GRADE qid:QUERY INDEX:VALUE …, and F(w) = (1/P) Σ loss((x_i - x_k)·w) + the
/// same penalty, over the P pairs of rows of the same query where row i has the higher grade. There is no b.
#[derive(Debug, Args)]
#[command(after_help = TRAIN_EXAMPLES)]
pub(crate) struct TrainArgs {
    /// Training data: LIBSVM, CSV, Parquet, Arrow, NumPy, Matrix Market or .spv, plain or compressed; `-` is standard
    /// input
    pub(crate) data: Source,

    /// Where the model goes [default: DATA's file name + ".model", in the current folder; stdin.model if DATA is `-`]
    pub(crate) model: Option<PathBuf>,

    /// What is learned: classify tells two labels or more apart; rank orders the rows of each query by grade.
    /// reweighted and gist rank without forming the pairs, the other solvers form them
    #[arg(long, value_name = "NAME", default_value = "classify", help_heading = "Objective",
          value_parser = data::named::<Goal>(&Goal::ALL.map(Goal::name)))]
    pub(crate) task: Goal,

    #[command(flatten)]
    pub(crate) strength: StrengthArgs,

    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,

    #[command(flatten)]
    pub(crate) objective: ObjectiveArgs,

    #[command(flatten)]
    pub(crate) solver: SolverArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) resources: Resources,

    /// Learn probabilities too, for `predict --probability`: a sigmoid of the decision values of held-out rows
    /// (Platt 1999), from the folds that chose lambda, or from 5 fits more where lambda is given
    #[arg(long, help_heading = "Output")]
    pub(crate) probability: bool,

    /// Seed of the folds that choose lambda, and of those for --probability; no solver draws random numbers
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Choice of lambda")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) page: PageArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// Write each iteration to this CSV file: iteration, seconds, paper_objective, true_objective,
    /// primal_residual, dual_residual, movement, nonzeros. The exact solver fills iteration, seconds,
    /// nonzeros and true_objective, which is there the objective of the convex problem that it is working
    /// on (l1: F itself; others: F's tangent at the last step, or a point of the l1 path that is to be
    /// started from); gist, sqa and reweighted fill the same columns, with F itself. For two labels; while lambda is chosen
    /// nothing is recorded, so give --lambda or --max-features
    #[arg(long, value_name = "FILE", conflicts_with = "rho_grid", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,

    /// Write no model
    #[arg(long, conflicts_with = "model", help_heading = "Output")]
    pub(crate) no_model: bool,
}

const TRAIN_EXAMPLES: &str = "\
Examples:
  sparsvm train heart_scale
      MCP or l1, lambda by cross-validation; writes heart_scale.model
  sparsvm train --report heart.html heart_scale
      the same, and a page that shows the choice, the features and what they are worth
  sparsvm train --rule min --score auc --folds 10 --penalty mcp,l1 heart_scale
      the better of two penalties by the area under the ROC curve
  sparsvm train --penalty scad --lambda 0.05 --scale standard --test heart.t heart heart.model
      SCAD on scaled columns, with the accuracy on a test file
  sparsvm train --max-features 10 --scale standard heart
      the best model with at most 10 features
  sparsvm train --class-weight balanced --json --no-model news20.xz
      one JSON object on standard output, no file
  sparsvm train --solver feadmm --rho-grid colon-cancer.xz
      the paper's search over 36 pairs rho1, rho2
  sparsvm train --resume run big.xz
      may be stopped at any time and goes on with the same command; finds what `sparsvm cv --resume run` did
  sparsvm train --probability --scale standard iris
      three labels, one against the rest, with probabilities for `sparsvm predict --probability`
  sparsvm train --task rank --solver reweighted --test vali.txt train.txt
      learns to rank (RankSVM-MCP); NDCG@10 and pairwise accuracy on both files
  xzcat big.xz | sparsvm train --lambda 0.01 --max-time 60 --trace trace.csv - big.model
      at most 60 s of iterations, each of them recorded

A larger lambda keeps fewer features. Ctrl-C stops after the iteration and writes the model so far
(while lambda is being chosen there is none; --resume keeps what is finished); a second Ctrl-C quits
at once. A model of more than two labels needs all of them: stopped before they are finished,
nothing is written.";

/// Predict the labels of data with a model.
///
/// Writes one label a line, as it stood in the training data (with --decision: the value x·w + b, which is
/// positive for the second class; one value for each class if there are more than two), and the share of rows
/// whose label in DATA was predicted. With --probability the first line is `labels` and the classes, and every
/// other line a label and the probability of each class, as LIBLINEAR's `predict -b 1` writes it. A ranking writes
/// one score x·w a line; if DATA has query numbers, its labels are grades, and NDCG@10 and pairwise accuracy
/// are measured.
#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub(crate) struct PredictArgs {
    /// Data in any format that train takes; `-` is standard input. The columns of a table are found by name
    pub(crate) data: Source,

    /// A model that `sparsvm train` wrote
    pub(crate) model: PathBuf,

    /// Where the predictions go, one a line, in DATA's order; without it (or with `-`) to standard output
    pub(crate) out: Option<PathBuf>,

    /// Write decision values x·w + b instead of labels; a ranking always does
    #[arg(long)]
    pub(crate) decision: bool,

    /// Write the probability of each class after the label; the model must be trained with --probability
    #[arg(long, conflicts_with = "decision")]
    pub(crate) probability: bool,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    #[command(flatten)]
    pub(crate) resources: Resources,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const PREDICT_EXAMPLES: &str = "\
Examples:
  sparsvm predict heart.t heart.model predictions.txt
  sparsvm predict --decision heart.t heart.model - | sort -g | head
  sparsvm predict --probability heart.t heart.model probabilities.txt
  sparsvm predict --json heart.t heart.model            the accuracy only

The accuracy goes to standard output, or to standard error if the predictions go to standard output.
LIBSVM data without labels needs some number in the label's place; the accuracy then means nothing.
A table may leave its column of labels out.";

/// Show what a model or a data file is made of.
///
/// Of a model: where it came from, how good it is, and the features that it keeps, the heaviest first. Features
/// without a name are numbered from 1, as in LIBSVM files.
///
/// Of data: its shape and density, its labels, columns that are empty, constant or equal to an earlier one, the range
/// of the columns' scales, missing values, lambda_max, and what to consider before training.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// A model that `sparsvm train` wrote, or data in any format; `-` is data on standard input
    pub(crate) file: Source,

    /// Show this many features of a model at most; 0 shows all [default: 20, or all with --json]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,

    /// Of an .spv file tell only what its header says, which takes no time at any size
    #[arg(long)]
    pub(crate) brief: bool,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    #[command(flatten)]
    pub(crate) resources: Resources,

    /// Print one JSON object on standard output
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

/// Train on real data that is built in, and explain what comes out.
///
/// The data: 569 breast tumours, 30 measurements of each, benign or malignant (UCI machine learning
/// repository, Wisconsin diagnostic). Trains on 70 % of the rows, tests on the others, and writes
/// breast-cancer.train, breast-cancer.test and breast-cancer.model into the current folder, so that you can
/// go on from there.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Print one JSON object on standard output and nothing else there
    #[arg(long)]
    pub(crate) json: bool,

    /// Show no progress and no table
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Seed of the split into training and test rows
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// A count that an option gives; 0 makes no sense.
pub(crate) fn at_least_one(option: &str, count: usize) -> Result<usize> {
    if count == 0 {
        bail!("{option} 0 is not allowed: give at least 1");
    }
    Ok(count)
}

/// What is said, and to whom.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Print one JSON object on standard output and nothing else there
    #[arg(long)]
    pub(crate) json: bool,

    /// Show no progress and no table; errors are still told
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
