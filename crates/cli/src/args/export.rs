//! `sparsvm export` and `sparsvm import` as clap sees them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Write a model in the format of another system.
///
/// MODEL is one that `sparsvm train` or `sparsvm import` wrote. Weights are for raw data, whatever --scale was.
/// docs/cli.md describes the formats.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// The format
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: ExportFormat,

    /// A model of ours
    pub(crate) model: PathBuf,

    /// Where it goes; `-` is standard output
    pub(crate) out: PathBuf,

    /// What the names in a C header begin with [default: MODEL's file name]
    #[arg(long)]
    pub(crate) name: Option<String>,

    /// Say nothing; errors are still told
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The text model that LIBLINEAR's predict and its bindings read; labels must be whole numbers
    Liblinear,
    /// A graph for onnxruntime and others, in double precision
    Onnx,
    /// A C99 header without dependencies, which C++ compiles too
    C,
    /// A table of the weights
    Csv,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  sparsvm export --to onnx heart.model heart.onnx
  sparsvm export --to c --name heart heart.model heart.h
  sparsvm export --to csv heart.model - | column -s, -t";

/// Make a model of ours from one of another program.
///
/// predict, inspect and export then take it. Nothing is known of what it minimises, so it has no certificate, and
/// its status is `imported`.
#[derive(Debug, Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub(crate) struct ImportArgs {
    /// The format
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: ImportFormat,

    /// The other program's model; `-` is standard input
    #[arg(value_name = "IN")]
    pub(crate) input: sparsvm_data::Source,

    /// Where our model goes
    pub(crate) model: PathBuf,

    /// Say nothing; errors are still told
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// A text model that LIBLINEAR's train wrote: a classifier
    Liblinear,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  train -s 5 -B 1 heart_scale heart.liblinear        (LIBLINEAR's own program)
  sparsvm import --from liblinear heart.liblinear heart.model
  sparsvm predict heart_scale.t heart.model predictions.txt";
