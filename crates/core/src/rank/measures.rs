//! How well scores rank.

use super::queries::{Queries, Query};
use super::split::Scratch;

/// NDCG looks at so many places.
const PLACES: usize = 10;

/// Two measures between 0 and 1; nothing where there is nothing to measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// The mean over queries of Σ gain/log₂(1 + place) over the first ten places, relative to the best order.
    /// The gain of a grade g is 2^g - 1, where a data set whose least grade is negative has its grades
    /// counted from there. Rows with the same score share their places. Queries whose gains are all 0 are
    /// left out.
    pub ndcg10: Option<f64>,
    /// The share of pairs whose preferred row has the higher score; a tie counts half.
    pub pairwise_accuracy: Option<f64>,
}

impl Queries {
    /// Measures scores, one a row.
    pub fn quality(&self, scores: &[f64]) -> Quality {
        let least = self.iter().flat_map(|query| query.grades).fold(0.0f64, |least, g| least.min(*g));
        let (mut gained, mut counted, mut right) = (0.0, 0usize, 0.0);
        let mut scratch = Scratch::default();
        for query in self.iter() {
            scratch.take(query, scores);
            if let Some(ndcg) = ndcg(query, &scratch.scores, least) {
                gained += ndcg;
                counted += 1;
            }
            scratch.visit(query, |higher, lower, s| right += rightly_ordered(higher, lower, s));
        }
        Quality {
            ndcg10: (counted > 0).then(|| gained / counted as f64),
            pairwise_accuracy: (self.pairs() > 0).then(|| right / self.pairs() as f64),
        }
    }
}

/// Pairs between two lists of ascending scores in which the higher grade has the higher score.
fn rightly_ordered(higher: &[u32], lower: &[u32], scores: &[f64]) -> f64 {
    let score = |place: &u32| scores[*place as usize];
    let (mut below, mut up_to, mut right) = (0, 0, 0.0);
    for place in higher.iter().map(score) {
        below += lower[below..].iter().take_while(|other| score(other) < place).count();
        up_to += lower[up_to..].iter().take_while(|other| score(other) <= place).count();
        right += 0.5 * (below + up_to) as f64;
    }
    right
}

/// Nothing if all gains are 0.
fn ndcg(query: Query<'_>, scores: &[f64], least: f64) -> Option<f64> {
    // Relative to the highest grade of the query no gain overflows.
    let top = query.grades.iter().fold(f64::NEG_INFINITY, |top, g| top.max(*g)) - least;
    let gain = |grade: f64| (grade - least - top).exp2() - (-top).exp2();
    let mut ranked: Vec<(f64, f64)> =
        scores.iter().copied().zip(query.grades.iter().map(|g| gain(*g))).collect();
    let mut gains: Vec<f64> = ranked.iter().map(|(_, gain)| *gain).collect();
    gains.sort_unstable_by(|a, b| b.total_cmp(a));
    let best: f64 = gains.iter().take(PLACES).enumerate().map(|(place, gain)| gain * discount(place)).sum();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut place, mut found) = (0, 0.0);
    for tied in ranked.chunk_by(|a, b| a.0 == b.0) {
        let mean = tied.iter().map(|(_, gain)| gain).sum::<f64>() / tied.len() as f64;
        let last = (place + tied.len()).min(PLACES);
        found += mean * (place..last).map(discount).sum::<f64>();
        place += tied.len();
    }
    (best > 0.0).then(|| (found / best).min(1.0))
}

/// For a place that counts from 0.
fn discount(place: usize) -> f64 {
    1.0 / (place as f64 + 2.0).log2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn quality(grades: &[f64], scores: &[f64]) -> Quality {
        Queries::new(&vec![1; grades.len()], grades).unwrap().quality(scores)
    }

    #[track_caller]
    fn is(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|found| (found - expected).abs() < 1e-12), "{found:?}, {expected}");
    }

    #[test]
    fn cases_by_hand() {
        // Gains 7, 1, 0 with discounts 1, 1/log₂3, 1/2, from the worst order to the best.
        let third = 1.0 / 3f64.log2();
        let best = 7.0 + third;
        is(quality(&[3.0, 1.0, 0.0], &[0.3, 0.2, 0.1]).ndcg10, 1.0);
        is(quality(&[3.0, 1.0, 0.0], &[0.1, 0.2, 0.3]).ndcg10, (third + 3.5) / best);
        is(quality(&[3.0, 1.0, 0.0], &[0.1, 0.2, 0.3]).pairwise_accuracy, 0.0);
        // Ties share their places: the mean gain is 8/3 at each of the three, or 4 at the first two.
        is(quality(&[3.0, 1.0, 0.0], &[0.0; 3]).ndcg10, 8.0 / 3.0 * (1.0 + third + 0.5) / best);
        is(quality(&[3.0, 1.0, 0.0], &[0.0; 3]).pairwise_accuracy, 0.5);
        is(quality(&[3.0, 1.0, 0.0], &[2.0, 2.0, 1.0]).ndcg10, 4.0 * (1.0 + third) / best);
        is(quality(&[3.0, 1.0, 0.0], &[2.0, 2.0, 1.0]).pairwise_accuracy, 2.5 / 3.0);
    }

    #[test]
    fn only_ten_places_count() {
        let grades: Vec<f64> = (0..12).map(|i| f64::from(u8::from(i == 11))).collect();
        let scores: Vec<f64> = (0..12).map(|i| -f64::from(i)).collect();
        is(quality(&grades, &scores).ndcg10, 0.0);
        // Twelve tied rows: the gain is at each of the ten places with probability 1/12.
        let ten: f64 = (0..10).map(discount).sum();
        is(quality(&grades, &[0.0; 12]).ndcg10, ten / 12.0);
    }

    #[test]
    fn grades_of_any_size() {
        let nothing = Quality { ndcg10: None, pairwise_accuracy: None };
        assert_eq!(quality(&[0.0, 0.0], &[1.0, 2.0]), nothing);
        assert_eq!(quality(&[5.0], &[1.0]), Quality { ndcg10: Some(1.0), ..nothing });
        // -1 and 1 are counted from -1: gains 0 and 3.
        is(quality(&[-1.0, 1.0], &[2.0, 1.0]).ndcg10, 1.0 / 3f64.log2());
        is(
            quality(&[5000.0, 4999.0], &[1.0, 2.0]).ndcg10,
            (0.5 + 1.0 / 3f64.log2()) / (1.0 + 0.5 / 3f64.log2()),
        );
    }

    #[test]
    fn a_query_without_gains_is_left_out() {
        let queries = Queries::new(&[1, 1, 2, 2], &[1.0, 0.0, 0.0, 0.0]).unwrap();
        is(queries.quality(&[1.0, 0.0, 5.0, 6.0]).ndcg10, 1.0);
    }

    proptest! {
        #[test]
        fn accuracy_is_that_over_all_pairs(rows in prop::collection::vec((0u64..3, 0u8..4, -3i32..3), 2..30)) {
            let ids: Vec<u64> = rows.iter().map(|row| row.0).collect();
            let grades: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
            let found = Queries::new(&ids, &grades).unwrap().quality(&scores);
            let (mut right, mut all) = (0.0, 0.0);
            for i in &rows {
                for k in rows.iter().filter(|k| i.0 == k.0 && i.1 > k.1) {
                    all += 1.0;
                    right += if i.2 > k.2 { 1.0 } else if i.2 == k.2 { 0.5 } else { 0.0 };
                }
            }
            prop_assert_eq!(found.pairwise_accuracy, (all > 0.0).then(|| right / all));
            prop_assert!(found.ndcg10.is_none_or(|ndcg| (0.0..=1.0).contains(&ndcg)));
        }
    }
}
