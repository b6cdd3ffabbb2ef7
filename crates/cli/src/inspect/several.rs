//! `sparsvm inspect` of a model of several classes: features × classes, the heaviest first.

use std::collections::BTreeMap;

use serde::Serialize;
use sparsvm_core::model::{OneVsRest, Provenance};
use sparsvm_core::{Certificate, Goal, Loss, Model, PenaltySpec, Scaling, Status};

use crate::output::{Facts, Table};
use crate::words;

/// So many classes have a column; a terminal is no wider.
const COLUMNS: usize = 8;

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    task: Goal,
    classes: &'a [String],
    features: usize,
    /// Features that some class keeps.
    nonzeros: usize,
    scaling: Scaling,
    loss: Option<Loss>,
    l2: Option<f64>,
    machines: Vec<Machine<'a>>,
    provenance: &'a Provenance,
    weights: &'a [Kept],
}

#[derive(Serialize)]
struct Machine<'a> {
    class: &'a str,
    nonzeros: usize,
    intercept: f64,
    penalty: Option<PenaltySpec>,
    status: Status,
    certificate: Option<Certificate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sigmoid: Option<sparsvm_core::calibrate::Sigmoid>,
    solver: &'a str,
}

/// A feature that some class keeps.
#[derive(Serialize)]
pub(super) struct Kept {
    /// Counted from 1, as in LIBSVM files.
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// For each class, in the units of the raw data.
    weights: Vec<f64>,
    /// The same on the scaled column; only if columns were scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    scaled_weights: Option<Vec<f64>>,
}

impl Kept {
    /// What can be compared from feature to feature.
    fn comparable(&self) -> &[f64] {
        self.scaled_weights.as_ref().unwrap_or(&self.weights)
    }

    fn size(&self) -> f64 {
        self.comparable().iter().fold(0.0, |most, w| w.abs().max(most))
    }
}

/// The features by their largest weight.
pub(super) fn by_weight(model: &OneVsRest) -> Vec<Kept> {
    let classes = model.classes().len();
    let scaled = model.machines()[0].scaling != Scaling::None;
    let mut found: BTreeMap<u32, Kept> = BTreeMap::new();
    for (class, machine) in model.machines().iter().enumerate() {
        for (k, &j) in machine.indices.iter().enumerate() {
            let kept = found.entry(j).or_insert_with(|| Kept {
                index: j as usize + 1,
                name: machine.names.as_ref().map(|names| names[k].clone()),
                weights: vec![0.0; classes],
                scaled_weights: scaled.then(|| vec![0.0; classes]),
            });
            kept.weights[class] = machine.weights[k];
            if let (Some(all), Some(weight)) = (&mut kept.scaled_weights, machine.scaled_weight(k)) {
                all[class] = weight;
            }
        }
    }
    let mut kept: Vec<Kept> = found.into_values().collect();
    kept.sort_by(|a, b| b.size().total_cmp(&a.size()).then(a.index.cmp(&b.index)));
    kept
}

impl<'a> Report<'a> {
    pub(super) fn new(model: &'a OneVsRest, nonzeros: usize, weights: &'a [Kept]) -> Self {
        let first = &model.machines()[0];
        let machine = |(machine, class): (&'a Model, &'a String)| Machine {
            class,
            nonzeros: machine.indices.len(),
            intercept: machine.intercept,
            penalty: machine.penalty,
            status: machine.status,
            certificate: machine.certificate,
            sigmoid: machine.sigmoid,
            solver: &machine.provenance.solver,
        };
        Self {
            task: first.goal,
            classes: model.classes(),
            features: first.features,
            nonzeros,
            scaling: first.scaling,
            loss: first.loss,
            l2: first.l2,
            machines: model.machines().iter().zip(model.classes()).map(machine).collect(),
            provenance: &first.provenance,
            weights,
        }
    }
}

/// What all classes share, and a line for each.
pub(super) fn facts(model: &OneVsRest, nonzeros: usize) -> String {
    let first = &model.machines()[0];
    let mut facts = Facts::default();
    let provenance = &first.provenance;
    let rows = words::count(provenance.samples, "row");
    facts.add("data", format!("{}: {rows}, {}", provenance.data, words::count(first.features, "feature")));
    facts.add("made by", format!("{}, {}", provenance.program, provenance.solver));
    facts.add("task", format!("{}: {} classes", first.goal, model.classes().len()));
    if let (Some(loss), Some(penalty), Some(l2)) = (first.loss, first.penalty, first.l2) {
        let ridge = if l2 > 0.0 { format!(" + l2 {l2}") } else { String::new() };
        facts.add("problem", format!("{loss} loss + {}{ridge}", words::shape(&penalty)));
    }
    facts.add("scaling", first.scaling.name());
    facts.add("predicts", "the class with the largest x·w + b; of equal ones the first");
    facts.extend("probabilities", first.sigmoid.map(|_| words::CALIBRATED.into()));
    facts.add("features kept", format!("{nonzeros} of {}, by any class", first.features));
    let mut table =
        Table::new(&["class", "lambda", "features", "b", "objective", "gap", "violation", "status"]);
    for (machine, class) in model.machines().iter().zip(model.classes()) {
        // Nothing is proved of an imported model.
        let proved =
            |tell: fn(&Certificate) -> String| machine.certificate.as_ref().map_or_else(String::new, tell);
        table.add(vec![
            class.clone(),
            machine.penalty.map_or_else(String::new, |penalty| words::number(penalty.lambda)),
            machine.indices.len().to_string(),
            words::number(machine.intercept),
            proved(|certificate| words::number(certificate.objective)),
            proved(|certificate| words::digits(certificate.gap, 2)),
            proved(|certificate| words::digits(certificate.violation, 2)),
            machine.status.name().into(),
        ]);
    }
    format!("{}\n{}", facts.render(), table.render())
}

/// Features × classes.
pub(super) fn table(model: &OneVsRest, kept: &[Kept]) -> String {
    let shown = model.classes().len().min(COLUMNS);
    let unit = words::unit_of(model.machines()[0].scaling).unwrap_or("per raw unit");
    let mut heading = vec!["feature"];
    heading.extend(model.classes()[..shown].iter().map(String::as_str));
    let mut table = Table::new(&heading);
    for feature in kept {
        let mut row = vec![feature.name.clone().unwrap_or_else(|| feature.index.to_string())];
        row.extend(feature.comparable()[..shown].iter().map(|w| words::number(*w)));
        table.add(row);
    }
    let more = match model.classes().len() - shown {
        0 => String::new(),
        more => format!("  and {more} more classes: --json shows all\n"),
    };
    format!("  weights {unit}, by class:\n{}{more}", table.render())
}
