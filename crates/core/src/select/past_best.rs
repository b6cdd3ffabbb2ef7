//! When a fold's path has gone far enough: its held-out rows say so.
//!
//! The weakest λ take the most time by far (imdb, ℓ1: the last of 25, with 4,700 features, three times as long as all
//! others together), and where the model only learns the training rows by heart they cannot be chosen anyway.

use super::Score;
use crate::Loss;

/// Operations of a path up to which all λ are taken: a second or so.
const CHEAP: u64 = 1_000_000_000;
/// A λ is past the best one if the held-out loss is above its least by this much, relatively, and no score is higher than before.
const RISE: f64 = 1e-3;
/// So many of them in a row are enough.
const PATIENCE: usize = 2;

/// What the points of one path have said so far about the rows that are held out.
#[derive(Debug)]
pub(super) struct PastBest {
    least: f64,
    /// One for each score that may be asked for: which one it will be is not known here.
    highest: [f64; Score::ALL.len()],
    in_a_row: usize,
}

impl PastBest {
    pub(super) fn new() -> Self {
        Self { least: f64::INFINITY, highest: [f64::NEG_INFINITY; Score::ALL.len()], in_a_row: 0 }
    }

    /// Hears the held-out rows' loss at the next point, its scores, and the operations so far; true if weaker λ are worth their time.
    pub(super) fn goes_on(&mut self, loss: f64, score: impl Fn(Score) -> Option<f64>, work: u64) -> bool {
        let mut is_past = loss > self.least * (1.0 + RISE);
        self.least = self.least.min(loss);
        for (kind, highest) in Score::ALL.into_iter().zip(&mut self.highest) {
            if let Some(found) = score(kind).filter(|found| found > highest) {
                *highest = found;
                is_past = false;
            }
        }
        self.in_a_row = if is_past { self.in_a_row + 1 } else { 0 };
        work <= CHEAP || self.in_a_row < PATIENCE
    }
}

/// The loss of decisions about rows with labels ±1, summed.
pub(super) fn total(loss: Loss, decisions: &[f64], y: &[f64]) -> f64 {
    decisions.iter().zip(y).map(|(s, y)| loss.value(y * s)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const Y: [f64; 4] = [1.0, 1.0, -1.0, -1.0];
    /// All rows are right, by more and more; then one is wrong.
    const BETTER: [f64; 4] = [0.2, 0.3, -0.2, -0.3];
    const BEST: [f64; 4] = [0.9, 0.9, -0.9, -0.9];
    const WORSE: [f64; 4] = [0.9, -0.5, -0.9, -0.9];

    fn past(points: &[[f64; 4]], work: u64) -> Vec<bool> {
        let mut past = PastBest::new();
        let hear = |s: &[f64; 4]| past.goes_on(total(Loss::Hinge, s, &Y), |score| score.of(s, &Y), work);
        points.iter().map(hear).collect()
    }

    #[test]
    fn a_costly_path_ends_after_two_in_a_row() {
        let points = [BETTER, BEST, WORSE, BEST, WORSE, WORSE];
        assert_eq!(past(&points, CHEAP + 1), [true, true, true, true, true, false]);
        assert_eq!(past(&points, CHEAP), [true; 6]);
    }

    #[test]
    fn a_higher_score_of_any_kind_goes_on() {
        let muddled = [0.1, -0.1, 0.05, -0.2];
        // A higher loss, the same rows right, and the same order.
        let surer = [0.1, -3.0, 0.05, -4.0];
        assert_eq!(past(&[muddled, surer, surer], u64::MAX), [true, true, false]);
        // A higher loss and no more rows right, but the positive ones are above the others.
        let ordered = [-1.0, -2.0, -3.0, -4.0];
        assert!(Score::Auc.of(&ordered, &Y) > Score::Auc.of(&muddled, &Y));
        assert_eq!(past(&[muddled, surer, ordered], u64::MAX), [true; 3]);
    }

    #[test]
    fn a_loss_that_hardly_rises_goes_on() {
        let level = BEST.map(|s| s * 0.99999);
        assert_eq!(past(&[BEST, level, level, level], u64::MAX), [true; 4]);
    }
}
