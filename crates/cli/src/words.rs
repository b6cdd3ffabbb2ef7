//! Results in plain words: what a number means, not only what it is.

use sparsvm_core::model::rest_of;
use sparsvm_core::select::Variant;
use sparsvm_core::solver::GlobalBound;
use sparsvm_core::{Certificate, Family, Goal, Intercept, Labels, PenaltySpec, Scaling, Status};

use crate::plan::Chosen;

/// What a weight on scaled columns is; nothing if they are not scaled.
pub(crate) fn unit_of(scaling: Scaling) -> Option<&'static str> {
    match scaling {
        Scaling::None => None,
        Scaling::Standard => Some("per standard deviation"),
        Scaling::MaxAbs => Some("per largest value"),
    }
}

/// Six significant digits, without trailing zeros.
pub(crate) fn number(x: f64) -> String {
    digits(x, 6)
}

/// So many significant digits, without trailing zeros.
pub(crate) fn digits(x: f64, count: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".into() } else { x.to_string() };
    }
    // The exponent after rounding: 9.9999999 is 10.
    let scientific = format!("{:.*e}", count - 1, x);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..7).contains(&exponent) {
        trim(&format!("{:.*}", usize::try_from(count as i32 - 1 - exponent).unwrap_or(0), x))
    } else {
        format!("{}e{exponent}", trim(mantissa))
    }
}

/// Positive numbers below each other, all with the same decimals: four digits of the least, if the
/// spread of sizes allows it.
pub(crate) fn column(values: &[f64]) -> Vec<String> {
    let sizes = values.iter().map(|x| x.abs()).filter(|x| *x > 0.0 && x.is_finite());
    let (least, largest) = sizes.fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
    let decimals = 3.0 - least.log10().floor();
    if least.is_finite() && (decimals > 8.0 || largest >= 1e8) {
        return values.iter().map(|x| format!("{x:.3e}")).collect();
    }
    let decimals = if least.is_finite() { decimals.max(1.0) as usize } else { 0 };
    values.iter().map(|x| format!("{x:.decimals$}")).collect()
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", digits(100.0 * share, 4))
}

/// A bound as a percentage, rounded up: what is claimed is proved.
fn percent_at_most(share: f64) -> String {
    percent(share * (1.0 + 5e-4))
}

/// Seconds, to the millisecond.
pub(crate) fn seconds(x: f64) -> String {
    if x < 9.9995 { format!("{x:.3} s") } else { format!("{x:.1} s") }
}

/// "1 row", "2 rows", "2 entries".
pub(crate) fn count(n: usize, one: &str) -> String {
    match one.strip_suffix('y') {
        _ if n == 1 => format!("1 {one}"),
        Some(stem) => format!("{n} {stem}ies"),
        None => format!("{n} {one}s"),
    }
}

/// What the gap proves.
pub(crate) fn gap(certificate: &Certificate, penalty: &PenaltySpec) -> String {
    let gap = certificate.gap;
    let claim = if !(gap < 0.9995) {
        "the bound proves nothing here".into()
    } else if penalty.family.is_convex() {
        format!("no other weights are better by more than {}", percent_at_most(gap))
    } else {
        format!("no solution of the final convex problem is better by more than {}", percent_at_most(gap))
    };
    format!("gap {}: {claim}", digits(gap, 2))
}

/// What the violation means.
pub(crate) fn violation(certificate: &Certificate) -> String {
    let violation = certificate.violation;
    let meaning = if violation <= 1e-6 {
        "every weight meets its optimality condition".into()
    } else {
        format!("optimality conditions are missed by up to {} of the largest gradient", percent(violation))
    };
    format!("violation {}: {meaning}", digits(violation, 2))
}

/// What is proved about all weights.
pub(crate) fn global_bound(bound: &GlobalBound, objective: f64) -> String {
    let gap = bound.gap(objective);
    let (value, most) = (digits(bound.value, 6), percent_at_most(gap));
    let whom = if bound.everywhere {
        "no other weights are"
    } else {
        "no weights of up to 100,000 over their column's largest value are"
    };
    format!("{value}, gap {}: {whom} better by more than {most}", digits(gap, 2))
}

/// What the loss is summed over, where it is not rows.
pub(crate) fn counted(goal: Goal) -> &'static str {
    match goal {
        Goal::Classify => "",
        Goal::Rank => " of pairs",
    }
}

/// A penalty without its strength.
pub(crate) fn shape(penalty: &PenaltySpec) -> String {
    let (family, theta) = (penalty.family, penalty.theta);
    match family {
        Family::L1 => family.to_string(),
        Family::Lp => format!("{family} (p {theta})"),
        _ => format!("{family} (theta {theta})"),
    }
}

/// A variant of what is fitted: the penalty, and the intercept unless it is free.
pub(crate) fn variant(variant: &Variant) -> String {
    shape(&variant.penalty) + with_intercept(variant.intercept)
}

/// What is said of it behind a penalty.
pub(crate) fn with_intercept(intercept: Intercept) -> &'static str {
    match intercept {
        Intercept::Free => "",
        Intercept::Penalised => ", penalised intercept",
        Intercept::None => ", no intercept",
    }
}

/// How a path chose λ.
pub(crate) fn chosen(lambda: f64, chosen: &Chosen) -> String {
    let (most, followed) = (count(chosen.most, "feature"), count(chosen.followed, "lambda"));
    let from = number(chosen.lambda_max);
    let beside = match chosen.beside {
        0 => String::new(),
        beside => format!(" and {beside} beside the path"),
    };
    format!("{}: of {followed} from {from} down{beside}, the lowest loss with at most {most}", number(lambda))
}

/// What is known of such a model.
const IMPORTED: &str = "another program trained it, and nothing is proved";

/// Why a path ended, or the search beside it: `what` it is.
pub(crate) fn path_status(status: Status, what: &str, tol: f64) -> String {
    let why = match status {
        Status::Converged => format!("every gap and violation is within tol {tol:?}"),
        Status::MaxIter => format!("the iterations ran out before the {what}'s end"),
        Status::MaxTime => format!("the time ran out before the {what}'s end"),
        Status::Interrupted => format!("stopped by Ctrl-C before the {what}'s end"),
        Status::Stalled => format!("not every certificate is within tol {tol:?}: see the table"),
        Status::Imported => IMPORTED.into(),
    };
    format!("{}: {why}", status.name())
}

/// Why it ended. `tol` is what the certificate was held against, if that is known.
pub(crate) fn status(status: Status, solver: &str, tol: Option<f64>) -> String {
    let tol = tol.map_or_else(|| "the tolerance".into(), |tol| format!("tol {tol:?}"));
    let (proof, all) = match solver {
        "global" => ("global gap", "global gap, gap and violation"),
        _ => ("certificate", "gap and violation"),
    };
    let why = match status {
        Status::Converged => format!("{all} are within {tol}"),
        Status::MaxIter => format!("the iterations ran out before the {proof} was within {tol}"),
        Status::MaxTime => format!("the time ran out before the {proof} was within {tol}"),
        Status::Interrupted => "stopped by Ctrl-C; this is the best so far".into(),
        Status::Stalled if solver == "feadmm" => {
            format!("the paper's stop rule fired, but the certificate is not within {tol}")
        }
        Status::Stalled if solver != "exact" => {
            format!("its own stop rule fired, but the certificate is not within {tol}")
        }
        Status::Stalled => {
            format!("the solver got no further, but the {proof} is not within {tol}")
        }
        Status::Imported => IMPORTED.into(),
    };
    format!("{}: {why}", status.name())
}

/// That a model tells probabilities.
pub(crate) const CALIBRATED: &str =
    "calibrated on held-out rows: `sparsvm predict --probability` writes them";

/// How many rows were predicted right, and which labels the model could not know.
pub(crate) fn accuracy((right, n): (usize, usize), found: &[&String], classes: &[String]) -> String {
    let mut text = format!("{} ({right} of {})", percent(right as f64 / n.max(1) as f64), count(n, "row"));
    // Against the rest no label is unknown.
    if matches!(classes, [rest, one] if *rest == rest_of(one)) {
        return text;
    }
    let mut unknown: Vec<&str> = Vec::new();
    unknown.extend(found.iter().filter(|c| !classes.contains(c)).map(|c| c.as_str()));
    if !unknown.is_empty() {
        let more = if unknown.len() > 5 { ", …" } else { "" };
        unknown.truncate(5);
        let (listed, known) = (unknown.join(", "), listed(classes));
        text += &format!("; the model knows the labels {known}, but the data has {listed}{more}");
    }
    text
}

/// The same for labels of which a share was predicted.
pub(crate) fn accuracy_on(share: f64, labels: &Labels, classes: &[String]) -> String {
    let right = (share * labels.len() as f64).round() as usize;
    accuracy((right, labels.len()), &labels.classes().iter().collect::<Vec<_>>(), classes)
}

/// "1 and 2", "1, 2 and 3".
pub(crate) fn listed(classes: &[String]) -> String {
    match classes {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_true() {
        for (x, text) in [
            (0.0, "0"),
            (0.3490328562, "0.349033"),
            (-12.5, "-12.5"),
            (100.0, "100"),
            (9.9999999, "10"),
            (1e-4, "0.0001"),
            (1.23456789e-5, "1.23457e-5"),
            (123456789.0, "1.23457e8"),
            (1234567.0, "1234567"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(x), text);
        }
        assert_eq!(column(&[12.5, 0.125, 0.0]), ["12.5000", "0.1250", "0.0000"]);
        assert_eq!(column(&[1e3, 2e-7]), ["1.000e3", "2.000e-7"]);
        assert_eq!(column(&[0.0]), ["0"]);
        assert_eq!(percent(0.851851851), "85.19 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent_at_most(0.12344), "12.35 %");
    }

    #[test]
    fn counts_are_english() {
        assert_eq!([count(1, "row"), count(0, "row"), count(2, "row")], ["1 row", "0 rows", "2 rows"]);
        assert_eq!([count(1, "entry"), count(3, "entry")], ["1 entry", "3 entries"]);
    }
}
