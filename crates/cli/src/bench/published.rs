//! The paper's printed figures, from `bench/published`.

use serde::Serialize;
use sparsvm_core::penalty::Family;

use super::method::Method;

const TEXT: &str = include_str!("../../../../bench/published/guan-2018.csv");

/// Where they are from, in a line.
pub(super) const SOURCE: &str = "Guan, Qiao, Li, Sun, Ge, Lu: An Efficient ADMM-Based Algorithm to Nonconvex \
                                 Penalized Support Vector Machines, 2018 (i7-7700K, Matlab and C)";

/// A row of the paper's tables. Figures are text as printed: `1000+`, `≈0`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Published {
    #[serde(skip)]
    dataset: &'static str,
    #[serde(skip)]
    penalty: &'static str,
    #[serde(skip)]
    method: &'static str,
    pub(super) iterations: &'static str,
    pub(super) setup_seconds: &'static str,
    pub(super) iteration_seconds: &'static str,
    pub(super) running_seconds: &'static str,
    pub(super) accuracy_percent: &'static str,
}

/// All rows.
fn rows() -> impl Iterator<Item = Published> {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.filter_map(|line| {
        let mut fields = line.split(',');
        let mut next = || fields.next();
        Some(Published {
            dataset: next()?,
            penalty: next()?,
            method: next()?,
            iterations: next()?,
            setup_seconds: next()?,
            iteration_seconds: next()?,
            running_seconds: next()?,
            accuracy_percent: next()?,
        })
    })
}

/// The row of a cell, the data set by the paper's name for it.
pub(super) fn published(dataset: &str, penalty: Family, method: Method) -> Option<Published> {
    rows().find(|row| (row.dataset, row.penalty, row.method) == (dataset, penalty.name(), method.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Typed off the printed page once more, apart from the file.
    #[test]
    fn figures_are_as_printed() {
        let of = |dataset, penalty, method| published(dataset, penalty, method).unwrap();
        let row = of("heart_scale", Family::Scad, Method::Feadmm);
        assert_eq!((row.iterations, row.setup_seconds, row.running_seconds), ("12", "2.71e-4", "5.59e-4"));
        let row = of("mushrooms", Family::Mcp, Method::RankSvmMcp);
        assert_eq!((row.iterations, row.iteration_seconds, row.accuracy_percent), ("2", "21.39", "100"));
        let row = of("real_sim", Family::Scad, Method::Gist);
        assert_eq!((row.iterations, row.running_seconds, row.accuracy_percent), ("1000+", "120.64", "96.17"));
        let row = of("news20", Family::Mcp, Method::Feadmm);
        assert_eq!((row.iterations, row.setup_seconds, row.accuracy_percent), ("23", "52.60", "96.19"));
        let row = of("rcv1.binary", Family::Mcp, Method::Feadmm);
        assert_eq!((row.iteration_seconds, row.running_seconds), ("3.89", "55.38"));
        assert!(published("news20", Family::Scad, Method::ScadSvm).is_none());
    }

    #[test]
    fn there_are_the_rows_of_both_tables_and_times_add_up() {
        assert_eq!(rows().count(), 12 + 12);
        for row in rows() {
            let number = |text: &str| if text == "≈0" { 0.0 } else { text.parse::<f64>().unwrap() };
            let (setup, iteration) = (number(row.setup_seconds), number(row.iteration_seconds));
            let running = number(row.running_seconds);
            // As printed, rounded to the millisecond or to a hundredth.
            assert!((setup + iteration - running).abs() <= 0.0051, "{row:?}");
            assert!((90.0..=100.0).contains(&number(row.accuracy_percent)));
        }
    }
}
