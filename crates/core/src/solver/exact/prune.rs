//! Doing without features: many at once, then one by one; others may come in for them.

use std::collections::VecDeque;

use super::Exact;
use super::budget::Budget;
use super::descent::Found;
use super::scout::has_many_samples;
use super::search::{Search, alike};
use super::snapshot::Snapshot;
use crate::Problem;
use crate::solver::Watch;

/// Work that it may take: on all that could be tried, and while that helps; as long as the whole fit has not taken the latter,
/// runners-up are pruned too; …
const WORK: [u64; 2] = [400_000_000, 2_000_000_000];
/// … with as many samples as [`scout`](super::scout) calls many, where a leap is all, …
const AFTER_LEAP: [u64; 2] = [30_000_000, 60_000_000];
/// … and from one start only this share of it.
const SHARE_OF_ONE: u64 = 20;
/// Features in vain after which swapping ends, where it is not cheap: thinning out has brought the most.
const PATIENCE: usize = 8;
/// F must come down by this much, relatively, to be worth the change.
const WORTHWHILE: f64 = 1e-6;

/// What it may take from so many starts.
pub(super) fn work(problem: &Problem<'_>, starts: usize) -> [u64; 2] {
    let work = if has_many_samples(problem) && starts <= Exact::STARTS { AFTER_LEAP } else { WORK };
    if starts == 1 { work.map(|work| work / SHARE_OF_ONE) } else { work }
}

impl Search<'_> {
    /// Tries to do without features of the best point, and where that is cheap of those after it and of the first starts'.
    pub(super) fn prune(&mut self, watch: &mut Watch<'_>) {
        let work = self.pruning;
        let mut candidates = std::mem::take(&mut self.best);
        for first in std::mem::take(&mut self.firsts) {
            if !candidates.iter().any(|found| alike(found, &first)) {
                candidates.push(first);
            }
        }
        let mut best: Option<Found> = None;
        for found in candidates {
            if best.is_some() && (watch.stopped() || watch.work() > work[1].saturating_mul(self.scale)) {
                break;
            }
            let budget = self.budget(watch, work);
            watch.phase("thinning out");
            let thinned = self.thin(found, budget, watch);
            watch.phase("swapping features");
            let pruned = self.swap(thinned, budget, watch);
            if best.as_ref().is_none_or(|best| pruned.objective < best.objective) {
                best = Some(pruned);
            }
        }
        self.best.extend(best);
    }

    /// Without the smallest quarter of the coefficients, and without fewer of them while that is no better: a start with a
    /// hundred features too many would take a hundred swaps.
    fn thin(&mut self, mut best: Found, budget: Budget, watch: &mut Watch<'_>) -> Found {
        let mut fewer = best.at.w.len() / 4;
        while fewer > 1 && budget.allows(watch, true) {
            let mut w = by_size(&best.at);
            w.drain(..fewer);
            w.sort_by_key(|&(j, _)| j);
            self.convex.restore(&Snapshot { w, ..best.at.clone() });
            let found = self.tangent.descend(&mut self.convex, budget.aim(watch), watch);
            if is_worthwhile(&found, &best) {
                best = found;
                fewer = fewer.min(best.at.w.len() / 4);
            } else {
                fewer /= 2;
            }
        }
        best
    }

    /// Without each feature, from the smallest coefficient on, until none is left that was not tried in vain.
    fn swap(&mut self, mut best: Found, budget: Budget, watch: &mut Watch<'_>) -> Found {
        let mut queue: VecDeque<usize> = by_size(&best.at).into_iter().map(|(j, _)| j).collect();
        let mut in_vain = 0;
        while in_vain < queue.len() && budget.allows(watch, in_vain < PATIENCE) {
            let Some(j) = queue.pop_front() else { break };
            let found = self.tangent.descend_without(j, &best.at, &mut self.convex, budget.aim(watch), watch);
            if is_worthwhile(&found, &best) {
                queue.retain(|&k| found.at.keeps(k));
                queue.extend(found.at.w.iter().map(|&(k, _)| k).filter(|&k| !best.at.keeps(k)));
                best = found;
                in_vain = 0;
            } else {
                queue.push_back(j);
                in_vain += 1;
            }
        }
        best
    }
}

fn is_worthwhile(found: &Found, best: &Found) -> bool {
    found.objective < best.objective * (1.0 - WORTHWHILE)
}

/// Coefficients, the smallest first.
fn by_size(at: &Snapshot) -> Vec<(usize, f64)> {
    let mut order = at.w.clone();
    order.sort_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(a.0.cmp(&b.0)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, Loss, PenaltySpec, Regularizer};

    #[test]
    fn who_asks_for_more_starts_is_not_pruned_in_haste() {
        let of = |samples: usize, starts: usize| {
            let x = Dense::from_columns(samples, 1, vec![1.0; samples]).unwrap();
            let y: Vec<f64> = (0..samples).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
            let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, 0.1)).unwrap();
            work(&Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap(), starts)
        };
        assert_eq!([of(9_999, 20), of(10_000, 20), of(10_000, 21)], [WORK, AFTER_LEAP, WORK]);
        assert!(of(10_000, 1) < of(10_000, 2) && of(9_999, 1) < of(9_999, 2));
    }
}
