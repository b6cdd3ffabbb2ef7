//! How files are read, and what the machine may give.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sparsvm_core::Scaling;
use sparsvm_data::{Format, Missing, ReadOptions, Source, TableOptions};

use super::size::bytes;
use crate::memory;

/// How files are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct ReadArgs {
    /// The format of the data [default: told by its content, and by its name where that leaves a doubt]
    #[arg(long, value_name = "NAME", value_parser = named::<Format>(&Format::ALL.map(Format::name)))]
    pub(crate) format: Option<Format>,

    /// The label's column in a table (csv, parquet, arrow, npy): its name, or its number from 1, from the end with
    /// -1, -2, … [default: the column called label, target, class or y]
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub(crate) label: Option<String>,

    /// The labels of data that has none (npy, npz, mtx, a table without them): one a line of text, or an .npy
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,

    /// Columns of a table to leave out, by name or number, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) drop: Vec<String>,

    /// Columns of a table that hold categories: a feature `COLUMN=CATEGORY` for each of them, 1 or 0
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) one_hot: Vec<String>,

    /// What to do about missing values of a table (empty, NA, NaN, null, ?): mean takes the column's mean (predict
    /// that of the training data), zero takes 0, drop-rows leaves the row out [default: refuse, and name the columns]
    #[arg(long, value_name = "HOW", value_parser = named::<Missing>(&Missing::NAMES))]
    pub(crate) missing: Option<Missing>,

    /// What separates the values of a csv file: one character, or `tab` [default: told by the first line]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,

    /// Whether the first line of a csv file has the names [default: yes, unless it holds a number]
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) header: Option<bool>,

    /// Feature indices in LIBSVM files count from 0 instead of 1
    #[arg(long)]
    pub(crate) zero_based: bool,
}

impl ReadArgs {
    pub(crate) fn options(&self, features: Option<usize>, memory_limit: u64) -> ReadOptions {
        ReadOptions {
            format: self.format,
            zero_based: self.zero_based,
            features,
            memory_limit: Some(memory_limit),
            table: TableOptions {
                label: self.label.clone(),
                drop: self.drop.clone(),
                one_hot: self.one_hot.clone(),
                missing: self.missing.unwrap_or_default(),
                delimiter: self.delimiter,
                header: self.header,
            },
            labels: self.labels.clone(),
            ..ReadOptions::default()
        }
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err("give one ASCII character, or `tab`".into()),
    }
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("say yes or no".into()),
    }
}

/// What training data is read with, and tested on.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct InputArgs {
    /// Scale the columns before training: standard (to standard deviation 1) or max-abs (to largest
    /// absolute value 1). Nothing is shifted, so sparse data stays sparse. The weights that are written are
    /// those for the raw data: predict needs no scaling
    #[arg(long, value_name = "HOW", default_value = "none",
          value_parser = named::<Scaling>(&["none", "standard", "max-abs"]))]
    pub(crate) scale: Scaling,

    /// Fix the number of features; a larger index in DATA is then an error [default: DATA's largest index]
    #[arg(long, value_name = "D")]
    pub(crate) features: Option<usize>,

    /// Tell this label from all others, as two classes of which it is the positive one [default: of two labels
    /// the larger one is; more of them are told apart by train alone, one against the rest]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub(crate) positive: Option<String>,

    /// Measure the accuracy (with train --task rank: the ranking) on this file too; features that DATA does
    /// not have are ignored
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<Source>,

    /// The labels of --test, where --labels has those of DATA
    #[arg(long, value_name = "FILE", requires = "test")]
    pub(crate) test_labels: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Threads and memory.
#[derive(Debug, Args)]
#[command(next_help_heading = "Resources")]
pub(crate) struct Resources {
    /// Use this many threads; the result does not depend on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,

    /// Refuse to start what would need more memory than this, such as 512M or 4G (for the data by rows and by
    /// columns, the folds that are fitted at a time, the factor that feadmm or sqa computes, a model's weights)
    /// [default: 60 % of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
}

impl Resources {
    /// Sets up the threads, and says how many bytes there may be.
    pub(crate) fn claim(&self) -> Result<u64> {
        // 0 stands for one a core. Threads that are started on first use would panic where there are none left.
        let threads = self.threads.unwrap_or(0);
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global().with_context(
            || match self.threads {
                Some(threads) => format!("cannot start {threads} threads: give a smaller --threads"),
                None => "cannot start a thread for each core: give --threads 1".to_owned(),
            },
        )?;
        Ok(self.memory_limit.unwrap_or_else(memory::default_limit))
    }
}

/// One of these names, which help and errors then list, as what it stands for.
pub(crate) fn named<T>(names: &[&'static str]) -> impl TypedValueParser<Value = T> + use<T>
where
    T: std::str::FromStr + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    PossibleValuesParser::new(names.iter().copied()).try_map(|text| text.parse())
}
