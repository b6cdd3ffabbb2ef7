//! `sparsvm completions` and `sparsvm man`: what a shell wants to know of the command line.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::atomic::Target;
use crate::{Outcome, output, words};

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sparsvm", &mut script);
    output::print(|to| to.write_all(&script))?;
    Ok(Outcome::Done)
}

pub(crate) fn man(args: &ManArgs) -> Result<Outcome> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let Some(folder) = &args.out_dir else {
        output::print(|to| page(root).render(to))?;
        return Ok(Outcome::Done);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let count = pages(root, folder)?;
    if !args.quiet {
        let told = words::count(count, "page");
        output::print(|to| writeln!(to, "written  {}: {told}", folder.display()))?;
    }
    Ok(Outcome::Done)
}

fn page(command: clap::Command) -> Man {
    Man::new(command).source(concat!("sparsvm ", env!("CARGO_PKG_VERSION")))
}

/// A page for the command and for each below it; how many there are.
fn pages(command: clap::Command, folder: &Path) -> Result<usize> {
    let mut count = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()).cloned() {
        count += pages(below, folder)?;
    }
    let page = page(command);
    Target::new(&folder.join(page.get_filename()), &[])?.write(|to| page.render(to))?;
    Ok(count)
}
