//! What a model file holds, however many classes there are: callers need not tell the cases apart.

use std::io::{Read, Write};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::format::{explain, write};
use super::one_vs_rest::File;
use super::{Model, OneVsRest};
use crate::{Design, Error, Goal, Labels, Result};

/// A model as files hold it.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, never an array of them")]
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// Two classes, or a ranking.
    Single(Model),
    /// More than two classes.
    OneVsRest(OneVsRest),
}

impl Saved {
    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] that says what is wrong: not JSON, not ours, another version, or inconsistent.
    pub fn read(mut from: impl Read) -> Result<Self> {
        #[derive(Deserialize)]
        struct Several {
            #[serde(rename = "machines")]
            _machines: IgnoredAny,
        }
        let mut text = Vec::new();
        from.read_to_end(&mut text).map_err(|error| Error::Model(format!("cannot be read: {error}")))?;
        let fault = |error: serde_json::Error| Error::Model(explain(&text, &error));
        if serde_json::from_slice::<Several>(&text).is_ok() {
            let file: File = serde_json::from_slice(&text).map_err(fault)?;
            return OneVsRest::try_from(file).map(Self::OneVsRest);
        }
        let model: Model = serde_json::from_slice(&text).map_err(fault)?;
        model.check().map(|()| Self::Single(model))
    }

    /// Writes the model.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, to: impl Write) -> std::io::Result<()> {
        match self {
            Self::Single(model) => write(model, to),
            Self::OneVsRest(several) => write(&File::from(several), to),
        }
    }

    /// Puts machines together: one, or one for each class.
    ///
    /// # Errors
    /// [`Error::Model`] if they do not belong together.
    pub fn new(classes: &[String], mut machines: Vec<Model>) -> Result<Self> {
        match (machines.len(), machines.pop()) {
            (1, Some(model)) => Ok(Self::Single(model)),
            (_, last) => {
                machines.extend(last);
                Ok(Self::OneVsRest(OneVsRest::new(classes.to_vec(), machines)?))
            }
        }
    }

    /// One for two classes and for a ranking, else one for each class.
    pub fn machines(&self) -> &[Model] {
        match self {
            Self::Single(model) => std::slice::from_ref(model),
            Self::OneVsRest(several) => several.machines(),
        }
    }

    /// The labels: negative and positive, or one for each machine; none for a ranking.
    pub fn classes(&self) -> &[String] {
        match self {
            Self::Single(model) => &model.classes,
            Self::OneVsRest(several) => several.classes(),
        }
    }

    /// What it is for.
    pub fn goal(&self) -> Goal {
        self.machines()[0].goal
    }

    /// True if it tells probabilities.
    pub fn is_calibrated(&self) -> bool {
        self.machines()[0].sigmoid.is_some()
    }

    /// The decision values of each machine for every row of raw data; see [`Model::decisions`].
    pub fn decisions(&self, x: &dyn Design) -> Vec<Vec<f64>> {
        self.machines().iter().map(|machine| machine.decisions(x)).collect()
    }

    /// The class of each row, by its number; nothing for a ranking. Of two classes the second has positive
    /// decision values, of more the largest value wins, and of equal ones the first class.
    pub fn predicted(&self, decisions: &[Vec<f64>]) -> Vec<usize> {
        match decisions {
            _ if self.goal() == Goal::Rank => Vec::new(),
            [] => Vec::new(),
            [of_one] => of_one.iter().map(|s| usize::from(*s > 0.0)).collect(),
            [first, ..] => (0..first.len()).map(|i| largest(decisions, i)).collect(),
        }
    }

    /// The label of each row; see [`predicted`](Self::predicted).
    pub fn labels(&self, decisions: &[Vec<f64>]) -> Vec<&str> {
        let classes = self.classes();
        self.predicted(decisions).into_iter().map(|k| classes[k].as_str()).collect()
    }

    /// The probability of each class for every row: a vector for each class. Those of several machines are
    /// divided by their sum; where every class is ruled out, none is likelier than another.
    ///
    /// # Errors
    /// [`Error::Model`] if it was not calibrated, or ranks.
    pub fn probabilities(&self, decisions: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        if self.goal() == Goal::Rank {
            return Err(Error::Model("it ranks, and a ranking has no probabilities".into()));
        }
        let mut each = Vec::with_capacity(self.classes().len());
        for (machine, scores) in self.machines().iter().zip(decisions) {
            let sigmoid = machine.sigmoid.ok_or_else(|| {
                Error::Model(
                    "it has no probabilities: train it with --probability (in Python, probability=True)"
                        .into(),
                )
            })?;
            each.push(scores.iter().map(|s| sigmoid.probability(*s)).collect::<Vec<f64>>());
        }
        if let [positive] = &each[..] {
            let negative = positive.iter().map(|p| 1.0 - p).collect();
            each.insert(0, negative);
            return Ok(each);
        }
        let equal = 1.0 / each.len().max(1) as f64;
        for i in 0..each.first().map_or(0, Vec::len) {
            let total: f64 = each.iter().map(|of_class| of_class[i]).sum();
            each.iter_mut().for_each(|p| p[i] = if total > 0.0 { p[i] / total } else { equal });
        }
        Ok(each)
    }

    /// The share of rows whose label is predicted.
    pub fn accuracy(&self, decisions: &[Vec<f64>], labels: &Labels) -> f64 {
        self.right(decisions, labels) as f64 / labels.len().max(1) as f64
    }

    /// How many rows have the label that is predicted.
    pub fn right(&self, decisions: &[Vec<f64>], labels: &Labels) -> usize {
        if let (Self::Single(model), [of_one]) = (self, decisions) {
            return model.right(of_one, labels);
        }
        let of_row = |k: u32| labels.classes().get(k as usize).map(String::as_str);
        let found = self.labels(decisions);
        found.iter().zip(labels.codes()).filter(|(label, k)| Some(**label) == of_row(**k)).count()
    }
}

/// The machine with the largest value for a row; of equal ones the first.
fn largest(decisions: &[Vec<f64>], i: usize) -> usize {
    (1..decisions.len()).fold(0, |best, k| if decisions[k][i] > decisions[best][i] { k } else { best })
}
