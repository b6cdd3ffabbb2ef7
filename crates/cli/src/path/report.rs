//! What `path` has to say: arrays with an entry for each λ, as JSON, as CSV and as a table.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use sparsvm_core::path::PathSettings;
use sparsvm_core::penalty::Family;
use sparsvm_core::{Dataset, Model, PenaltySpec, Status};

use crate::fit::Followed;
use crate::load::Loaded;
use crate::output::{Facts, Table};
use crate::page::Run;
use crate::{output, words};

/// The fields' names are those of `--json` and of path.json.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Report<'a> {
    data: &'a str,
    samples: usize,
    features: usize,
    classes: &'a [String],
    penalty: &'static str,
    theta: Option<f64>,
    l2: f64,
    loss_function: String,
    scale: &'static str,
    tol: f64,
    lambda_max: f64,
    /// How the whole path ended.
    path_status: Status,
    load_seconds: f64,
    total_seconds: f64,
    lambda: Vec<f64>,
    nonzeros: Vec<usize>,
    objective: Vec<f64>,
    loss: Vec<f64>,
    gap: Vec<f64>,
    violation: Vec<f64>,
    seconds: Vec<f64>,
    intercept: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_accuracy: Option<Vec<f64>>,
    status: Vec<Status>,
    /// What indices count from.
    index_base: u8,
    /// The features that are kept at some λ, ascending.
    entered: Vec<u32>,
    /// Their names, if they have any.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<Vec<String>>,
    /// In the units of the raw data.
    #[serde(serialize_with = "pairs", skip_serializing_if = "Option::is_none")]
    coefficients: Option<&'a [Model]>,
    /// What a page shows; only in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Run>,
    #[serde(skip)]
    spec: PenaltySpec,
    #[serde(skip)]
    asked: (usize, Option<usize>),
}

/// A list of [index, value] for each model.
fn pairs<S: Serializer>(models: &Option<&[Model]>, to: S) -> Result<S::Ok, S::Error> {
    let of = |model: &Model| -> Vec<(u32, f64)> {
        model.indices.iter().copied().zip(model.weights.iter().copied()).collect()
    };
    to.collect_seq(models.iter().copied().flatten().map(of))
}

impl<'a> Report<'a> {
    pub(super) fn new(followed: &'a Followed, loaded: &'a Loaded, settings: &PathSettings) -> Self {
        let Followed { path, models, seconds } = followed;
        let (points, task) = (&path.points, &loaded.task);
        let accuracies = |test: &Dataset| {
            let accuracy = |model: &Model| model.accuracy(&model.decisions(test.design()), test.labels());
            models.iter().map(accuracy).collect()
        };
        let mut entered: BTreeMap<u32, Option<&str>> = BTreeMap::new();
        for model in models {
            for (k, &j) in model.indices.iter().enumerate() {
                entered.entry(j).or_insert_with(|| model.names.as_ref().map(|names| names[k].as_str()));
            }
        }
        Self {
            data: &task.data_name,
            samples: loaded.data.design().rows(),
            features: loaded.data.design().cols(),
            classes: loaded.data.labels().classes(),
            penalty: task.penalty.family.name(),
            theta: (task.penalty.family != Family::L1).then_some(task.penalty.theta),
            l2: task.l2,
            loss_function: task.loss.to_string(),
            scale: task.scaling.name(),
            tol: settings.exact.stopping.tol,
            lambda_max: path.lambda_max,
            path_status: path.status,
            load_seconds: loaded.seconds,
            total_seconds: *seconds,
            lambda: points.iter().map(|p| p.lambda).collect(),
            nonzeros: points.iter().map(|p| p.w.len()).collect(),
            objective: points.iter().map(|p| p.certificate.objective).collect(),
            loss: points.iter().map(|p| p.certificate.loss).collect(),
            gap: points.iter().map(|p| p.certificate.gap).collect(),
            violation: points.iter().map(|p| p.certificate.violation).collect(),
            seconds: points.iter().map(|p| p.seconds).collect(),
            intercept: models.iter().map(|model| model.intercept).collect(),
            test_accuracy: loaded.test.as_ref().map(accuracies),
            status: points.iter().map(|p| p.status).collect(),
            index_base: 0,
            names: entered.values().map(|name| name.map(str::to_owned)).collect(),
            entered: entered.into_keys().collect(),
            coefficients: Some(models),
            report: None,
            spec: task.penalty,
            asked: (settings.grid.len(), settings.max_features),
        }
    }

    /// For `--json`.
    pub(super) fn without_coefficients(self) -> Self {
        Self { coefficients: None, report: None, ..self }
    }

    pub(super) fn with_run(self, run: Run) -> Self {
        Self { report: Some(run), ..self }
    }

    /// path.json.
    pub(super) fn write_json(&self, to: &mut dyn Write) -> io::Result<()> {
        output::write_json(to, self)
    }

    /// path.csv, as RFC 4180 has it; no field needs quotes.
    pub(super) fn write_csv(&self, to: &mut dyn Write) -> io::Result<()> {
        let tested = if self.test_accuracy.is_some() { ",test_accuracy" } else { "" };
        write!(to, "lambda,nonzeros,objective,loss,gap,violation,seconds,intercept,status{tested}\r\n")?;
        for k in 0..self.lambda.len() {
            write!(to, "{:?},{},{:?},", self.lambda[k], self.nonzeros[k], self.objective[k])?;
            write!(to, "{:?},{:?},{:?},", self.loss[k], self.gap[k], self.violation[k])?;
            write!(to, "{:?},{:?},{}", self.seconds[k], self.intercept[k], self.status[k].name())?;
            match &self.test_accuracy {
                Some(accuracy) => write!(to, ",{:?}\r\n", accuracy[k])?,
                None => write!(to, "\r\n")?,
            }
        }
        Ok(())
    }

    /// A line for each λ, and below what they have in common.
    pub(super) fn table(&self, written: &[String]) -> String {
        let mut heading = vec!["lambda", "features", "F", "loss", "gap", "seconds"];
        if self.test_accuracy.is_some() {
            heading.push("test accuracy");
        }
        let unfinished = self.status.iter().any(|status| *status != Status::Converged);
        if unfinished {
            heading.push("status");
        }
        let mut table = Table::new(&heading);
        let [lambda, objective, loss] =
            [&self.lambda, &self.objective, &self.loss].map(|values| words::column(values));
        for k in 0..lambda.len() {
            let mut row = vec![
                lambda[k].clone(),
                self.nonzeros[k].to_string(),
                objective[k].clone(),
                loss[k].clone(),
                format!("{:.1e}", self.gap[k]),
                format!("{:.3}", self.seconds[k]),
            ];
            row.extend(self.test_accuracy.as_ref().map(|share| format!("{:.2} %", 100.0 * share[k])));
            if self.status[k] != Status::Converged {
                row.push(self.status[k].name().to_owned());
            }
            table.add(row);
        }
        format!("{}\n{}", table.render(), self.facts(written).render())
    }

    fn facts(&self, written: &[String]) -> Facts {
        let mut facts = Facts::default();
        let (rows, features) = (words::count(self.samples, "row"), words::count(self.features, "feature"));
        facts.add("data", format!("{}: {rows}, {features}", self.data));
        let ridge = if self.l2 > 0.0 { format!(" + l2 {}", self.l2) } else { String::new() };
        facts.add("problem", format!("{} loss + {}{ridge}", self.loss_function, words::shape(&self.spec)));
        facts.add(
            "lambda_max",
            format!("{}: no feature is kept from there on", words::number(self.lambda_max)),
        );
        facts.add("path", self.extent());
        facts.add("certificate", self.proof());
        facts.add("status", words::path_status(self.path_status, "path", self.tol));
        let (load, solve) = (words::seconds(self.load_seconds), words::seconds(self.total_seconds));
        facts.add("time", format!("load {load}, path {solve}"));
        facts.extend("test accuracy", self.best_tested());
        facts.extend("written", (!written.is_empty()).then(|| written.join(", ")));
        facts
    }

    fn extent(&self) -> String {
        let (asked, most) = self.asked;
        let made = self.lambda.len();
        let last = match (self.lambda.last(), self.nonzeros.iter().max()) {
            (Some(&lambda), Some(&kept)) => {
                format!(", down to {}, with up to {}", words::number(lambda), words::count(kept, "feature"))
            }
            _ => String::new(),
        };
        let end = match most {
            Some(most) if made < asked && self.is_whole() => {
                format!("; the next one keeps more than {most}")
            }
            _ => String::new(),
        };
        format!("{made} of {asked} lambdas{last}{end}")
    }

    fn is_whole(&self) -> bool {
        !self.path_status.is_cut_short()
    }

    fn proof(&self) -> String {
        let worst = |values: &[f64]| words::digits(values.iter().copied().fold(0.0, f64::max), 2);
        let (gap, violation) = (worst(&self.gap), worst(&self.violation));
        format!("worst gap {gap}, worst violation {violation}, each recomputed from the data")
    }

    /// The highest accuracy, and the strongest penalty that has it.
    fn best_tested(&self) -> Option<String> {
        let shares = self.test_accuracy.as_ref()?;
        let (k, share) =
            shares.iter().enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        let kept = words::count(self.nonzeros[k], "feature");
        Some(format!(
            "{} at most, at lambda {} with {kept}",
            words::percent(*share),
            words::number(self.lambda[k])
        ))
    }
}
