//! `sparsvm inspect` of data: its shape, its labels, columns that say nothing, and what to do about it.

use std::time::Instant;

use anyhow::Result;
use serde::Serialize;
use sparsvm_core::design::Width;
use sparsvm_core::solver::Silent;
use sparsvm_core::{Dataset, Family, Labels, Loss, PenaltySpec, Problem, Regularizer, path};
use sparsvm_data::{Missing, ReadOptions, Source, spv};

use crate::args::InspectArgs;
use crate::output::{self, Facts};
use crate::page::{Odd, Summary, summary};
use crate::words;

/// Columns whose scales differ by more than this should be scaled.
const SCALES: f64 = 1e3;

/// One class may be so many times as large as another.
const IMBALANCE: f64 = 10.0;

/// So many labels are told.
const LABELS: usize = 10;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    data: String,
    samples: usize,
    features: usize,
    entries: usize,
    density: f64,
    labels: Vec<Label>,
    /// Values of a table that were missing, by column.
    missing: Vec<Column>,
    empty: Odd,
    constant: Odd,
    duplicate: Odd,
    /// The least and the largest of the columns' largest absolute values.
    scales: Option<[f64; 2]>,
    /// Of l1 with the hinge loss, without scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda_max: Option<f64>,
    suggestions: Vec<String>,
    seconds: f64,
}

/// What `--brief --json` prints.
#[derive(Serialize)]
struct Header {
    data: String,
    samples: usize,
    features: usize,
    entries: usize,
    bits: u32,
    labels: Vec<Label>,
}

#[derive(Serialize)]
struct Label {
    label: String,
    rows: usize,
}

#[derive(Serialize)]
struct Column {
    name: String,
    count: usize,
}

pub(super) fn run(source: &Source, args: &InspectArgs) -> Result<()> {
    let memory_limit = args.resources.claim()?;
    if let (true, Source::Path(path)) = (args.brief, source) {
        return brief(&spv::Map::open(path)?.about(), source, args.json);
    }
    let clock = Instant::now();
    let mut options: ReadOptions = args.read.options(None, memory_limit);
    // Missing values are counted, not refused.
    if args.read.missing.is_none() {
        options.table.missing = Missing::Zero;
    }
    let data = sparsvm_data::read(source, &options)?;
    let report = Report::new(&data, source, clock);
    match args.json {
        true => output::json(&report),
        false => output::print(|to| to.write_all(report.told().as_bytes())),
    }
}

/// What the header of an .spv file says.
fn brief(about: &spv::About, source: &Source, json: bool) -> Result<()> {
    let bits = match about.width {
        Width::F64 => 64,
        Width::F32 => 32,
    };
    if json {
        let label = |(label, rows): &(String, u64)| Label { label: label.clone(), rows: *rows as usize };
        let labels = about.classes.iter().map(label).collect();
        let spv::About { rows: samples, columns: features, entries, .. } = *about;
        return output::json(&Header { data: source.to_string(), samples, features, entries, bits, labels });
    }
    let mut facts = Facts::default();
    let shape = (words::count(about.rows, "row"), words::count(about.columns, "feature"));
    facts.add("data", format!("{source}: {}, {}", shape.0, shape.1));
    facts.add("entries", format!("{}, values of {bits} bits", about.entries));
    let labels: Vec<String> = about.classes.iter().map(|(class, rows)| format!("{class} ({rows})")).collect();
    facts.add("labels", labels.join(", "));
    facts.add("checked", "the header and the index; the data is checked when it is used");
    output::print(|to| to.write_all(facts.render().as_bytes()))
}

impl Report {
    fn new(data: &Dataset, source: &Source, clock: Instant) -> Self {
        let Summary { rows, columns, entries, classes, empty, constant, duplicate, .. } =
            summary(data, &source.to_string());
        let missing = data.table().map_or(&[][..], |table| &table.missing[..]);
        let missing =
            missing.iter().map(|&(j, count)| Column { name: data.feature_name(j), count }).collect();
        let mut report = Self {
            data: source.to_string(),
            samples: rows,
            features: columns,
            entries,
            density: entries as f64 / (rows as f64 * columns as f64),
            labels: classes.into_iter().map(|(label, rows)| Label { label, rows }).collect(),
            missing,
            empty,
            constant,
            duplicate,
            scales: scales(data),
            lambda_max: lambda_max(data),
            suggestions: Vec::new(),
            seconds: clock.elapsed().as_secs_f64(),
        };
        report.suggestions = report.suggested();
        report
    }

    fn suggested(&self) -> Vec<String> {
        let mut all = Vec::new();
        if let Some([least, most]) = self.scales
            && most > SCALES * least
        {
            let power = (most / least).log10().round();
            all.push(format!("columns differ by 10^{power} in scale: consider --scale standard or max-abs"));
        }
        if !self.missing.is_empty() {
            all.push("values are missing: say --missing mean, zero or drop-rows".into());
        }
        let least = self.labels.iter().map(|label| label.rows).min().unwrap_or(0);
        let most = self.labels.iter().map(|label| label.rows).max().unwrap_or(0);
        match self.labels.len() {
            0 | 1 => all.push("there is one label only, and nothing to tell apart".into()),
            2 => {}
            k if k > 20 && k > self.samples / 3 => {
                all.push("nearly every row has a label of its own: is this the right column?".into());
            }
            k => {
                all.push(format!("{k} labels: train tells each from all others; --positive LABEL takes one"));
            }
        }
        if self.labels.len() > 1 && most as f64 > IMBALANCE * least as f64 {
            all.push(
                "the classes are very unequal: consider --class-weight balanced and --score balanced".into(),
            );
        }
        if self.labels.len() > 1 && least < 10 {
            all.push(
                "a class has fewer than 10 rows: cross-validation will say little; consider --repeats".into(),
            );
        }
        let idle = self.empty.count + self.constant.count + self.duplicate.count;
        if idle > 0 {
            all.push(format!("{} say nothing new and may be left out", words::count(idle, "column")));
        }
        all
    }

    fn told(&self) -> String {
        let mut facts = Facts::default();
        let shape = (words::count(self.samples, "row"), words::count(self.features, "feature"));
        facts.add("data", format!("{}: {}, {}", self.data, shape.0, shape.1));
        let share = words::percent(self.density);
        facts.add("entries", format!("{} that are not 0, {share} of all", self.entries));
        let labels = self.labels.iter().take(LABELS).map(|label| format!("{} ({})", label.label, label.rows));
        let more = if self.labels.len() > LABELS { ", …" } else { "" };
        facts.add("labels", format!("{}{more}", labels.collect::<Vec<_>>().join(", ")));
        if let Some([least, most]) = self.scales {
            let (least, most) = (words::number(least), words::number(most));
            facts.add("scale", format!("the columns' largest absolute values are from {least} to {most}"));
        }
        for column in self.missing.iter().take(LABELS) {
            facts.add("missing", format!("{}: {}", column.name, words::count(column.count, "value")));
        }
        for (name, odd) in
            [("empty", &self.empty), ("constant", &self.constant), ("duplicate", &self.duplicate)]
        {
            if odd.count > 0 {
                let more = if odd.count > odd.first.len() { ", …" } else { "" };
                let first = odd.first.join(", ");
                facts.add(name, format!("{}: {first}{more}", words::count(odd.count, "column")));
            }
        }
        facts.extend(
            "lambda_max",
            self.lambda_max.map(|lambda| {
                format!(
                    "{} (hinge and l1, without scaling): from there on no feature is kept",
                    words::number(lambda)
                )
            }),
        );
        for suggestion in &self.suggestions {
            facts.add("note", suggestion.clone());
        }
        facts.render()
    }
}

/// The least and the largest of the columns' largest absolute values.
fn scales(data: &Dataset) -> Option<[f64; 2]> {
    let x = data.design();
    let mut found: Option<[f64; 2]> = None;
    for j in 0..x.cols() {
        let mut largest = 0.0f64;
        x.column(j).for_each(|_, value| largest = largest.max(value.abs()));
        if largest > 0.0 {
            let [least, most] = found.unwrap_or([largest; 2]);
            found = Some([largest.min(least), largest.max(most)]);
        }
    }
    found
}

/// Of l1 with the hinge loss; of several classes the largest.
fn lambda_max(data: &Dataset) -> Option<f64> {
    let spec = PenaltySpec::new(Family::L1, 1.0);
    let of = |labels: &Labels| {
        let (y, regularizer) = (labels.signs().ok()?, Regularizer::from_spec(&spec).ok()?);
        let problem = Problem::new(data.design(), &y, Loss::Hinge, regularizer).ok()?;
        path::lambda_max(&problem, &spec, &mut Silent).ok()
    };
    let labels = data.labels();
    match labels.classes().len() {
        0 | 1 => None,
        2 => of(labels),
        _ => labels
            .classes()
            .iter()
            .map(|class| of(&labels.against_rest(class)))
            .try_fold(0.0, |most, one| Some(f64::max(most, one?))),
    }
}
