//! What a part of the search may cost, in floating-point operations: a clock that is the same on every machine.
//! 10⁹ of them take a second or so.

use super::descent::Aim;
use crate::solver::Watch;

/// Limits of one part, counted from where it began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// Up to here nothing is spared, …
    cheap: u64,
    /// … and up to here what is promising is tried.
    most: u64,
    /// A single descent may take so much from where it begins.
    descent: u64,
}

impl Budget {
    /// For a part that begins now.
    pub(super) fn new(watch: &Watch<'_>, cheap: u64, most: u64) -> Self {
        Self { cheap: watch.work() + cheap, most: watch.work() + most, descent: most }
    }

    pub(super) fn is_cheap(&self, watch: &Watch<'_>) -> bool {
        watch.work() <= self.cheap
    }

    /// True if something more may be tried.
    pub(super) fn allows(&self, watch: &Watch<'_>, is_promising: bool) -> bool {
        !watch.stopped() && (self.is_cheap(watch) || is_promising && watch.work() <= self.most)
    }

    /// True if something that costs so much, so often, can be tried for nothing.
    pub(super) fn is_cheap_for(&self, watch: &Watch<'_>, price: u64, times: usize) -> bool {
        price.saturating_mul(times as u64) <= self.cheap.saturating_sub(watch.work())
    }

    /// How far descents that are compared go.
    pub(super) fn aim(&self, watch: &Watch<'_>) -> Aim {
        let aim = if self.is_cheap(watch) { Aim::roughly() } else { Aim::at_a_glance() };
        aim.within(watch.work().saturating_add(self.descent))
    }
}
