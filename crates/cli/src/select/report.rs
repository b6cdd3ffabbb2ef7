//! What `select` has to say: a table for people, an object for machines.

use std::io::{self, Write};

use serde::Serialize;
use sparsvm_core::Family;
use sparsvm_core::select::{Selector, Stability, StabilitySettings};

use crate::load::Loaded;
use crate::output::{Facts, Table};
use crate::page::Run;
use crate::words;

/// The fields' names are those of `--json` and of the JSON file.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    data: &'a str,
    samples: usize,
    features: usize,
    penalty: &'static str,
    theta: Option<f64>,
    loss_function: String,
    scale: &'static str,
    pairs: usize,
    halves: usize,
    seed: u64,
    threshold: f64,
    /// The most features a half selects, or their mean at a given λ.
    q: f64,
    mean_selected: f64,
    lambda: Option<f64>,
    /// q²/((2 threshold - 1) d).
    bound: f64,
    /// How many are at or above the threshold.
    stable: usize,
    /// Every feature that some half selected, the most frequent first.
    selected: Vec<Feature>,
    failures: &'a [String],
    /// What a page shows; only in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Run>,
}

#[derive(Debug, Serialize)]
struct Feature {
    /// From 1, as in LIBSVM files.
    index: u32,
    name: String,
    frequency: f64,
    sign: i8,
    sign_stability: f64,
    stable: bool,
}

impl<'a> Report<'a> {
    pub(super) fn new(loaded: &'a Loaded, settings: &StabilitySettings, found: &'a Stability) -> Self {
        let stable = found.stable().count();
        let feature = |(k, f): (usize, &sparsvm_core::select::Selected)| Feature {
            index: f.feature + 1,
            name: loaded.data.feature_name(f.feature as usize),
            frequency: f.frequency(),
            sign: f.sign(),
            sign_stability: f.sign_stability(),
            stable: k < stable,
        };
        let penalty = settings.variant.penalty;
        Self {
            data: &loaded.task.data_name,
            samples: loaded.data.design().rows(),
            features: found.columns,
            penalty: penalty.family.name(),
            theta: (penalty.family != Family::L1).then_some(penalty.theta),
            loss_function: loaded.task.loss.to_string(),
            scale: loaded.task.scaling.name(),
            pairs: settings.pairs,
            halves: found.halves,
            seed: settings.seed,
            threshold: found.threshold,
            q: found.q,
            mean_selected: found.mean_selected,
            lambda: match settings.selector {
                Selector::AtLambda(lambda) => Some(lambda),
                Selector::AtMost(_) => None,
            },
            bound: found.bound(),
            stable,
            selected: found.features.iter().enumerate().map(feature).collect(),
            failures: &found.failures,
            report: None,
        }
    }

    pub(super) fn with_run(self, run: Run) -> Self {
        Self { report: Some(run), ..self }
    }

    /// For `--json`.
    pub(super) fn without_run(self) -> Self {
        Self { report: None, ..self }
    }

    /// One line a feature; names are quoted as RFC 4180 has it.
    pub(super) fn write_csv(&self, to: &mut dyn Write) -> io::Result<()> {
        write!(to, "index,name,frequency,sign,sign_stability,stable\r\n")?;
        for f in &self.selected {
            let name = f.name.replace('"', "\"\"");
            write!(
                to,
                "{},\"{name}\",{:?},{},{:?},{}\r\n",
                f.index, f.frequency, f.sign, f.sign_stability, f.stable
            )?;
        }
        Ok(())
    }

    /// The features, and below what they are worth.
    pub(super) fn table(&self, top: usize, written: &[String]) -> String {
        let mut table = Table::new(&["feature", "selected", "sign", "same sign", ""]);
        let most = if top == 0 { usize::MAX } else { top.max(self.stable) };
        for f in self.selected.iter().take(most) {
            let sign = ["-", "±", "+"]
                [usize::from(f.sign.unsigned_abs()) * (f.sign > 0) as usize + (f.sign >= 0) as usize];
            table.add(vec![
                f.name.clone(),
                words::percent(f.frequency),
                sign.into(),
                words::percent(f.sign_stability),
                if f.stable { "stable" } else { "" }.into(),
            ]);
        }
        let more = match self.selected.len().saturating_sub(most) {
            0 => String::new(),
            more => format!("  and {more} more that some half selected: --top 0 shows all\n"),
        };
        format!("{}{more}\n{}", table.render(), self.facts(written).render())
    }

    fn facts(&self, written: &[String]) -> Facts {
        let mut facts = Facts::default();
        let (rows, features) = (words::count(self.samples, "row"), words::count(self.features, "feature"));
        facts.add("data", format!("{}: {rows}, {features}", self.data));
        let (q, mean) = (words::digits(self.q, 4), words::digits(self.mean_selected, 3));
        let how = match self.lambda {
            Some(lambda) => format!("at lambda {lambda}"),
            None => format!("up to {q} on each"),
        };
        let pairs = words::count(self.pairs, "pair");
        facts.add(
            "halves",
            format!("{pairs}, seed {}: {} selects {how}, {mean} on average", self.seed, self.penalty),
        );
        let least = words::percent(self.threshold);
        facts.add(
            "stable",
            format!("{} on {least} of the halves or more", words::count(self.stable, "feature")),
        );
        facts.add("bound", self.bound_in_words(&q));
        for why in self.failures.iter().take(3) {
            facts.add("failed", why.clone());
        }
        facts.extend("written", (!written.is_empty()).then(|| written.join(", ")));
        facts
    }

    fn bound_in_words(&self, q: &str) -> String {
        let bound = words::digits(self.bound, 3);
        let (d, least) = (self.features, words::digits(self.threshold, 4));
        let which = match self.lambda {
            Some(_) => "; q is estimated by the mean",
            None => "",
        };
        format!(
            "of the features that a half selects no more often than chance would (q/d = {q}/{d}), at most {bound} \
             are expected to be stable: q²/((2·{least} - 1)·d){which}"
        )
    }
}
