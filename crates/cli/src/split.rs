//! Rows drawn so that each part has the same share of each class: training and test rows, and folds. The same
//! seed gives the same rows on every machine.

use sparsvm_core::Labels;

/// Row numbers, ascending: `share` of every class, and the others.
pub(crate) fn stratified(labels: &Labels, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for rows in shuffled_by_class(labels, seed) {
        let (train, test) = rows.split_at((share * rows.len() as f64).round() as usize);
        first.extend_from_slice(train);
        second.extend_from_slice(test);
    }
    first.sort_unstable();
    second.sort_unstable();
    (first, second)
}

/// `count` disjoint sets of row numbers, ascending, which together are all rows; sizes differ by one at most.
pub(crate) fn folds(labels: &Labels, count: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut folds = vec![Vec::new(); count.max(1)];
    // Dealt on from class to class, so that not every class gives its odd row to the first fold.
    for (k, row) in shuffled_by_class(labels, seed).into_iter().flatten().enumerate() {
        folds[k % count.max(1)].push(row);
    }
    folds.iter_mut().for_each(|rows| rows.sort_unstable());
    folds
}

/// The rows of each class in random order.
fn shuffled_by_class(labels: &Labels, seed: u64) -> Vec<Vec<usize>> {
    let mut random = SplitMix(seed);
    let of_class = |class: usize| {
        let codes = labels.codes().iter().enumerate();
        let mut rows: Vec<usize> =
            codes.filter(|(_, code)| **code as usize == class).map(|(i, _)| i).collect();
        // Fisher and Yates.
        for last in (1..rows.len()).rev() {
            rows.swap(last, random.below(last + 1));
        }
        rows
    };
    (0..labels.classes().len()).map(of_class).collect()
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
    fn folds_share_out_every_row_and_every_class() {
        let labels = Labels::from_numbers(&(0..103).map(|i| f64::from(i % 3 == 0)).collect::<Vec<_>>());
        let folds = folds(&labels, 5, 1);
        let mut all = folds.concat();
        all.sort_unstable();
        assert_eq!(all, (0..103).collect::<Vec<_>>());
        for fold in &folds {
            assert!(fold.len() == 20 || fold.len() == 21, "{}", fold.len());
            let positive = fold.iter().filter(|&&i| i % 3 == 0).count();
            assert!(positive == 7 || positive == 6, "{positive}");
            assert!(fold.is_sorted());
        }
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // The reference implementation's first numbers for seed 1234567.
        let mut random = SplitMix(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
