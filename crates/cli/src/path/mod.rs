//! `sparsvm path`.

mod report;

use anyhow::Result;
use sparsvm_core::{Goal, Intercept, Status};

use crate::args::PathArgs;
use crate::files::Files;
use crate::fit::follow;
use crate::load::{inputs, load, two_classes};
use crate::output::OutFormat;
use crate::page::{self, of_path};
use crate::plot::{self, Picture};
use crate::progress::Watcher;
use crate::{Outcome, interrupt, memory, output};
use report::Report;

pub(crate) fn run(args: &PathArgs) -> Result<Outcome> {
    // What can be refused is refused before the data is read. λ is the path's own affair.
    let penalty = args.objective.penalty(1.0)?;
    args.objective.loss(Goal::Classify)?;
    let intercept = args.objective.one_intercept()?;
    let memory_limit = args.resources.claim()?;
    let settings = args.settings()?;
    let inputs = inputs(&args.data, &args.objective, &args.input)?;
    let files = Files::new(args.out.as_deref(), args.plot.as_deref(), &args.page, &inputs)?;
    interrupt::listen(true)?;

    let mut watcher = Watcher::new(args.output.quiet);
    let about = (Goal::Classify, &args.objective, &args.input);
    let mut loaded = load(&args.data, about, penalty, memory_limit, &mut watcher)?;
    two_classes(&loaded, "path")?;
    let at_once = usize::from(intercept == Intercept::Penalised);
    memory::check_fit(&loaded.data, loaded.task.is_scaled(), at_once, memory_limit)?;
    let summary = files.show_run().then(|| page::summary(&loaded.data, &loaded.task.data_name));
    let followed = follow(&mut loaded.data, &loaded.task, &settings, &mut watcher)?;
    let mut report = Report::new(&followed, &loaded, &settings);
    if let Some(summary) = summary {
        let run = of_path(summary, &loaded, &followed, &settings);
        if let Some(target) = &files.report {
            page::write(target, &run)?;
        }
        report = report.with_run(run);
    }
    if let Some((target, format)) = &files.out {
        match format {
            OutFormat::Json => target.write(|to| report.write_json(to))?,
            OutFormat::Csv => target.write(|to| report.write_csv(to))?,
        }
    }
    if let Some((target, format)) = &files.plot {
        watcher.phase(&format!("drawing {}", target.shown()));
        let drawn = plot::draw(&Picture::new(&followed, &loaded), *format)?;
        target.write(|to| to.write_all(&drawn))?;
    }
    watcher.finish();

    if args.output.json {
        output::json(&report.without_coefficients())?;
    } else if !args.output.quiet {
        let text = report.table(&files.written());
        output::print(|to| to.write_all(text.as_bytes()))?;
    }
    Ok(match followed.path.status {
        Status::Interrupted => Outcome::Interrupted,
        _ => Outcome::Done,
    })
}
