//! Which lambdas a path goes through.

use anyhow::{Result, bail};
use clap::Args;
use sparsvm_core::path::Grid;

use super::at_least_one;

/// Lambdas, log-spaced from the largest down. What is usual differs between commands, which say so in their help.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Path")]
pub(crate) struct GridArgs {
    /// How many lambdas, log-spaced [default: 100]
    #[arg(long, value_name = "N")]
    n_lambda: Option<usize>,

    /// The last lambda as a share of the first, between 0 and 1 [default: 0.01]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lambda_min_ratio: Option<f64>,

    /// End a path before it keeps more features than this
    #[arg(long, value_name = "K")]
    max_features: Option<usize>,
}

impl GridArgs {
    /// The lambdas, checked; what was not given is as usual.
    pub(crate) fn grid(&self, (count, min_ratio): (usize, f64)) -> Result<Grid> {
        let min_ratio = self.lambda_min_ratio.unwrap_or(min_ratio);
        if !(min_ratio > 0.0 && min_ratio < 1.0) {
            bail!("--lambda-min-ratio {min_ratio} is not allowed: give a number between 0 and 1");
        }
        Ok(Grid::Spaced { count: at_least_one("--n-lambda", self.n_lambda.unwrap_or(count))?, min_ratio })
    }

    /// The most features, checked.
    pub(crate) fn max_features(&self) -> Result<Option<usize>> {
        self.max_features.map(|most| at_least_one("--max-features", most)).transpose()
    }
}
