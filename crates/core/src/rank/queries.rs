//! Which rows compete: the rows of each query, and how relevant each of them is.

use std::collections::HashMap;

use crate::{Error, Result};

/// Rows grouped by query, with their grades. Rows of a query need not be neighbours in the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Queries {
    /// Rows, query after query in the order of their first rows.
    rows: Vec<u32>,
    /// Where each query starts in `rows`; one more at the end.
    starts: Vec<usize>,
    /// At each place of `rows`: the grade,
    grades: Vec<f64>,
    /// and how many different grades of the query are below it.
    levels: Vec<u32>,
    pairs: u64,
}

/// The rows of one query.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Which rows of the data.
    pub rows: &'a [u32],
    /// Their grades.
    pub grades: &'a [f64],
    /// How many different grades of the query are below each of them.
    pub levels: &'a [u32],
}

impl Queries {
    /// Groups rows by their query numbers.
    ///
    /// # Errors
    /// Unless there is one grade a row, and each is finite.
    pub fn new(queries: &[u64], grades: &[f64]) -> Result<Self> {
        let n = queries.len();
        if grades.len() != n {
            return Err(Error::Length { what: "grades", found: grades.len(), expected: n });
        }
        if let Some(bad) = grades.iter().find(|grade| !grade.is_finite()) {
            return Err(Error::parameter("grade", bad, "grades are finite numbers"));
        }
        if u32::try_from(n).is_err() {
            return Err(Error::parameter("rows", n, "a ranking takes up to 4294967295 rows"));
        }
        let mut numbers: HashMap<u64, usize> = HashMap::new();
        let mut counts: Vec<usize> = Vec::new();
        let query_of: Vec<usize> = queries
            .iter()
            .map(|query| {
                let next = counts.len();
                let k = *numbers.entry(*query).or_insert(next);
                if k == next {
                    counts.push(0);
                }
                counts[k] += 1;
                k
            })
            .collect();
        let mut starts = vec![0];
        counts.iter().for_each(|count| starts.push(starts.last().map_or(0, |start| start + count)));
        let mut next = starts.clone();
        let mut rows = vec![0u32; n];
        for (i, &k) in query_of.iter().enumerate() {
            rows[next[k]] = i as u32;
            next[k] += 1;
        }
        let grades: Vec<f64> = rows.iter().map(|&i| grades[i as usize]).collect();
        let mut levels = vec![0; n];
        let mut pairs = 0;
        for ends in starts.windows(2) {
            pairs += set_levels(&grades[ends[0]..ends[1]], &mut levels[ends[0]..ends[1]]);
        }
        Ok(Self { rows, starts, grades, levels, pairs })
    }

    /// How many queries there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many pairs of rows have the same query and different grades.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// One query after the other.
    pub fn iter(&self) -> impl Iterator<Item = Query<'_>> {
        self.starts.windows(2).map(|ends| {
            let places = ends[0]..ends[1];
            Query {
                rows: &self.rows[places.clone()],
                grades: &self.grades[places.clone()],
                levels: &self.levels[places],
            }
        })
    }

    /// A value a place as a value a row.
    pub(super) fn by_row(&self, places: &[f64], out: &mut [f64]) {
        self.rows.iter().zip(places).for_each(|(&i, value)| out[i as usize] = *value);
    }
}

impl Query<'_> {
    /// One more than the highest level.
    pub(super) fn depth(&self) -> u32 {
        self.levels.iter().max().map_or(0, |top| top + 1)
    }

    /// How many rows are at each level.
    pub(super) fn level_sizes(&self) -> Vec<u64> {
        sizes(self.levels, self.depth() as usize)
    }
}

fn sizes(levels: &[u32], depth: usize) -> Vec<u64> {
    let mut sizes = vec![0; depth];
    levels.iter().for_each(|&level| sizes[level as usize] += 1);
    sizes
}

/// Levels from grades; returns how many pairs have different ones.
fn set_levels(grades: &[f64], levels: &mut [u32]) -> u64 {
    // -0 and 0 are one grade.
    let mut distinct: Vec<f64> = grades.iter().map(|grade| grade + 0.0).collect();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    for (level, grade) in levels.iter_mut().zip(grades) {
        *level = distinct.partition_point(|other| other < grade) as u32;
    }
    let mut below = 0;
    let of_level = |size: u64| {
        let pairs = below * size;
        below += size;
        pairs
    };
    sizes(levels, distinct.len()).into_iter().map(of_level).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_query_find_each_other() {
        let queries = Queries::new(&[7, 3, 7, 3, 7, 9], &[2.0, 0.5, -1.0, 0.5, 2.0, 1.0]).unwrap();
        let rows: Vec<&[u32]> = queries.iter().map(|query| query.rows).collect();
        assert_eq!(rows, [&[0, 2, 4][..], &[1, 3], &[5]]);
        let levels: Vec<&[u32]> = queries.iter().map(|query| query.levels).collect();
        assert_eq!(levels, [&[1, 0, 1][..], &[0, 0], &[0]]);
        assert_eq!((queries.len(), queries.rows(), queries.pairs()), (3, 6, 2));
    }

    #[test]
    fn zeros_are_one_grade_and_nan_is_none() {
        assert_eq!(Queries::new(&[1, 1], &[0.0, -0.0]).unwrap().pairs(), 0);
        assert!(Queries::new(&[1, 1], &[0.0, f64::NAN]).is_err());
        assert!(Queries::new(&[1, 1], &[0.0]).is_err());
    }
}
