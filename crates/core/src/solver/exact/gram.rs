//! The Gram matrix Bᵀ diag(ψ'') B of the working set: kept from step to step and brought up to date by the rows that
//! changed, or made anew where that is cheaper.

use faer::Mat;
use rayon::prelude::*;

use super::block::Block;
use super::direction::{LARGE, factor_effort};
use super::newton::Engine;
use super::parts;
use crate::team::sum_lower;

/// Work by the rows is little if it is below the cube of the columns over this.
const BESIDE: usize = 100;
/// From this width on a matrix of all columns takes more memory than its time is worth: most of them are not kept in the end.
const WIDE: usize = 1_000;
/// A multiplication of dense matrices costs so much less than one of the row by row updates.
const DENSE_GAIN: usize = 8;
/// Below so many the products are not worth their buffers, which have the size of the machine's last cache.
const LEAST_DENSE: usize = 1 << 15;

impl Engine {
    /// The lower triangle of Bᵀ diag(ψ'') B on these columns, over all samples.
    pub(super) fn gram_of_all(&mut self, block: &Block<'_>, columns: &[usize]) -> Mat<f64> {
        let mut own = self.own_gram(block, columns);
        sum_lower(block.team(), &mut own);
        own
    }

    /// The same over the samples that are held here: from the matrix that is kept up to date, or, if that is cheaper,
    /// anew.
    fn own_gram(&mut self, block: &Block<'_>, columns: &[usize]) -> Mat<f64> {
        let k = columns.len();
        if block.is_full() {
            let work = self.own_bent() * k * k;
            if work >= LEAST_DENSE && work < DENSE_GAIN * self.gram_work(block) {
                return block.dense_gram(columns, &self.curvatures);
            }
        }
        if k >= LARGE && self.is_cheap_anew(block, k) {
            self.forget_gram();
            return block.gram(columns, &self.curvatures);
        }
        self.refresh_gram(block);
        let mut own = Mat::<f64>::zeros(k, k);
        for (c, &q) in columns.iter().enumerate() {
            let (from, to) = (self.gram.col_as_slice(q), own.col_as_slice_mut(c));
            (c..k).for_each(|r| to[r] = from[columns[r]]);
        }
        own
    }

    /// What [`refresh_gram`](Self::refresh_gram) would cost by the rows that changed, and anew.
    fn gram_works(&self, block: &Block<'_>) -> (Option<usize>, usize) {
        let is_kept = !self.gram_of.is_empty();
        let [by_changes, anew] = parts::sums(self.curvatures.len(), |samples| {
            let mut works = [0; 2];
            for i in samples {
                let now = self.curvatures[i];
                let differs = is_kept && self.gram_of[i] != now;
                if differs || now != 0.0 {
                    let work = block.gram_work(i);
                    works[0] += if differs { work } else { 0 };
                    works[1] += if now != 0.0 { work } else { 0 };
                }
            }
            works
        });
        (is_kept.then_some(by_changes), anew)
    }

    /// True if a Gram matrix of k columns, anew, costs next to nothing beside its factor, and none is kept that only
    /// a few rows have left behind; or, in a wide block, no more than the factor, if its columns are as full as the others. Wide
    /// blocks of sparse rows then do without one of all their columns.
    fn is_cheap_anew(&self, block: &Block<'_>, k: usize) -> bool {
        let (by_changes, anew) = self.gram_works(block);
        if block.width() >= WIDE {
            return anew / block.width() * k / block.width() * k <= factor_effort(k);
        }
        anew <= k.pow(3) / BESIDE && by_changes.is_none_or(|changes| anew <= 2 * changes + k * k)
    }

    /// The less of both.
    fn gram_work(&self, block: &Block<'_>) -> usize {
        let (by_changes, anew) = self.gram_works(block);
        by_changes.map_or(anew, |changes| changes.min(anew))
    }

    /// Brings the Gram matrix up to date: by the rows that changed, or anew if these are many.
    fn refresh_gram(&mut self, block: &Block<'_>) {
        let (by_changes, anew) = self.gram_works(block);
        if by_changes.is_none_or(|changes| changes > anew) {
            // Its memory makes room for the new one.
            self.gram = Mat::new();
            let all: Vec<usize> = (0..block.width()).collect();
            self.gram = block.gram(&all, &self.curvatures);
        } else {
            let differs = |i: &usize| self.gram_of[*i] != self.curvatures[*i];
            for i in (0..self.curvatures.len()).filter(differs) {
                block.add_row(i, self.curvatures[i] - self.gram_of[i], &mut self.gram);
            }
        }
        self.gram_of.clone_from(&self.curvatures);
    }

    /// The block has changed: its column p was column `was[p]` of the old one, or is new. What is known of
    /// the Gram matrix is kept, if that is most of it.
    pub(super) fn change_block(&mut self, block: &Block<'_>, was: &[Option<usize>]) {
        let new = was.iter().filter(|was| was.is_none()).count();
        if self.gram_of.is_empty() || 2 * new > was.len() {
            self.forget_gram();
            return;
        }
        let width = was.len();
        let mut gram = Mat::zeros(width, width);
        for (p, old_p) in was.iter().enumerate() {
            let Some(old_p) = *old_p else { continue };
            let (from, to) = (self.gram.col_as_slice(old_p), gram.col_as_slice_mut(p));
            for (q, old_q) in was.iter().enumerate().skip(p) {
                if let Some(old_q) = *old_q {
                    to[q] = from[old_q];
                }
            }
        }
        let new: Vec<usize> = (0..width).filter(|&p| was[p].is_none()).collect();
        let columns: Vec<Vec<f64>> = new
            .par_iter()
            .map(|&p| {
                let mut column = vec![0.0; width];
                block.gram_column(p, &self.gram_of, &mut column);
                column
            })
            .collect();
        for (&p, column) in new.iter().zip(&columns) {
            (0..p).for_each(|q| gram[(p, q)] = column[q]);
            gram.col_as_slice_mut(p)[p..].copy_from_slice(&column[p..]);
        }
        self.gram = gram;
    }

    /// A wide block does without.
    pub(super) fn forget_gram(&mut self) {
        self.gram_of.clear();
        self.gram = Mat::new();
    }
}
