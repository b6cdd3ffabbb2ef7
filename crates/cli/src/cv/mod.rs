//! `sparsvm cv`.

mod figure;
mod report;

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::{Map, Value};
use sparsvm_core::Goal;
use sparsvm_core::select::{
    CvSettings, Folds, Inner, NestedCv, Procedure, Variant, choose, cross_validate, nested_cv,
};
use sparsvm_data::Source;

use crate::args::{CvArgs, ObjectiveArgs};
use crate::cells::{self, Draws};
use crate::choose::unless_stopped;
use crate::files::Files;
use crate::host::Watched;
use crate::load::{Loaded, inputs, load, recipe, two_classes};
use crate::output::OutFormat;
use crate::page::{self, Chosen, of_choice};
use crate::progress::Watcher;
use crate::{Outcome, interrupt, memory, number_file, output, plot};
use report::Report;

pub(crate) fn run(args: &CvArgs) -> Result<Outcome> {
    // What can be refused is refused before the data is read. λ is chosen here.
    let penalties = args.objective.penalties(1.0, &ObjectiveArgs::COMPARED)?;
    args.objective.loss(Goal::Classify)?;
    let memory_limit = args.resources.claim()?;
    let exact = args.stopping.for_choice()?;
    let (grid, max_features) = (args.lambdas.grid(CvSettings::USUAL)?, args.lambdas.max_features()?);
    if args.input.test.is_some() {
        bail!(
            "--test means nothing to cv, which holds out rows of DATA: leave it out, or use `sparsvm train`"
        );
    }
    let mut inputs = inputs(&args.data, &args.objective, &args.input)?;
    inputs.extend([&args.groups, &args.folds_file].into_iter().flatten().cloned().map(Source::Path));
    let files = Files::new(args.out.as_deref(), args.plot.as_deref(), &args.page, &inputs)?;
    interrupt::listen(true)?;

    let mut watcher = Watcher::new(args.output.quiet);
    let about = (Goal::Classify, &args.objective, &args.input);
    let loaded = load(&args.data, about, penalties[0], memory_limit, &mut watcher)?;
    two_classes(&loaded, "cv")?;
    let (rows, features) = (loaded.data.design().rows(), loaded.data.design().cols());
    let intercepts = args.objective.intercepts(Variant::usual_intercepts(rows, features))?;
    let settings = CvSettings { variants: Variant::each(&penalties, &intercepts), grid, max_features };
    // An outer fold holds its rows while those of inner ones are taken out of them.
    let at_once = rayon::current_num_threads()
        * if args.outer.is_some() { 2 } else { 1 }
        * memory::copies_for(&intercepts);
    memory::check_fit(&loaded.data, loaded.task.is_scaled(), at_once, memory_limit)?;
    watcher.finish();
    let recipe = recipe(&loaded, &args.objective, exact)?;
    let inner = inner(args, &loaded)?;
    let resume = args.choice.resume.as_deref();
    let cells = resume.map(|path| cells::open(path, &fixed(args, &settings, &loaded))).transpose()?;
    let folds = folds(args, &loaded, &inner)?;
    let host = Watched::new(args.output.quiet, "fits (folds × lambdas)", cells);
    let (score, rule) = (args.choice.score(), args.choice.rule());
    let all = || -> Result<_> {
        let found = cross_validate(&loaded.data, &recipe, &settings, &folds, &host)?;
        let curves = found.curves(score);
        let choice = choose(&curves, rule)?;
        Ok((found, curves, choice, outer(args, &loaded, &recipe, (&settings, &inner), &host)?))
    };
    let Some((found, curves, choice, nested)) = unless_stopped(all(), cells::kept(resume))? else {
        return Ok(Outcome::Interrupted);
    };
    drop(host);

    let tol = recipe.exact.stopping.tol;
    let chosen = Chosen { found, curves, choice, score, rule, seed: args.seed, tol };
    let Chosen { found, curves, .. } = &chosen;
    let mut report = Report::new(&loaded, args, (found, curves, choice), nested.as_ref());
    if files.show_run() {
        let summary = page::summary(&loaded.data, &loaded.task.data_name);
        let mut run = of_choice(summary, &loaded, &chosen, None);
        if let Some(nested) = &nested {
            let (told, note) = report::nested_in_words(nested, score);
            run.add_figure(told, "of the whole procedure", &note);
        }
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
    if let Some((target, format)) = &files.plot {
        let drawn = plot::draw(&figure::chart(&loaded, curves, choice, score), *format)?;
        target.write(|to| to.write_all(&drawn))?;
    }
    if args.output.json {
        output::json(&report.without_run())?;
    } else if !args.output.quiet {
        output::print(|to| to.write_all(report.table(&files.written()).as_bytes()))?;
    }
    Ok(Outcome::Done)
}

/// How folds are drawn.
fn inner(args: &CvArgs, loaded: &Loaded) -> Result<Inner> {
    let n = loaded.data.design().rows();
    let groups = args.groups.as_deref().map(|path| number_file::row_names(path, n)).transpose()?;
    Ok(Inner { folds: args.choice.count(), repeats: args.choice.repeats(n), seed: args.seed, groups })
}

fn folds(args: &CvArgs, loaded: &Loaded, inner: &Inner) -> Result<Folds> {
    let n = loaded.data.design().rows();
    Ok(match &args.folds_file {
        Some(path) => Folds::named(&number_file::row_names(path, n)?, n)?,
        None => inner.draw(&loaded.data, &(0..n).collect::<Vec<_>>())?,
    })
}

/// The outer folds, if there are to be any.
fn outer(
    args: &CvArgs,
    loaded: &Loaded,
    recipe: &sparsvm_core::select::Recipe,
    (settings, inner): (&CvSettings, &Inner),
    host: &Watched,
) -> Result<Option<NestedCv>> {
    let Some(count) = args.outer else { return Ok(None) };
    let (score, rule) = (args.choice.score(), args.choice.rule());
    let procedure = Procedure { settings: settings.clone(), score, rule, inner: inner.clone() };
    let rows: Vec<usize> = (0..loaded.data.design().rows()).collect();
    let outer = Inner { folds: count, repeats: 1, ..inner.clone() }.draw(&loaded.data, &rows)?;
    Ok(Some(nested_cv(&loaded.data, recipe, &procedure, &outer, host)?))
}

/// What the cells depend on.
fn fixed(args: &CvArgs, settings: &CvSettings, loaded: &Loaded) -> Map<String, Value> {
    let text = |path: &Option<PathBuf>| path.as_deref().and_then(|path| std::fs::read_to_string(path).ok());
    let draws = Draws {
        repeats: args.choice.repeats(loaded.data.design().rows()),
        outer: args.outer,
        groups: text(&args.groups),
        folds_file: text(&args.folds_file),
    };
    let own = cells::of_choice((settings, &args.choice, args.seed), &draws);
    cells::settings(loaded, &args.stopping, own)
}
