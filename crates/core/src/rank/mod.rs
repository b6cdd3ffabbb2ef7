//! Learning to rank: rows belong to queries and have grades, and a row should score higher than every row
//! of its query with a lower grade.
//!
//!   F(w) = (1/P) Σ over pairs (i,k) of ℓ(wᵀ(x_i - x_k)) + Σ_j κ_j p_λ(|w_j|) + (μ/2)‖w‖²
//!
//! over the P pairs of the same query with grade i > grade k. An intercept would cancel in every pair.
//!
//! There are two ways to the same F. A solver that needs the loss as a function of the scores only (a
//! [`Ranker`]) works with sums over pairs that are never formed (`split`, `sums`): P may be billions. The
//! others see an ordinary [`Problem`](crate::Problem) with a row for each pair
//! ([`PairDesign`](crate::design::PairDesign)), as long as their vectors of length P fit into memory.

mod certificate;
mod measures;
mod pairs;
mod queries;
mod solve;
mod split;
mod sums;

pub use measures::Quality;
pub use queries::{Queries, Query};
pub use solve::{Ranker, solve_ranking};

use crate::{Design, Error, Loss, Regularizer, Result};
use sums::PairSums;

/// A borrowed, validated ranking problem.
#[derive(Debug, Clone)]
pub struct Ranking<'a> {
    x: &'a dyn Design,
    queries: &'a Queries,
    loss: Loss,
    regularizer: Regularizer,
    memory_limit: u64,
}

impl<'a> Ranking<'a> {
    /// Puts a problem together.
    ///
    /// # Errors
    /// If there are no features, the queries are those of other rows, or no query has two different grades.
    pub fn new(
        x: &'a dyn Design,
        queries: &'a Queries,
        loss: Loss,
        regularizer: Regularizer,
    ) -> Result<Self> {
        let (n, d) = (x.rows(), x.cols());
        if n == 0 || d == 0 {
            return Err(Error::Empty { rows: n, cols: d });
        }
        if queries.rows() != n {
            return Err(Error::Length { what: "query numbers", found: queries.rows(), expected: n });
        }
        if queries.pairs() == 0 {
            return Err(Error::parameter(
                "pairs",
                0,
                "a ranking needs a query with two rows of different grades; grades are the labels",
            ));
        }
        regularizer.check_features(d)?;
        Ok(Self { x, queries, loss, regularizer, memory_limit: u64::MAX })
    }

    /// The most bytes that forming the pairs may take, for the solvers that need them.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// X: one row a row of the data, not a pair.
    pub fn x(&self) -> &'a dyn Design {
        self.x
    }

    /// Which rows compete.
    pub fn queries(&self) -> &'a Queries {
        self.queries
    }

    /// ℓ.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// The regulariser.
    pub fn regularizer(&self) -> &Regularizer {
        &self.regularizer
    }

    /// F(w).
    pub fn objective(&self, w: &[f64]) -> f64 {
        let mut scores = vec![0.0; self.x.rows()];
        self.x.matvec(w, &mut scores);
        self.loss_of(&scores) + self.regularizer.value(w)
    }

    /// 1/P.
    fn share(&self) -> f64 {
        1.0 / self.queries.pairs() as f64
    }

    /// (1/P) Σ ℓ(s_i - s_k).
    pub(crate) fn loss_of(&self, scores: &[f64]) -> f64 {
        self.share() * self.queries.sum_loss(self.loss, scores)
    }

    /// out_i = minus the derivative of the loss by score i; returns (1/P) Σ ℓ and (1/P) Σ pull.
    pub(crate) fn pulls_of(&self, scores: &[f64], out: &mut [f64]) -> PairSums {
        let share = self.share();
        let PairSums { loss, pull } = self.queries.sum_pulls(self.loss, scores, out);
        out.iter_mut().for_each(|out| *out *= share);
        PairSums { loss: share * loss, pull: share * pull }
    }

    /// out = (second derivative of the loss by the scores) · z.
    fn bend_of(&self, scores: &[f64], z: &[f64], out: &mut [f64]) {
        let share = self.share();
        self.queries.bend(self.loss, scores, z, out);
        out.iter_mut().for_each(|out| *out *= share);
    }

    /// The largest curvature that the loss can have along each feature, (max ℓ''/P) Σ (x_ij - x_kj)².
    ///
    /// A row of a query with m rows, m_l of them at its own level, is in m - m_l pairs. So for the entries a
    /// of one feature in one query, the sum is Σ_i (m - m_l)a_i² - (Σ a)² + Σ over levels of (Σ a there)².
    pub(crate) fn curvatures(&self) -> Vec<f64> {
        let n = self.x.rows();
        let (mut opponents, mut query_of, mut level_of) = (vec![0.0; n], vec![0; n], vec![0; n]);
        let mut levels = 0;
        for (k, query) in self.queries.iter().enumerate() {
            let sizes = query.level_sizes();
            for (&i, &level) in query.rows.iter().zip(query.levels) {
                opponents[i as usize] = (query.rows.len() as u64 - sizes[level as usize]) as f64;
                query_of[i as usize] = k;
                level_of[i as usize] = levels + level as usize;
            }
            levels += sizes.len();
        }
        let (mut in_query, mut in_level) = (vec![0.0f64; self.queries.len()], vec![0.0f64; levels]);
        let bend = self.loss.max_curvature() * self.share();
        let along = |j: usize| {
            let column = self.x.column(j);
            let (mut squares, mut products) = (0.0, 0.0);
            column.for_each(|i, a| {
                squares += opponents[i] * a * a;
                in_query[query_of[i]] += a;
                in_level[level_of[i]] += a;
            });
            column.for_each(|i, _| {
                products += std::mem::take(&mut in_query[query_of[i]]).powi(2)
                    - std::mem::take(&mut in_level[level_of[i]]).powi(2);
            });
            // The difference is rounded; what is returned must not be too small.
            bend * ((squares - products).max(0.0) + 1e-12 * squares)
        };
        (0..self.x.cols()).map(along).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, PenaltySpec};
    use proptest::prelude::*;

    pub(super) fn l1(lambda: f64) -> Regularizer {
        Regularizer::from_spec(&PenaltySpec::new(Family::L1, lambda)).unwrap()
    }

    proptest! {
        #[test]
        fn curvatures_are_those_over_all_pairs(rows in prop::collection::vec((0u64..3, 0u8..4, -3.0..3.0f64), 2..20)) {
            let ids: Vec<u64> = rows.iter().map(|row| row.0).collect();
            let grades: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let queries = Queries::new(&ids, &grades).unwrap();
            prop_assume!(queries.pairs() > 0);
            let values: Vec<f64> = rows.iter().flat_map(|row| [row.2, row.2 + 100.0]).collect();
            let x = Dense::from_rows(rows.len(), 2, &values).unwrap();
            let ranking = Ranking::new(&x, &queries, Loss::SquaredHinge, l1(0.1)).unwrap();
            let mut sum = 0.0;
            for i in &rows {
                for k in rows.iter().filter(|k| i.0 == k.0 && i.1 > k.1) {
                    sum += 2.0 * (i.2 - k.2).powi(2) / queries.pairs() as f64;
                }
            }
            for found in ranking.curvatures() {
                prop_assert!((found - sum).abs() < 1e-6 && found >= sum - 1e-12, "{found}, {sum}");
            }
        }
    }

    #[test]
    fn a_ranking_needs_pairs() {
        let x = Dense::from_rows(2, 1, &[1.0, 2.0]).unwrap();
        for (ids, grades) in [([1, 2], [0.0, 1.0]), ([1, 1], [3.0, 3.0])] {
            let queries = Queries::new(&ids, &grades).unwrap();
            let error = Ranking::new(&x, &queries, Loss::Hinge, l1(0.1)).unwrap_err();
            assert!(error.to_string().contains("different grades"), "{error}");
        }
        let queries = Queries::new(&[1], &[1.0]).unwrap();
        assert!(Ranking::new(&x, &queries, Loss::Hinge, l1(0.1)).is_err());
    }
}
