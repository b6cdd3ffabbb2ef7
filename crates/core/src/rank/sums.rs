//! Sums over all pairs of a loss of their margins, in O(m log m) for a query of m rows.
//!
//! A loss is a sum of pieces weight · [edge - (s_i - s_k)]₊^power. For a pair of sorted lists (see
//! [`split`](super::split)) the preferred rows are gone through from the highest score s_i down: the others
//! that are too close come in one after the other, none leaves, and every slack grows by the step in s_i.
//! So counts, sums and sums of squares of the slacks are renewed in O(1), and since they only grow there is
//! no cancellation, however long the lists are. (Lee and Lin 2014 keep such sums in order-statistic trees.)

use rayon::prelude::*;

use super::queries::{Queries, Query};
use super::split::Scratch;
use crate::Loss;

/// Below this many rows everything runs on the calling thread.
const PARALLEL_ROWS: usize = 1 << 12;

/// weight · [edge - margin]₊^power.
#[derive(Debug, Clone, Copy)]
struct Piece {
    edge: f64,
    weight: f64,
    power: i32,
}

impl Piece {
    fn all(loss: Loss) -> Vec<Self> {
        match loss {
            Loss::Hinge => vec![Self { edge: 1.0, weight: 1.0, power: 1 }],
            Loss::SquaredHinge => vec![Self { edge: 1.0, weight: 1.0, power: 2 }],
            Loss::HuberHinge { delta } => {
                let weight = 0.5 / delta;
                let beyond = Self { edge: 1.0 - delta, weight: -weight, power: 2 };
                vec![Self { edge: 1.0, weight, power: 2 }, beyond]
            }
        }
    }

    fn value(&self, slacks: &Slacks) -> f64 {
        self.weight * if self.power == 2 { slacks.squares } else { slacks.sum }
    }

    /// Minus the derivative by the margin.
    fn pull(&self, slacks: &Slacks) -> f64 {
        self.weight * if self.power == 2 { 2.0 * slacks.sum } else { slacks.count }
    }

    fn curvature(&self) -> f64 {
        if self.power == 2 { 2.0 * self.weight } else { 0.0 }
    }
}

/// The slacks that are positive, of one row against the others.
#[derive(Debug, Clone, Copy, Default)]
struct Slacks {
    count: f64,
    sum: f64,
    squares: f64,
    /// Sum of what the others carry.
    carried: f64,
}

impl Slacks {
    fn grow(&mut self, step: f64) {
        self.squares += step * (2.0 * self.sum + self.count * step);
        self.sum += self.count * step;
    }

    fn add(&mut self, slack: f64, carried: f64) {
        self.count += 1.0;
        self.sum += slack;
        self.squares += slack * slack;
        self.carried += carried;
    }
}

/// Calls `each(place, slacks)` for the leaders, from the highest score down. `others` have (score, what they
/// carry), from the highest down as well; the slack is edge - leader + other.
fn sweep(
    leaders: impl Iterator<Item = (u32, f64)>,
    others: impl Iterator<Item = (f64, f64)>,
    edge: f64,
    mut each: impl FnMut(u32, &Slacks),
) {
    let mut others = others.peekable();
    let mut slacks = Slacks::default();
    let mut last = f64::NAN;
    for (place, score) in leaders {
        if slacks.count > 0.0 {
            slacks.grow(last - score);
        }
        last = score;
        while let Some((other, carried)) = others.next_if(|(other, _)| edge - score + other > 0.0) {
            slacks.add(edge - score + other, carried);
        }
        each(place, &slacks);
    }
}

/// Sums over the pairs (i, k), i preferred to k.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PairSums {
    /// Σ ℓ(s_i - s_k).
    pub(crate) loss: f64,
    /// Σ pull(s_i - s_k).
    pub(crate) pull: f64,
}

impl Queries {
    /// Σ ℓ(s_i - s_k).
    pub(crate) fn sum_loss(&self, loss: Loss, scores: &[f64]) -> f64 {
        let pieces = Piece::all(loss);
        let mut none = vec![0.0; self.rows()];
        self.each_query(&mut none, |query, scratch, _| {
            let mut sum = 0.0;
            scratch.take(query, scores);
            scratch.visit(query, |higher, lower, s| {
                for piece in &pieces {
                    let others = falling(lower, s).map(|(_, score)| (score, 0.0));
                    sweep(falling(higher, s), others, piece.edge, |_, slacks| sum += piece.value(slacks));
                }
            });
            PairSums { loss: sum, pull: 0.0 }
        })
        .loss
    }

    /// out_i = Σ over i's pairs of ±pull: minus the derivative of Σ ℓ by s_i.
    pub(crate) fn sum_pulls(&self, loss: Loss, scores: &[f64], out: &mut [f64]) -> PairSums {
        let pieces = Piece::all(loss);
        let mut pulls = vec![0.0; self.rows()];
        let sums = self.each_query(&mut pulls, |query, scratch, pulls| {
            let mut sums = PairSums::default();
            scratch.take(query, scores);
            scratch.visit(query, |higher, lower, s| {
                for piece in &pieces {
                    let others = falling(lower, s).map(|(_, score)| (score, 0.0));
                    sweep(falling(higher, s), others, piece.edge, |place, slacks| {
                        sums.loss += piece.value(slacks);
                        sums.pull += piece.pull(slacks);
                        pulls[place as usize] += piece.pull(slacks);
                    });
                    let others = rising(higher, s).map(|(_, score)| (score, 0.0));
                    sweep(rising(lower, s), others, piece.edge, |place, slacks| {
                        pulls[place as usize] -= piece.pull(slacks);
                    });
                }
            });
            sums
        });
        self.by_row(&pulls, out);
        sums
    }

    /// out = (second derivative of Σ ℓ by the scores) · z.
    pub(crate) fn bend(&self, loss: Loss, scores: &[f64], z: &[f64], out: &mut [f64]) {
        let pieces = Piece::all(loss);
        let mut bent = vec![0.0; self.rows()];
        self.each_query(&mut bent, |query, scratch, bent| {
            let z = |place: u32| z[query.rows[place as usize] as usize];
            scratch.take(query, scores);
            scratch.visit(query, |higher, lower, s| {
                for piece in &pieces {
                    let mut add = |place: u32, slacks: &Slacks| {
                        bent[place as usize] +=
                            piece.curvature() * (slacks.count * z(place) - slacks.carried);
                    };
                    let others = falling(lower, s).map(|(place, score)| (score, z(place)));
                    sweep(falling(higher, s), others, piece.edge, &mut add);
                    let others = rising(higher, s).map(|(place, score)| (score, z(place)));
                    sweep(rising(lower, s), others, piece.edge, &mut add);
                }
            });
            PairSums::default()
        });
        self.by_row(&bent, out);
    }

    /// Runs `one` on each query with its part of `places`, and adds up, in the order of the queries.
    fn each_query(
        &self,
        places: &mut [f64],
        one: impl Fn(Query<'_>, &mut Scratch, &mut [f64]) -> PairSums + Sync,
    ) -> PairSums {
        let mut rest = places;
        let parts = self.iter().map(|query| {
            let (part, after) = std::mem::take(&mut rest).split_at_mut(query.rows.len());
            rest = after;
            (query, part)
        });
        let sums: Vec<PairSums> = if self.rows() < PARALLEL_ROWS {
            let mut scratch = Scratch::default();
            parts.map(|(query, part)| one(query, &mut scratch, part)).collect()
        } else {
            let parts: Vec<_> = parts.collect();
            let run = |scratch: &mut Scratch, (query, part)| one(query, scratch, part);
            parts.into_par_iter().map_init(Scratch::default, run).collect()
        };
        let add = |a: PairSums, b: PairSums| PairSums { loss: a.loss + b.loss, pull: a.pull + b.pull };
        sums.into_iter().fold(PairSums::default(), add)
    }
}

/// (place, score) from the highest score down.
fn falling<'a>(places: &'a [u32], scores: &'a [f64]) -> impl Iterator<Item = (u32, f64)> + 'a {
    places.iter().rev().map(|&place| (place, scores[place as usize]))
}

/// (place, -score) from the lowest score up: with scores turned round, the less preferred rows lead.
fn rising<'a>(places: &'a [u32], scores: &'a [f64]) -> impl Iterator<Item = (u32, f64)> + 'a {
    places.iter().map(|&place| (place, -scores[place as usize]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOSSES: [Loss; 4] =
        [Loss::Hinge, Loss::SquaredHinge, Loss::HuberHinge { delta: 2.0 }, Loss::HuberHinge { delta: 0.3 }];

    /// Scores on a grid, so that ties and margins of exactly 1 occur, or anywhere.
    fn data() -> impl Strategy<Value = Vec<(u64, u8, f64)>> {
        let score = prop_oneof![(-8i32..8).prop_map(|k| f64::from(k) * 0.25), -3.0..3.0f64];
        prop::collection::vec((0u64..3, 0u8..5, score), 1..40)
    }

    fn pairs(rows: &[(u64, u8, f64)]) -> Vec<(usize, usize)> {
        let all = (0..rows.len()).flat_map(|i| (0..rows.len()).map(move |k| (i, k)));
        all.filter(|&(i, k)| rows[i].0 == rows[k].0 && rows[i].1 > rows[k].1).collect()
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-11 * (1.0 + a.abs().max(b.abs()))
    }

    proptest! {
        #[test]
        fn sums_are_those_over_all_pairs(rows in data()) {
            let ids: Vec<u64> = rows.iter().map(|row| row.0).collect();
            let grades: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let s: Vec<f64> = rows.iter().map(|row| row.2).collect();
            let z: Vec<f64> = s.iter().enumerate().map(|(i, s)| (s * 7.0 + i as f64).sin()).collect();
            let queries = Queries::new(&ids, &grades).unwrap();
            let pairs = pairs(&rows);
            prop_assert_eq!(queries.pairs(), pairs.len() as u64);
            for loss in LOSSES {
                let margin = |&(i, k): &(usize, usize)| s[i] - s[k];
                let value: f64 = pairs.iter().map(|p| loss.value(margin(p))).sum();
                let pull: f64 = pairs.iter().map(|p| loss.pull(margin(p))).sum();
                let (mut by_score, mut bent) = (vec![0.0; s.len()], vec![0.0; s.len()]);
                for p in &pairs {
                    by_score[p.0] += loss.pull(margin(p));
                    by_score[p.1] -= loss.pull(margin(p));
                    let force = loss.curvature(margin(p)) * (z[p.0] - z[p.1]);
                    bent[p.0] += force;
                    bent[p.1] -= force;
                }
                prop_assert!(near(queries.sum_loss(loss, &s), value), "{loss}");
                let mut out = vec![9.0; s.len()];
                let sums = queries.sum_pulls(loss, &s, &mut out);
                prop_assert!(near(sums.loss, value) && near(sums.pull, pull), "{loss}: {sums:?}");
                prop_assert!(out.iter().zip(&by_score).all(|(a, b)| near(*a, *b)), "{loss}: {out:?}");
                // At the end of a piece either curvature is right: only there the two may differ.
                let at_an_end = |p: &(usize, usize)| {
                    let ends = [1.0, -1.0, 0.7].map(|end: f64| (margin(p) - end).abs() < 1e-9);
                    ends.contains(&true)
                };
                if !pairs.iter().any(at_an_end) {
                    queries.bend(loss, &s, &z, &mut out);
                    prop_assert!(out.iter().zip(&bent).all(|(a, b)| near(*a, *b)), "{loss}: {out:?}");
                }
            }
        }
    }

    #[test]
    fn threads_do_not_change_the_bits() {
        let n = 3 * PARALLEL_ROWS;
        let ids: Vec<u64> = (0..n as u64).map(|i| i * i % 97).collect();
        let grades: Vec<f64> = (0..n).map(|i| (i % 7) as f64).collect();
        let s: Vec<f64> = (0..n).map(|i| (i as f64).sin() * 2.0).collect();
        let queries = Queries::new(&ids, &grades).unwrap();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = vec![0.0; n];
            let sums = pool.install(|| queries.sum_pulls(Loss::SquaredHinge, &s, &mut out));
            (sums, out)
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn large_scores_lose_no_digits() {
        // Margins of 0.5 between scores of about 10⁶: the slack is 0.5 to the last bit.
        let n = 2000;
        let grades: Vec<f64> = (0..n).map(|i| f64::from(i % 2)).collect();
        let s: Vec<f64> = (0..n).map(|i| 1e6 + 0.5 * f64::from(i % 2)).collect();
        let queries = Queries::new(&vec![1; n as usize], &grades).unwrap();
        assert_eq!(queries.sum_loss(Loss::SquaredHinge, &s), 1e6 * 0.25);
    }
}
