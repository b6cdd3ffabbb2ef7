//! What `train` has to say of several classes: a table for people, an object for machines.

use std::collections::BTreeSet;

use serde::Serialize;
use sparsvm_core::calibrate::Sigmoid;
use sparsvm_core::{Family, Goal, Intercept, Saved, Status};

use crate::choose::Validated;
use crate::fit::Fitted;
use crate::load::Loaded;
use crate::output::{Facts, Table};
use crate::report::Seconds;
use crate::words;

/// The fields' names are those of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    task: Goal,
    classes: Vec<String>,
    machines: Vec<Machine>,
    /// Features that some class keeps.
    nonzeros: usize,
    features: usize,
    samples: usize,
    /// The worst of the classes.
    gap: f64,
    violation: f64,
    status: Status,
    seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_accuracy: Option<f64>,
    probability: bool,
    solver: &'static str,
    #[serde(flatten)]
    settings: serde_json::Map<String, serde_json::Value>,
    tol: f64,
    penalty: &'static str,
    theta: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cv: Option<Validated>,
    l2: f64,
    intercept_is: Intercept,
    loss_function: String,
    scale: &'static str,
    data: String,
    model: Option<String>,
    #[serde(skip)]
    tested: Option<String>,
}

/// A class against all others.
#[derive(Debug, Serialize)]
struct Machine {
    class: String,
    /// Rows of the class.
    rows: usize,
    lambda: f64,
    nonzeros: usize,
    intercept: f64,
    objective: f64,
    loss: f64,
    penalty_value: f64,
    iterations: usize,
    gap: f64,
    violation: f64,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    sigmoid: Option<Sigmoid>,
}

impl Report {
    pub(super) fn new(fitted: &[Fitted], saved: &Saved, loaded: &Loaded, model: Option<String>) -> Self {
        let labels = loaded.data.labels();
        let (run, first) = (&fitted[0].run, &saved.machines()[0]);
        let machine = |(k, fitted): (usize, &Fitted)| {
            let (solution, model) = (&fitted.run.solution, &fitted.model);
            Machine {
                class: labels.classes()[k].clone(),
                rows: labels.codes().iter().filter(|code| **code as usize == k).count(),
                lambda: fitted.run.penalty.lambda,
                nonzeros: model.indices.len(),
                intercept: model.intercept,
                objective: solution.certificate.objective,
                loss: solution.certificate.loss,
                penalty_value: solution.certificate.penalty,
                iterations: solution.iterations,
                gap: solution.certificate.gap,
                violation: solution.certificate.violation,
                status: solution.status,
                sigmoid: model.sigmoid,
            }
        };
        let machines: Vec<Machine> = fitted.iter().enumerate().map(machine).collect();
        let kept: BTreeSet<u32> = saved.machines().iter().flat_map(|model| &model.indices).copied().collect();
        let tested = loaded.test.as_ref().map(|test| {
            let share = saved.accuracy(&saved.decisions(test.design()), test.labels());
            (share, words::accuracy_on(share, test.labels(), saved.classes()))
        });
        let seconds = |of: fn(&Fitted) -> f64| fitted.iter().map(of).sum();
        // A grid of settings may have taken another one for each class; the model tells which.
        let common = |(name, value): &&(&'static str, f64)| {
            fitted.iter().all(|fitted| fitted.run.settings.contains(&(*name, *value)))
        };
        let settings = run.settings.iter().filter(common);
        Self {
            task: first.goal,
            classes: saved.classes().to_vec(),
            nonzeros: kept.len(),
            features: first.features,
            samples: labels.len(),
            gap: machines.iter().map(|machine| machine.gap).fold(0.0, f64::max),
            violation: machines.iter().map(|machine| machine.violation).fold(0.0, f64::max),
            status: machines
                .iter()
                .map(|machine| machine.status)
                .find(|status| *status != Status::Converged)
                .unwrap_or(Status::Converged),
            seconds: Seconds {
                load: loaded.seconds,
                setup: seconds(|fitted| fitted.run.solution.setup_seconds),
                solve: seconds(|fitted| fitted.run.solution.solve_seconds),
            },
            test_accuracy: tested.as_ref().map(|(share, _)| *share),
            probability: saved.is_calibrated(),
            solver: run.solver,
            settings: settings.map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            tol: run.stopping.tol,
            penalty: run.penalty.family.name(),
            theta: (run.penalty.family != Family::L1).then_some(run.penalty.theta),
            cv: run.validated.clone(),
            l2: loaded.task.l2,
            intercept_is: loaded.task.intercept,
            loss_function: loaded.task.loss.to_string(),
            scale: first.scaling.name(),
            data: loaded.task.data_name.clone(),
            model,
            tested: tested.map(|(_, told)| told),
            machines,
        }
    }

    /// Facts, and a line for each class.
    pub(super) fn table(&self, fitted: &[Fitted]) -> String {
        let mut facts = Facts::default();
        let (rows, features) = (words::count(self.samples, "row"), words::count(self.features, "feature"));
        let classes = format!("{} classes", self.classes.len());
        facts.add("data", format!("{}: {rows}, {features}, {classes}, each against the rest", self.data));
        let ridge = if self.l2 > 0.0 { format!(" + l2 {}", self.l2) } else { String::new() };
        let shape = words::shape(&fitted[0].run.penalty);
        let b = words::with_intercept(self.intercept_is);
        facts.add("problem", format!("{} loss + {shape}{ridge}{b}", self.loss_function));
        let iterations = self.machines.iter().map(|machine| machine.iterations).sum();
        facts.add("solver", format!("{}: {}", self.solver, words::count(iterations, "iteration")));
        if let Some(cv) = &self.cv {
            facts.add("lambda", cv.told(self.machines[0].lambda));
            facts.add(&format!("cv {}", cv.measure), cv.scored());
        }
        facts.add("features kept", format!("{} of {}, by any class", self.nonzeros, self.features));
        let worst = (words::digits(self.gap, 2), words::digits(self.violation, 2));
        facts.add("certificate", format!("gap {}, violation {}: the worst of the classes", worst.0, worst.1));
        facts.add("status", words::status(self.status, self.solver, Some(self.tol)));
        let [load, setup, solve] =
            [self.seconds.load, self.seconds.setup, self.seconds.solve].map(words::seconds);
        facts.add("time", format!("load {load}, setup {setup}, solve {solve}"));
        facts.extend("probabilities", self.probability.then(|| words::CALIBRATED.into()));
        facts.extend("test accuracy", self.tested.clone());
        facts.extend("model", self.model.clone());
        let mut table =
            Table::new(&["class", "rows", "lambda", "features", "objective", "gap", "violation", "status"]);
        for machine in &self.machines {
            table.add(vec![
                machine.class.clone(),
                machine.rows.to_string(),
                words::number(machine.lambda),
                machine.nonzeros.to_string(),
                words::number(machine.objective),
                words::digits(machine.gap, 2),
                words::digits(machine.violation, 2),
                machine.status.name().into(),
            ]);
        }
        format!("{}\n{}", facts.render(), table.render())
    }
}
