//! How files are read, and what the machine may give.

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sparsvm_core::Scaling;
use sparsvm_data::{ReadOptions, Source};

use super::size::bytes;
use crate::memory;

/// How LIBSVM files are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct ReadArgs {
    /// Feature indices in the files count from 0 instead of 1
    #[arg(long)]
    pub(crate) zero_based: bool,
}

impl ReadArgs {
    pub(crate) fn options(&self, features: Option<usize>, memory_limit: u64) -> ReadOptions {
        ReadOptions { zero_based: self.zero_based, features, memory_limit: Some(memory_limit) }
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

    /// Refuse to start what would need more memory than this, such as 512M or 4G (for the data, and for
    /// the factor that feadmm or sqa computes) [default: 60 % of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
}

impl Resources {
    /// Sets up the threads, and says how many bytes there may be.
    pub(crate) fn claim(&self) -> Result<u64> {
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build_global()
                .with_context(|| format!("cannot start {threads} threads: give a smaller --threads"))?;
        }
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
