//! Random draws that depend on nothing but the seed, on any platform: a published generator, and a logarithm
//! in software.

use std::collections::HashSet;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sparsvm_core::Labels;

/// Draws that depend on nothing but the seed.
pub(crate) struct Random {
    bits: Xoshiro256PlusPlus,
    /// The second of a pair of normal numbers.
    spare: Option<f64>,
}

impl Random {
    /// The draws of this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { bits: Xoshiro256PlusPlus::seed_from_u64(seed), spare: None }
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.bits.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform below `bound`; the bias is below 2^-53 and so of no matter here.
    fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() * bound as f64) as usize).min(bound.saturating_sub(1))
    }

    /// Standard normal, by Marsaglia's polar method.
    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * libm::log(s) / s).sqrt();
                self.spare = Some(v * factor);
                return u * factor;
            }
        }
    }

    /// 0, 1, … in random order.
    pub(crate) fn permutation(&mut self, len: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..len as u32).collect();
        for k in (1..len).rev() {
            order.swap(k, self.below(k + 1));
        }
        order
    }

    /// Up to `count` different positions, drawn in proportion to the steps of `cumulated`. A bounded number
    /// of draws: where a few positions have nearly all the weight, there may be fewer.
    pub(crate) fn distinct(&mut self, cumulated: &[f64], count: usize) -> Vec<usize> {
        let total = cumulated.last().copied().unwrap_or(0.0);
        let count = count.min(cumulated.len());
        let mut drawn: Vec<usize> = Vec::with_capacity(count);
        let mut seen = HashSet::with_capacity(count);
        for _ in 0..20 * count {
            if drawn.len() == count {
                break;
            }
            let target = self.uniform() * total;
            let k = cumulated.partition_point(|&sum| sum <= target).min(cumulated.len() - 1);
            if seen.insert(k) {
                drawn.push(k);
            }
        }
        drawn
    }

    /// Labels by the side of the median score, so that classes are balanced; a score at the median, which is
    /// common where most rows have no informative entry, gets either label.
    pub(crate) fn labels(&mut self, scores: &[f64], noise: f64) -> Labels {
        let mut sorted = scores.to_vec();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(scores.len() / 2).copied().unwrap_or(0.0);
        let signs: Vec<f64> = scores
            .iter()
            .map(|&score| {
                let positive = if score == median { self.uniform() < 0.5 } else { score > median };
                let flipped = self.uniform() < noise;
                if positive == flipped { -1.0 } else { 1.0 }
            })
            .collect();
        Labels::from_numbers(&signs)
    }
}
