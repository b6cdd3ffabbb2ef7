//! What is kept of a fit: enough to predict on raw data, to say where it came from, and to judge it.
//!
//! The file is JSON, versioned, with the nonzero weights only. Weights are in the units of the raw data
//! (column scaling is multiplied in), so that prediction needs nothing else; the factors of the kept
//! features stand beside them. [`Saved`] is what a file holds: one such machine, or one for each class.

mod format;
mod imported;
mod one_vs_rest;
mod saved;
#[cfg(test)]
mod tests;

use std::io::{Read, Write};

use serde::{Deserialize, Serialize};

use crate::calibrate::Sigmoid;
use crate::{Certificate, Design, Error, Goal, Labels, Loss, PenaltySpec, Result, Scaling, Status, Table};

use format::{FORMAT, fault_of_head, version_of};
pub use imported::Imported;
pub use one_vs_rest::{OneVsRest, rest_of};
pub use saved::Saved;

/// A trained linear model: a binary classifier, or a ranking.
///
/// One that another program trained ([`Status::Imported`]) has neither objective nor certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    format: String,
    version: u32,
    /// What it is for.
    #[serde(default, rename = "task", skip_serializing_if = "Goal::is_classify")]
    pub goal: Goal,
    /// The two labels of a classifier: negative, positive.
    pub classes: Vec<String>,
    /// d, the number of features in training.
    pub features: usize,
    /// b.
    pub intercept: f64,
    /// The features that are kept, 0-based, ascending.
    pub indices: Vec<u32>,
    /// Their weights, in the units of the raw data.
    pub weights: Vec<f64>,
    /// Their names, if the data had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// The label's column, if the data was a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What stands for a missing value of each kept feature, if training data had some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fills: Option<Vec<f64>>,
    /// How the columns were scaled for training.
    pub scaling: Scaling,
    /// The kept columns' scale factors: raw weight = scaled weight × factor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scale_factors: Vec<f64>,
    /// The loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// The penalty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty: Option<PenaltySpec>,
    /// μ of the ℓ2 part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2: Option<f64>,
    /// How the fit ended.
    pub status: Status,
    /// What was proved, on the scaled columns if they were scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
    /// How decision values become probabilities, if that was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sigmoid: Option<Sigmoid>,
    /// Where it came from.
    pub provenance: Provenance,
}

/// Where a model came from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// Program and version.
    pub program: String,
    /// The data's name.
    pub data: String,
    /// n.
    pub samples: usize,
    /// The solver and its settings.
    pub solver: String,
}

/// All that [`Model::new`] needs besides the solution.
#[derive(Debug, Clone)]
pub struct Trained<'a> {
    /// What the model is for.
    pub goal: Goal,
    /// The labels that the training data tells apart: negative, positive. A ranking names none.
    pub classes: &'a [String],
    /// Feature names, if any.
    pub names: Option<&'a [String]>,
    /// The table that the data was, if it was one.
    pub table: Option<&'a Table>,
    /// Column scaling, and its factors for all d columns.
    pub scaling: (Scaling, &'a [f64]),
    /// The loss.
    pub loss: Loss,
    /// The penalty.
    pub penalty: PenaltySpec,
    /// μ.
    pub l2: f64,
    /// Where it comes from.
    pub provenance: Provenance,
}

impl Model {
    /// Takes the nonzero weights out of a solution and into raw units.
    ///
    /// # Errors
    /// If a raw weight or the intercept is not a finite number: such a model is never made.
    pub fn new(solution: &crate::Solution, trained: Trained<'_>) -> Result<Self> {
        let (scaling, factors) = trained.scaling;
        let kept: Vec<usize> = (0..solution.w.len()).filter(|&j| solution.w[j] != 0.0).collect();
        let scaled = scaling != Scaling::None;
        let factor = |j: usize| if scaled { factors[j] } else { 1.0 };
        let model = Self {
            format: FORMAT.into(),
            version: version_of(trained.goal, false),
            goal: trained.goal,
            classes: match trained.goal {
                Goal::Classify => trained.classes.to_vec(),
                Goal::Rank => Vec::new(),
            },
            features: solution.w.len(),
            intercept: solution.b,
            indices: kept.iter().map(|&j| j as u32).collect(),
            weights: kept.iter().map(|&j| solution.w[j] * factor(j)).collect(),
            names: trained.names.map(|names| kept.iter().map(|&j| names[j].clone()).collect()),
            label: trained.table.and_then(|table| table.label.clone()),
            fills: (trained.table.and_then(|table| table.fills.as_ref()))
                .map(|fills| kept.iter().map(|&j| fills[j]).collect()),
            scaling,
            scale_factors: if scaled { kept.iter().map(|&j| factors[j]).collect() } else { Vec::new() },
            loss: Some(trained.loss),
            penalty: Some(trained.penalty),
            l2: Some(trained.l2),
            status: solution.status,
            certificate: Some(solution.certificate),
            sigmoid: None,
            provenance: trained.provenance,
        };
        model.check()?;
        Ok(model)
    }

    /// The same with probabilities, or without.
    ///
    /// # Errors
    /// If its numbers are not finite, or the model is a ranking.
    pub fn with_sigmoid(mut self, sigmoid: Option<Sigmoid>) -> Result<Self> {
        self.sigmoid = sigmoid;
        self.version = self.least_version();
        self.check().map(|()| self)
    }

    /// Reads a model of one machine; [`Saved::read`] reads every file.
    ///
    /// # Errors
    /// [`Error::Model`] that says what is wrong: not JSON, not ours, another version, or inconsistent.
    pub fn read(from: impl Read) -> Result<Self> {
        match Saved::read(from)? {
            Saved::Single(model) => Ok(model),
            Saved::OneVsRest(several) => Err(Error::Model(format!(
                "it tells {} classes apart, where one machine is expected",
                several.classes().len()
            ))),
        }
    }

    /// Writes the model.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, to: impl Write) -> std::io::Result<()> {
        format::write(self, to)
    }

    /// The least version that knows this.
    fn least_version(&self) -> u32 {
        version_of(self.goal, self.sigmoid.is_some() || self.status == Status::Imported)
    }

    fn check(&self) -> Result<()> {
        let fault = |text: String| Err(Error::Model(text));
        if let Some(text) = fault_of_head(&self.format, self.version) {
            return fault(text);
        }
        if self.version < version_of(self.goal, false) {
            return fault(format!("version {} knows no task {}", self.version, self.goal));
        }
        if self.version < self.least_version() {
            let what = if self.sigmoid.is_some() { "sigmoid" } else { "imported models" };
            return fault(format!("version {} knows no {what}", self.version));
        }
        let told =
            [self.loss.is_some(), self.penalty.is_some(), self.l2.is_some(), self.certificate.is_some()];
        if told.contains(&(self.status == Status::Imported)) {
            return fault(match self.status {
                Status::Imported => "an imported model has no loss, penalty, l2 and certificate".into(),
                _ => "loss, penalty, l2 or certificate is missing".into(),
            });
        }
        match self.sigmoid {
            Some(_) if self.goal == Goal::Rank => return fault("a ranking has no probabilities".into()),
            Some(Sigmoid { a, c }) if !(a.is_finite() && c.is_finite()) => {
                return fault("its sigmoid is not finite".into());
            }
            _ => {}
        }
        match (self.goal, &self.classes[..]) {
            (Goal::Classify, [negative, positive]) if negative != positive => {}
            (Goal::Rank, []) => {}
            (Goal::Classify, _) => return fault("it must name two different classes".into()),
            (Goal::Rank, _) => return fault("a ranking names no classes".into()),
        }
        let counts = [
            Some(self.weights.len()),
            self.names.as_ref().map(Vec::len),
            (!self.scale_factors.is_empty()).then_some(self.scale_factors.len()),
            self.fills.as_ref().map(Vec::len),
        ];
        if counts.into_iter().flatten().any(|count| count != self.indices.len()) {
            return fault("weights, names, fills or scale factors are not as many as indices".into());
        }
        if self.indices.windows(2).any(|pair| pair[0] >= pair[1])
            || self.indices.last().is_some_and(|&last| last as usize >= self.features)
        {
            return fault(format!("indices must ascend and lie below {} features", self.features));
        }
        let numbers = self.weights.iter().chain(self.fills.iter().flatten());
        if !self.intercept.is_finite() || numbers.into_iter().any(|w| !w.is_finite()) {
            return fault("a weight is not a finite number".into());
        }
        Ok(())
    }

    /// The weight of the k-th kept feature on its scaled column, if columns were scaled.
    pub fn scaled_weight(&self, k: usize) -> Option<f64> {
        self.scale_factors.get(k).map(|factor| self.weights[k] / factor)
    }

    /// w as a dense vector of length `d`; features past it are left out.
    pub fn dense_weights(&self, d: usize) -> Vec<f64> {
        let mut w = vec![0.0; d];
        for (&j, &value) in self.indices.iter().zip(&self.weights) {
            if let Some(slot) = w.get_mut(j as usize) {
                *slot = value;
            }
        }
        w
    }

    /// Xw + b for every row of raw data: decision values of a classifier, scores of a ranking. A feature
    /// that the model has not seen counts nothing, and one that the data has not counts as 0.
    pub fn decisions(&self, x: &dyn Design) -> Vec<f64> {
        self.decisions_by(&self.dense_weights(x.cols()), x)
    }

    /// One more than the last kept feature: how long a vector must be to hold every weight.
    pub fn known(&self) -> usize {
        self.indices.last().map_or(0, |&last| last as usize + 1)
    }

    /// [`decisions`](Self::decisions), given w as a dense vector; columns of `x` past its end count nothing, so
    /// that it need not be longer than [`known`](Self::known), however wide `x` is.
    pub fn decisions_by(&self, w: &[f64], x: &dyn Design) -> Vec<f64> {
        let mut scores = vec![0.0; x.rows()];
        match w.get(..x.cols()) {
            Some(w) => x.matvec(w, &mut scores),
            None => scores.iter_mut().enumerate().for_each(|(i, score)| *score = x.row(i).dot_within(w)),
        }
        scores.iter_mut().for_each(|score| *score += self.intercept);
        scores
    }

    /// The label that a decision value stands for; empty for a ranking, which has no labels.
    pub fn label(&self, decision: f64) -> &str {
        self.classes.get(usize::from(decision > 0.0)).map_or("", String::as_str)
    }

    /// The name of the k-th kept feature, or its 1-based index.
    pub fn feature_name(&self, k: usize) -> String {
        self.names.as_ref().map_or_else(|| (self.indices[k] + 1).to_string(), |names| names[k].clone())
    }

    /// True if the negative class is all labels but the positive one.
    pub fn is_against_rest(&self) -> bool {
        matches!(&self.classes[..], [rest, one] if *rest == rest_of(one))
    }

    /// The share of rows whose label is predicted.
    pub fn accuracy(&self, decisions: &[f64], labels: &Labels) -> f64 {
        self.right(decisions, labels) as f64 / decisions.len().max(1) as f64
    }

    /// How many rows have the label that is predicted. Against the rest, every other label is of the rest.
    pub fn right(&self, decisions: &[f64], labels: &Labels) -> usize {
        let against_rest = self.is_against_rest();
        let class_of = |label: &String| match self.classes.iter().position(|class| class == label) {
            None if against_rest => Some(0),
            found => found,
        };
        let of_code: Vec<Option<usize>> = labels.classes().iter().map(class_of).collect();
        let right = decisions
            .iter()
            .zip(labels.codes())
            .filter(|(s, k)| of_code.get(**k as usize) == Some(&Some(usize::from(**s > 0.0))));
        right.count()
    }
}
