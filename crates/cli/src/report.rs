//! What `train` and `demo` have to say, as one structure: a table for people, an object for machines.

use anyhow::Result;
use serde::Serialize;
use sparsvm_core::calibrate::Sigmoid;
use sparsvm_core::penalty::Family;
use sparsvm_core::{Dataset, Goal, Intercept, Status};

use crate::choose::Validated;
use crate::fit::Fitted;
use crate::output::Facts;
use crate::ranked::{self, Ranked};
use crate::words;

/// The result of a training. The fields' names are those of `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    task: Goal,
    objective: f64,
    loss: f64,
    penalty_value: f64,
    nonzeros: usize,
    features: usize,
    samples: usize,
    intercept: f64,
    intercept_is: Intercept,
    iterations: usize,
    status: Status,
    gap: f64,
    violation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    global_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    global_gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    global_everywhere: Option<bool>,
    seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_objective: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_accuracy: Option<f64>,
    /// Of the probabilities, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sigmoid: Option<Sigmoid>,
    #[serde(flatten)]
    ranked: Option<Ranked>,
    #[serde(flatten)]
    test_ranked: Option<TestRanked>,
    solver: &'static str,
    #[serde(flatten)]
    settings: serde_json::Map<String, serde_json::Value>,
    tol: f64,
    penalty: &'static str,
    lambda: f64,
    theta: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cv: Option<Validated>,
    l2: f64,
    loss_function: String,
    scale: &'static str,
    data: String,
    model: Option<String>,
    #[serde(skip)]
    words: Facts,
}

/// How well a ranking ranks other data.
#[derive(Debug, Clone, Copy, Serialize)]
struct TestRanked {
    test_ndcg10: Option<f64>,
    test_pairwise_accuracy: Option<f64>,
}

/// Where the time went, in seconds: reading, what comes before the first iteration, the iterations.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Seconds {
    pub(crate) load: f64,
    pub(crate) setup: f64,
    pub(crate) solve: f64,
}

impl Report {
    /// `load` in seconds; `test` is other data to measure the model on; `model` is where the model goes.
    pub(crate) fn new(
        fitted: &Fitted,
        load: f64,
        test: Option<&Dataset>,
        model: Option<String>,
    ) -> Result<Self> {
        let Fitted { run, model: made, intercept, ranked } = fitted;
        let (solution, certificate) = (&run.solution, &run.solution.certificate);
        let (mut accuracy, mut on_test) = (None, None);
        if let Some(test) = test {
            let decisions = made.decisions(test.design());
            match made.goal {
                Goal::Classify => accuracy = Some((made.accuracy(&decisions, test.labels()), test.labels())),
                Goal::Rank => on_test = Some(Ranked::new(&ranked::queries(test, "--test")?, &decisions)),
            }
        }
        let mut report = Self {
            task: made.goal,
            objective: certificate.objective,
            loss: certificate.loss,
            penalty_value: certificate.penalty,
            nonzeros: solution.nonzeros(),
            features: made.features,
            samples: made.provenance.samples,
            intercept: made.intercept,
            intercept_is: *intercept,
            iterations: solution.iterations,
            status: solution.status,
            gap: certificate.gap,
            violation: certificate.violation,
            global_bound: solution.global_bound.map(|bound| bound.value),
            global_gap: solution.global_bound.map(|bound| bound.gap(certificate.objective)),
            global_everywhere: solution.global_bound.map(|bound| bound.everywhere),
            seconds: Seconds { load, setup: solution.setup_seconds, solve: solution.solve_seconds },
            paper_objective: solution.paper_objective,
            test_accuracy: accuracy.map(|(share, _)| share),
            sigmoid: made.sigmoid,
            ranked: *ranked,
            test_ranked: on_test.map(|ranked| TestRanked {
                test_ndcg10: ranked.ndcg10,
                test_pairwise_accuracy: ranked.pairwise_accuracy,
            }),
            solver: run.solver,
            settings: run.settings.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            tol: run.stopping.tol,
            penalty: run.penalty.family.name(),
            lambda: run.penalty.lambda,
            theta: (run.penalty.family != Family::L1).then_some(run.penalty.theta),
            cv: run.validated.clone(),
            // A model that was trained here has both.
            l2: made.l2.unwrap_or_default(),
            loss_function: made.loss.map(|loss| loss.to_string()).unwrap_or_default(),
            scale: made.scaling.name(),
            data: made.provenance.data.clone(),
            model,
            words: Facts::default(),
        };
        report.words = report.facts(fitted);
        report.words.extend("probabilities", made.sigmoid.map(|_| words::CALIBRATED.into()));
        report.words.extend("ranking", ranked.map(|ranked| ranked.told()));
        let accuracy = accuracy.map(|(share, labels)| words::accuracy_on(share, labels, &made.classes));
        report.words.extend("test accuracy", accuracy);
        report.words.extend("test ranking", on_test.map(|ranked| ranked.told()));
        report.words.extend("model", report.model.clone());
        Ok(report)
    }

    /// On other data, if there was any.
    pub(crate) fn test_accuracy(&self) -> Option<f64> {
        self.test_accuracy
    }

    /// Says where the page is.
    pub(crate) fn with_page(mut self, page: Option<String>) -> Self {
        self.words.extend("report", page);
        self
    }

    /// The table.
    pub(crate) fn table(&self) -> String {
        self.words.render()
    }

    fn facts(&self, fitted: &Fitted) -> Facts {
        let run = &fitted.run;
        let number = words::number;
        let mut facts = Facts::default();
        let (rows, features) = (words::count(self.samples, "row"), words::count(self.features, "feature"));
        facts.add("data", format!("{}: {rows}, {features}", self.data));
        let ridge = if self.l2 > 0.0 { format!(" + l2 {}", self.l2) } else { String::new() };
        let of = words::counted(self.task);
        let b = if self.task == Goal::Rank { "" } else { words::with_intercept(self.intercept_is) };
        facts.add("problem", format!("{} loss{of} + {}{ridge}{b}", self.loss_function, run.penalty));
        let told = run.settings.iter().filter(|(_, value)| *value != 0.0);
        let settings: String = told.map(|(name, value)| format!(", {name} {value}")).collect();
        facts.add(
            "solver",
            format!("{}{settings}: {}", self.solver, words::count(self.iterations, "iteration")),
        );
        let hint = match self.nonzeros {
            0 if self.cv.is_some() => ": no feature is worth its error; see `sparsvm cv`, or give a --lambda",
            0 => ": try a smaller --lambda",
            _ => "",
        };
        if let Some(cv) = &self.cv {
            facts.add("lambda", cv.told(self.lambda));
            facts.add(&format!("cv {}", cv.measure), cv.scored());
        }
        facts.extend("lambda", run.chosen.map(|chosen| words::chosen(self.lambda, &chosen)));
        facts.add("features kept", format!("{} of {}{hint}", self.nonzeros, self.features));
        let parts = (number(self.loss), number(self.penalty_value));
        facts
            .add("objective", format!("{} = loss {} + penalty {}", number(self.objective), parts.0, parts.1));
        if let Some(value) = self.paper_objective {
            facts
                .add("", format!("{} is the paper's objective, which the stop rule looks at", number(value)));
        }
        facts.add("certificate", words::gap(&run.solution.certificate, &run.penalty));
        facts.add("", words::violation(&run.solution.certificate));
        let global = run.solution.global_bound;
        facts.extend("global bound", global.map(|bound| words::global_bound(&bound, self.objective)));
        facts.add(
            "status",
            match run.chosen {
                Some(chosen) if self.status.is_cut_short() => {
                    let what = if chosen.beside > 0 { "search" } else { "path" };
                    words::path_status(self.status, what, self.tol)
                }
                _ => words::status(self.status, self.solver, Some(self.tol)),
            },
        );
        let Seconds { load, setup, solve } = self.seconds;
        let [load, setup, solve] = [load, setup, solve].map(words::seconds);
        facts.add("time", format!("load {load}, setup {setup}, solve {solve}"));
        facts
    }
}
