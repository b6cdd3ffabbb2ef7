//! What folds say about each λ, in a few numbers.

use serde::Serialize;

use super::Score;
use super::criterion::svmic;
use super::cross_validate::{Candidate, CrossValidation};
use super::variant::Variant;

/// What is known about one λ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// λ.
    pub lambda: f64,
    /// Features that the path on all data keeps; nothing if it ended before.
    pub features: Option<usize>,
    /// The mean score over folds and repeats.
    pub mean: Option<f64>,
    /// Its standard error: √(mean over repeats of s²/K), where s is the standard deviation of the K folds'
    /// scores of a repeat. Repeats smooth it and do not make it smaller: they bring no new data.
    pub se: Option<f64>,
    /// What the 1-SE rule gives away: s/√(KR), where s is the standard deviation of the scores of all folds of R repeats.
    /// Without repeats it is `se`; with repeats it is smaller, as they tell near λ apart on the same rows.
    pub slack: Option<f64>,
    /// How many folds have a score here, over all repeats.
    pub folds: usize,
    /// SVMIC_H of the path on all data.
    pub criterion: Option<f64>,
}

/// The λ of one variant, from the largest down.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Penalty and intercept.
    pub variant: Variant,
    /// One for each λ.
    pub points: Vec<CurvePoint>,
}

impl CrossValidation {
    /// The curves of all candidates by one score.
    pub fn curves(&self, score: Score) -> Vec<Curve> {
        self.candidates.iter().map(|candidate| self.curve(candidate, score)).collect()
    }

    fn curve(&self, candidate: &Candidate, score: Score) -> Curve {
        let scores: Vec<Vec<Option<f64>>> = self
            .folds
            .iter()
            .zip(&candidate.folds)
            .map(|((_, _, held), part)| {
                let y: Vec<f64> = held.iter().map(|&i| self.y[i]).collect();
                part.points.iter().map(|point| score.of(&point.decisions, &y)).collect()
            })
            .collect();
        let point = |(k, &lambda): (usize, &f64)| {
            let at: Vec<Option<f64>> = scores.iter().map(|fold| fold.get(k).copied().flatten()).collect();
            let (mean, se) = mean_and_error(&at, self.folds.count());
            let whole = candidate.whole.points.get(k);
            CurvePoint {
                lambda,
                features: whole.map(|point| point.w.len()),
                mean,
                se,
                slack: slack(&at),
                folds: at.iter().flatten().count(),
                criterion: whole.map(|point| svmic(&point.decisions, &self.y, point.w.len())),
            }
        };
        Curve {
            variant: candidate.variant,
            points: candidate.lambdas.iter().enumerate().map(point).collect(),
        }
    }
}

/// Over all scores that there are; `count` folds make a repeat.
pub(super) fn mean_and_error(scores: &[Option<f64>], count: usize) -> (Option<f64>, Option<f64>) {
    let found: Vec<f64> = scores.iter().flatten().copied().collect();
    if found.is_empty() {
        return (None, None);
    }
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    let variance_of_mean = |repeat: &[Option<f64>]| {
        let of: Vec<f64> = repeat.iter().flatten().copied().collect();
        let k = of.len() as f64;
        let center = of.iter().sum::<f64>() / k;
        let squares: f64 = of.iter().map(|score| (score - center) * (score - center)).sum();
        (of.len() > 1).then(|| squares / (k - 1.0) / k)
    };
    let errors: Vec<f64> = scores.chunks(count.max(1)).filter_map(variance_of_mean).collect();
    let error = (errors.iter().sum::<f64>() / errors.len() as f64).sqrt();
    (Some(mean), (!errors.is_empty()).then_some(error))
}

/// The standard error of the mean of all scores that there are.
pub(super) fn slack(scores: &[Option<f64>]) -> Option<f64> {
    mean_and_error(scores, scores.len()).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_is_that_of_a_mean_and_repeats_do_not_shrink_it() {
        let scores = [Some(0.8), Some(0.9), Some(1.0), Some(0.7)];
        let (mean, se) = mean_and_error(&scores, 4);
        assert!((mean.unwrap() - 0.85).abs() < 1e-15);
        // Deviations -0.05, 0.05, 0.15, -0.15: variance 0.05/3.
        assert!((se.unwrap() - (0.05f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
        let twice = [scores, scores].concat();
        assert!((mean_and_error(&twice, 4).1.unwrap() - se.unwrap()).abs() < 1e-15);
        // What is given away for fewer features is smaller: eight scores, variance 2·0.05/7.
        assert_eq!(slack(&scores), se);
        assert!((slack(&twice).unwrap() - (0.1f64 / 7.0 / 8.0).sqrt()).abs() < 1e-15);
        assert_eq!(mean_and_error(&[None, Some(0.5)], 2), (Some(0.5), None));
        assert_eq!(mean_and_error(&[None, None], 2), (None, None));
    }
}
