//! Random order that depends on nothing but a seed, on every machine.

/// SplitMix64 (Steele, Lea, Flood 2014): small, published, and good enough to shuffle rows.
#[derive(Debug, Clone)]
pub(super) struct SplitMix(u64);

impl SplitMix {
    /// The draws of this seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The draws of this seed and a number, such as that of a repeat: 0 is the seed itself.
    pub(super) fn nth(seed: u64, k: usize) -> Self {
        match k {
            0 => Self(seed),
            // Neighbouring seeds would give streams that overlap; a draw does not.
            _ => Self(Self(seed ^ (k as u64).wrapping_mul(0xd1b5_4a32_d192_ed03)).next()),
        }
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in 0..bound; the bias of a product is below 2⁻⁵⁰ for the bounds here.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Fisher and Yates.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The reference implementation's first numbers for seed 1234567.
        let mut random = SplitMix::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
