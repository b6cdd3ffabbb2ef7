//! Data sets of a given shape with a planted sparse separator, for tests and benchmarks.
//!
//! The same settings give the same bits on every platform: the generator is xoshiro256++ as published, the
//! logarithm and the power are computed in software, and all sums run in one order.

use sparsvm_core::design::{Compressed, Dense, Sparse};
use sparsvm_core::{Dataset, Result};

use crate::random::Random;

/// A data set and the separator that made its labels.
#[derive(Debug)]
pub struct Planted {
    /// The data, with labels -1 and 1.
    pub dataset: Dataset,
    /// The nonzero weights by column, ascending.
    pub separator: Vec<(usize, f64)>,
}

/// Sparse data that looks like text: few columns are frequent, most are rare, and rows have unit length.
#[derive(Debug, Clone, PartialEq)]
pub struct TextLike {
    /// n.
    pub rows: usize,
    /// d.
    pub columns: usize,
    /// Entries in a row. Rows get fewer if there are not enough columns that are frequent enough.
    pub entries_per_row: usize,
    /// Columns with a weight in the separator.
    pub informative: usize,
    /// The k-th most frequent column is drawn in proportion to k^-exponent; 1 is Zipf's law.
    pub exponent: f64,
    /// The part of the labels that are flipped, from 0 to 1.
    pub label_noise: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for TextLike {
    fn default() -> Self {
        Self {
            rows: 1_000,
            columns: 10_000,
            entries_per_row: 50,
            informative: 20,
            exponent: 1.0,
            label_noise: 0.02,
            seed: 1,
        }
    }
}

impl TextLike {
    /// Makes the data.
    ///
    /// # Errors
    /// If there are no rows or columns, or more columns than a matrix may have.
    pub fn generate(&self) -> Result<Planted> {
        let mut random = Random::new(self.seed);
        let columns: Vec<u32> = random.permutation(self.columns);
        let weights: Vec<f64> = (1..=self.columns).map(|k| libm::pow(k as f64, -self.exponent)).collect();
        let cumulated: Vec<f64> = weights
            .iter()
            .scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        // Informative columns are drawn like words, so that they occur often enough to matter.
        let ranks = random.distinct(&cumulated, self.informative);
        let mut weight = vec![0.0; self.columns];
        for (k, &rank) in ranks.iter().enumerate() {
            let size = 1.0 + random.uniform();
            weight[columns[rank] as usize] = if k % 2 == 0 { size } else { -size };
        }
        let mut starts = vec![0];
        let (mut at, mut values) = (Vec::new(), Vec::new());
        let mut scores = Vec::with_capacity(self.rows);
        for _ in 0..self.rows {
            let row: Vec<u32> = {
                let mut row: Vec<u32> = random
                    .distinct(&cumulated, self.entries_per_row)
                    .into_iter()
                    .map(|k| columns[k])
                    .collect();
                row.sort_unstable();
                row
            };
            let raw: Vec<f64> = row.iter().map(|_| 0.5 + random.uniform()).collect();
            let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
            let from = values.len();
            values.extend(raw.iter().map(|x| x / length));
            scores.push(row.iter().zip(&values[from..]).map(|(&j, x)| weight[j as usize] * x).sum());
            at.extend_from_slice(&row);
            starts.push(values.len());
        }
        let labels = random.labels(&scores, self.label_noise);
        let design = Sparse::from_rows(Compressed::new(starts, at, values, self.columns)?);
        Ok(Planted { dataset: Dataset::new(design, labels)?, separator: support(&weight) })
    }
}

/// Dense data with independent standard normal entries.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseGaussian {
    /// n.
    pub rows: usize,
    /// d.
    pub columns: usize,
    /// Columns with a weight in the separator.
    pub informative: usize,
    /// The part of the labels that are flipped, from 0 to 1.
    pub label_noise: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for DenseGaussian {
    fn default() -> Self {
        Self { rows: 200, columns: 1_000, informative: 10, label_noise: 0.02, seed: 1 }
    }
}

impl DenseGaussian {
    /// Makes the data.
    ///
    /// # Errors
    /// If there are no rows or columns.
    pub fn generate(&self) -> Result<Planted> {
        let mut random = Random::new(self.seed);
        let chosen = random.permutation(self.columns);
        let mut weight = vec![0.0; self.columns];
        for (k, &j) in chosen.iter().take(self.informative).enumerate() {
            let size = 1.0 + random.uniform();
            weight[j as usize] = if k % 2 == 0 { size } else { -size };
        }
        let mut scores = vec![0.0; self.rows];
        let mut values = Vec::with_capacity(self.rows * self.columns);
        for weight in &weight {
            for score in &mut scores {
                let x = random.normal();
                *score += weight * x;
                values.push(x);
            }
        }
        let labels = random.labels(&scores, self.label_noise);
        let design = Dense::from_columns(self.rows, self.columns, values)?;
        Ok(Planted { dataset: Dataset::new(design, labels)?, separator: support(&weight) })
    }
}

fn support(weight: &[f64]) -> Vec<(usize, f64)> {
    weight.iter().copied().enumerate().filter(|(_, w)| *w != 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a over the bits of all values, rows in order.
    fn fingerprint(data: &Dataset) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |bits: u64| {
            for byte in bits.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for i in 0..data.design().rows() {
            add(u64::from(data.labels().codes()[i]));
            data.design().row(i).for_each(|j, x| {
                add(j as u64);
                add(x.to_bits());
            });
        }
        hash
    }

    #[test]
    fn text_like_data_has_the_shape_asked_for() {
        let made = TextLike::default().generate().unwrap();
        let design = made.dataset.design();
        assert_eq!((design.rows(), design.cols()), (1_000, 10_000));
        assert_eq!(design.stored(), 50_000);
        assert_eq!(made.separator.len(), 20);
        let positive = made.dataset.labels().codes().iter().filter(|&&k| k == 1).count();
        assert!((400..=600).contains(&positive), "{positive} positive");
        let length: f64 = {
            let mut sum = 0.0;
            design.row(7).for_each(|_, x| sum += x * x);
            sum
        };
        assert!((length - 1.0).abs() < 1e-12);
    }

    #[test]
    fn dense_data_is_normal_and_separable() {
        let made = DenseGaussian { rows: 4_000, columns: 30, informative: 4, label_noise: 0.0, seed: 3 }
            .generate()
            .unwrap();
        let design = made.dataset.design();
        let (mut sum, mut squares, mut score) = (0.0, 0.0, vec![0.0; 4_000]);
        for j in 0..30 {
            design.column(j).for_each(|_, x| {
                sum += x;
                squares += x * x;
            });
        }
        assert!((sum / 120_000.0f64).abs() < 0.01);
        assert!((squares / 120_000.0 - 1.0f64).abs() < 0.02);
        for &(j, weight) in &made.separator {
            design.column(j).axpy(weight, &mut score);
        }
        let codes = made.dataset.labels().codes();
        let least =
            score.iter().zip(codes).filter(|(_, k)| **k == 1).map(|(s, _)| *s).fold(f64::MAX, f64::min);
        let most =
            score.iter().zip(codes).filter(|(_, k)| **k == 0).map(|(s, _)| *s).fold(f64::MIN, f64::max);
        assert!(most <= least, "{most} {least}");
    }

    /// These figures must never change, on any platform: others compare runs by the seed.
    #[test]
    fn same_seed_same_bits() {
        let text = TextLike { rows: 50, columns: 400, entries_per_row: 12, ..TextLike::default() };
        let dense = DenseGaussian { rows: 20, columns: 30, ..DenseGaussian::default() };
        assert_eq!(fingerprint(&text.generate().unwrap().dataset), 14_064_625_183_531_628_346);
        assert_eq!(fingerprint(&dense.generate().unwrap().dataset), 8_904_303_570_891_048_887);
        let other = TextLike { seed: 2, ..text.clone() };
        assert_ne!(
            fingerprint(&other.generate().unwrap().dataset),
            fingerprint(&text.generate().unwrap().dataset)
        );
    }

    #[test]
    fn extreme_settings_do_not_hang() {
        let few = TextLike {
            columns: 3,
            entries_per_row: 50,
            informative: 9,
            exponent: 8.0,
            ..TextLike::default()
        };
        assert!(few.generate().unwrap().dataset.design().stored() <= 3_000);
        assert!(TextLike { rows: 0, ..TextLike::default() }.generate().is_err());
        assert!(TextLike { columns: 0, ..TextLike::default() }.generate().is_err());
        assert!(DenseGaussian { rows: 0, ..DenseGaussian::default() }.generate().is_err());
    }
}
