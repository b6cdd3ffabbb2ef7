//! Vectors shared by threads, so that each has about as many entries. As many vectors would not do: a feature may have a
//! million entries and the next one three.

/// A share that another thread can take has at least so many entries: one that is awake takes it up in
/// microseconds.
const LEAST: usize = 1 << 14;
/// Shares for each thread, if there are entries enough.
const EACH: usize = 4;

/// Where each vector starts if one follows the other, and where the last one ends.
pub(crate) fn starts(entries: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0];
    let mut end = 0;
    starts.extend(entries.map(|entries| {
        end += entries;
        end
    }));
    starts
}

/// Calls `one` with the number of every vector and what belongs to it, for vectors that start there: in one share for a
/// thread, or a few if there are many entries.
pub(crate) fn for_each<T: Send>(starts: &[usize], items: &mut [T], one: &(impl Fn(usize, &mut T) + Sync)) {
    let threads = rayon::current_num_threads();
    let worth = (starts[items.len()] / LEAST).max(1);
    let shares = if worth < EACH * threads { worth.min(threads) } else { EACH * threads };
    split(starts, 0, items, one, shares);
}

fn split<T: Send>(
    starts: &[usize],
    first: usize,
    items: &mut [T],
    one: &(impl Fn(usize, &mut T) + Sync),
    shares: usize,
) {
    if shares == 1 {
        items.iter_mut().enumerate().for_each(|(k, item)| one(first + k, item));
        return;
    }
    let here = &starts[first..=first + items.len()];
    let goal = here[0] + (here[items.len()] - here[0]) / shares * (shares / 2);
    let middle = here.partition_point(|&start| start < goal).min(items.len());
    let (left, right) = items.split_at_mut(middle);
    rayon::join(
        || split(starts, first, left, one, shares / 2),
        || split(starts, first + middle, right, one, shares - shares / 2),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vector_is_met_once_whatever_their_lengths() {
        let many = |k: usize| if k == 0 { 50 * LEAST } else { LEAST / 3 };
        let lengths: [&[usize]; 5] = [
            &[],
            &[0, 0, 0],
            &[20 * LEAST],
            &[0, 100 * LEAST, 0, 1, 1],
            &(0..99).map(many).collect::<Vec<_>>(),
        ];
        for lengths in lengths {
            for threads in [1, 2, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut met = vec![(0, 0); lengths.len()];
                let starts = starts(lengths.iter().copied());
                let one = |k: usize, met: &mut (usize, usize)| *met = (met.0 + 1, k);
                pool.install(|| for_each(&starts, &mut met, &one));
                assert!(met.iter().enumerate().all(|(k, met)| *met == (1, k)), "{met:?}");
            }
        }
    }
}
