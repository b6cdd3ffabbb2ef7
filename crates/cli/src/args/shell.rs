//! `sparsvm completions` and `sparsvm man` as clap sees them.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print a script that completes commands and options in a shell.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  sparsvm completions bash > ~/.local/share/bash-completion/completions/sparsvm
  sparsvm completions zsh > ~/.zfunc/_sparsvm                    (with ~/.zfunc in fpath)
  sparsvm completions fish > ~/.config/fish/completions/sparsvm.fish";

/// Print the manual, or write a page for each command.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// Write sparsvm.1 and a page for each command into this folder, which is made if need be, instead of
    /// printing the first one
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,

    /// Say nothing; errors are still told
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

const MAN_EXAMPLES: &str = "\
Examples:
  sparsvm man | man -l -
  sparsvm man --out-dir ~/.local/share/man/man1";
