//! The report: one HTML page that needs nothing but itself, to look at and to hand on.
//!
//! [`run`] is what it tells: [`of_choice`] and [`of_others`] fill it, with [`summary`] of the data, [`lines`] along
//! the path, [`held_out`] rows and the [`command`] that was typed. [`html`] writes it with `style.css` and
//! `script.js`, which draws the charts. `--report` does both, `--out` keeps the run, and `sparsvm report` shows
//! what was kept.

mod command;
mod held_out;
mod html;
mod lines;
mod markup;
mod of_choice;
mod of_others;
mod run;
mod summary;
mod table;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sparsvm_core::path::PathPoint;
use sparsvm_core::select::Variant;
use sparsvm_core::{Certificate, Dataset, PenaltySpec, Scaling, Status};
use sparsvm_data::Source;

use crate::args::ReportArgs;
use crate::atomic::Target;
use crate::load::Loaded;
use crate::{Outcome, json_file, output, words};

pub(crate) use of_choice::{Chosen, of_choice};
pub(crate) use of_others::{of_model, of_path, of_select};
pub(crate) use run::{Odd, Run, Summary};
pub(crate) use summary::summary;

use run::Figure;

/// `sparsvm report`.
pub(crate) fn run(args: &ReportArgs) -> Result<Outcome> {
    let inputs = [Source::Path(args.run.clone())];
    let target = target("--out", Some(&args.out), &inputs)?;
    let run = read(&args.run)?;
    if let Some(target) = target {
        write(&target, &run)?;
        if !args.quiet {
            output::print(|to| writeln!(to, "written  {}", target.shown()))?;
        }
    }
    Ok(Outcome::Done)
}

/// What `--out run.json` kept: the field `report`, among others that do not matter here.
fn read(path: &Path) -> Result<Run> {
    #[derive(serde::Deserialize)]
    struct Kept {
        report: Option<Run>,
    }
    let shown = path.display();
    let mut text = String::new();
    json_file::open(path)?.read_to_string(&mut text).with_context(|| format!("cannot read {shown}"))?;
    let kept: Kept = serde_json::from_str(&text)
        .with_context(|| format!("{shown} is no run that `sparsvm cv --out run.json` wrote"))?;
    let Some(run) = kept.report else {
        bail!("{shown} has no field `report`: give a file that `--out run.json` of cv, path or select wrote");
    };
    if run.format != run::FORMAT || run.version != run::VERSION {
        bail!(
            "{shown} holds a {} of version {}, but this program knows {} {}: make it again",
            run.format,
            run.version,
            run::FORMAT,
            run::VERSION
        );
    }
    Ok(run)
}

/// Where `--report` goes.
pub(crate) fn target(option: &str, path: Option<&Path>, inputs: &[Source]) -> Result<Option<Target>> {
    Ok(Target::by_extension(option, path, [("html", ()), ("htm", ())], inputs)?.map(|(target, ())| target))
}

/// Writes the page.
pub(crate) fn write(target: &Target, run: &Run) -> Result<()> {
    let page = html::page(run)?;
    target.write(|to| to.write_all(page.as_bytes()))
}

impl Run {
    /// With what every command knows.
    fn new(data: Summary) -> Self {
        Self {
            format: run::FORMAT.into(),
            version: run::VERSION,
            program: concat!("sparsvm ", env!("CARGO_PKG_VERSION")).into(),
            command: command::typed(),
            headline: Vec::new(),
            data,
            curves: None,
            path: None,
            features: None,
            held_out: None,
            certificate: Vec::new(),
            settings: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// One more number that comes first.
    pub(crate) fn add_figure(&mut self, value: String, label: &str, note: &str) {
        self.headline.push(Figure::new(value, label, note));
    }

    /// One more setting.
    fn set(&mut self, name: &str, value: impl Into<String>) {
        self.settings.push((name.into(), value.into()));
    }

    fn add_balance(&mut self) {
        let rows = self.data.rows.max(1) as f64;
        let [(negative, a), (positive, b)] = &self.data.classes[..] else { return };
        let share = |count: usize| words::digits(100.0 * count as f64 / rows, 3);
        self.headline.push(Figure::new(
            format!("{} : {}", thousands(*a), thousands(*b)),
            "class balance",
            format!("{negative}: {} %, {positive}: {} % of the rows", share(*a), share(*b)),
        ));
    }
}

/// A whole number as people read it: 12,345.
fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "1 row", "12,345 rows".
fn counted(n: usize, one: &str) -> String {
    format!("{} {one}{}", thousands(n), if n == 1 { "" } else { "s" })
}

fn kept_of(kept: usize, features: usize, penalty: &PenaltySpec) -> Figure {
    let note = format!("{}, λ = {}", words::shape(penalty), words::digits(penalty.lambda, 4));
    Figure::new(format!("{} of {}", thousands(kept), thousands(features)), "features kept", note)
}

/// A feature's name; nothing if it is only its number.
fn name_of(data: &Dataset, j: usize) -> Option<String> {
    data.names().and_then(|names| names.get(j).cloned())
}

/// What a coefficient on the path is.
fn weight_unit(scaling: Scaling) -> String {
    words::unit_of(scaling).map_or("coefficient".into(), |unit| format!("coefficient {unit}"))
}

/// The largest λ that keeps a feature, by feature from 0.
fn entered(points: &[PathPoint]) -> BTreeMap<u32, f64> {
    let mut entered = BTreeMap::new();
    for point in points {
        point.w.iter().for_each(|&(j, _)| _ = entered.entry(j as u32).or_insert(point.lambda));
    }
    entered
}

/// What was proved: `gap 1e-5: no …` becomes `No … (gap 1e-5).`
fn certified(
    certificate: &Certificate,
    penalty: &PenaltySpec,
    (status, solver): (Status, &str),
    tol: f64,
) -> Vec<String> {
    let sentence = |told: String| {
        let (figure, claim) = told.split_once(": ").unwrap_or(("", &told));
        let mut letters = claim.chars();
        let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        format!("{first}{} ({figure}).", letters.as_str())
    };
    vec![
        sentence(words::gap(certificate, penalty)),
        sentence(words::violation(certificate)),
        sentence(words::status(status, solver, Some(tol))),
        "These figures are recomputed from the data by code that no solver shares.".into(),
    ]
}

fn settings_of(loaded: &Loaded, variant: &Variant) -> Vec<(String, String)> {
    let task = &loaded.task;
    let mut list = vec![("loss", task.loss.to_string()), ("penalty", words::shape(&variant.penalty))];
    if task.l2 > 0.0 {
        list.push(("l2", words::number(task.l2)));
    }
    list.push(("scaling of columns", task.scaling.name().into()));
    list.push(("intercept", variant.intercept.to_string()));
    if task.weights.is_some() {
        list.push(("weights of rows", "given".into()));
    }
    if task.factors.is_some() {
        list.push(("penalty factors", "given".into()));
    }
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_set_apart() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(super::thousands(n), text);
        }
    }
}
