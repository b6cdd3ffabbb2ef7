//! A block's entries by rows, gathered from the data's columns, signed and scaled.

use faer::Mat;
use rayon::prelude::*;

use crate::Problem;
use crate::design::Parts;

/// Rows that are gathered together: their part of every column is read in one go.
const BAND: usize = 4096;

/// Compressed rows; positions are those of the block.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) starts: Vec<usize>,
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// Columns of the block.
    pub(super) width: usize,
}

impl Rows {
    /// In bands of rows, in parallel. The intercept is the last column if there is one scale more than
    /// there are features.
    pub(super) fn gather(problem: &Problem<'_>, features: &[usize], scales: &[f64]) -> Self {
        let (n, x, y) = (problem.samples(), problem.x(), problem.y());
        let intercept = scales.get(features.len());
        let mut starts = vec![0usize; n + 1];
        starts[1..].par_chunks_mut(BAND).enumerate().for_each(|(k, counts)| {
            let first = k * BAND;
            for &j in features {
                x.column(j).for_each_in(first..first + counts.len(), |i, _| counts[i - first] += 1);
            }
        });
        for i in 0..n {
            starts[i + 1] += starts[i] + usize::from(intercept.is_some());
        }
        let (mut columns, mut values) = (vec![0u32; starts[n]], vec![0.0; starts[n]]);
        let (mut columns_rest, mut values_rest) = (&mut columns[..], &mut values[..]);
        let mut bands = Vec::new();
        for from in (0..n).step_by(BAND) {
            let to = (from + BAND).min(n);
            let (columns, values);
            (columns, columns_rest) = columns_rest.split_at_mut(starts[to] - starts[from]);
            (values, values_rest) = values_rest.split_at_mut(starts[to] - starts[from]);
            bands.push((from..to, columns, values));
        }
        bands.into_par_iter().for_each(|(band, columns, values)| {
            let base = starts[band.start];
            let mut next: Vec<usize> = starts[band.clone()].iter().map(|start| start - base).collect();
            let mut put = |i: usize, p: usize, value: f64| {
                let slot = &mut next[i - band.start];
                (columns[*slot], values[*slot]) = (p as u32, value);
                *slot += 1;
            };
            for (p, (&j, scale)) in features.iter().zip(scales).enumerate() {
                x.column(j).for_each_in(band.clone(), |i, value| put(i, p, y[i] * scale * value));
            }
            if let Some(scale) = intercept {
                band.clone().for_each(|i| put(i, features.len(), y[i] * scale));
            }
        });
        Self { starts, columns, values, width: scales.len() }
    }

    pub(super) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The rows whose weight is not 0, times its root, on some columns only: positions are among these.
    pub(super) fn weighted(&self, weights: &[f64], on: &[usize]) -> Self {
        const NONE: u32 = u32::MAX;
        let mut place = vec![NONE; self.width];
        on.iter().enumerate().for_each(|(c, &p)| place[p] = c as u32);
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (i, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            let root = weight.sqrt();
            let (at, entries) = self.row(i);
            for (&p, &entry) in at.iter().zip(entries).filter(|(p, _)| place[**p as usize] != NONE) {
                columns.push(place[p as usize]);
                values.push(root * entry);
            }
            starts.push(columns.len());
        }
        Self { starts, columns, values, width: on.len() }
    }

    /// out[i] = ⟨row i, v⟩.
    pub(super) fn times(&self, v: &[f64], out: &mut [f64]) {
        self.parts().dots(v, out);
    }

    /// The lower triangle of the sum of weight (row)(row)ᵀ on some columns, which ascend.
    pub(super) fn gram(&self, weights: &[f64], on: &[usize]) -> Mat<f64> {
        if on.len() == self.width {
            return self.parts().lower_gram(weights);
        }
        let some = self.weighted(weights, on);
        some.parts().lower_gram(&vec![1.0; some.starts.len() - 1])
    }

    fn parts(&self) -> Parts<'_, f64> {
        Parts::new(&self.starts, &self.columns, &self.values, self.width)
    }
}
