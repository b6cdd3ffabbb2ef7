//! `--report`, and `sparsvm report` as clap sees it.

use std::path::PathBuf;

use clap::Args;

/// A page to look at.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PageArgs {
    /// Write a report to this file, one .html page that needs no network: headline, score against lambda,
    /// coefficient path, features, held-out rows, certificate, data and settings, as far as there are any
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
}

/// Make a page to look at from a saved run.
///
/// The page is the one that --report writes: one HTML file that needs no network, with the charts and tables for
/// which the run has numbers. cv, path and select save runs with --out FILE.json.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReportArgs {
    /// A run that --out FILE.json of cv, path or select wrote
    pub(crate) run: PathBuf,

    /// Where the page goes, a name that ends in .html
    #[arg(long, value_name = "FILE.html", default_value = "report.html")]
    pub(crate) out: PathBuf,

    /// Say nothing; errors are still told
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  sparsvm cv --out run.json heart_scale
  sparsvm report run.json --out report.html";
