//! `sparsvm select`.

mod report;

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use sparsvm_core::path::Grid;
use sparsvm_core::select::{Selector, StabilitySettings, Variant, stability_selection};
use sparsvm_core::{Family, Goal};

use crate::args::SelectArgs;
use crate::choose::unless_stopped;
use crate::files::Files;
use crate::host::Watched;
use crate::load::{Loaded, inputs, load, recipe, two_classes};
use crate::output::OutFormat;
use crate::page::{self, of_select};
use crate::progress::Watcher;
use crate::{Outcome, cells, interrupt, memory, output, words};
use report::Report;

/// Expected false selections, unless told otherwise.
const ERRORS: f64 = 1.0;

pub(crate) fn run(args: &SelectArgs) -> Result<Outcome> {
    // What can be refused is refused before the data is read.
    let [penalty] = args.objective.penalties(args.lambda.unwrap_or(1.0), &[Family::L1])?[..] else {
        bail!("select takes one --penalty and one --theta: run it once for each");
    };
    args.objective.loss(Goal::Classify)?;
    let intercept = args.objective.one_intercept()?;
    let memory_limit = args.resources.claim()?;
    let exact = args.stopping.exact()?;
    if !(args.threshold > 0.5 && args.threshold <= 1.0) {
        bail!("--threshold {} is not allowed: give more than 0.5 and at most 1", args.threshold);
    }
    if args.lambda.is_some_and(|lambda| !(lambda > 0.0)) {
        bail!("--lambda {} is not allowed: give more than 0", args.lambda.unwrap_or(0.0));
    }
    if args.input.test.is_some() {
        bail!("--test means nothing to select, which makes no model: leave it out, or use `sparsvm train`");
    }
    let inputs = inputs(&args.data, &args.objective, &args.input)?;
    let files = Files::new(args.out.as_deref(), None, &args.page, &inputs)?;
    interrupt::listen(true)?;

    let mut watcher = Watcher::new(args.output.quiet);
    let about = (Goal::Classify, &args.objective, &args.input);
    let loaded = load(&args.data, about, penalty, memory_limit, &mut watcher)?;
    two_classes(&loaded, "select")?;
    let at_once = rayon::current_num_threads() * memory::copies_for(&[intercept]);
    memory::check_fit(&loaded.data, loaded.task.is_scaled(), at_once, memory_limit)?;
    watcher.finish();
    let recipe = recipe(&loaded, &args.objective, exact)?;
    let features = loaded.data.design().cols();
    let selector = match (args.lambda, args.expect) {
        (Some(lambda), _) => Selector::AtLambda(lambda),
        (None, Some(most)) => Selector::AtMost(most),
        (None, None) => Selector::AtMost(StabilitySettings::most_for(ERRORS, args.threshold, features)),
    };
    let settings = StabilitySettings {
        variant: Variant { penalty, intercept },
        pairs: args.pairs,
        selector,
        threshold: args.threshold,
        seed: args.seed,
        grid: Grid::default(),
    };
    let resume = args.resume.as_deref();
    let cells = resume.map(|path| cells::open(path, &fixed(args, &settings, &loaded))).transpose()?;
    let host = Watched::new(args.output.quiet, "halves", cells);
    let found = stability_selection(&loaded.data, &recipe, &settings, &host).map_err(anyhow::Error::from);
    let Some(found) = unless_stopped(found, cells::kept(resume))? else { return Ok(Outcome::Interrupted) };
    drop(host);

    let mut report = Report::new(&loaded, &settings, &found);
    if files.show_run() {
        let summary = page::summary(&loaded.data, &loaded.task.data_name);
        let run = of_select(summary, &loaded, &settings, &found);
        if let Some(target) = &files.report {
            page::write(target, &run)?;
        }
        report = report.with_run(run);
    }
    if let Some((target, format)) = &files.out {
        match format {
            OutFormat::Json => target.write(|to| output::write_json(to, &report))?,
            OutFormat::Csv => target.write(|to| report.write_csv(to))?,
        }
    }
    if args.output.json {
        output::json(&report.without_run())?;
    } else if !args.output.quiet {
        let text = report.table(args.top, &files.written());
        output::print(|to| to.write_all(text.as_bytes()))?;
    }
    Ok(Outcome::Done)
}

/// What must be the same for the cells of one run to serve another. More pairs are no other run.
fn fixed(args: &SelectArgs, settings: &StabilitySettings, loaded: &Loaded) -> Map<String, Value> {
    let own = json!({
        "command": "select",
        "variant": words::variant(&settings.variant),
        "select": match settings.selector {
            Selector::AtMost(most) => format!("at most {most}"),
            Selector::AtLambda(lambda) => format!("lambda {lambda:?}"),
        },
        "seed": args.seed,
    });
    cells::settings(loaded, &args.stopping, own)
}
