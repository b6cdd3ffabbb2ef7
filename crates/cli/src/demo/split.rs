//! Training and test rows, with the same share of each class in both.

use sparsvm_core::Labels;

/// Row numbers, ascending: `share` of every class, and the others. The same seed gives the same rows on
/// every machine.
pub(crate) fn stratified(labels: &Labels, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut random = SplitMix(seed);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for class in 0..labels.classes().len() {
        let codes = labels.codes().iter().enumerate();
        let mut rows: Vec<usize> =
            codes.filter(|(_, code)| **code as usize == class).map(|(i, _)| i).collect();
        // Fisher and Yates.
        for last in (1..rows.len()).rev() {
            rows.swap(last, random.below(last + 1));
        }
        let (train, test) = rows.split_at((share * rows.len() as f64).round() as usize);
        first.extend_from_slice(train);
        second.extend_from_slice(test);
    }
    first.sort_unstable();
    second.sort_unstable();
    (first, second)
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, published, and good enough to shuffle rows.
struct SplitMix(u64);

impl SplitMix {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_part_and_classes_keep_their_share() {
        let labels = Labels::from_numbers(&(0..100).map(|i| f64::from(i % 5 == 0)).collect::<Vec<_>>());
        let (train, test) = stratified(&labels, 0.7, 3);
        let mut all = [train.clone(), test].concat();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert_eq!(train.iter().filter(|&&i| i % 5 == 0).count(), 14);
        assert_eq!(train.len(), 70);
        assert_eq!(train, stratified(&labels, 0.7, 3).0);
        assert_ne!(train, stratified(&labels, 0.7, 4).0);
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // The reference implementation's first numbers for seed 1234567.
        let mut random = SplitMix(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
