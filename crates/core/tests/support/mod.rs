//! Small random problems, the same on every machine.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used)]

use sparsvm_core::design::{Compressed, Dense, Sparse};

/// Knuth's MMIX generator: enough for test data, and never changes.
pub struct Lcg(pub u64);

impl Lcg {
    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About normal: the sum of twelve uniforms.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// n × d, each entry zero with probability `holes`.
    pub fn matrix(&mut self, n: usize, d: usize, holes: f64) -> Vec<Vec<f64>> {
        let entry = |r: &mut Self| if r.uniform() < holes { 0.0 } else { r.normal() };
        (0..n).map(|_| (0..d).map(|_| entry(self)).collect()).collect()
    }

    /// Labels from the first `k` features, `noise` of them flipped. Both classes occur.
    pub fn labels(&mut self, rows: &[Vec<f64>], k: usize, noise: f64) -> Vec<f64> {
        let mut y: Vec<f64> = rows
            .iter()
            .map(|row| {
                let score: f64 = row
                    .iter()
                    .take(k)
                    .enumerate()
                    .map(|(j, x)| x * if j % 2 == 0 { 1.0 } else { -0.7 })
                    .sum();
                let sign = if score + 0.3 > 0.0 { 1.0 } else { -1.0 };
                if self.uniform() < noise { -sign } else { sign }
            })
            .collect();
        (y[0], y[1]) = (1.0, -1.0);
        y
    }
}

pub fn dense(rows: &[Vec<f64>]) -> Dense {
    Dense::from_rows(rows.len(), rows[0].len(), &rows.concat()).unwrap()
}

pub fn sparse(rows: &[Vec<f64>]) -> Sparse {
    let (mut starts, mut at, mut values) = (vec![0], vec![], vec![]);
    for row in rows {
        for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            at.push(j as u32);
            values.push(*x);
        }
        starts.push(values.len());
    }
    Sparse::from_rows(Compressed::new(starts, at, values, rows[0].len()).unwrap())
}
