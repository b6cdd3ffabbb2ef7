//! Where to start: the ℓ1 path is followed from few features to many, and F at its points, under the penalty that is
//! meant, tells how far.
//!
//! Descents by way of softer penalties leave out what a point has too much, so the best points are those where F has
//! risen for a while. A [leap](super::leap) asks the penalty instead, and has a single start (docs/maths.md, section 8).

use super::descent::PASSING;
use super::search::Search;
use super::snapshot::Snapshot;
use crate::Problem;
use crate::solver::Watch;

/// The path goes from the strength at which the first feature enters down by this factor, …
const REACH: f64 = 1e-3;
/// … with as many samples as this only by the other one: further down F would be lower, at many times the time, and less data has to be looked at.
const MANY: usize = 10_000;
const SHORT_REACH: f64 = 3e-3;
/// It takes so many steps for the former, or as many as there may be starts if that is more.
const POINTS: usize = 20;
/// It ends once F was above its lowest so often in a row, …
const MOST_RISES: usize = 4;
/// … or with so many features that the last descent, which factors matrices of their size, would take minutes.
const MOST_FEATURES: usize = 1_700;
/// Where it is not cheap, no more points than this are kept: each has the multipliers of all samples.
const MOST_KEPT: usize = 6;
/// Work that may take: along the whole path, and until F has risen so often.
const WORK: [u64; 2] = [200_000_000, 2_000_000_000];

/// A point of the path.
#[derive(Debug)]
pub(super) struct Point {
    /// The slope of the ℓ1 norm there.
    pub(super) strength: f64,
    pub(super) at: Snapshot,
}

/// How far down the path goes, relative to where it begins.
pub(super) fn reach(problem: &Problem<'_>) -> f64 {
    if has_many_samples(problem) { SHORT_REACH } else { REACH }
}

/// True if there are so many that a search has to be short.
pub(super) fn has_many_samples(problem: &Problem<'_>) -> bool {
    problem.samples_of_all() >= MANY
}

/// The strengths of the path's points, descending; with the tangent of the penalty at w = 0.
pub(super) fn strengths(strongest: f64, reach: f64, at_zero: f64, starts: usize) -> Vec<f64> {
    let usual = (POINTS as f64 * reach.ln() / REACH.ln()).round() as usize;
    let points = if starts > POINTS { starts } else { usual };
    let mut all = downward(strongest, reach * strongest, points);
    all.extend((at_zero < strongest).then_some(at_zero));
    all.sort_by(|a, b| b.total_cmp(a));
    all
}

/// So many points below `strongest` down to `weakest`, at equal ratios.
pub(super) fn downward(strongest: f64, weakest: f64, points: usize) -> Vec<f64> {
    (1..=points).map(|k| strongest * (weakest / strongest).powf(k as f64 / points as f64)).collect()
}

impl Search<'_> {
    /// Follows the path as far as it is cheap or worth it.
    pub(super) fn scout(&mut self, strengths: &[f64], factors: &[f64], watch: &mut Watch<'_>) -> Vec<Point> {
        watch.phase("following the ℓ1 path");
        let budget = self.budget(watch, WORK);
        let mut points = Vec::new();
        let (mut lowest, mut rises) = (f64::INFINITY, 0);
        for &strength in strengths {
            let slopes: Vec<f64> = factors.iter().map(|factor| factor * strength).collect();
            self.convex.solve(&slopes, 0.0, PASSING, watch);
            let objective = self.tangent.objective(&self.convex);
            rises = if objective > lowest { rises + 1 } else { 0 };
            lowest = lowest.min(objective);
            let at = self.convex.snapshot();
            let is_promising =
                rises < MOST_RISES && at.w.len() <= MOST_FEATURES.saturating_mul(self.scale as usize);
            points.push(Point { strength, at });
            if !budget.is_cheap(watch) {
                points.drain(..points.len().saturating_sub(MOST_KEPT));
            }
            if !budget.allows(watch, is_promising) {
                break;
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_starts_is_evenly_spaced_and_has_the_tangent_at_zero() {
        for (reach, starts, points) in
            [(REACH, 1, 20), (REACH, 20, 20), (SHORT_REACH, 20, 17), (REACH, 50, 50)]
        {
            let all = strengths(2.0, reach, 0.3, starts);
            assert_eq!(all.len(), points + 1);
            assert!(all.windows(2).all(|pair| pair[0] > pair[1]));
            assert!(all[0] < 2.0 && (all[points] - 2.0 * reach).abs() < 1e-12);
            assert!(all.contains(&0.3));
            assert_eq!(strengths(2.0, reach, 2.0, starts).len(), points);
        }
    }
}
