//! Small random problems, the same on every machine.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::needless_range_loop)]

use sparsvm_core::Solution;
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

pub fn dense(rows: &[Vec<f64>]) -> Dense<'static> {
    Dense::from_rows(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

pub fn sparse(rows: &[Vec<f64>]) -> Sparse<'static> {
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

/// Gaussian elimination with partial pivoting.
pub fn eliminate(mut a: Vec<Vec<f64>>, mut f: Vec<f64>) -> Vec<f64> {
    let n = f.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs())).unwrap();
        a.swap(k, pivot);
        f.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            f[i] -= factor * f[k];
        }
    }
    for k in (0..n).rev() {
        f[k] = (f[k] - (k + 1..n).map(|j| a[k][j] * f[j]).sum::<f64>()) / a[k][k];
    }
    f
}

/// Any number of threads gives the same bits.
pub fn threads_agree(run: impl Fn() -> Solution + Sync) {
    let bits = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(&run);
        (found.w, found.b, found.beta)
    };
    let one = bits(1);
    assert!(one == bits(2) && one == bits(3));
}
