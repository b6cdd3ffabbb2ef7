//! What every format is written from: classes, and linear machines over the same features.

use sparsvm_core::calibrate::Sigmoid;
use sparsvm_core::{Goal, Model, Saved, Scaling};

use crate::{Error, Result};

/// A model, seen by the formats.
///
/// Two classes have one machine, whose positive values speak for the second class; K > 2 classes have one
/// machine each, and the largest value decides, the first of equals; a ranking has no classes and one machine.
#[derive(Debug, Clone)]
pub struct View<'a> {
    /// What the model is for.
    pub goal: Goal,
    /// The labels; of two, negative and positive.
    pub classes: Vec<String>,
    /// One, or one a class.
    pub machines: Vec<Machine<'a>>,
    /// d.
    pub features: usize,
    /// How the columns were scaled in training; weights are for raw data whatever it was.
    pub scaling: Scaling,
    /// Program and version.
    pub program: String,
    /// Where the model comes from and what is proved of it, a line each.
    pub about: Vec<String>,
}

/// x·w + b.
#[derive(Debug, Clone)]
pub struct Machine<'a> {
    /// The features that are kept, 0-based, ascending.
    pub indices: &'a [u32],
    /// Their weights, in the units of the raw data.
    pub weights: &'a [f64],
    /// Their names, if there are names.
    pub names: Option<&'a [String]>,
    /// Their scale factors, raw weight = scaled weight × factor; empty if columns were not scaled.
    pub scale_factors: &'a [f64],
    /// b.
    pub intercept: f64,
    /// Turns x·w + b into the probability of the class.
    pub sigmoid: Option<Sigmoid>,
}

impl<'a> View<'a> {
    /// Of what a model file holds.
    pub fn of(saved: &'a Saved) -> Self {
        let machine = |model: &'a Model| Machine {
            indices: &model.indices,
            weights: &model.weights,
            names: model.names.as_deref(),
            scale_factors: &model.scale_factors,
            intercept: model.intercept,
            sigmoid: model.sigmoid,
        };
        let first = &saved.machines()[0];
        Self {
            goal: saved.goal(),
            classes: saved.classes().to_vec(),
            machines: saved.machines().iter().map(machine).collect(),
            features: first.features,
            scaling: first.scaling,
            program: first.provenance.program.clone(),
            about: about(saved),
        }
    }

    /// The features that some machine keeps, ascending, each with its name if there is one.
    ///
    /// Never empty, so that no format meets an empty matrix: where nothing is kept, it is the first feature,
    /// whose weight is 0.
    pub fn columns(&self) -> Vec<(u32, Option<&'a str>)> {
        let mut columns: Vec<(u32, Option<&'a str>)> = Vec::new();
        for machine in &self.machines {
            let name = |k: usize| machine.names.and_then(|names| names.get(k)).map(String::as_str);
            columns.extend(machine.indices.iter().enumerate().map(|(k, &j)| (j, name(k))));
        }
        columns.sort();
        // The name of a feature comes before no name.
        columns.reverse();
        columns.dedup_by_key(|column| column.0);
        columns.reverse();
        if columns.is_empty() {
            columns.push((0, None));
        }
        columns
    }

    /// How many features some machine keeps.
    pub fn kept(&self) -> usize {
        match self.machines.iter().all(|machine| machine.indices.is_empty()) {
            true => 0,
            false => self.columns().len(),
        }
    }

    /// The probabilities' sigmoids, if every machine has one.
    pub fn sigmoids(&self) -> Option<Vec<Sigmoid>> {
        self.machines.iter().map(|machine| machine.sigmoid).collect()
    }

    /// Refuses parts that do not fit together.
    pub(crate) fn check(&self) -> Result<()> {
        let fault = |text: &str| Err(Error::Inconsistent(text.into()));
        match (self.goal, self.classes.len(), self.machines.len()) {
            (Goal::Classify, 2, 1) | (Goal::Rank, 0, 1) => {}
            (Goal::Classify, classes, machines) if classes > 2 && classes == machines => {}
            _ => {
                return fault(
                    "two classes have one machine, more have one each, a ranking has one and no class",
                );
            }
        }
        if self.features == 0 {
            return fault("it has no features");
        }
        for machine in &self.machines {
            let kept = machine.indices.len();
            let names = machine.names.map_or(kept, <[String]>::len);
            let factors = if machine.scale_factors.is_empty() { kept } else { machine.scale_factors.len() };
            if [machine.weights.len(), names, factors] != [kept; 3] {
                return fault("weights, names or scale factors are not as many as indices");
            }
            let ascend = machine.indices.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascend || machine.indices.last().is_some_and(|&last| last as usize >= self.features) {
                return fault("indices must ascend and lie below the number of features");
            }
            let sigmoid = machine.sigmoid.map_or([0.0; 2], |sigmoid| [sigmoid.a, sigmoid.c]);
            let mut numbers = machine.weights.iter().chain(&sigmoid).chain([&machine.intercept]);
            if !numbers.all(|x| x.is_finite()) {
                return fault("a weight is not a finite number");
            }
        }
        Ok(())
    }
}

impl Machine<'_> {
    /// Its weights on these columns, which ascend.
    pub(crate) fn on(&self, columns: &[(u32, Option<&str>)]) -> Vec<f64> {
        let weight = |j: u32| self.indices.binary_search(&j).map_or(0.0, |k| self.weights[k]);
        columns.iter().map(|column| weight(column.0)).collect()
    }
}

fn about(saved: &Saved) -> Vec<String> {
    let machines = saved.machines();
    let (first, from) = (&machines[0], &machines[0].provenance);
    let mut lines = vec![
        format!("Made by {}, {}", from.program, from.solver),
        format!("From {}: {} features", from.data, first.features),
    ];
    for (k, model) in machines.iter().enumerate() {
        let whose = if machines.len() > 1 { format!("{}: ", saved.classes()[k]) } else { String::new() };
        lines.push(format!("{whose}{} features are kept", model.indices.len()));
        if let (Some(loss), Some(penalty), Some(l2)) = (model.loss, model.penalty, model.l2) {
            let ridge = if l2 > 0.0 { format!(" + l2 {l2}") } else { String::new() };
            lines.push(format!("{whose}{loss} loss + {penalty}{ridge}, {} rows", from.samples));
        }
        lines.push(match model.certificate {
            Some(told) => format!(
                "{whose}certificate: objective {:?}, gap {:e}, violation {:e}; {}",
                told.objective,
                told.gap,
                told.violation,
                model.status.name()
            ),
            None => format!("{whose}no certificate, since another program trained the model"),
        });
    }
    lines
}
