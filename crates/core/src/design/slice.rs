//! One row or column of a design, whatever its storage.

use std::ops::Range;

/// A borrowed vector: contiguous, strided or sparse, or one of these less another.
#[derive(Debug, Clone, Copy)]
pub enum Slice<'a> {
    /// Every entry, one after the other.
    Dense(&'a [f64]),
    /// Every `stride`-th entry of `values`, starting with the first.
    Strided {
        /// The storage from the first entry on.
        values: &'a [f64],
        /// Distance between neighbours.
        stride: usize,
    },
    /// The stored entries, positions ascending.
    Sparse {
        /// Positions of the entries.
        at: &'a [u32],
        /// The entries.
        values: &'a [f64],
    },
    /// The stored entries in 32 bits, positions ascending; each is widened when it is used.
    Sparse32 {
        /// Positions of the entries.
        at: &'a [u32],
        /// The entries.
        values: &'a [f32],
    },
    /// A strided vector less another.
    StridedApart {
        /// The storages of both from the first entry on.
        parts: [&'a [f64]; 2],
        /// Distance between neighbours.
        stride: usize,
    },
    /// A sparse vector less another: the stored entries of both, positions ascending.
    SparseApart {
        /// Positions of the entries.
        at: [&'a [u32]; 2],
        /// The entries.
        values: [&'a [f64]; 2],
    },
    /// A sparse vector in 32 bits less another: the differences are in 64 bits.
    SparseApart32 {
        /// Positions of the entries.
        at: [&'a [u32]; 2],
        /// The entries.
        values: [&'a [f32]; 2],
    },
}

impl<'a> Slice<'a> {
    /// This one less another of the same kind; nothing if the kinds differ, or one is a difference already.
    pub fn apart(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Dense(a), Self::Dense(b)) => Some(Self::StridedApart { parts: [a, b], stride: 1 }),
            (Self::Strided { values: a, stride }, Self::Strided { values: b, stride: other })
                if stride == other =>
            {
                Some(Self::StridedApart { parts: [a, b], stride })
            }
            (Self::Sparse { at, values }, Self::Sparse { at: other_at, values: others }) => {
                Some(Self::SparseApart { at: [at, other_at], values: [values, others] })
            }
            (Self::Sparse32 { at, values }, Self::Sparse32 { at: other_at, values: others }) => {
                Some(Self::SparseApart32 { at: [at, other_at], values: [values, others] })
            }
            _ => None,
        }
    }

    /// ⟨self, u⟩. Dense sums run in eight lanes: fast without reassociation flags, and always in one order.
    #[inline]
    pub fn dot(&self, u: &[f64]) -> f64 {
        match *self {
            Slice::Dense(x) => dot(x, u),
            Slice::Strided { values, stride } => strided_dot(values, stride, u),
            Slice::Sparse { at, values } => sparse_dot(at, values, u),
            Slice::Sparse32 { at, values } => sparse_dot(at, values, u),
            Slice::StridedApart { parts: [a, b], stride } => {
                let both = a.iter().step_by(stride).zip(b.iter().step_by(stride));
                both.zip(u).map(|((a, b), u)| (a - b) * u).sum()
            }
            Slice::SparseApart { at, values } => {
                sparse_dot(at[0], values[0], u) - sparse_dot(at[1], values[1], u)
            }
            Slice::SparseApart32 { at, values } => {
                sparse_dot(at[0], values[0], u) - sparse_dot(at[1], values[1], u)
            }
        }
    }

    /// [`dot`](Self::dot) with a `u` that may be too short: what lies past its end counts nothing. The bits are
    /// those of a `u` that goes on with zeros.
    pub fn dot_within(&self, u: &[f64]) -> f64 {
        match *self {
            Slice::Sparse { at, values } => sparse_dot_within(at, values, u),
            Slice::Sparse32 { at, values } => sparse_dot_within(at, values, u),
            _ => {
                let mut sum = 0.0;
                self.for_each(|i, x| sum += u.get(i).map_or(0.0, |u| x * u));
                sum
            }
        }
    }

    /// out += a · self.
    #[inline]
    pub fn axpy(&self, a: f64, out: &mut [f64]) {
        match *self {
            Slice::Dense(x) => out.iter_mut().zip(x).for_each(|(o, x)| *o += a * x),
            Slice::Strided { values, stride } => {
                out.iter_mut().zip(values.iter().step_by(stride)).for_each(|(o, x)| *o += a * x);
            }
            Slice::Sparse { at, values } => sparse_axpy(at, values, a, 0, out),
            Slice::Sparse32 { at, values } => sparse_axpy(at, values, a, 0, out),
            Slice::StridedApart { .. } => self.for_each(|i, x| out[i] += a * x),
            Slice::SparseApart { at, values } => {
                sparse_axpy(at[0], values[0], a, 0, out);
                sparse_axpy(at[1], values[1], -a, 0, out);
            }
            Slice::SparseApart32 { at, values } => {
                sparse_axpy(at[0], values[0], a, 0, out);
                sparse_axpy(at[1], values[1], -a, 0, out);
            }
        }
    }

    /// [`axpy`](Self::axpy) for the positions in a range, which `out` is for.
    #[inline]
    pub fn axpy_in(&self, range: Range<usize>, a: f64, out: &mut [f64]) {
        match *self {
            Slice::Dense(x) => Slice::Dense(&x[range]).axpy(a, out),
            Slice::Sparse { at, values } => {
                let inside = inside(at, &range);
                sparse_axpy(&at[inside.clone()], &values[inside], a, range.start, out);
            }
            Slice::Sparse32 { at, values } => {
                let inside = inside(at, &range);
                sparse_axpy(&at[inside.clone()], &values[inside], a, range.start, out);
            }
            _ => self.for_each_in(range.clone(), |i, x| out[i - range.start] += a * x),
        }
    }

    /// The entries as (position, value); zeros that are held come too.
    #[inline]
    pub fn for_each(&self, mut f: impl FnMut(usize, f64)) {
        match *self {
            Slice::Dense(x) => x.iter().enumerate().for_each(|(i, &x)| f(i, x)),
            Slice::Strided { values, stride } => {
                values.iter().step_by(stride).enumerate().for_each(|(i, &x)| f(i, x));
            }
            Slice::Sparse { at, values } => at.iter().zip(values).for_each(|(&i, &x)| f(i as usize, x)),
            Slice::Sparse32 { at, values } => {
                at.iter().zip(values).for_each(|(&i, &x)| f(i as usize, x.into()));
            }
            Slice::StridedApart { parts: [a, b], stride } => {
                let both = a.iter().step_by(stride).zip(b.iter().step_by(stride));
                both.enumerate().for_each(|(i, (a, b))| f(i, a - b));
            }
            Slice::SparseApart { at, values } => sparse_apart(at, values, f),
            Slice::SparseApart32 { at, values } => sparse_apart(at, values, f),
        }
    }

    /// [`for_each`](Self::for_each) for the positions in a range.
    #[inline]
    pub fn for_each_in(&self, range: Range<usize>, mut f: impl FnMut(usize, f64)) {
        match *self {
            Slice::Dense(x) => range.for_each(|i| f(i, x[i])),
            Slice::Strided { values, stride } => range.for_each(|i| f(i, values[i * stride])),
            Slice::Sparse { at, values } => sparse_in(at, values, range, f),
            Slice::Sparse32 { at, values } => sparse_in(at, values, range, f),
            Slice::StridedApart { parts: [a, b], stride } => {
                range.for_each(|i| f(i, a[i * stride] - b[i * stride]));
            }
            Slice::SparseApart { at, values } => sparse_apart_in(at, values, range, f),
            Slice::SparseApart32 { at, values } => sparse_apart_in(at, values, range, f),
        }
    }

    /// What a pass over it costs, in entries.
    pub fn work(&self) -> usize {
        match *self {
            Slice::SparseApart { at: [a, b], .. } | Slice::SparseApart32 { at: [a, b], .. } => {
                a.len() + b.len()
            }
            _ => self.stored(),
        }
    }

    /// How many entries [`for_each`](Self::for_each) visits.
    pub fn stored(&self) -> usize {
        match *self {
            Slice::Dense(x) => x.len(),
            Slice::Strided { values, stride } => values.len().div_ceil(stride.max(1)),
            Slice::Sparse { at, .. } | Slice::Sparse32 { at, .. } => at.len(),
            Slice::StridedApart { parts: [values, _], stride } => values.len().div_ceil(stride.max(1)),
            Slice::SparseApart { .. } | Slice::SparseApart32 { .. } => {
                let mut count = 0;
                self.for_each(|_, _| count += 1);
                count
            }
        }
    }
}

/// A sum of looked-up entries runs in so many partial sums: one would wait for itself, and more than four leave
/// much of a short vector to the rest.
const SPARSE_LANES: usize = 4;

/// True if no position is left out before the last one: entry k is at k, and nobody need look.
#[inline]
fn is_whole(at: &[u32]) -> bool {
    at.last().is_some_and(|&last| last as usize + 1 == at.len())
}

/// ⟨x, u⟩ for sparse x; without gaps, as [`dot`] and with its bits.
#[inline]
pub(super) fn sparse_dot<T: Copy + Into<f64>>(at: &[u32], values: &[T], u: &[f64]) -> f64 {
    if is_whole(at) {
        return dot(values, &u[..at.len()]);
    }
    let (at, values) = (at.chunks_exact(SPARSE_LANES), values.chunks_exact(SPARSE_LANES));
    let rest = at.remainder().iter().zip(values.remainder());
    let rest: f64 = rest.map(|(&i, &x)| x.into() * u[i as usize]).sum();
    let mut lanes = [0.0; SPARSE_LANES];
    for (i, x) in at.zip(values) {
        for lane in 0..SPARSE_LANES {
            lanes[lane] += x[lane].into() * u[i[lane] as usize];
        }
    }
    sum_of_four(lanes) + rest
}

/// The same, to the bit, with a `u` that may end before x does.
fn sparse_dot_within<T: Copy + Into<f64>>(at: &[u32], values: &[T], u: &[f64]) -> f64 {
    let inside = at.partition_point(|&i| (i as usize) < u.len());
    let product = |k: usize| values[k].into() * u[at[k] as usize];
    let fill = |lanes: &mut [f64]| {
        let whole = at.len() - at.len() % lanes.len();
        (0..inside.min(whole)).for_each(|k| lanes[k % lanes.len()] += product(k));
        (whole..inside).map(product).sum::<f64>()
    };
    if is_whole(at) {
        let mut lanes = [0.0; LANES];
        let rest = fill(&mut lanes);
        return sum_of_lanes(lanes) + rest;
    }
    let mut lanes = [0.0; SPARSE_LANES];
    let rest = fill(&mut lanes);
    sum_of_four(lanes) + rest
}

/// out += a · x, for sparse x and an `out` whose first position is `first`.
#[inline]
fn sparse_axpy<T: Copy + Into<f64>>(at: &[u32], values: &[T], a: f64, first: usize, out: &mut [f64]) {
    let (Some(&from), Some(&to)) = (at.first(), at.last()) else { return };
    if (to - from) as usize + 1 == at.len() {
        let out = &mut out[from as usize - first..];
        out.iter_mut().zip(values).for_each(|(o, &x)| *o += a * x.into());
        return;
    }
    for (&i, &x) in at.iter().zip(values) {
        out[i as usize - first] += a * x.into();
    }
}

/// The entries of a sparse vector less another; positions that both have come once.
#[inline]
fn sparse_apart<T: Copy + Into<f64>>(at: [&[u32]; 2], values: [&[T]; 2], mut f: impl FnMut(usize, f64)) {
    let mut left = at[0].iter().zip(values[0]).peekable();
    let mut right = at[1].iter().zip(values[1]).peekable();
    while let Some(i) = left.peek().into_iter().chain(right.peek()).map(|(i, _)| **i).min() {
        let plus = left.next_if(|(at, _)| **at == i).map_or(0.0, |(_, x)| (*x).into());
        let minus = right.next_if(|(at, _)| **at == i).map_or(0.0, |(_, x)| (*x).into());
        f(i as usize, plus - minus);
    }
}

/// Those of them whose positions lie in a range.
#[inline]
fn sparse_apart_in<T: Copy + Into<f64>>(
    at: [&[u32]; 2],
    values: [&[T]; 2],
    range: Range<usize>,
    f: impl FnMut(usize, f64),
) {
    let [a, b] = at.map(|at| inside(at, &range));
    sparse_apart([&at[0][a.clone()], &at[1][b.clone()]], [&values[0][a], &values[1][b]], f);
}

/// Which of these positions lie in a range.
#[inline]
fn inside(at: &[u32], range: &Range<usize>) -> Range<usize> {
    let before = |end: usize| match at.last() {
        _ if end == 0 => 0,
        Some(&last) if last as usize >= end => at.partition_point(|&i| (i as usize) < end),
        _ => at.len(),
    };
    before(range.start)..before(range.end)
}

/// The entries of a sparse vector whose positions lie in a range.
#[inline]
fn sparse_in<T: Copy + Into<f64>>(
    at: &[u32],
    values: &[T],
    range: Range<usize>,
    mut f: impl FnMut(usize, f64),
) {
    let inside = inside(at, &range);
    let entries = at[inside.clone()].iter().zip(&values[inside]);
    entries.for_each(|(&i, &x)| f(i as usize, x.into()));
}

/// A sum runs in so many partial sums.
pub(super) const LANES: usize = 8;

/// ⟨a, b⟩ in eight lanes.
#[inline]
pub(crate) fn dot<T: Copy + Into<f64>>(a: &[T], b: &[f64]) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let (ca, cb) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f64 = ca.remainder().iter().zip(cb.remainder()).map(|(&x, y)| x.into() * y).sum();
    for (x, y) in ca.zip(cb) {
        for k in 0..LANES {
            lanes[k] += x[k].into() * y[k];
        }
    }
    sum_of_lanes(lanes) + tail
}

/// The same sum, in the same order, of every `stride`-th entry of `a`.
fn strided_dot(a: &[f64], stride: usize, b: &[f64]) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let whole = b.len() - b.len() % LANES;
    for (i, y) in b[..whole].iter().enumerate() {
        lanes[i % LANES] += a[i * stride] * y;
    }
    let tail: f64 = (whole..b.len()).map(|i| a[i * stride] * b[i]).sum();
    sum_of_lanes(lanes) + tail
}

#[inline]
fn sum_of_four(lanes: [f64; SPARSE_LANES]) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// The order in which the lanes are added up.
#[inline]
pub(super) fn sum_of_lanes(lanes: [f64; LANES]) -> f64 {
    let half: [f64; 4] = std::array::from_fn(|k| lanes[k] + lanes[k + 4]);
    (half[0] + half[2]) + (half[1] + half[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many numbers as asked for, none of them round.
    fn numbers(n: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * 37 + 11) % 101) as f64 / 7.0 - 6.0).collect()
    }

    #[test]
    fn sums_of_every_length_are_right_and_those_of_dense_vectors_where_there_is_no_gap() {
        for n in 0..40 {
            let (x, u) = (numbers(n), numbers(2 * n));
            for step in [1, 2] {
                let at: Vec<u32> = (0..n as u32).map(|i| step * i).collect();
                let expected: f64 = at.iter().zip(&x).map(|(&i, x)| x * u[i as usize]).sum();
                let sum = sparse_dot(&at, &x, &u);
                assert!((sum - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{n}");
                let mut out = u.clone();
                sparse_axpy(&at, &x, 0.3, 0, &mut out);
                at.iter().zip(&x).for_each(|(&i, x)| out[i as usize] -= u[i as usize] + 0.3 * x);
                let untouched = |i: usize| if at.contains(&(i as u32)) { 0.0 } else { u[i] };
                assert!(out.iter().enumerate().all(|(i, out)| (out - untouched(i)).abs() < 1e-14), "{n}");
                if step == 1 {
                    assert_eq!(sum.to_bits(), dot(&x, &u[..n]).to_bits(), "{n}");
                }
            }
        }
    }

    #[test]
    fn parts_of_every_kind_make_up_the_whole() {
        let (x, z) = (numbers(40), numbers(80));
        let (thin, other): (Vec<u32>, Vec<u32>) =
            ((0..20).map(|i| 2 * i).collect(), (0..13).map(|i| 3 * i).collect());
        let whole: Vec<u32> = (0..40).collect();
        let narrow: Vec<f32> = x.iter().map(|x| *x as f32).collect();
        let kinds = [
            Slice::Dense(&x),
            Slice::Strided { values: &z, stride: 2 },
            Slice::Sparse { at: &thin, values: &x[..20] },
            Slice::Sparse { at: &whole, values: &x },
            Slice::Sparse32 { at: &thin, values: &narrow[..20] },
            Slice::StridedApart { parts: [&z[..40], &x], stride: 1 },
            Slice::SparseApart { at: [&thin, &other], values: [&x[..20], &x[..13]] },
            Slice::SparseApart32 { at: [&thin, &other], values: [&narrow[..20], &narrow[..13]] },
            Slice::Sparse { at: &[], values: &[] },
        ];
        for (kind, slice) in kinds.iter().enumerate() {
            let mut expected = Vec::new();
            slice.for_each(|i, x| expected.push((i, x)));
            for middle in [0, 1, 7, 26, 38, 39, 40] {
                let (mut met, mut sums) = (Vec::new(), vec![1.0; 40]);
                for range in [0..middle, middle..40] {
                    slice.for_each_in(range.clone(), |i, x| met.push((i, x)));
                    slice.axpy_in(range.clone(), 0.3, &mut sums[range]);
                }
                assert_eq!(met, expected, "{kind} {middle}");
                met.iter().for_each(|(i, x)| sums[*i] -= 0.3 * x);
                assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-12), "{kind} {middle}: {sums:?}");
            }
        }
    }

    #[test]
    fn what_lies_past_the_end_counts_nothing() {
        for step in [1, 2] {
            let (x, at) = (numbers(20), (0..20).map(|i| step * i).collect::<Vec<u32>>());
            for n in 0..45 {
                let mut u = numbers(n);
                let within = sparse_dot_within(&at, &x, &u);
                u.resize(45, 0.0);
                assert_eq!(within.to_bits(), sparse_dot(&at, &x, &u).to_bits(), "{n}");
            }
        }
    }
}
