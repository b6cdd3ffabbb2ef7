//! A row of the tables in words, and the notes below them.

use sparsvm_core::Status;

use super::cell::{Measured, Outcome};
use super::published::SOURCE;
use super::report::{Report, Row};
use crate::words;

/// Columns of what was measured.
pub(super) const MEASURED: [&str; 10] = [
    "iterations",
    "pre-comp. s",
    "iteration s",
    "running s",
    "accuracy %",
    "F",
    "F of exact",
    "features",
    "gap",
    "violation",
];

/// Columns of what was published.
pub(super) const PUBLISHED: [&str; 5] =
    ["iterations", "pre-comp. s", "iteration s", "running s", "accuracy %"];

/// A row as text.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) method: &'static str,
    pub(super) measured: [String; MEASURED.len()],
    pub(super) published: [String; PUBLISHED.len()],
    /// λ, and ρ of FEADMM.
    pub(super) parameters: String,
    /// What is out of the ordinary.
    pub(super) remark: Option<String>,
}

impl Words {
    pub(super) fn new(row: &Row<'_>) -> Self {
        let mut words = Self {
            method: row.method.name(),
            measured: Default::default(),
            published: Default::default(),
            parameters: String::new(),
            remark: None,
        };
        if let Some(known) = &row.published {
            words.published = [
                known.iterations,
                known.setup_seconds,
                known.iteration_seconds,
                known.running_seconds,
                known.accuracy_percent,
            ]
            .map(str::to_owned);
        }
        match row.record.map(|record| &record.outcome) {
            None => words.measured[0] = "not run".into(),
            Some(Outcome::Unable(why)) => {
                words.measured[0] = "unable".into();
                words.remark = Some(format!("unable: {why}"));
            }
            Some(Outcome::Measured(measured)) => {
                words.measured = figures(measured, row.reference);
                words.parameters = parameters(measured);
                words.remark = remark(measured);
            }
        }
        words
    }
}

fn figures(measured: &Measured, reference: Option<f64>) -> [String; MEASURED.len()] {
    let seconds = |x: f64| if x < 5e-7 { "≈0".into() } else { words::digits(x, 3) };
    let share = |x: f64| if x == 0.0 { "0".into() } else { format!("{x:.1e}") };
    let plus = if matches!(measured.status, Status::MaxIter | Status::MaxTime) { "+" } else { "" };
    [
        format!("{}{plus}", measured.iterations),
        seconds(measured.setup_seconds),
        seconds(measured.iteration_seconds),
        seconds(measured.running_seconds()),
        format!("{:.2}", 100.0 * measured.accuracy),
        words::digits(measured.objective, 5),
        reference.map_or_else(String::new, |f| words::digits(f, 5)),
        measured.features.to_string(),
        share(measured.gap),
        share(measured.violation),
    ]
}

fn parameters(measured: &Measured) -> String {
    let lambda = format!("λ {}", power_of_two(measured.chosen.lambda));
    measured.chosen.rho.map_or(lambda.clone(), |(rho1, rho2)| format!("{lambda}, ρ₁ {rho1}, ρ₂ {rho2}"))
}

fn remark(measured: &Measured) -> Option<String> {
    let choice = &measured.choice;
    let mut remarks = Vec::new();
    if choice.tried < choice.candidates {
        let what = if measured.chosen.rho.is_some() { "pairs of ρ" } else { "λ, from the largest down," };
        remarks.push(format!(
            "{} of {} {what} were tried before the time was up",
            choice.tried, choice.candidates
        ));
    }
    if measured.status == Status::MaxTime {
        remarks.push("unable to end within the time limit; the figures are those at the stop".into());
    }
    (!remarks.is_empty()).then(|| remarks.join("; "))
}

/// 2⁻⁶ for 0.015625; other numbers as they are.
fn power_of_two(x: f64) -> String {
    let power = x.log2();
    if power != power.round() {
        return words::number(x);
    }
    let raised = |c: char| match c {
        '-' => '⁻',
        digit => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10).unwrap_or(0) as usize).unwrap_or(digit),
    };
    format!("2{}", format!("{power:.0}").chars().map(raised).collect::<String>())
}

/// What one has to know to read the tables.
pub(super) fn notes(report: &Report) -> Vec<String> {
    let protocol = &report.protocol;
    let mut notes = vec![
        format!(
            "Seconds are CPU seconds of the final fit, in a process of its own with {}; reading, choosing \
             parameters, measuring accuracy and the certificate are not counted. A cell has {} CPU \
             seconds for choosing and fitting, and {} MiB of memory.",
            words::count(protocol.threads.into(), "thread"),
            protocol.time_limit,
            protocol.memory_limit >> 20,
        ),
        "FEADMM, SCAD SVM and exact minimise the hinge, GIST and RankSVM-MCP the squared hinge, so F \
         compares within a row: \"F of exact\" is what the exact solver reaches on the same loss, λ \
         and data, if it ends in a tenth of the cell's time. Gap and violation are the certificate's: \
         how far from a stationary point the result is proved to be at most."
            .into(),
        "Iterations of RankSVM-MCP are FISTA steps (the paper counts reweightings), those of exact \
         Newton steps over all its starts. \"+\" means that a limit ended it, \"unable\" that there \
         was no answer within the limits."
            .into(),
        match protocol.quick {
            false => "λ of FEADMM and exact is 2⁻⁶; ρ₁, ρ₂ have the lowest F of the paper's 36 pairs. \
                      λ of the others is the one of 2⁻¹⁸…2⁴ with the highest accuracy in five-fold \
                      cross-validation, of equals the largest."
                .into(),
            true => "A quick look: ρ₁, ρ₂ from {0.1, 1, 10}, every second λ of 2⁻¹⁸…2⁴, three folds, \
                     at most 200 iterations a fit while choosing; else as in the paper."
                .into(),
        },
    ];
    if report.is_subsampled() {
        notes.push(
            "On the large sets parameters were chosen on a stratified tenth of the training rows, \
             with at most 200 iterations a fit; the final fit has all rows and 1000 iterations."
                .into(),
        );
    }
    if report.sets.iter().any(|set| set.published.is_some()) {
        notes.push(format!("Published: {SOURCE}."));
    }
    notes.extend(report.notes.iter().map(|note| format!("{note}.")));
    notes
}

#[cfg(test)]
mod tests {
    use super::power_of_two;

    #[test]
    fn powers_are_raised() {
        assert_eq!(power_of_two(1.0 / 64.0), "2⁻⁶");
        assert_eq!(power_of_two(16.0), "2⁴");
        assert_eq!(power_of_two(2f64.powi(-18)), "2⁻¹⁸");
        assert_eq!(power_of_two(0.3), "0.3");
    }
}
