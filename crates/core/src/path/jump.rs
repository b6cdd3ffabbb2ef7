//! The last λ of a grid at which a convex penalty keeps at most so many features, without most of those before it.
//!
//! The loss falls with λ, so of a path's models with at most so many features the last one is the best, and how many features a few
//! of them keep tells about where it is. Features leave along a path as well: then it is a λ whose neighbour keeps more, and no earlier than
//! the first such λ.

use super::bracket::{USUAL_POWER, size};
use super::walk::Walk;
use crate::Result;

/// As long as nothing keeps too many λ goes down by at most this factor: to keep far too many takes long.
const STRIDE: f64 = 4.0;
/// Between one that keeps too many and one that does not it stays away from both by this share of what lies between.
const INWARD: usize = 4;

/// Solves for as few λ as it takes to know the last one at which no more than `most` features are kept; the walk keeps those
/// at which that is so.
pub(super) fn jump(walk: &mut Walk<'_>, lambdas: &[f64], most: usize) -> Result<()> {
    let mut ground = Ground { lambdas, most, before: None, few: None, many: None };
    let mut next = Some(0);
    while let Some(k) = next {
        walk.count(ground.few.map_or(0, |few| few.k), lambdas.len());
        let found = walk.solve(lambdas[k])?;
        let kept = found.kept();
        if kept <= most {
            walk.keep(found)?;
        }
        next = if walk.is_stopped() { None } else { ground.next(Mark { k, kept }) };
    }
    Ok(())
}

/// How many features are kept at the grid's λ with this number.
#[derive(Debug, Clone, Copy)]
struct Mark {
    k: usize,
    kept: usize,
}

/// What is known of the grid.
#[derive(Debug)]
struct Ground<'a> {
    lambdas: &'a [f64],
    /// So many may be kept.
    most: usize,
    /// The last λ that is known to keep no more than that, the one before it, …
    before: Option<Mark>,
    few: Option<Mark>,
    /// … and the first that is known to keep more.
    many: Option<Mark>,
}

impl Ground<'_> {
    /// The λ to look at after this one; nothing if the last one is found, or even the first keeps too many.
    fn next(&mut self, seen: Mark) -> Option<usize> {
        if seen.kept > self.most {
            self.many = Some(seen);
        } else {
            self.before = self.few.replace(seen);
        }
        let few = self.few?;
        let end = self.many.map_or(self.lambdas.len(), |many| many.k);
        let between = end - few.k - 1;
        if between == 0 {
            return None;
        }
        let (first, last) = match self.many {
            Some(_) => (few.k + 1 + between / INWARD, end - 1 - between / INWARD),
            None => (few.k + 1, self.first_below(self.log(few.k) - STRIDE.ln()).clamp(few.k + 1, end - 1)),
        };
        // One more than there may be, which ends it on this side.
        let more = (self.most as f64 + 1.0).ln() - size(few.kept);
        Some(self.first_below(self.log(few.k) - more / self.power(few)).clamp(first, last))
    }

    /// By how many magnitudes more is kept if λ is a magnitude smaller.
    fn power(&self, few: Mark) -> f64 {
        let other = self.many.or(self.before.filter(|before| before.kept > 0));
        let power =
            other.map(|other| (size(other.kept) - size(few.kept)) / (self.log(few.k) - self.log(other.k)));
        power.filter(|power| *power > 0.0).unwrap_or(USUAL_POWER)
    }

    fn log(&self, k: usize) -> f64 {
        self.lambdas[k].ln()
    }

    /// The first λ that is no larger, given by its logarithm; past the end if there is none.
    fn first_below(&self, log: f64) -> usize {
        self.lambdas.partition_point(|lambda| lambda.ln() > log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::Grid;

    /// The λ that are looked at, by number, if the k-th of these keeps `kept(k)`.
    fn looked_at(lambdas: &[f64], most: usize, kept: impl Fn(usize) -> usize) -> Vec<usize> {
        let mut ground = Ground { lambdas, most, before: None, few: None, many: None };
        let mut all = vec![0];
        while let Some(next) = ground.next(Mark { k: all[all.len() - 1], kept: kept(all[all.len() - 1]) }) {
            assert!(next < lambdas.len() && !all.contains(&next), "{all:?} {next}");
            all.push(next);
        }
        all
    }

    #[test]
    fn the_last_lambda_with_few_features_is_found_in_a_few_steps() {
        let lambdas = Grid::default().lambdas(2.0).unwrap();
        for power in [0.4, 1.0, 2.0, 5.0] {
            for most in [1, 5, 40, 300] {
                let kept = |k: usize| ((2.0 / lambdas[k]).powf(power) - 1.0) as usize;
                let all = looked_at(&lambdas, most, kept);
                let last = lambdas.partition_point(|l| ((2.0 / l).powf(power) - 1.0) as usize <= most) - 1;
                assert!(all.contains(&last) && all.len() <= 9, "{power} {most}: {last} {all:?}");
                // No λ is looked at that keeps far more.
                let worst = all.iter().map(|&k| kept(k)).max().unwrap();
                assert!(worst as f64 <= 4f64.powf(power) * (most as f64 + 1.0), "{power} {most}: {worst}");
            }
        }
    }

    #[test]
    fn grids_of_any_kind_come_to_an_end() {
        // Too many from the first λ on; as many as there may be down to the last; one λ alone; a step from none to all.
        assert_eq!(looked_at(&[3.0, 2.0, 1.0], 4, |_| 5), [0]);
        assert_eq!(looked_at(&[7.0], 4, |_| 4), [0]);
        assert_eq!(*looked_at(&[9.0, 8.0, 7.0, 1e-3], 4, |k| k + 1).last().unwrap(), 3);
        let lambdas: Vec<f64> = (0..50).map(|k| 0.99f64.powi(k * k)).collect();
        for step in 1..50 {
            let all = looked_at(&lambdas, 4, |k| if k < step { 0 } else { 1_000 });
            assert!(all.contains(&(step - 1)) && all.len() <= 16, "{step}: {all:?}");
        }
    }
}
