//! What `cv` has to say: a table for people, an object for machines.

use std::io::{self, Write};

use serde::Serialize;
use sparsvm_core::select::{Choice, CrossValidation, Curve, NestedCv, Place, Rule, Score, Variant};
use sparsvm_core::{Family, Intercept, PenaltySpec};

use crate::args::CvArgs;
use crate::choose::{at, failures, reason, with_error};
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
    classes: &'a [String],
    loss_function: String,
    l2: f64,
    scale: &'static str,
    measure: Score,
    rule: Rule,
    folds: usize,
    repeats: usize,
    seed: u64,
    candidates: Vec<Tried>,
    best: Option<Point>,
    chosen: Point,
    /// Features at the chosen λ: those of the model on all data, and those of the folds' models.
    selected: Vec<Feature>,
    /// What the models that never saw a row say about it at the chosen λ (first repeat).
    held_out: Vec<Option<f64>>,
    failures: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested: Option<Nested>,
    /// What a page shows; only in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Run>,
    #[serde(skip)]
    curves: &'a [Curve],
    #[serde(skip)]
    choice: Choice,
}

/// A penalty and its λ: arrays of the same length.
#[derive(Debug, Serialize)]
struct Tried {
    penalty: &'static str,
    theta: Option<f64>,
    intercept: Intercept,
    lambda: Vec<f64>,
    nonzeros: Vec<Option<usize>>,
    mean: Vec<Option<f64>>,
    se: Vec<Option<f64>>,
    folds_scored: Vec<usize>,
    svmic: Vec<Option<f64>>,
}

/// One of the λ.
#[derive(Debug, Clone, Serialize)]
struct Point {
    penalty: &'static str,
    theta: Option<f64>,
    intercept: Intercept,
    lambda: f64,
    nonzeros: Option<usize>,
    score: Option<f64>,
    se: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Feature {
    /// From 1, as in LIBSVM files.
    index: u32,
    name: String,
    /// In the model on all data, in the units of the raw data.
    weight: f64,
    /// The share of folds that keep it, and of those the share with the more frequent sign.
    frequency: f64,
    sign: i8,
    sign_stability: f64,
}

/// The outer folds.
#[derive(Debug, Serialize)]
struct Nested {
    folds: usize,
    score: Option<f64>,
    se: Option<f64>,
    scores: Vec<Option<f64>>,
    lambda: Vec<Option<f64>>,
    nonzeros: Vec<Option<usize>>,
    failures: Vec<String>,
}

fn theta(spec: &PenaltySpec) -> Option<f64> {
    (spec.family != Family::L1).then_some(spec.theta)
}

fn point(curves: &[Curve], place: Place) -> Point {
    let (Variant { penalty, intercept }, at) = (curves[place.candidate].variant, at(curves, place));
    Point {
        intercept,
        penalty: penalty.family.name(),
        theta: theta(&penalty),
        lambda: at.lambda,
        nonzeros: at.features,
        score: at.mean,
        se: at.se,
    }
}

impl<'a> Report<'a> {
    pub(super) fn new(
        loaded: &'a Loaded,
        args: &CvArgs,
        (found, curves, choice): (&CrossValidation, &'a [Curve], Choice),
        nested: Option<&NestedCv>,
    ) -> Self {
        let tried = |curve: &Curve| Tried {
            penalty: curve.variant.penalty.family.name(),
            theta: theta(&curve.variant.penalty),
            intercept: curve.variant.intercept,
            lambda: curve.points.iter().map(|p| p.lambda).collect(),
            nonzeros: curve.points.iter().map(|p| p.features).collect(),
            mean: curve.points.iter().map(|p| p.mean).collect(),
            se: curve.points.iter().map(|p| p.se).collect(),
            folds_scored: curve.points.iter().map(|p| p.folds).collect(),
            svmic: curve.points.iter().map(|p| p.criterion).collect(),
        };
        Self {
            data: &loaded.task.data_name,
            samples: loaded.data.design().rows(),
            features: loaded.data.design().cols(),
            classes: loaded.data.labels().classes(),
            loss_function: loaded.task.loss.to_string(),
            l2: loaded.task.l2,
            scale: loaded.task.scaling.name(),
            measure: args.choice.score(),
            rule: args.choice.rule(),
            folds: found.folds.count(),
            repeats: found.folds.repeats(),
            seed: args.seed,
            candidates: curves.iter().map(tried).collect(),
            best: choice.best.map(|place| point(curves, place)),
            chosen: point(curves, choice.chosen),
            selected: selected(loaded, found, choice.chosen),
            held_out: found.held_out_decisions(choice.chosen),
            failures: failures(found),
            nested: nested.map(Nested::new),
            report: None,
            curves,
            choice,
        }
    }

    pub(super) fn with_run(self, run: Run) -> Self {
        Self { report: Some(run), ..self }
    }

    /// For `--json`.
    pub(super) fn without_run(self) -> Self {
        Self { report: None, ..self }
    }

    /// One line a λ, as RFC 4180 has it; no field needs quotes.
    pub(super) fn write_csv(&self, to: &mut dyn Write) -> io::Result<()> {
        write!(to, "penalty,theta,intercept,lambda,nonzeros,mean,se,folds_scored,svmic,mark\r\n")?;
        let text = |x: Option<f64>| x.map(|x| format!("{x:?}")).unwrap_or_default();
        for (candidate, curve) in self.curves.iter().enumerate() {
            let Variant { penalty, intercept } = curve.variant;
            let (family, theta) = (penalty.family, text(theta(&penalty)));
            for (lambda, p) in curve.points.iter().enumerate() {
                let kept = p.features.map(|k| k.to_string()).unwrap_or_default();
                write!(
                    to,
                    "{family},{theta},{intercept},{:?},{kept},{},{},",
                    p.lambda,
                    text(p.mean),
                    text(p.se)
                )?;
                let mark = self.mark(Place { candidate, lambda });
                write!(to, "{},{},{mark}\r\n", p.folds, text(p.criterion))?;
            }
        }
        Ok(())
    }

    fn mark(&self, place: Place) -> &'static str {
        match (self.choice.best == Some(place), self.choice.chosen == place) {
            (true, true) => "best chosen",
            (true, false) => "best",
            (false, true) => "chosen",
            (false, false) => "",
        }
    }

    /// A line for each λ, and below what was chosen.
    pub(super) fn table(&self, written: &[String]) -> String {
        let bic = self.rule == Rule::Bic;
        let mut text = String::new();
        for (candidate, curve) in self.curves.iter().enumerate() {
            let mut heading = vec!["lambda", "features", self.measure.name(), "se"];
            heading.extend(bic.then_some("SVMIC_H"));
            let mut table = Table::new(&heading);
            let lambdas = words::column(&curve.points.iter().map(|p| p.lambda).collect::<Vec<_>>());
            for (lambda, p) in curve.points.iter().enumerate() {
                let told = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.4}"));
                let kept = p.features.map_or("-".into(), |k| k.to_string());
                let mut row = vec![lambdas[lambda].clone(), kept, told(p.mean), told(p.se)];
                row.extend(bic.then(|| p.criterion.map_or("-".into(), |x| format!("{x:.2}"))));
                row.push(self.mark(Place { candidate, lambda }).into());
                table.add(row);
            }
            text += &format!("{}\n{}\n", words::variant(&curve.variant), table.render());
        }
        text + &self.facts(written).render()
    }

    fn facts(&self, written: &[String]) -> Facts {
        let mut facts = Facts::default();
        let (rows, features) = (words::count(self.samples, "row"), words::count(self.features, "feature"));
        facts.add("data", format!("{}: {rows}, {features}", self.data));
        let repeats = if self.repeats > 1 { format!(", {} times", self.repeats) } else { String::new() };
        facts.add("folds", format!("{}{repeats}, seed {}", self.folds, self.seed));
        let told = |point: &Point| {
            let kept = words::count(point.nonzeros.unwrap_or(0), "feature");
            let score = with_error(self.measure, point.score, point.se);
            format!(
                "lambda {} of {}{}: {kept}, {} {score}",
                words::number(point.lambda),
                point.penalty,
                words::with_intercept(point.intercept),
                self.measure
            )
        };
        facts.extend("best", self.best.as_ref().map(told));
        facts.add("chosen", format!("{} ({}: {})", told(&self.chosen), self.rule, reason(self.rule)));
        if let Some(nested) = &self.nested {
            let score = with_error(self.measure, nested.score, nested.se);
            let kept: Vec<String> = nested.nonzeros.iter().flatten().map(ToString::to_string).collect();
            let what =
                format!("{} {score}: the whole procedure on {} outer folds", self.measure, nested.folds);
            facts.add("nested", format!("{what}, which kept {} features", kept.join(", ")));
            nested.failures.iter().for_each(|why| facts.add("failed", why.clone()));
        }
        let steady = self.selected.iter().filter(|f| f.weight != 0.0 && f.frequency >= 0.5).count();
        let kept = self.selected.iter().filter(|f| f.weight != 0.0).count();
        facts.add(
            "features",
            format!("{steady} of the {kept} that are kept are kept in half of the folds or more"),
        );
        self.failures.iter().for_each(|why| facts.add("failed", why.clone()));
        facts.extend("written", (!written.is_empty()).then(|| written.join(", ")));
        facts
    }
}

fn selected(loaded: &Loaded, found: &CrossValidation, place: Place) -> Vec<Feature> {
    let of_folds = found.selected(place);
    let kept = &found.candidates[place.candidate].whole.points[place.lambda].w;
    let frequent = |j: u32| of_folds.iter().find(|selected| selected.feature == j);
    let weight = |j: u32| kept.iter().find(|(k, _)| *k == j).map_or(0.0, |(_, w)| *w);
    let mut all: Vec<u32> = of_folds.iter().map(|f| f.feature).collect();
    all.extend(kept.iter().map(|(j, _)| *j).filter(|j| frequent(*j).is_none()));
    let feature = |j: u32| Feature {
        index: j + 1,
        name: loaded.data.feature_name(j as usize),
        weight: weight(j),
        frequency: frequent(j).map_or(0.0, |f| f.frequency()),
        sign: frequent(j).map_or(0, |f| f.sign()),
        sign_stability: frequent(j).map_or(0.0, |f| f.sign_stability()),
    };
    all.into_iter().map(feature).collect()
}

/// What the outer folds say, and of how many features.
pub(super) fn nested_in_words(nested: &NestedCv, score: Score) -> (String, String) {
    let kept = nested.outer.iter().flatten().map(|fold| fold.w.len());
    let kept: Vec<String> = kept.map(|count| count.to_string()).collect();
    let folds = nested.folds.count();
    let note = format!("{score} on {folds} outer folds, which kept {} features", kept.join(", "));
    (with_error(score, nested.mean, nested.se), note)
}

impl Nested {
    fn new(nested: &NestedCv) -> Self {
        let good = || nested.outer.iter().map(|fold| fold.as_ref().ok());
        let failed = nested.outer.iter().enumerate();
        let failures = failed
            .filter_map(|(k, fold)| fold.as_ref().err().map(|why| format!("outer fold {}: {why}", k + 1)));
        Self {
            folds: nested.folds.count(),
            score: nested.mean,
            se: nested.se,
            scores: nested.scores.clone(),
            lambda: good().map(|fold| fold.map(|fold| fold.variant.penalty.lambda)).collect(),
            nonzeros: good().map(|fold| fold.map(|fold| fold.w.len())).collect(),
            failures: failures.collect(),
        }
    }
}
