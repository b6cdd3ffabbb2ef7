//! `--class-weight LABEL=W,…|balanced`.

use std::str::FromStr;

use anyhow::{Result, bail};
use sparsvm_core::{Labels, balanced_by_class, balanced_weights};

/// How much the rows of each class count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ClassWeight {
    /// Each of K classes n / (K · its weight), so that all count the same.
    Balanced,
    /// By label; a class that is not named counts 1.
    ByLabel(Vec<(String, f64)>),
}

impl FromStr for ClassWeight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "balanced" {
            return Ok(Self::Balanced);
        }
        let mut weights: Vec<(String, f64)> = Vec::new();
        for pair in text.split(',') {
            let parsed = pair
                .split_once('=')
                .and_then(|(label, weight)| Some((canonical(label)?, weight.trim().parse().ok()?)));
            let Some((label, weight)) = parsed else {
                return Err(format!("`{pair}` is no LABEL=WEIGHT: write such as -1=1,+1=5, or balanced"));
            };
            if weights.iter().any(|(other, _)| *other == label) {
                return Err(format!("the label {label} is weighted twice"));
            }
            weights.push((label, weight));
        }
        Ok(Self::ByLabel(weights))
    }
}

/// A label as data sets spell it: "+1", "1" and "1.0" are one.
pub(crate) fn canonical(label: &str) -> Option<String> {
    Labels::from_texts(&[label]).classes().first().filter(|label| !label.is_empty()).cloned()
}

impl ClassWeight {
    /// Multiplies the classes' weights into the rows'. `labels` are those of the file; what is told apart may
    /// be one of them and all others.
    pub(crate) fn apply(&self, labels: &Labels, told_apart: &Labels, weights: &[f64]) -> Result<Vec<f64>> {
        let Self::ByLabel(by_label) = self else {
            return Ok(match told_apart.signs() {
                Ok(y) => balanced_weights(&y, weights),
                Err(_) => balanced_by_class(told_apart, weights),
            });
        };
        let mut of_class = vec![1.0; labels.classes().len()];
        for (label, weight) in by_label {
            let Some(k) = labels.classes().iter().position(|class| class == label) else {
                bail!(
                    "--class-weight names the label {label}, but the labels in the data are {}",
                    match labels.classes() {
                        [one, other] => format!("{one} and {other}"),
                        _ => labels.listed(),
                    }
                );
            };
            if !(*weight >= 0.0 && weight.is_finite()) {
                bail!("--class-weight {label}={weight} is not allowed: a weight is finite and 0 or more");
            }
            of_class[k] = *weight;
        }
        Ok(labels.codes().iter().zip(weights).map(|(&k, c)| c * of_class[k as usize]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_matched_by_value() {
        let labels = Labels::from_texts(&["+1", "-1", "-1"]);
        let apply =
            |text: &str| text.parse::<ClassWeight>().unwrap().apply(&labels, &labels, &[1.0, 1.0, 2.0]);
        assert_eq!(apply("1.0=5").unwrap(), [5.0, 1.0, 2.0]);
        assert_eq!(apply("-1=3,+1=0.5").unwrap(), [0.5, 3.0, 6.0]);
        assert_eq!(apply("balanced").unwrap(), [2.0, 4.0 / 6.0, 8.0 / 6.0]);
        assert!(apply("2=5").unwrap_err().to_string().contains("-1 and 1"));
        assert!(apply("1=-5").is_err() && apply("1=nan").is_err());
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "1", "=3", "1=x", "1=2,+1=3", "balanced,1=2"] {
            assert!(text.parse::<ClassWeight>().is_err(), "{text}");
        }
    }
}
