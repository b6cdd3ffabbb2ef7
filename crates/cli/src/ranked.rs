//! Queries, and how well scores rank them.

use anyhow::{Context, Result, bail};
use serde::Serialize;
use sparsvm_core::rank::{Quality, Queries};
use sparsvm_core::{Dataset, Goal};

use crate::words;

/// How well a data set is ranked. The fields' names are those of `--json`.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Ranked {
    pub(crate) queries: usize,
    pub(crate) pairs: u64,
    pub(crate) ndcg10: Option<f64>,
    pub(crate) pairwise_accuracy: Option<f64>,
}

impl Ranked {
    pub(crate) fn new(queries: &Queries, scores: &[f64]) -> Self {
        let Quality { ndcg10, pairwise_accuracy } = queries.quality(scores);
        Self { queries: queries.len(), pairs: queries.pairs(), ndcg10, pairwise_accuracy }
    }

    /// In words.
    pub(crate) fn told(&self) -> String {
        let ndcg = self.ndcg10.map_or_else(|| "not defined".into(), |ndcg| words::digits(ndcg, 4));
        let share = self.pairwise_accuracy.map_or_else(|| "not defined".into(), words::percent);
        let queries = match self.queries {
            1 => "1 query".into(),
            many => format!("{many} queries"),
        };
        format!("NDCG@10 {ndcg}, pairwise accuracy {share} ({queries}, {} pairs)", self.pairs)
    }
}

/// The queries of a data set that has them.
pub(crate) fn queries(data: &Dataset, name: &str) -> Result<Queries> {
    let Some(numbers) = data.queries() else {
        bail!(
            "{name} has no query numbers, which --task rank needs: write each row as \
             GRADE qid:QUERY INDEX:VALUE …, or leave --task rank out"
        );
    };
    let grades = data.labels().grades().with_context(|| name.to_owned())?;
    Queries::new(numbers, &grades).with_context(|| name.to_owned())
}

/// What to say if query numbers are there and not used.
pub(crate) fn unused(goal: Goal, data: &Dataset, name: &str) -> Option<String> {
    (goal == Goal::Classify && data.queries().is_some()).then(|| {
        format!("note: {name} has query numbers (qid), which are not used: add --task rank to learn to rank")
    })
}
