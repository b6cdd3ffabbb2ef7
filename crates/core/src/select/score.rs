//! How good decision values are, as one number: the larger, the better.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The scores, as `--score` names them. A decision above 0 stands for +1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// The share of rows that are right.
    #[default]
    Accuracy,
    /// The mean over the two classes of the share that is right: ½(TP/P + TN/N).
    Balanced,
    /// The share of pairs of a positive and a negative row in which the positive one has the larger decision
    /// value; a tie counts half.
    Auc,
    /// 2TP/(2TP + FP + FN).
    F1,
    /// Matthews' correlation (TP·TN - FP·FN)/√((TP+FP)(TP+FN)(TN+FP)(TN+FN)); 0 if all decisions are of one
    /// sign.
    Mcc,
}

impl Score {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Accuracy, Self::Balanced, Self::Auc, Self::F1, Self::Mcc];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Balanced => "balanced",
            Self::Auc => "auc",
            Self::F1 => "f1",
            Self::Mcc => "mcc",
        }
    }

    /// Of decision values and labels ±1. Nothing where the score is not defined: no rows, or but one class
    /// of them, which only the accuracy does not mind (F1 minds if there is no positive row and none is
    /// found).
    pub fn of(self, decisions: &[f64], y: &[f64]) -> Option<f64> {
        let count = |label: f64, found: bool| {
            let rows = decisions.iter().zip(y).filter(|(s, y)| **y == label && (**s > 0.0) == found);
            rows.count() as f64
        };
        let (right, missed) = (count(1.0, true), count(1.0, false));
        let (wrong, rejected) = (count(-1.0, true), count(-1.0, false));
        let (positive, negative) = (right + missed, wrong + rejected);
        let both = positive > 0.0 && negative > 0.0;
        match self {
            Self::Accuracy => (!y.is_empty()).then(|| (right + rejected) / y.len() as f64),
            Self::Balanced => both.then(|| 0.5 * (right / positive + rejected / negative)),
            Self::Auc => both.then(|| auc(decisions, y, positive * negative)),
            Self::F1 => {
                let sum = 2.0 * right + wrong + missed;
                (sum > 0.0).then(|| 2.0 * right / sum)
            }
            Self::Mcc => both.then(|| {
                let spread = (right + wrong) * positive * negative * (rejected + missed);
                if spread > 0.0 { (right * rejected - wrong * missed) / spread.sqrt() } else { 0.0 }
            }),
        }
    }
}

/// By one sort: each negative row counts the positive ones above it.
fn auc(decisions: &[f64], y: &[f64], pairs: f64) -> f64 {
    let mut ranked: Vec<(f64, f64)> = decisions.iter().copied().zip(y.iter().copied()).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut above, mut won) = (0.0, 0.0);
    for tied in ranked.chunk_by(|a, b| a.0 == b.0) {
        let positive = tied.iter().filter(|(_, y)| *y > 0.0).count() as f64;
        won += (above + 0.5 * positive) * (tied.len() as f64 - positive);
        above += positive;
    }
    won / pairs
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Score {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|score| score.name() == text)
            .ok_or_else(|| Error::parameter("score", text, "one of accuracy, balanced, auc, f1, mcc"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cases_by_hand() {
        // TP 2, FN 1, FP 1, TN 4.
        let s = [1.0, 0.5, -0.1, 0.2, -1.0, -2.0, -3.0, 0.0];
        let y = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0];
        let is = |score: Score, value: f64| {
            let found = score.of(&s, &y).unwrap();
            assert!((found - value).abs() < 1e-15, "{score}: {found}");
        };
        is(Score::Accuracy, 6.0 / 8.0);
        is(Score::Balanced, 0.5 * (2.0 / 3.0 + 4.0 / 5.0));
        is(Score::F1, 4.0 / 6.0);
        is(Score::Mcc, (2.0 * 4.0 - 1.0) / (3.0f64 * 3.0 * 5.0 * 5.0).sqrt());
        is(Score::Auc, (5.0 + 5.0 + 3.0) / 15.0);
    }

    #[test]
    fn no_score_where_it_is_not_defined() {
        let one_class = (&[1.0, -1.0][..], &[-1.0, -1.0][..]);
        assert_eq!(Score::Accuracy.of(one_class.0, one_class.1), Some(0.5));
        for score in [Score::Balanced, Score::Auc, Score::Mcc] {
            assert_eq!(score.of(one_class.0, one_class.1), None, "{score}");
        }
        assert_eq!(Score::F1.of(&[-1.0], &[-1.0]), None);
        assert_eq!(Score::F1.of(&[1.0], &[-1.0]), Some(0.0));
        assert_eq!(Score::Mcc.of(&[1.0, 1.0], &[-1.0, 1.0]), Some(0.0));
        assert!(Score::ALL.iter().all(|score| score.of(&[], &[]).is_none()));
        assert!(Score::ALL.iter().all(|score| score.name().parse() == Ok(*score)));
    }

    proptest! {
        #[test]
        fn auc_is_that_over_all_pairs(rows in prop::collection::vec((-3i32..3, any::<bool>()), 0..40)) {
            let s: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let y: Vec<f64> = rows.iter().map(|row| if row.1 { 1.0 } else { -1.0 }).collect();
            let (mut won, mut pairs) = (0.0, 0.0);
            for i in rows.iter().filter(|row| row.1) {
                for k in rows.iter().filter(|row| !row.1) {
                    pairs += 1.0;
                    won += if i.0 > k.0 { 1.0 } else if i.0 == k.0 { 0.5 } else { 0.0 };
                }
            }
            let found = Score::Auc.of(&s, &y);
            prop_assert_eq!(found, (pairs > 0.0).then(|| won / pairs));
        }
    }
}
