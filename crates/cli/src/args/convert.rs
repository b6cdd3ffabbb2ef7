//! `sparsvm convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sparsvm_data::{Format, Source};

use super::data::{ReadArgs, Resources, named};

/// Convert data from any format into any other.
///
/// Reads IN as every command reads its data, and writes OUT in the format that its name says: .svm, .csv, .parquet,
/// .arrow, .npy, .npz, .mtx or .spv (or --to); text also compressed, as .gz. Numbers keep every bit. .npy and .mtx have a
/// place for the matrix only: what has labels or names goes there with --matrix-only. .spv files are not read but
/// mapped: they open at once whatever their size, and a fit can run on data larger than memory.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// Data in any format, plain or compressed; `-` is standard input
    #[arg(value_name = "IN")]
    pub(crate) input: Source,

    /// Where it goes; `-` is standard output (then --to says the format, which may not be npz, parquet or spv)
    pub(crate) out: PathBuf,

    /// The format of OUT [default: what its name says]
    #[arg(long, value_name = "NAME", value_parser = named::<Format>(&Format::ALL.map(Format::name)))]
    pub(crate) to: Option<Format>,

    /// How .spv holds values: f64, or f32, which takes two thirds of the space and rounds them; sums are made in
    /// f64 whatever it is
    #[arg(long, value_name = "TYPE", default_value = "f64")]
    pub(crate) values: ValueType,

    /// Write the matrix only, without labels, names of features and query numbers; IN need have none. Of a table every
    /// column but the label's is in it
    #[arg(long)]
    pub(crate) matrix_only: bool,

    /// Fix the number of features; a larger index in IN is then an error [default: IN's largest index]
    #[arg(long, value_name = "D", help_heading = "Data")]
    pub(crate) features: Option<usize>,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    #[command(flatten)]
    pub(crate) resources: Resources,

    /// Show no progress and no table
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How many bits a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ValueType {
    F64,
    F32,
}

const EXAMPLES: &str = "\
Examples:
  sparsvm convert patients.csv patients.svm --label diagnosis --one-hot sex,clinic --missing mean
  sparsvm convert clicks.svm.gz clicks.spv --values f32
      a mapped file: `sparsvm train clicks.spv` begins at once
  sparsvm convert counts.npz - --to libsvm | head
  sparsvm convert clicks.svm.gz clicks.mtx --matrix-only";
