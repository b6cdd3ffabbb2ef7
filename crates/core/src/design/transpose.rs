//! From compressed rows to compressed columns and back: all of them, or some.

use std::ops::Range;

use rayon::prelude::*;

use super::Compressed;
use super::compressed::Parts;
use super::storage::Values;

/// Entries that one range of a transposition holds, about.
const RANGE_ENTRIES: usize = 1 << 18;

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
    /// The result is made in ranges that hold about [`RANGE_ENTRIES`] each, in parallel: a range's pointers
    /// stay in the cache, where a single pass over a million columns would miss it at every entry.
    pub(super) fn transposed(&self, chosen: &impl Chosen) -> Compressed<'static> {
        let (len, count) = (self.starts.len() - 1, chosen.len());
        let mut starts = vec![0usize; count + 1];
        for place in self.at.iter().filter_map(|&j| chosen.place(j)) {
            starts[place + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        let mut at = vec![0u32; starts[count]];
        let mut values = vec![T::default(); starts[count]];
        let (mut at_rest, mut values_rest) = (&mut at[..], &mut values[..]);
        let mut ranges = Vec::new();
        let mut from = 0;
        while from < count {
            let goal = starts[from] + RANGE_ENTRIES;
            let to = starts.partition_point(|&start| start <= goal).clamp(from + 2, count + 1) - 1;
            let (at_here, values_here);
            (at_here, at_rest) = at_rest.split_at_mut(starts[to] - starts[from]);
            (values_here, values_rest) = values_rest.split_at_mut(starts[to] - starts[from]);
            ranges.push((from..to, at_here, values_here));
            from = to;
        }
        let one = |(range, at, values): (Range<usize>, &mut [u32], &mut [T])| {
            let base = starts[range.start];
            let mut next: Vec<usize> = starts[range.clone()].iter().map(|start| start - base).collect();
            let (first, last) = (chosen.position(range.start), chosen.position(range.end - 1));
            for k in 0..len {
                let (js, xs) = self.vector(k);
                let from = js.partition_point(|&j| (j as usize) < first);
                let inside = js[from..].iter().zip(&xs[from..]).take_while(|(j, _)| **j as usize <= last);
                for (&j, &x) in inside {
                    let Some(place) = chosen.place(j) else { continue };
                    let slot = &mut next[place - range.start];
                    at[*slot] = k as u32;
                    values[*slot] = x;
                    *slot += 1;
                }
            }
        };
        if ranges.len() <= 1 {
            ranges.into_iter().for_each(one);
        } else {
            ranges.into_par_iter().for_each(one);
        }
        Compressed { starts: starts.into(), at: at.into(), values: values.into(), across: len }
    }
}
