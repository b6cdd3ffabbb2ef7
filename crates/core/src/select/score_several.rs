//! How good the decision values of several classes are: what [`Score`] means for more than two.

use super::Score;

impl Score {
    /// Of a vector of decision values for each class, and the class of each row. The predicted class is the one
    /// with the largest value, of equal ones the first. The accuracy is the share of rows that are right,
    /// `balanced` its mean over the classes, `auc` and `f1` the mean of each class against the others, `mcc`
    /// the correlation of Gorodkin (2004). Classes without a row do not count.
    pub fn of_several(self, decisions: &[&[f64]], codes: &[u32]) -> Option<f64> {
        let (n, classes) = (codes.len(), decisions.len());
        if n == 0 || classes == 0 {
            return None;
        }
        let best =
            |i: usize| (1..classes).fold(0, |b, k| if decisions[k][i] > decisions[b][i] { k } else { b });
        let mut table = vec![vec![0.0; classes]; classes];
        codes.iter().enumerate().for_each(|(i, &k)| table[k as usize][best(i)] += 1.0);
        let of_class = |k: usize| table[k].iter().sum::<f64>();
        let found = |k: usize| table.iter().map(|row| row[k]).sum::<f64>();
        let right: f64 = (0..classes).map(|k| table[k][k]).sum();
        let present: Vec<usize> = (0..classes).filter(|&k| of_class(k) > 0.0).collect();
        let mean = |of: &dyn Fn(usize) -> f64| {
            (present.len() > 1).then(|| present.iter().map(|&k| of(k)).sum::<f64>() / present.len() as f64)
        };
        match self {
            Self::Accuracy => Some(right / n as f64),
            Self::Balanced => mean(&|k| table[k][k] / of_class(k)),
            Self::F1 => mean(&|k| 2.0 * table[k][k] / (of_class(k) + found(k))),
            Self::Auc => mean(&|k| {
                let y: Vec<f64> = codes.iter().map(|&c| if c as usize == k { 1.0 } else { -1.0 }).collect();
                Self::Auc.of(decisions[k], &y).unwrap_or(0.0)
            }),
            Self::Mcc => (present.len() > 1).then(|| {
                let n = n as f64;
                let sum = |of: &dyn Fn(usize) -> f64| (0..classes).map(of).sum::<f64>();
                let spread =
                    (n * n - sum(&|k| found(k) * found(k))) * (n * n - sum(&|k| of_class(k) * of_class(k)));
                let covariance = n * right - sum(&|k| of_class(k) * found(k));
                if spread > 0.0 { covariance / spread.sqrt() } else { 0.0 }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cases_by_hand() {
        // Predicted 0, 1, 1, 2, 0 (a tie goes to the first); true 0, 1, 2, 2, 1.
        let decisions: [&[f64]; 3] =
            [&[1.0, 0.0, -1.0, 0.0, 0.5], &[0.0, 2.0, 1.0, -1.0, 0.5], &[-1.0, 0.0, 0.0, 1.0, 0.5]];
        let codes = [0, 1, 2, 2, 1];
        let is = |score: Score, value: f64| {
            let found = score.of_several(&decisions, &codes).unwrap();
            assert!((found - value).abs() < 1e-15, "{score}: {found}");
        };
        is(Score::Accuracy, 3.0 / 5.0);
        is(Score::Balanced, (1.0 + 0.5 + 0.5) / 3.0);
        is(Score::F1, (2.0 / 3.0 + 2.0 / 4.0 + 2.0 / 3.0) / 3.0);
        // Pairs that are won: 4 of 4; 3 and 2 of 3; 1.5 and 3 of 3.
        is(Score::Auc, (4.0 / 4.0 + (3.0 + 2.0) / 6.0 + (1.5 + 3.0) / 6.0) / 3.0);
        // c = 3, s = 5, t = (1, 2, 2), p = (2, 2, 1).
        is(Score::Mcc, (5.0 * 3.0 - (2.0 + 4.0 + 2.0)) / ((25.0f64 - 9.0) * (25.0 - 9.0)).sqrt());
        assert_eq!(Score::Accuracy.of_several(&decisions, &[]), None);
    }

    proptest! {
        /// Two classes whose values are each other's negatives are the binary case.
        #[test]
        fn two_classes_are_the_binary_case(rows in prop::collection::vec((1i32..9, any::<bool>(), any::<bool>()), 1..30)) {
            let s: Vec<f64> = rows.iter().map(|r| f64::from(if r.1 { r.0 } else { -r.0 })).collect();
            let negated: Vec<f64> = s.iter().map(|s| -s).collect();
            let codes: Vec<u32> = rows.iter().map(|r| u32::from(r.2)).collect();
            let y: Vec<f64> = codes.iter().map(|&k| if k == 1 { 1.0 } else { -1.0 }).collect();
            for score in [Score::Accuracy, Score::Balanced, Score::Auc, Score::Mcc] {
                let (several, binary) = (score.of_several(&[&negated, &s], &codes), score.of(&s, &y));
                prop_assert_eq!(several.is_some(), binary.is_some());
                prop_assert!((several.unwrap_or(0.0) - binary.unwrap_or(0.0)).abs() < 1e-12, "{score}");
            }
        }
    }
}
