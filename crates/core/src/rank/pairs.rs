//! The pairs themselves, for solvers that need one row a pair. What that takes is said before it is taken.

use super::{Queries, Query, Ranking};
use crate::design::PairDesign;
use crate::{Error, Problem, Result};

/// Bytes that a pair costs a solver: the pair, and some thirty vectors with a number a pair.
const BYTES_PER_PAIR: u64 = 256;
/// Bytes that an entry of a pair's row can cost: kept by columns and by rows, and both twice while a working
/// set changes.
const BYTES_PER_ENTRY: u64 = 48;

impl<'a> Ranking<'a> {
    /// The rows x_i - x_k, one a pair.
    ///
    /// # Errors
    /// [`Error::Memory`] if a solver on them could need more than the limit.
    pub fn pair_design(&self) -> Result<PairDesign<'a>> {
        let needed = self.pair_bytes();
        if needed > self.memory_limit {
            return Err(Error::Memory {
                what: "a row for each pair",
                needed_mib: needed >> 20,
                limit_mib: self.memory_limit >> 20,
                remedy: "use --solver reweighted with --loss squared-hinge, which forms no pairs",
            });
        }
        PairDesign::new(self.x(), pairs(self.queries()))
    }

    /// The same F as a problem on these rows; `ones` holds a label of +1 for each.
    ///
    /// # Errors
    /// If there are not as many.
    pub fn pair_problem<'b>(&self, pairs: &'b PairDesign<'_>, ones: &'b [f64]) -> Result<Problem<'b>> {
        Ok(Problem::new(pairs, ones, self.loss(), self.regularizer().clone())?.without_intercept())
    }

    /// What a solver can need with a row for each pair, at most about.
    fn pair_bytes(&self) -> u64 {
        let mut entries: u64 = 0;
        for query in self.queries().iter() {
            let sizes = query.level_sizes();
            for (&i, &level) in query.rows.iter().zip(query.levels) {
                let pairs = query.rows.len() as u64 - sizes[level as usize];
                entries =
                    entries.saturating_add(pairs.saturating_mul(self.x().row(i as usize).stored() as u64));
            }
        }
        // Where both rows of a pair have an entry there is one.
        entries = entries.min(self.queries().pairs().saturating_mul(self.x().cols() as u64));
        let of_pairs = self.queries().pairs().saturating_mul(BYTES_PER_PAIR);
        of_pairs.saturating_add(entries.saturating_mul(BYTES_PER_ENTRY))
    }
}

/// (i, k) with i preferred, query after query.
fn pairs(queries: &Queries) -> Vec<[u32; 2]> {
    let mut pairs = Vec::with_capacity(usize::try_from(queries.pairs()).unwrap_or(0));
    queries.iter().for_each(|query| add_pairs(query, &mut pairs));
    pairs
}

fn add_pairs(query: Query<'_>, pairs: &mut Vec<[u32; 2]>) {
    for (&i, &level) in query.rows.iter().zip(query.levels) {
        let lower = query.rows.iter().zip(query.levels).filter(|(_, other)| **other < level);
        pairs.extend(lower.map(|(&k, _)| [i, k]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Dense, Design};
    use crate::rank::tests::l1;
    use crate::{Loss, rank::Queries};

    #[test]
    fn pairs_are_formed_and_refused() {
        let x = Dense::from_rows(4, 1, &[1.0, 2.0, 4.0, 8.0]).unwrap();
        let queries = Queries::new(&[1, 2, 1, 1], &[2.0, 0.0, 1.0, 0.0]).unwrap();
        let ranking = Ranking::new(&x, &queries, Loss::SquaredHinge, l1(0.1)).unwrap();
        let design = ranking.pair_design().unwrap();
        let mut differences = Vec::new();
        design.column(0).for_each(|_, value| differences.push(value));
        assert_eq!(differences, [-3.0, -7.0, -4.0]);
        let ones = [1.0; 3];
        let problem = ranking.pair_problem(&design, &ones).unwrap();
        let mut scratch = [0.0; 3];
        let (found, expected) = (problem.objective(&[0.3], 0.0, &mut scratch), ranking.objective(&[0.3]));
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        let refused = ranking.with_memory_limit(100).pair_design().unwrap_err().to_string();
        assert!(refused.contains("--solver reweighted") && refused.contains("--memory-limit"), "{refused}");
    }
}
