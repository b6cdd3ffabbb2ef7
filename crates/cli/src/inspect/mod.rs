//! `sparsvm inspect`.

mod data;
mod several;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use sparsvm_core::calibrate::Sigmoid;
use sparsvm_core::{Goal, Model, Saved, Scaling, Status};

use sparsvm_data::Source;

use crate::args::InspectArgs;
use crate::output::{self, Facts, Table};
use crate::{Outcome, words};

/// What `--json` prints: the model's own fields, and its features by weight.
#[derive(Serialize)]
struct Report<'a> {
    task: Goal,
    classes: &'a [String],
    features: usize,
    nonzeros: usize,
    intercept: f64,
    scaling: Scaling,
    loss: Option<sparsvm_core::Loss>,
    penalty: Option<sparsvm_core::PenaltySpec>,
    l2: Option<f64>,
    status: sparsvm_core::Status,
    certificate: Option<sparsvm_core::Certificate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sigmoid: Option<Sigmoid>,
    provenance: &'a sparsvm_core::model::Provenance,
    weights: &'a [Kept],
}

/// A feature that the model keeps.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Kept {
    /// Counted from 1, as in LIBSVM files.
    pub(crate) index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// In the units of the raw data.
    pub(crate) weight: f64,
    /// On the scaled column, where weights can be compared; only if columns were scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scaled_weight: Option<f64>,
}

/// The features, the heaviest first; on scaled columns if they were scaled.
pub(crate) fn by_weight(model: &Model) -> Vec<Kept> {
    let mut kept: Vec<Kept> = (0..model.indices.len())
        .map(|k| Kept {
            index: model.indices[k] as usize + 1,
            name: model.names.as_ref().map(|names| names[k].clone()),
            weight: model.weights[k],
            scaled_weight: model.scaled_weight(k),
        })
        .collect();
    let size = |kept: &Kept| kept.scaled_weight.unwrap_or(kept.weight).abs();
    kept.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.index.cmp(&b.index)));
    kept
}

/// The same as a table.
pub(crate) fn table(kept: &[Kept], scaling: Scaling) -> String {
    let scaled = words::unit_of(scaling);
    let mut heading = vec!["feature"];
    heading.extend(scaled);
    heading.push(if scaled.is_some() { "per raw unit" } else { "weight" });
    let mut table = Table::new(&heading);
    for feature in kept {
        let name = feature.name.clone().unwrap_or_else(|| feature.index.to_string());
        let mut row = vec![name];
        row.extend(feature.scaled_weight.filter(|_| scaled.is_some()).map(words::number));
        row.push(words::number(feature.weight));
        table.add(row);
    }
    table.render()
}

pub(crate) fn run(args: &InspectArgs) -> Result<Outcome> {
    let path = match &args.file {
        Source::Path(path) if is_model(path) => path,
        source => return data::run(source, args).map(|()| Outcome::Done),
    };
    match crate::predict::read_model(path)? {
        Saved::Single(model) => inspect(&model, args)?,
        Saved::OneVsRest(model) => {
            let kept = several::by_weight(&model);
            let shown = shown(args, kept.len());
            if args.json {
                output::json(&several::Report::new(&model, kept.len(), &kept[..shown]))?;
            } else {
                let table = several::table(&model, &kept[..shown]);
                tell(several::facts(&model, kept.len()), &table, (shown, kept.len()))?;
            }
        }
    }
    Ok(Outcome::Done)
}

/// Models are JSON, and no data is.
fn is_model(path: &Path) -> bool {
    let mut head = [0; 64];
    let regular = fs::metadata(path).is_ok_and(|about| about.is_file());
    let read = regular.then(|| File::open(path).and_then(|mut file| file.read(&mut head)));
    let Some(Ok(read)) = read else { return false };
    let text = head[..read].trim_ascii_start();
    text.starts_with(b"{") || text.starts_with(b"solver_type")
}

/// How many of the features are shown.
fn shown(args: &InspectArgs, kept: usize) -> usize {
    match args.top {
        None if args.json => kept,
        None => DEFAULT_TOP.min(kept),
        Some(0) => kept,
        Some(top) => top.min(kept),
    }
}

/// Facts, and a table of the features that are shown.
fn tell(mut text: String, table: &str, (shown, kept): (usize, usize)) -> Result<()> {
    if shown > 0 {
        text += &format!("\n{table}");
    }
    if shown < kept {
        text += &format!("  and {} more: --top 0 shows all\n", kept - shown);
    }
    output::print(|to| to.write_all(text.as_bytes()))
}

fn inspect(model: &Model, args: &InspectArgs) -> Result<()> {
    let kept = by_weight(model);
    let shown = shown(args, kept.len());
    if !args.json {
        return tell(facts(model).render(), &table(&kept[..shown], model.scaling), (shown, kept.len()));
    }
    output::json(&Report {
        task: model.goal,
        classes: &model.classes,
        features: model.features,
        nonzeros: kept.len(),
        intercept: model.intercept,
        scaling: model.scaling,
        loss: model.loss,
        penalty: model.penalty,
        l2: model.l2,
        status: model.status,
        certificate: model.certificate,
        sigmoid: model.sigmoid,
        provenance: &model.provenance,
        weights: &kept[..shown],
    })
}

/// So many features are shown to people who do not say how many.
const DEFAULT_TOP: usize = 20;

fn facts(model: &Model) -> Facts {
    let number = words::number;
    let provenance = &model.provenance;
    let mut facts = Facts::default();
    let rows = match model.status {
        Status::Imported => "another program's model".into(),
        _ => words::count(provenance.samples, "row"),
    };
    facts.add("data", format!("{}: {rows}, {}", provenance.data, words::count(model.features, "feature")));
    facts.add("made by", format!("{}, {}", provenance.program, provenance.solver));
    facts.add("task", model.goal.name());
    if let (Some(loss), Some(penalty)) = (model.loss, model.penalty) {
        let ridge = model.l2.filter(|l2| *l2 > 0.0).map_or(String::new(), |l2| format!(" + l2 {l2}"));
        facts.add("problem", format!("{loss} loss{} + {penalty}{ridge}", words::counted(model.goal)));
    }
    facts.add("scaling", model.scaling.name());
    if let [negative, positive] = &model.classes[..] {
        let rule =
            format!("{positive} if x·w + b > 0, with b = {}; else {negative}", number(model.intercept));
        facts.add("predicts", rule);
    } else {
        facts.add("predicts", "scores x·w: within a query, the higher the better");
    }
    if let Some(Sigmoid { a, c }) = model.sigmoid {
        let positive = model.label(1.0);
        let formula = format!("1/(1 + exp({}·s + {})) for s = x·w + b", number(a), number(c));
        facts.add("probability", format!("of {positive}: {formula}"));
    }
    facts.add("features kept", format!("{} of {}", model.indices.len(), model.features));
    if let (Some(certificate), Some(penalty)) = (&model.certificate, &model.penalty) {
        let parts = (number(certificate.loss), number(certificate.penalty));
        let whole = number(certificate.objective);
        facts.add("objective", format!("{whole} = loss {} + penalty {}", parts.0, parts.1));
        facts.add("certificate", words::gap(certificate, penalty));
        facts.add("", words::violation(certificate));
    }
    let solver = provenance.solver.split(' ').next().unwrap_or("");
    facts.add("status", words::status(model.status, solver, None));
    facts
}
