//! The embedded data; `assets/README.md` says where it comes from.

use anyhow::{Context, Result, ensure};
use sparsvm_core::design::Dense;
use sparsvm_core::{Dataset, Labels};

const TEXT: &str = include_str!("../../assets/breast-cancer.csv");

/// 569 rows, 30 named features; -1 is benign, +1 is malignant.
pub(crate) fn breast_cancer() -> Result<Dataset> {
    let mut lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    let heading = lines.next().context("the built-in data has no heading")?;
    let names: Vec<String> = heading.split(',').skip(1).map(str::to_owned).collect();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for line in lines {
        let (diagnosis, numbers) =
            line.split_once(',').context("the built-in data has a line without numbers")?;
        labels.push(if diagnosis == "M" { 1.0 } else { -1.0 });
        for number in numbers.split(',') {
            values.push(number.parse::<f64>().context("the built-in data has a word that is no number")?);
        }
    }
    ensure!(values.len() == labels.len() * names.len(), "the built-in data has rows of different lengths");
    let design = Dense::from_rows(labels.len(), names.len(), values)?;
    Ok(Dataset::new(design, Labels::from_numbers(&labels))?.with_names(names)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_what_the_repository_says() {
        let data = breast_cancer().unwrap();
        assert_eq!((data.design().rows(), data.design().cols()), (569, 30));
        assert_eq!(data.labels().signs().unwrap().iter().filter(|y| **y > 0.0).count(), 212);
        assert_eq!(data.feature_name(22), "worst perimeter");
    }
}
