//! Sums over samples, shared by threads in parts of a fixed length: what they come to does not depend on how many there are.

use std::ops::{Add, Range};

use rayon::prelude::*;

/// A part has so many samples. Fewer would be no work for a thread.
pub(super) const PART: usize = 1 << 16;

/// K sums over n samples, each part's by `of`.
pub(super) fn sums<T: Copy + Default + Add<Output = T> + Send, const K: usize>(
    n: usize,
    of: impl Fn(Range<usize>) -> [T; K] + Sync,
) -> [T; K] {
    if n <= PART {
        return of(0..n);
    }
    let part = |k: usize| of(k * PART..n.min((k + 1) * PART));
    let parts: Vec<[T; K]> = (0..n.div_ceil(PART)).into_par_iter().map(part).collect();
    let mut sums = [T::default(); K];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum = *sum + part);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_counted_once() {
        for n in [0, 1, PART, PART + 1, 3 * PART + 5] {
            let [count, sum] = sums(n, |samples| [samples.len(), samples.sum::<usize>()]);
            assert_eq!((count, sum), (n, n * n.saturating_sub(1) / 2), "{n}");
        }
    }
}
