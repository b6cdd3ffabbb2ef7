//! The products with X that a proof needs. The solvers have their own: what is wrong in one of them must not be wrong in
//! both.

use std::ops::Range;

use rayon::prelude::*;

use crate::Design;
use crate::design::{PARALLEL_ENTRIES, Slice};

/// m_i = y_i(x_iᵀw + b).
pub(super) fn margins(x: &dyn Design, y: &[f64], w: &[f64], b: f64) -> Vec<f64> {
    scores(x, w, b).iter().zip(y).map(|(score, y)| score * y).collect()
}

/// Xw + b. Dense data by columns as it is held; sparse data by the columns that w needs if these are few and at hand,
/// else by rows. [`add_transposed`] reads sparse data by rows if these are at hand: were rows and columns not the
/// same matrix, the two would not agree, and nothing would be proved.
pub(crate) fn scores(x: &dyn Design, w: &[f64], b: f64) -> Vec<f64> {
    let mut scores = vec![b; x.rows()];
    let is_full = 4 * w.iter().filter(|w| **w != 0.0).count() > w.len();
    if x.is_sparse() && (!x.has_columns() || x.has_rows() && is_full) {
        for (i, score) in scores.iter_mut().enumerate() {
            x.row(i).for_each(|j, value| *score += value * w[j]);
        }
    } else {
        for (j, w) in w.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            x.column(j).for_each(|i, value| scores[i] += value * w);
        }
    }
    scores
}

/// Dense data is read once for so many products.
const TOGETHER: usize = 8;

/// How many products are best made at once: sparse data is read for each of them, and vectors over its features are many.
pub(super) fn together(x: &dyn Design) -> usize {
    if x.is_sparse() { 1 } else { TOGETHER }
}

/// g = Xᵀ(y∘β), for each β. Each sum is taken in the order of the rows, however many there are.
pub(super) fn gradients(x: &dyn Design, y: &[f64], betas: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let pulls = |beta: &Vec<f64>| -> Vec<f64> { y.iter().zip(beta).map(|(y, beta)| y * beta).collect() };
    if together(x) == 1 || betas.len() == 1 || x.rows() == 0 {
        return betas.iter().map(|beta| transposed(x, &pulls(beta))).collect();
    }
    betas.chunks(TOGETHER).flat_map(|betas| transposed_abreast(x, y, betas)).collect()
}

/// The same for a few of dense data, side by side.
fn transposed_abreast(x: &dyn Design, y: &[f64], betas: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let pull = |i: usize| std::array::from_fn(|k| betas.get(k).map_or(0.0, |beta| y[i] * beta[i]));
    let pulls: Vec<[f64; TOGETHER]> = (0..y.len()).map(pull).collect();
    let mut g = vec![[0.0; TOGETHER]; x.cols()];
    let by_rows = matches!(x.row(0), Slice::Dense(_));
    let width = part_of(x, NEAREST / TOGETHER);
    g.par_chunks_mut(width).enumerate().for_each(|(k, g)| {
        let first = k * width;
        if by_rows {
            for (i, pulls) in pulls.iter().enumerate() {
                x.row(i).for_each_in(first..first + g.len(), |j, value| {
                    add_abreast(&mut g[j - first], value, pulls);
                });
            }
        } else {
            for (j, g) in g.iter_mut().enumerate() {
                x.column(first + j).for_each(|i, value| add_abreast(g, value, &pulls[i]));
            }
        }
    });
    (0..betas.len()).map(|k| g.iter().map(|g| g[k]).collect()).collect()
}

#[inline]
fn add_abreast(g: &mut [f64; TOGETHER], value: f64, pulls: &[f64; TOGETHER]) {
    g.iter_mut().zip(pulls).for_each(|(g, pull)| *g += value * pull);
}

/// Xᵀu.
pub(crate) fn transposed(x: &dyn Design, u: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; x.cols()];
    add_transposed(x, u, &mut g);
    g
}

/// Features whose sums stay in the nearest cache while the rows go by.
const NEAREST: usize = 2048;
/// Columns whose sums run side by side: one would wait for itself.
const ABREAST: usize = 8;

/// Features for one thread at a time, at most so many.
fn part_of(x: &dyn Design, most: usize) -> usize {
    let parts = if x.stored() < PARALLEL_ENTRIES { 1 } else { rayon::current_num_threads() };
    x.cols().div_ceil(parts).clamp(1, most)
}

/// g += Xᵀu. Threads share the features, and each sum is taken in the order of the rows, whether X is read by rows or by
/// columns. Dense data is read as it is held, or by the rows that u needs if these are few.
pub(super) fn add_transposed(x: &dyn Design, u: &[f64], g: &mut [f64]) {
    let needed = u.iter().filter(|u| **u != 0.0).count();
    if needed == 0 {
        return;
    }
    let by_rows = match x.is_sparse() {
        true => x.has_rows(),
        false => 8 * needed < u.len() || matches!(x.row(0), Slice::Dense(_)),
    };
    // Where rows have gaps, a place in one has to be searched.
    let width = part_of(x, if x.stored() == x.rows() * x.cols() { NEAREST } else { usize::MAX });
    g.par_chunks_mut(width).enumerate().for_each(|(k, g)| {
        let first = k * width;
        if by_rows {
            for (i, u) in u.iter().enumerate().filter(|(_, u)| **u != 0.0) {
                add(x.row(i), *u, first..first + g.len(), g);
            }
        } else {
            for (k, g) in g.chunks_mut(ABREAST).enumerate() {
                add_columns(x, first + k * ABREAST, u, g);
            }
        }
    });
}

/// g += u · row, on these features. Where no entry is missing, positions need not be looked at.
fn add(row: Slice<'_>, u: f64, features: Range<usize>, g: &mut [f64]) {
    let whole = match row {
        Slice::Dense(values) => Some(values),
        Slice::Sparse { at, values } if at.last().is_some_and(|&last| last as usize + 1 == at.len()) => {
            Some(values)
        }
        _ => None,
    };
    match whole.and_then(|values| values.get(features.clone())) {
        Some(values) => g.iter_mut().zip(values).for_each(|(g, value)| *g += value * u),
        None => row.for_each_in(features.clone(), |j, value| g[j - features.start] += value * u),
    }
}

/// g_k += ⟨column first + k, u⟩.
fn add_columns(x: &dyn Design, first: usize, u: &[f64], g: &mut [f64]) {
    let mut columns: [&[f64]; ABREAST] = [&[]; ABREAST];
    let mut are_dense = g.len() == ABREAST;
    for (k, column) in columns.iter_mut().enumerate().take(g.len()) {
        match x.column(first + k) {
            Slice::Dense(values) if values.len() == u.len() => *column = values,
            _ => are_dense = false,
        }
    }
    if are_dense {
        let mut sums: [f64; ABREAST] = std::array::from_fn(|k| g[k]);
        for (i, u) in u.iter().enumerate() {
            (0..ABREAST).for_each(|k| sums[k] += columns[k][i] * u);
        }
        g.copy_from_slice(&sums);
    } else {
        for (k, g) in g.iter_mut().enumerate() {
            x.column(first + k).for_each(|i, value| *g += value * u[i]);
        }
    }
}
