//! From compressed rows to compressed columns and back: all of them, or some.

use std::ops::Range;

use rayon::prelude::*;

use super::compressed::Parts;
use super::storage::Values;
use super::{Compressed, PARALLEL_ENTRIES};

/// Vectors whose ends stay in the cache while they are filled, about.
const NEAR_VECTORS: usize = 1 << 17;
/// Ranges for one thread, at most: each reads its part of every vector, and short parts are slow to read.
const MOST_RANGES: usize = 4;

/// Which positions a transposition takes, in ascending order.
pub(super) trait Chosen: Sync {
    fn len(&self) -> usize;

    /// The k-th of them.
    fn position(&self, k: usize) -> usize;

    /// Its place among them, if it is one.
    fn place(&self, position: u32) -> Option<usize>;
}

/// All of so many.
pub(super) struct Everything(pub(super) usize);

impl Chosen for Everything {
    fn len(&self) -> usize {
        self.0
    }

    #[inline]
    fn position(&self, k: usize) -> usize {
        k
    }

    #[inline]
    fn place(&self, position: u32) -> Option<usize> {
        Some(position as usize)
    }
}

/// Some of them.
pub(super) struct Named<'b> {
    positions: &'b [usize],
    places: Vec<u32>,
}

impl<'b> Named<'b> {
    const NONE: u32 = u32::MAX;

    pub(super) fn new(positions: &'b [usize], across: usize) -> Self {
        let mut places = vec![Self::NONE; across];
        positions.iter().enumerate().for_each(|(k, &j)| places[j] = k as u32);
        Self { positions, places }
    }
}

impl Chosen for Named<'_> {
    fn len(&self) -> usize {
        self.positions.len()
    }

    #[inline]
    fn position(&self, k: usize) -> usize {
        self.positions[k]
    }

    #[inline]
    fn place(&self, position: u32) -> Option<usize> {
        let place = self.places[position as usize];
        (place != Self::NONE).then_some(place as usize)
    }
}

impl<T> Parts<'_, T>
where
    T: Copy + Default + Into<f64> + Send + Sync + 'static,
    Vec<T>: Into<Values<'static>>,
{
    pub(super) fn transposed(&self, chosen: &impl Chosen) -> Compressed<'static> {
        let starts = self.starts_across(chosen);
        let stored = starts[chosen.len()];
        let (mut at, mut values) = (vec![0u32; stored], vec![T::default(); stored]);
        self.fill(chosen, &starts, 0..chosen.len(), (&mut at, &mut values));
        let across = self.starts.len() - 1;
        Compressed { starts: starts.into(), at: at.into(), values: values.into(), across }
    }

    /// These of the vectors across, with room for their entries. They are made in ranges of about as many entries, in parallel:
    /// one for a thread, a few more if there are so many vectors that their ends would not stay in the cache.
    pub(super) fn fill(
        &self,
        chosen: &impl Chosen,
        starts: &[usize],
        places: Range<usize>,
        (mut at_rest, mut values_rest): (&mut [u32], &mut [T]),
    ) {
        let (len, count) = (self.starts.len() - 1, places.len());
        let (before, stored) = (starts[places.start], at_rest.len());
        let threads = self.threads();
        let most = (count / NEAR_VECTORS).clamp(threads, MOST_RANGES * threads);
        let mut ranges = Vec::with_capacity(most);
        let mut from = places.start;
        for part in 1..=most {
            let goal = before + (stored as u128 * part as u128 / most as u128) as usize;
            let to = if part == most {
                places.end
            } else {
                starts.partition_point(|&start| start < goal).clamp(from, places.end)
            };
            let (at_here, values_here);
            (at_here, at_rest) = at_rest.split_at_mut(starts[to] - starts[from]);
            (values_here, values_rest) = values_rest.split_at_mut(starts[to] - starts[from]);
            ranges.push((from..to, at_here, values_here));
            from = to;
        }
        let fill = |(range, at, values): (Range<usize>, &mut [u32], &mut [T])| {
            if at.is_empty() {
                return;
            }
            let base = starts[range.start];
            let mut next: Vec<usize> = starts[range.clone()].iter().map(|start| start - base).collect();
            let positions = chosen.position(range.start)..chosen.position(range.end - 1) + 1;
            for k in 0..len {
                let (js, xs) = self.vector_in(k, &positions);
                for (&j, &x) in js.iter().zip(xs) {
                    let Some(place) = chosen.place(j) else { continue };
                    let slot = &mut next[place - range.start];
                    at[*slot] = k as u32;
                    values[*slot] = x;
                    *slot += 1;
                }
            }
        };
        if most == 1 {
            ranges.into_iter().for_each(fill);
        } else {
            ranges.into_par_iter().for_each(fill);
        }
    }

    /// Where the vectors across start.
    pub(super) fn starts_across(&self, chosen: &impl Chosen) -> Vec<usize> {
        let mut counts = vec![0u32; self.across];
        let width = self.across.div_ceil(self.threads()).max(1);
        if width >= self.across {
            self.at.iter().for_each(|&j| counts[j as usize] += 1);
        } else {
            counts.par_chunks_mut(width).enumerate().for_each(|(part, counts)| {
                let first = part * width;
                let positions = first..first + counts.len();
                for k in 0..self.starts.len() - 1 {
                    self.vector_in(k, &positions).0.iter().for_each(|&j| counts[j as usize - first] += 1);
                }
            });
        }
        let mut starts = Vec::with_capacity(chosen.len() + 1);
        starts.push(0);
        let mut stored = 0;
        for k in 0..chosen.len() {
            stored += counts[chosen.position(k)] as usize;
            starts.push(stored);
        }
        starts
    }

    /// How many share the work.
    fn threads(&self) -> usize {
        if self.values.len() < PARALLEL_ENTRIES { 1 } else { rayon::current_num_threads() }
    }

    /// The part of vector k at these positions.
    #[inline]
    fn vector_in(&self, k: usize, positions: &Range<usize>) -> (&[u32], &[T]) {
        let (at, values) = self.vector(k);
        if *positions == (0..self.across) {
            return (at, values);
        }
        let from = at.partition_point(|&j| (j as usize) < positions.start);
        let to = from + at[from..].partition_point(|&j| (j as usize) < positions.end);
        (&at[from..to], &values[from..to])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many vectors across as entries allow, some of them empty, the first ones crowded.
    fn skewed(len: usize, across: usize) -> Compressed<'static> {
        let (mut starts, mut at, mut values) = (vec![0], Vec::new(), Vec::new());
        for k in 0..len {
            let mut positions: Vec<u32> =
                (0..40).map(|e| ((k * 31 + e * e * 17) % across.div_ceil(1 + e % 7)) as u32).collect();
            positions.sort_unstable();
            positions.dedup();
            values.extend(positions.iter().map(|&j| (k + 1) as f64 + f64::from(j) / 1e6));
            at.extend(positions);
            starts.push(at.len());
        }
        Compressed::made(starts, at, values, across)
    }

    fn entries(all: &Compressed<'_>) -> Vec<(usize, usize, f64)> {
        let mut entries = Vec::new();
        (0..all.len()).for_each(|k| all.vector(k).for_each(|i, x| entries.push((k, i, x))));
        entries
    }

    #[test]
    fn any_number_of_threads_turns_every_entry_around() {
        for (len, across) in [(2_000, 300), (3, 5), (2_500, 2 * NEAR_VECTORS), (0, 4), (4, 0)] {
            let rows = if across == 0 {
                Compressed::made(vec![0; 5], vec![], vec![0.0; 0], 0)
            } else {
                skewed(len, across)
            };
            let mut expected: Vec<_> = entries(&rows).into_iter().map(|(k, i, x)| (i, k, x)).collect();
            expected.sort_by_key(|&(j, i, _)| (j, i));
            let some: Vec<usize> = (0..across).filter(|j| j % 3 != 1).collect();
            let named = expected.iter().filter(|(j, ..)| j % 3 != 1);
            let named: Vec<_> = named.map(|&(j, i, x)| (some.partition_point(|&s| s < j), i, x)).collect();
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (all, part) = pool.install(|| (rows.transposed(), rows.transposed_at(&some)));
                assert_eq!((all.len(), part.len()), (across, some.len()));
                assert!(entries(&all) == expected, "{len} × {across}, {threads} threads");
                assert!(entries(&part) == named, "some of {len} × {across}, {threads} threads");
            }
        }
    }
}
