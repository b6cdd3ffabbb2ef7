//! What is kept of a fit: enough to predict on raw data, to say where it came from, and to judge it.
//!
//! The file is JSON, versioned, with the nonzero weights only. Weights are in the units of the raw data
//! (column scaling is multiplied in), so that prediction needs nothing else; the factors of the kept
//! features stand beside them.

use std::io::{Read, Write};

use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;

use crate::{Certificate, Design, Error, Goal, Labels, Loss, PenaltySpec, Result, Scaling, Status};

/// Marks our files.
const FORMAT: &str = "sparsvm-model";
/// The newest version that this code reads. It writes 1 for a classifier, which every version reads, 2 for a
/// ranking, which version 1 did not know, and 3 for a model that another program trained.
const VERSION: u32 = 3;

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

/// A binary classifier that another program trained.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The two labels: negative, positive.
    pub classes: Vec<String>,
    /// d.
    pub features: usize,
    /// b.
    pub intercept: f64,
    /// The features whose weight is not 0, 0-based, ascending.
    pub indices: Vec<u32>,
    /// Their weights, in the units of the raw data.
    pub weights: Vec<f64>,
    /// The file that it comes from, and the program that reads it.
    pub provenance: Provenance,
}

impl Model {
    /// A model that another program trained: nothing is known of its objective, and nothing is proved.
    ///
    /// # Errors
    /// [`Error::Model`] if it is inconsistent, or a number is not finite.
    pub fn imported(from: Imported) -> Result<Self> {
        let model = Self {
            format: FORMAT.into(),
            version: version_of(Goal::Classify, Status::Imported),
            goal: Goal::Classify,
            classes: from.classes,
            features: from.features,
            intercept: from.intercept,
            indices: from.indices,
            weights: from.weights,
            names: None,
            scaling: Scaling::None,
            scale_factors: Vec::new(),
            loss: None,
            penalty: None,
            l2: None,
            status: Status::Imported,
            certificate: None,
            provenance: from.provenance,
        };
        model.check()?;
        Ok(model)
    }

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
            version: version_of(trained.goal, solution.status),
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
            scaling,
            scale_factors: if scaled { kept.iter().map(|&j| factors[j]).collect() } else { Vec::new() },
            loss: Some(trained.loss),
            penalty: Some(trained.penalty),
            l2: Some(trained.l2),
            status: solution.status,
            certificate: Some(solution.certificate),
            provenance: trained.provenance,
        };
        model.check()?;
        Ok(model)
    }

    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] that says what is wrong: not JSON, not ours, another version, or inconsistent.
    pub fn read(mut from: impl Read) -> Result<Self> {
        let mut text = Vec::new();
        from.read_to_end(&mut text).map_err(|error| Error::Model(format!("cannot be read: {error}")))?;
        match serde_json::from_slice::<Self>(&text) {
            Ok(model) => model.check().map(|()| model),
            Err(error) => Err(Error::Model(explain(&text, &error))),
        }
    }

    /// Writes the model.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, mut to: impl Write) -> std::io::Result<()> {
        self.serialize(&mut serde_json::Serializer::with_formatter(&mut to, LineAField::default()))?;
        to.write_all(b"\n")?;
        to.flush()
    }

    fn check(&self) -> Result<()> {
        let fault = |text: String| Err(Error::Model(text));
        if self.format != FORMAT {
            return fault(format!("its format is \"{}\", not \"{FORMAT}\"", self.format));
        }
        if !(1..=VERSION).contains(&self.version) {
            return fault(newer(self.version));
        }
        if self.version < version_of(self.goal, self.status) {
            let what = match self.status {
                Status::Imported => "imported models".into(),
                _ => format!("task {}", self.goal),
            };
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
        ];
        if counts.into_iter().flatten().any(|count| count != self.indices.len()) {
            return fault("weights, names or scale factors are not as many as indices".into());
        }
        if self.indices.windows(2).any(|pair| pair[0] >= pair[1])
            || self.indices.last().is_some_and(|&last| last as usize >= self.features)
        {
            return fault(format!("indices must ascend and lie below {} features", self.features));
        }
        if !self.intercept.is_finite() || self.weights.iter().any(|w| !w.is_finite()) {
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

    /// Xw + b for every row of raw data: decision values of a classifier, scores of a ranking. A feature that the model has not seen counts nothing, and one
    /// that the data has not counts as 0.
    pub fn decisions(&self, x: &dyn Design) -> Vec<f64> {
        let mut scores = vec![0.0; x.rows()];
        x.matvec(&self.dense_weights(x.cols()), &mut scores);
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

    /// The share of rows whose label is predicted.
    pub fn accuracy(&self, decisions: &[f64], labels: &Labels) -> f64 {
        let of_class: Vec<&str> = labels.classes().iter().map(String::as_str).collect();
        let right =
            decisions.iter().zip(labels.codes()).filter(|(s, k)| self.label(**s) == of_class[**k as usize]);
        right.count() as f64 / decisions.len().max(1) as f64
    }
}

/// Why a text is not a model, in words that help.
fn explain(text: &[u8], error: &serde_json::Error) -> String {
    #[derive(Deserialize)]
    struct Head {
        format: String,
        version: u32,
    }
    match serde_json::from_slice::<Head>(text) {
        Ok(head) if head.format == FORMAT && !(1..=VERSION).contains(&head.version) => newer(head.version),
        _ if text.starts_with(b"solver_type") => {
            "it is a LIBLINEAR model: `sparsvm import --from liblinear` makes one of ours from it".into()
        }
        _ if error.is_eof() => format!("it ends too early (line {}): the file was cut off", error.line()),
        _ => error.to_string(),
    }
}

/// The least version that knows such a model.
fn version_of(goal: Goal, status: Status) -> u32 {
    match (goal, status) {
        (_, Status::Imported) => 3,
        (Goal::Classify, _) => 1,
        (Goal::Rank, _) => 2,
    }
}

fn newer(version: u32) -> String {
    format!(
        "it has version {version}, and this program reads versions up to {VERSION}: use the sparsvm that wrote it, or train anew"
    )
}

/// JSON with a line for each field and arrays in one line: readable, and small with a million weights.
#[derive(Default)]
struct LineAField {
    depth: usize,
}

impl LineAField {
    fn new_line<W: ?Sized + Write>(&self, to: &mut W) -> std::io::Result<()> {
        to.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| to.write_all(b"  "))
    }
}

impl Formatter for LineAField {
    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> std::io::Result<()> {
        self.depth += 1;
        to.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> std::io::Result<()> {
        self.depth -= 1;
        self.new_line(to)?;
        to.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> std::io::Result<()> {
        if !first {
            to.write_all(b",")?;
        }
        self.new_line(to)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> std::io::Result<()> {
        to.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, Solution};
    use proptest::prelude::*;

    fn solution(w: Vec<f64>, b: f64) -> Solution {
        let certificate = Certificate {
            objective: 0.1,
            loss: 0.05,
            penalty: 0.05,
            lower_bound: 0.1,
            gap: 0.0,
            violation: 0.0,
            complementarity: 0.0,
            imbalance: 0.0,
        };
        Solution {
            w,
            b,
            beta: vec![],
            status: Status::Converged,
            iterations: 1,
            certificate,
            paper_objective: None,
            setup_seconds: 0.0,
            solve_seconds: 0.0,
            global_bound: None,
        }
    }

    fn model(w: Vec<f64>, b: f64, scaling: Scaling, factors: &[f64]) -> Result<Model> {
        made_for(Goal::Classify, w, b, scaling, factors)
    }

    fn made_for(goal: Goal, w: Vec<f64>, b: f64, scaling: Scaling, factors: &[f64]) -> Result<Model> {
        let labels = Labels::from_numbers(&[1.0, 2.0]);
        let trained = Trained {
            goal,
            classes: labels.classes(),
            names: None,
            scaling: (scaling, factors),
            loss: Loss::HuberHinge { delta: 0.3 },
            penalty: PenaltySpec::new(Family::CappedL1, 0.1),
            l2: 0.01,
            provenance: Provenance { program: "test".into(), ..Provenance::default() },
        };
        Model::new(&solution(w, b), trained)
    }

    proptest! {
        #[test]
        fn round_trip_keeps_every_bit(w in prop::collection::vec(prop_oneof![Just(0.0), any::<f64>()], 1..20), b in any::<f64>()) {
            prop_assume!(b.is_finite() && w.iter().all(|w| w.is_finite()));
            for goal in Goal::ALL {
                let before = made_for(goal, w.clone(), b, Scaling::None, &[]).unwrap();
                let mut text = Vec::new();
                before.write(&mut text).unwrap();
                prop_assert_eq!(Model::read(&text[..]).unwrap(), before);
            }
        }

        #[test]
        fn a_cut_or_changed_file_is_an_error_or_a_whole_model(cut in 0usize..1000, byte in any::<u8>()) {
            let mut text = Vec::new();
            model(vec![1.5, 0.0, -2.0], 0.5, Scaling::None, &[]).unwrap().write(&mut text).unwrap();
            let cut = cut % (text.len() - 1);
            prop_assert!(Model::read(&text[..cut]).is_err());
            text[cut] = byte;
            if let Ok(read) = Model::read(&text[..]) {
                prop_assert!(read.check().is_ok());
            }
        }
    }

    #[test]
    fn weights_are_in_raw_units() {
        let scaled = model(vec![2.0, 0.0, 3.0], 0.5, Scaling::MaxAbs, &[0.5, 1.0, 10.0]).unwrap();
        assert_eq!((scaled.indices, scaled.weights), (vec![0, 2], vec![1.0, 30.0]));
        assert_eq!(scaled.scale_factors, vec![0.5, 10.0]);
    }

    #[test]
    fn a_classifier_is_written_as_version_1_knows_it() {
        let text = |goal| {
            let mut text = Vec::new();
            made_for(goal, vec![1.5], 0.0, Scaling::None, &[]).unwrap().write(&mut text).unwrap();
            String::from_utf8(text).unwrap()
        };
        let (old, new) = (text(Goal::Classify), text(Goal::Rank));
        assert!(old.contains("\"version\": 1,") && !old.contains("task"), "{old}");
        assert!(new.contains("\"version\": 2,") && new.contains("\"task\": \"rank\""), "{new}");
        for (from, to) in [("\"version\": 2", "\"version\": 1"), ("\"rank\"", "\"classify\"")] {
            assert!(Model::read(new.replace(from, to).as_bytes()).is_err());
        }
    }

    #[test]
    fn an_imported_model_says_so_and_claims_nothing() {
        let imported = Imported {
            classes: vec!["-1".into(), "1".into()],
            features: 3,
            intercept: 0.5,
            indices: vec![0, 2],
            weights: vec![1.5, -2.0],
            provenance: Provenance::default(),
        };
        assert!(Model::imported(Imported { weights: vec![f64::NAN, 0.0], ..imported.clone() }).is_err());
        let model = Model::imported(imported).unwrap();
        let mut text = Vec::new();
        model.write(&mut text).unwrap();
        assert_eq!(Model::read(&text[..]).unwrap(), model);
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("\"version\": 3,") && text.contains("\"status\": \"imported\""), "{text}");
        assert!(!text.contains("certificate") && !text.contains("penalty"), "{text}");
        // Neither an old version nor a trained model may lack a certificate.
        for (from, to) in [("\"version\": 3", "\"version\": 2"), ("\"imported\"", "\"converged\"")] {
            assert!(Model::read(text.replace(from, to).as_bytes()).is_err());
        }
    }

    #[test]
    fn refusals_name_the_fault() {
        let refused = |text: &str| Model::read(text.as_bytes()).unwrap_err().to_string();
        assert!(refused("").contains("cut off"));
        assert!(refused("solver_type L1R_L2LOSS_SVC").contains("LIBLINEAR"));
        assert!(refused(r#"{"format": "sparsvm-model", "version": 9}"#).contains("version 9"));
        assert!(model(vec![f64::NAN], 0.0, Scaling::None, &[]).is_err());
    }
}
