//! What a variable of a relaxation costs: a convex, piecewise linear function with at most three kinks.

/// Slopes between kinks, from left to right; kinks ascend and may coincide.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    kinks: [f64; 3],
    slopes: [f64; 4],
    count: usize,
}

impl Cost {
    /// Free of charge up to 0, then `slope`: the hinge of one sample.
    pub(super) fn ramp(slope: f64) -> Self {
        Self { kinks: [0.0; 3], slopes: [0.0, slope, slope, slope], count: 1 }
    }

    /// `slope` inside [low, high]; outside, `wall` per unit of the way out.
    pub(super) fn chord(low: f64, high: f64, slope: f64, wall: f64) -> Self {
        Self { kinks: [low, high, high], slopes: [-wall, slope, wall, wall], count: 2 }
    }

    /// `left`·|x| on [low, 0] and `right`·x on [0, high], low < 0 < high; outside, `wall`.
    pub(super) fn tent(low: f64, high: f64, left: f64, right: f64, wall: f64) -> Self {
        Self { kinks: [low, 0.0, high], slopes: [-wall, -left, right, wall], count: 3 }
    }

    /// The slope to the left of x.
    #[inline]
    pub(super) fn left(&self, x: f64) -> f64 {
        self.slopes[self.kinks().iter().filter(|kink| **kink < x).count()]
    }

    /// The slope to the right of x.
    #[inline]
    pub(super) fn right(&self, x: f64) -> f64 {
        self.slopes[self.kinks().iter().filter(|kink| **kink <= x).count()]
    }

    #[inline]
    fn kinks(&self) -> &[f64] {
        &self.kinks[..self.count]
    }

    /// The kinks ahead of x on the way up or down, each with the rise of the slope there; not in order.
    #[inline]
    pub(super) fn ahead(&self, x: f64, up: bool) -> impl Iterator<Item = (f64, f64)> {
        let jumps =
            self.kinks().iter().enumerate().map(|(k, kink)| (*kink, self.slopes[k + 1] - self.slopes[k]));
        jumps.filter(move |(kink, _)| if up { *kink > x } else { *kink < x })
    }

    /// The kink nearest to x.
    pub(super) fn nearest(&self, x: f64) -> f64 {
        let distance = |kink: &f64| (kink - x).abs();
        self.kinks().iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(x)
    }
}
