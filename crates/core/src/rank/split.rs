//! Every pair of different grades, as a few pairs of sorted lists.
//!
//! The grades of a query are split in two halves: each row of the upper half is preferred to each row of
//! the lower one. Then both halves are split likewise. A query of m rows and g grades so gives lists of m
//! rows in all for each of log₂ g depths, and sorting by score, once, sorts them all.

use super::queries::Query;

/// Memory that is used again for the next query.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The query's scores, by place.
    pub(super) scores: Vec<f64>,
    order: Vec<u32>,
    spare: Vec<u32>,
}

impl Scratch {
    /// Takes the query's scores out of those of all rows.
    pub(super) fn take(&mut self, query: Query<'_>, scores: &[f64]) {
        self.scores.clear();
        self.scores.extend(query.rows.iter().map(|&i| scores[i as usize]));
    }

    /// Calls `visit(higher, lower, scores)` with places in the query, both lists by ascending score; every
    /// pair of different grades is between the lists of one visit.
    pub(super) fn visit(&mut self, query: Query<'_>, mut visit: impl FnMut(&[u32], &[u32], &[f64])) {
        let Self { scores, order, spare } = self;
        order.clear();
        order.extend(0..query.rows.len() as u32);
        order.sort_unstable_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]).then(a.cmp(&b)));
        split(order, query.levels, 0..query.depth(), spare, &mut |higher, lower| {
            visit(higher, lower, scores);
        });
    }
}

fn split(
    order: &mut [u32],
    levels: &[u32],
    range: std::ops::Range<u32>,
    spare: &mut Vec<u32>,
    visit: &mut impl FnMut(&[u32], &[u32]),
) {
    if range.len() < 2 {
        return;
    }
    let middle = range.start + (range.end - range.start) / 2;
    spare.clear();
    let mut kept = 0;
    for k in 0..order.len() {
        let place = order[k];
        if levels[place as usize] < middle {
            order[kept] = place;
            kept += 1;
        } else {
            spare.push(place);
        }
    }
    order[kept..].copy_from_slice(spare);
    let (lower, higher) = order.split_at_mut(kept);
    visit(higher, lower);
    split(lower, levels, range.start..middle, spare, visit);
    split(higher, levels, middle..range.end, spare, visit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Queries;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_pair_is_visited_once(rows in prop::collection::vec((0u32..6, 0u32..4), 1..30)) {
            let grades: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let queries = Queries::new(&vec![5; rows.len()], &grades).unwrap();
            let mut seen = Vec::new();
            let mut scratch = Scratch::default();
            for query in queries.iter() {
                scratch.take(query, &scores);
                scratch.visit(query, |higher, lower, scores| {
                    for list in [higher, lower] {
                        assert!(list.windows(2).all(|p| scores[p[0] as usize] <= scores[p[1] as usize]));
                    }
                    higher.iter().for_each(|&i| lower.iter().for_each(|&k| seen.push((i, k))));
                });
            }
            seen.sort_unstable();
            let n = rows.len() as u32;
            let all: Vec<(u32, u32)> = (0..n)
                .flat_map(|i| (0..n).map(move |k| (i, k)))
                .filter(|&(i, k)| grades[i as usize] > grades[k as usize])
                .collect();
            prop_assert_eq!(seen, all);
        }
    }
}
