//! RᵀDR of compressed rows R, without making their columns.
//!
//! Column by column every entry would be a jump to another row, and its way to the cache longer than the sums with it. In tiles
//! of columns that stay in the cache while all rows go by, rows are read one after the other.

use faer::Mat;
use rayon::prelude::*;

use super::PARALLEL_ENTRIES;
use super::compressed::Parts;

/// Numbers of a tile, about: half of what a core has near.
const TILE: usize = 1 << 16;
/// Tiles, at least, so that there is something to share.
const LEAST_TILES: usize = 8;

/// Where a row has its first entry in a tile: from so many entries on.
struct Tail {
    row: u32,
    skip: u32,
}

impl Parts<'_, f64> {
    /// The lower triangle of RᵀDR, with a weight for each row; every sum goes through the rows in their order.
    pub(crate) fn lower_gram(&self, weights: &[f64]) -> Mat<f64> {
        let dim = self.across;
        let mut gram = Mat::zeros(dim, dim);
        if dim == 0 {
            return gram;
        }
        let width = (TILE / dim).min(dim.div_ceil(LEAST_TILES)).max(1);
        let mut columns: Vec<&mut [f64]> = gram
            .col_iter_mut()
            .filter_map(|column| Some(column.try_as_col_major_mut()?.as_slice_mut()))
            .collect();
        let tails = self.tails(weights, width);
        let make =
            |(k, tile): (usize, &mut [&mut [f64]])| self.add_tails(&tails[k], weights, k * width, tile);
        if self.at.len() < PARALLEL_ENTRIES / 8 {
            columns.chunks_mut(width).enumerate().for_each(make);
        } else {
            columns.par_chunks_mut(width).enumerate().with_max_len(1).for_each(make);
        }
        gram
    }

    /// For each tile of so many columns the rows that count and have an entry in it.
    fn tails(&self, weights: &[f64], width: usize) -> Vec<Vec<Tail>> {
        let mut tails: Vec<Vec<Tail>> = (0..self.across.div_ceil(width)).map(|_| Vec::new()).collect();
        for (row, ends) in self.starts.windows(2).enumerate().filter(|(row, _)| weights[*row] != 0.0) {
            let mut past = 0;
            for (skip, &c) in self.at[ends[0]..ends[1]].iter().enumerate() {
                if c as usize >= past {
                    let tile = c as usize / width;
                    tails[tile].push(Tail { row: row as u32, skip: skip as u32 });
                    past = (tile + 1) * width;
                }
            }
        }
        tails
    }

    /// Adds the products of the entries in a tile, which begins with column `first`, and those after them.
    fn add_tails(&self, tails: &[Tail], weights: &[f64], first: usize, tile: &mut [&mut [f64]]) {
        let past = first + tile.len();
        for tail in tails {
            let row = tail.row as usize;
            let range = self.starts[row] + tail.skip as usize..self.starts[row + 1];
            let (at, values) = (&self.at[range.clone()], &self.values[range]);
            let inside = at.iter().zip(values).take_while(|(c, _)| (**c as usize) < past);
            for (skip, (&c, value)) in inside.enumerate() {
                let (column, value) = (&mut *tile[c as usize - first], weights[row] * value);
                for (&r, other) in at[skip..].iter().zip(&values[skip..]) {
                    column[r as usize] += value * other;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_product_is_in_the_gram_matrix_whatever_the_tiles() {
        for (rows, across) in [(0, 0), (3, 0), (0, 3), (5, 1), (40, 7), (300, 100), (2_000, 700)] {
            let entry = |i: usize, j: usize| {
                let number = (i * 7_919 + j * 104_729 + i * j) % 13;
                if number < 3 { number as f64 - 1.5 } else { 0.0 }
            };
            let (mut starts, mut at, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..rows {
                for j in (0..across).filter(|&j| entry(i, j) != 0.0) {
                    at.push(j as u32);
                    values.push(entry(i, j));
                }
                starts.push(at.len());
            }
            let weights: Vec<f64> = (0..rows).map(|i| (i % 4) as f64).collect();
            let gram = Parts::new(&starts, &at, &values, across).lower_gram(&weights);
            assert_eq!((gram.nrows(), gram.ncols()), (across, across));
            for c in (0..across).step_by(across / 9 + 1) {
                for r in c..across {
                    let expected: f64 = (0..rows).map(|i| weights[i] * entry(i, r) * entry(i, c)).sum();
                    assert_eq!(gram[(r, c)], expected, "{rows} rows, {r}, {c}");
                }
            }
        }
    }
}
