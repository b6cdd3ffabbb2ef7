//! How often a feature is selected, and with which sign.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cross_validate::CrossValidation;
use super::rule::Place;

/// A feature over several fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Selected {
    /// From 0.
    pub feature: u32,
    /// Fits in which its weight is positive.
    pub positive: usize,
    /// Fits in which its weight is negative.
    pub negative: usize,
    /// All fits.
    pub fits: usize,
}

impl Selected {
    /// The share of fits that keep it.
    pub fn frequency(&self) -> f64 {
        (self.positive + self.negative) as f64 / self.fits.max(1) as f64
    }

    /// The share of those that keep it in which its weight has the more frequent sign.
    pub fn sign_stability(&self) -> f64 {
        self.positive.max(self.negative) as f64 / (self.positive + self.negative).max(1) as f64
    }

    /// The more frequent sign, ±1; 0 if neither is.
    pub fn sign(&self) -> i8 {
        self.positive.cmp(&self.negative) as i8
    }
}

/// Counts features over fits: the most frequent first, then the steadier sign, then by index.
pub(super) fn tally(fits: &[&[(u32, f64)]]) -> Vec<Selected> {
    let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for &(feature, weight) in fits.iter().copied().flatten() {
        let (positive, negative) = counts.entry(feature).or_default();
        *(if weight > 0.0 { positive } else { negative }) += 1;
    }
    let mut features: Vec<Selected> = counts
        .into_iter()
        .map(|(feature, (positive, negative))| Selected { feature, positive, negative, fits: fits.len() })
        .collect();
    let key = |f: &Selected| std::cmp::Reverse((f.positive + f.negative, f.positive.max(f.negative)));
    features.sort_by_key(key);
    features
}

impl CrossValidation {
    /// Every feature that some fold's model keeps at this λ, the most frequent first. Folds that did not get
    /// there are left out.
    pub fn selected(&self, place: Place) -> Vec<Selected> {
        let Some(candidate) = self.candidates.get(place.candidate) else { return Vec::new() };
        let points = candidate.folds.iter().filter_map(|part| part.points.get(place.lambda));
        let fits: Vec<&[(u32, f64)]> = points.map(|point| &point.w[..]).collect();
        tally(&fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_counted_with_their_signs() {
        let found = tally(&[&[(1, 0.5), (7, -1.0)], &[(1, -0.5), (7, -2.0)], &[(7, -1.0)], &[(3, 1.0)]]);
        let seven = Selected { feature: 7, positive: 0, negative: 3, fits: 4 };
        assert_eq!(found[0], seven);
        assert_eq!((seven.frequency(), seven.sign_stability(), seven.sign()), (0.75, 1.0, -1));
        assert_eq!((found[1].feature, found[1].sign_stability(), found[1].sign()), (1, 0.5, 0));
        assert_eq!(found[2].feature, 3);
    }
}
