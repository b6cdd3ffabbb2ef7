//! View → ONNX. The graph takes raw rows, gathers the kept columns and decides, all in double precision.
//!
//! Input `X` is double [N, d]. A classifier has `label` [N] (int64 if all labels are whole numbers, else
//! string), `decision` ([N, 1] for two classes, [N, K] for K), and `probability` [N, K] if it is calibrated; a
//! ranking has `score` [N, 1].

mod graph;
mod message;

use std::io::{self, Write};

use prost::Message;
use sparsvm_core::Goal;
use sparsvm_core::calibrate::Sigmoid;

use self::graph::Builder;
use self::message::{DOUBLE, Entry, INT64, Model, OperatorSet, STRING};
use crate::{Result, View};

/// Of ONNX 1.8 (2020): runtimes since then read it, and those of today still do.
const IR_VERSION: i64 = 7;
const OPERATORS: i64 = 13;

/// A model for onnxruntime and others.
#[derive(Debug)]
pub struct Writer {
    model: Model,
}

impl Writer {
    /// Takes any model.
    ///
    /// # Errors
    /// If the view is inconsistent.
    pub fn new(view: &View<'_>) -> Result<Self> {
        view.check()?;
        let (name, version) = view.program.split_once(' ').unwrap_or((&view.program, ""));
        let mut metadata = vec![entry("program", view.program.clone())];
        if view.goal == Goal::Classify {
            metadata.push(entry("classes", list(&view.classes)));
        }
        let columns = view.columns();
        let indices: Vec<u32> = columns.iter().map(|column| column.0 + 1).collect();
        metadata.push(entry("features", list(&indices)));
        if columns.iter().any(|column| column.1.is_some()) {
            let names: Vec<&str> = columns.iter().map(|column| column.1.unwrap_or("")).collect();
            metadata.push(entry("feature_names", list(&names)));
        }
        let model = Model {
            ir_version: IR_VERSION,
            producer_name: name.into(),
            producer_version: version.into(),
            doc_string: view.about.join("\n"),
            graph: Some(compute(view).finish("sparsvm")),
            opset_import: vec![OperatorSet { domain: Some(String::new()), version: OPERATORS }],
            metadata_props: metadata,
        };
        Ok(Self { model })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&self.model.encode_to_vec())
    }
}

fn compute(view: &View<'_>) -> Builder {
    let (columns, machines) = (view.columns(), view.machines.len());
    let by_machine: Vec<Vec<f64>> = view.machines.iter().map(|machine| machine.on(&columns)).collect();
    let weights = (0..columns.len()).flat_map(|k| by_machine.iter().map(move |w| w[k])).collect();
    let decision = if view.goal == Goal::Rank { "score" } else { "decision" };

    let mut graph = Builder::default();
    graph.input("X", DOUBLE, Some(view.features), "rows of raw data");
    graph.integers("features", columns.iter().map(|column| i64::from(column.0)).collect());
    graph.doubles("weights", &[columns.len(), machines], weights);
    graph.doubles("intercepts", &[machines], view.machines.iter().map(|machine| machine.intercept).collect());
    graph.node("Gather", &["X", "features"], "kept", &[("axis", 1)]);
    graph.node("MatMul", &["kept", "weights"], "product", &[]);
    graph.node("Add", &["product", "intercepts"], decision, &[]);
    if view.goal == Goal::Classify {
        label(&mut graph, view);
    }
    graph.output(decision, DOUBLE, Some(machines), "x·w + b");
    if let (Goal::Classify, Some(sigmoids)) = (view.goal, view.sigmoids()) {
        probability(&mut graph, &sigmoids);
        graph.output("probability", DOUBLE, Some(view.classes.len()), "of each class");
    }
    graph
}

/// Which class, then which label.
fn label(graph: &mut Builder, view: &View<'_>) {
    if view.machines.len() == 1 {
        graph.doubles("zero", &[1], vec![0.0]);
        graph.integers("flat", vec![-1]);
        graph.node("Greater", &["decision", "zero"], "positive", &[]);
        graph.node("Cast", &["positive"], "code", &[("to", i64::from(INT64))]);
        graph.node("Reshape", &["code", "flat"], "class", &[]);
    } else {
        graph.node("ArgMax", &["decision"], "class", &[("axis", 1), ("keepdims", 0)]);
    }
    let whole: Option<Vec<i64>> = view.classes.iter().map(|class| class.parse().ok()).collect();
    let element = if whole.is_some() { INT64 } else { STRING };
    match whole {
        Some(labels) => graph.integers("labels", labels),
        None => graph.texts("labels", &view.classes),
    }
    graph.node("Gather", &["labels", "class"], "label", &[("axis", 0)]);
    graph.output("label", element, None, "the label that is predicted");
}

/// Sigmoids of the decisions; of several classes, brought to a sum of 1.
fn probability(graph: &mut Builder, sigmoids: &[Sigmoid]) {
    let count = sigmoids.len();
    graph.doubles("slopes", &[count], sigmoids.iter().map(|sigmoid| -sigmoid.a).collect());
    graph.doubles("offsets", &[count], sigmoids.iter().map(|sigmoid| -sigmoid.c).collect());
    graph.doubles("one", &[1], vec![1.0]);
    graph.node("Mul", &["decision", "slopes"], "steep", &[]);
    graph.node("Add", &["steep", "offsets"], "logit", &[]);
    graph.node("Sigmoid", &["logit"], "alone", &[]);
    if count == 1 {
        graph.node("Sub", &["one", "alone"], "other", &[]);
        graph.node("Concat", &["other", "alone"], "probability", &[("axis", 1)]);
        return;
    }
    // Where every class is ruled out, none is likelier than another.
    graph.integers("across", vec![1]);
    graph.doubles("none", &[1], vec![0.0]);
    graph.node("ReduceSum", &["alone", "across"], "sum", &[("keepdims", 1)]);
    graph.node("Greater", &["sum", "none"], "likely", &[]);
    graph.node("Where", &["likely", "alone", "one"], "shares", &[]);
    graph.node("ReduceSum", &["shares", "across"], "whole", &[("keepdims", 1)]);
    graph.node("Div", &["shares", "whole"], "probability", &[]);
}

fn entry(key: &str, value: String) -> Entry {
    Entry { key: key.into(), value }
}

/// A JSON array.
fn list(values: &impl serde::Serialize) -> String {
    // Strings and numbers always have a text.
    serde_json::to_string(values).unwrap_or_default()
}
