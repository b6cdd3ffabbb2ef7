//! Doing without features: many at once, then one by one; others may come in for them.

use super::convex::Snapshot;
use super::descent::Found;
use super::search::{ROUGH, Search, THOROUGH};
use crate::solver::Watch;

/// The work of the whole search after which no more is tried, …
const MOST_WORK: u64 = 2 * THOROUGH;
/// … unless that is less than this for pruning alone: on large data it lowers F more than other starts do.
const LEAST_WORK: u64 = THOROUGH;
/// F must come down by this much, relatively, to be worth the change.
const WORTHWHILE: f64 = 1e-6;

impl Search<'_> {
    /// Tries to do without features of the best point.
    pub(super) fn prune(&mut self, watch: &mut Watch<'_>) {
        let Some(best) = self.best.take() else { return };
        let most = MOST_WORK.max(watch.work() + LEAST_WORK);
        let goes_on = |watch: &Watch<'_>| !watch.stopped() && watch.work() <= most;
        watch.phase("thinning out");
        let mut best = self.thin(best, watch, goes_on);
        watch.phase("swapping features");
        loop {
            let before = best.objective;
            best = self.swap(best, watch, goes_on);
            if best.objective >= before || !goes_on(watch) {
                break;
            }
        }
        self.best = Some(best);
    }

    /// Without the smaller half of the coefficients, and without fewer of them while that is no better: a start with a
    /// hundred features too many would take a hundred swaps.
    fn thin(
        &mut self,
        mut best: Found,
        watch: &mut Watch<'_>,
        goes_on: impl Fn(&Watch<'_>) -> bool,
    ) -> Found {
        let mut fewer = best.at.w.len() / 2;
        while fewer > 1 && goes_on(watch) {
            let mut w = by_size(&best.at);
            w.drain(..fewer);
            w.sort_by_key(|&(j, _)| j);
            self.convex.restore(&Snapshot { w, ..best.at.clone() });
            let found = self.tangent.descend(&mut self.convex, ROUGH, watch);
            if is_worthwhile(&found, &best) {
                best = found;
                fewer = fewer.min(best.at.w.len() / 2);
            } else {
                fewer /= 2;
            }
        }
        best
    }

    /// Without each feature, from the smallest coefficient on.
    fn swap(
        &mut self,
        mut best: Found,
        watch: &mut Watch<'_>,
        goes_on: impl Fn(&Watch<'_>) -> bool,
    ) -> Found {
        for (j, _) in by_size(&best.at) {
            if !goes_on(watch) {
                break;
            }
            let found = self.tangent.descend_without(j, &best.at, &mut self.convex, ROUGH, watch);
            if is_worthwhile(&found, &best) {
                best = found;
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
