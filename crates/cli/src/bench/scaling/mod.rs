//! `sparsvm bench scaling`: the paper's complexity claims as measured curves.
//!
//! [`sweep`] measures, [`power`] fits exponents, [`report`] tells.

mod power;
mod report;
mod sweep;

use anyhow::{Context, Result};

use super::folder::Folder;
use super::{figure, page};
use crate::args::ScalingArgs;
use crate::progress::Watcher;
use crate::{Outcome, interrupt, output};

pub(super) use report::{ABOUT, Scaling};

pub(super) fn run(args: &ScalingArgs) -> Result<Outcome> {
    let folder = Folder::new(&args.out)?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.into())
        .build_global()
        .with_context(|| format!("cannot start {} threads: give a smaller --threads", args.threads))?;
    interrupt::listen(false)?;
    let mut watcher = Watcher::new(args.output.quiet);
    let scaling = Scaling::measure(args.quick, args.threads, &mut |text| watcher.phase(text))?;
    watcher.finish();

    folder.write_json("scaling.json", &scaling)?;
    folder.write("scaling.csv", scaling.csv().as_bytes())?;
    folder.write("scaling.md", scaling.markdown().as_bytes())?;
    figure::write(&folder, "scaling", &scaling.chart())?;
    page::write(&folder)?;
    if args.output.json {
        output::json(&scaling)?;
    } else if !args.output.quiet {
        let text = format!("{}\nwritten: {} and more\n", scaling.terminal(), folder.shown("index.html"));
        output::print(|to| to.write_all(text.as_bytes()))?;
    }
    Ok(Outcome::Done)
}
