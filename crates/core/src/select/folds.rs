//! Which rows are held out together. Parts have the same share of each class, and the same seed gives the
//! same rows on every machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::random::SplitMix;
use crate::{Error, Labels, Result};

/// Rows that had better be judged in all, a row in each repeat, …
const JUDGED: usize = 200;
/// … by no more repeats than this.
const MOST_REPEATS: usize = 5;

/// Row numbers, ascending: `share` of every class, and the others.
pub fn stratified_split(labels: &Labels, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let cut = |rows: &[usize]| ((share * rows.len() as f64).round() as usize, rows.len());
    parts_of_classes(labels, SplitMix::new(seed), cut)
}

/// One of the pairs of halves of the same data: those of different numbers are drawn independently. Halves
/// have ⌊n_c/2⌋ rows of each class c; an odd row of a class is in neither.
pub(super) fn halves(labels: &Labels, seed: u64, pair: usize) -> (Vec<usize>, Vec<usize>) {
    let cut = |rows: &[usize]| (rows.len() / 2, rows.len() / 2 * 2);
    parts_of_classes(labels, SplitMix::nth(seed, pair), cut)
}

/// Of every class, shuffled, the rows up to the first cut, and those from there to the second.
fn parts_of_classes(
    labels: &Labels,
    random: SplitMix,
    cut: impl Fn(&[usize]) -> (usize, usize),
) -> (Vec<usize>, Vec<usize>) {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for rows in shuffled_by_class(labels, random) {
        let (middle, end) = cut(&rows);
        first.extend_from_slice(&rows[..middle]);
        second.extend_from_slice(&rows[middle..end]);
    }
    first.sort_unstable();
    second.sort_unstable();
    (first, second)
}

/// The rows of each class in random order.
fn shuffled_by_class(labels: &Labels, mut random: SplitMix) -> Vec<Vec<usize>> {
    let mut of_class = vec![Vec::new(); labels.classes().len()];
    labels.codes().iter().enumerate().for_each(|(i, code)| of_class[*code as usize].push(i));
    of_class.iter_mut().for_each(|rows: &mut Vec<usize>| random.shuffle(rows));
    of_class
}

/// A fold: its repeat, its number in there (both from 0), and the rows that are held out, ascending.
pub type Fold<'a> = (usize, usize, &'a [usize]);

/// Rows that are held out together, in one or more repeats: in each repeat every row is held out once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folds {
    /// The rows that are held out, ascending: the folds of the first repeat, then those of the next.
    held: Vec<Vec<usize>>,
    /// Folds in a repeat.
    count: usize,
}

impl Folds {
    /// How often folds are drawn unless told otherwise: of few rows, where one draw says little, so often that some two hundred
    /// are judged, but five times at most.
    pub fn usual_repeats(rows: usize) -> usize {
        JUDGED.div_ceil(rows.max(1)).min(MOST_REPEATS)
    }

    /// `count` folds, drawn `repeats` times: sizes differ by one at most, and so do the rows of a class.
    ///
    /// # Errors
    /// If there are fewer than two folds, no repeat, or more folds than rows.
    pub fn stratified(labels: &Labels, count: usize, repeats: usize, seed: u64) -> Result<Self> {
        check(count, repeats, labels.len(), "one for each row")?;
        let draw = |repeat: usize| {
            let mut folds = vec![Vec::new(); count];
            // Dealt on from class to class, so that not every class gives its odd row to the first fold.
            let rows = shuffled_by_class(labels, SplitMix::nth(seed, repeat));
            rows.into_iter().flatten().enumerate().for_each(|(k, row)| folds[k % count].push(row));
            sorted(folds)
        };
        Ok(Self { held: (0..repeats).flat_map(draw).collect(), count })
    }

    /// Folds in which the rows of a group stay together: such as all samples of a patient. Groups are dealt
    /// out in random order, the large ones first, each to the fold where it disturbs the shares of the
    /// classes least.
    ///
    /// # Errors
    /// If there is not one group a row, or fewer groups than folds.
    pub fn grouped(
        labels: &Labels,
        groups: &[String],
        count: usize,
        repeats: usize,
        seed: u64,
    ) -> Result<Self> {
        if groups.len() != labels.len() {
            return Err(Error::Length {
                what: "groups of rows",
                found: groups.len(),
                expected: labels.len(),
            });
        }
        let mut rows_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        groups.iter().enumerate().for_each(|(i, group)| rows_of.entry(group).or_default().push(i));
        check(count, repeats, rows_of.len(), "one for each group")?;
        let draw = |repeat: usize| {
            let mut order: Vec<&Vec<usize>> = rows_of.values().collect();
            SplitMix::nth(seed, repeat).shuffle(&mut order);
            order.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
            deal(labels, &order, count)
        };
        Ok(Self { held: (0..repeats).flat_map(draw).collect(), count })
    }

    /// Folds by name, one a row; rows with the same name are held out together.
    ///
    /// # Errors
    /// Unless there is one name a row, and two names at least.
    pub fn named(names: &[String], rows: usize) -> Result<Self> {
        if names.len() != rows {
            return Err(Error::Length { what: "fold names of rows", found: names.len(), expected: rows });
        }
        let mut folds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        names.iter().enumerate().for_each(|(i, name)| folds.entry(name).or_default().push(i));
        check(folds.len(), 1, rows, "one for each row")?;
        Ok(Self { count: folds.len(), held: folds.into_values().collect() })
    }

    /// Folds in each repeat.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How often the folds were drawn.
    pub fn repeats(&self) -> usize {
        self.held.len() / self.count.max(1)
    }

    /// Every fold, repeat after repeat.
    pub fn iter(&self) -> impl Iterator<Item = Fold<'_>> {
        let count = self.count.max(1);
        self.held.iter().enumerate().map(move |(k, rows)| (k / count, k % count, rows.as_slice()))
    }
}

/// The rows below n that are not among `held`, which ascend.
pub(super) fn others(n: usize, held: &[usize]) -> Vec<usize> {
    (0..n).filter(|i| held.binary_search(i).is_err()).collect()
}

fn check(count: usize, repeats: usize, most: usize, of: &'static str) -> Result<()> {
    if count < 2 {
        return Err(Error::parameter("folds", count, "at least 2"));
    }
    if count > most {
        return Err(Error::parameter("folds", format!("{count} (the most is {most})"), of));
    }
    if repeats == 0 {
        return Err(Error::parameter("repeats", 0, "at least 1"));
    }
    Ok(())
}

fn sorted(mut folds: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    folds.iter_mut().for_each(|rows| rows.sort_unstable());
    folds
}

/// Each group to the fold in which Σ over classes of (rows there)² grows least relative to the size of the
/// class; an empty fold comes first.
fn deal(labels: &Labels, groups: &[&Vec<usize>], count: usize) -> Vec<Vec<usize>> {
    let classes = labels.classes().len();
    let count_classes = |rows: &[usize]| {
        let mut counts = vec![0.0; classes];
        rows.iter().for_each(|&i| counts[labels.codes()[i] as usize] += 1.0);
        counts
    };
    let all: Vec<usize> = (0..labels.len()).collect();
    let sizes: Vec<f64> = count_classes(&all).into_iter().map(|size: f64| size.max(1.0)).collect();
    let mut held = vec![vec![0.0; classes]; count];
    let mut folds = vec![Vec::new(); count];
    for (dealt, group) in groups.iter().enumerate() {
        let counts = count_classes(group);
        let cost = |fold: &Vec<f64>| -> f64 {
            let parts = fold.iter().zip(&counts).zip(&sizes);
            parts.map(|((there, new), size)| (2.0 * there + new) * new / (size * size)).sum()
        };
        // As many groups are left as folds are empty: none may stay empty.
        let empty = folds.iter().filter(|rows: &&Vec<usize>| rows.is_empty()).count();
        let must_fill = groups.len() - dealt <= empty;
        let open = (0..count).filter(|&k| !must_fill || folds[k].is_empty());
        let best = open.min_by(|&a, &b| cost(&held[a]).total_cmp(&cost(&held[b])));
        if let Some(k) = best {
            folds[k].extend_from_slice(group);
            held[k].iter_mut().zip(&counts).for_each(|(there, new)| *there += new);
        }
    }
    sorted(folds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(n: usize, every: usize) -> Labels {
        Labels::from_numbers(&(0..n).map(|i| f64::from(u8::from(i % every == 0))).collect::<Vec<_>>())
    }

    #[test]
    fn every_row_is_in_one_part_and_classes_keep_their_share() {
        let labels = labels(100, 5);
        let (train, test) = stratified_split(&labels, 0.7, 3);
        let mut all = [train.clone(), test].concat();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert_eq!(train.iter().filter(|&&i| i % 5 == 0).count(), 14);
        assert_eq!(train.len(), 70);
        assert_eq!(train, stratified_split(&labels, 0.7, 3).0);
        assert_ne!(train, stratified_split(&labels, 0.7, 4).0);
    }

    #[test]
    fn folds_share_out_every_row_and_every_class_in_every_repeat() {
        let folds = Folds::stratified(&labels(103, 3), 5, 3, 1).unwrap();
        assert_eq!((folds.count(), folds.repeats()), (5, 3));
        for repeat in 0..3 {
            let of: Vec<&[usize]> = folds.iter().filter(|fold| fold.0 == repeat).map(|fold| fold.2).collect();
            let mut all = of.concat();
            all.sort_unstable();
            assert_eq!(all, (0..103).collect::<Vec<_>>());
            for fold in of {
                assert!(fold.len() == 20 || fold.len() == 21, "{}", fold.len());
                let positive = fold.iter().filter(|&&i| i % 3 == 0).count();
                assert!(positive == 7 || positive == 6, "{positive}");
                assert!(fold.is_sorted());
            }
        }
        assert_ne!(folds.held[..5], folds.held[5..10]);
        assert_eq!(folds.held[..5], Folds::stratified(&labels(103, 3), 5, 1, 1).unwrap().held);
    }

    #[test]
    fn groups_stay_together_and_no_fold_is_empty() {
        let groups: Vec<String> = (0..60).map(|i| (i / 4).to_string()).collect();
        let folds = Folds::grouped(&labels(60, 2), &groups, 5, 2, 7).unwrap();
        for (_, _, rows) in folds.iter() {
            assert_eq!(rows.len(), 12);
            assert_eq!(rows.iter().filter(|&&i| i % 2 == 0).count(), 6);
            assert!(rows.iter().all(|&i| (i / 4 * 4..i / 4 * 4 + 4).all(|k| rows.contains(&k))));
        }
        // Three groups of very different sizes, three folds.
        let uneven: Vec<String> = (0..60).map(|i| if i < 58 { "a".into() } else { i.to_string() }).collect();
        let folds = Folds::grouped(&labels(60, 2), &uneven, 3, 1, 7).unwrap();
        assert!(folds.iter().all(|(_, _, rows)| !rows.is_empty()));
        assert!(Folds::grouped(&labels(60, 2), &uneven, 4, 1, 7).is_err());
    }

    #[test]
    fn named_folds_are_as_named() {
        let names: Vec<String> = ["b", "a", "b", "a", "a"].iter().map(|&name| name.into()).collect();
        let folds = Folds::named(&names, 5).unwrap();
        let rows: Vec<&[usize]> = folds.iter().map(|fold| fold.2).collect();
        assert_eq!(rows, [&[1, 3, 4][..], &[0, 2][..]]);
        assert!(Folds::named(&names, 6).is_err());
        assert!(Folds::named(&names[..1], 1).is_err());
    }

    #[test]
    fn halves_are_disjoint_and_have_the_same_classes() {
        let labels = labels(31, 3);
        let (first, second) = halves(&labels, 1, 4);
        assert_eq!((first.len(), second.len()), (15, 15));
        assert!(first.iter().all(|i| second.binary_search(i).is_err()));
        let positive = |rows: &[usize]| rows.iter().filter(|&&i| i % 3 == 0).count();
        assert_eq!((positive(&first), positive(&second)), (5, 5));
        assert_ne!(first, halves(&labels, 1, 5).0);
    }

    #[test]
    fn folds_of_few_rows_are_drawn_more_often() {
        let repeats = [1, 38, 44, 62, 100, 199, 200, 100_000].map(Folds::usual_repeats);
        assert_eq!(repeats, [5, 5, 5, 4, 2, 2, 1, 1]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (count, repeats) in [(1, 1), (0, 1), (5, 0), (32, 1)] {
            assert!(Folds::stratified(&labels(31, 3), count, repeats, 0).is_err(), "{count} {repeats}");
        }
    }
}
