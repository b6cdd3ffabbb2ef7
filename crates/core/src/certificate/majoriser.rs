//! The convex problem that majorises F at w and touches it there, and what a dual point proves about it.
//! The sums over samples come from whoever knows what a sample is: a row, or a pair of rows.

use crate::Regularizer;

/// Slopes below this, relative to the forces that balance, are small.
const SMALL: f64 = 1e-3;

/// Σ_j ω_j|w_j| + (μ/2)‖w‖² + constant above the regulariser, at a point w.
#[derive(Debug)]
pub(crate) struct Majoriser<'a> {
    regularizer: &'a Regularizer,
    w: &'a [f64],
    /// The size of the forces that balance in a solution.
    force: f64,
}

/// A dual point, by its sums.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DualPoint<'a> {
    /// Σ β.
    pub(crate) linear: f64,
    /// Σ cap·dual_value(β/cap).
    pub(crate) value: f64,
    /// Xᵀ(y∘β).
    pub(crate) g: &'a [f64],
}

impl<'a> Majoriser<'a> {
    /// At w, where the loss pulls with g.
    pub(crate) fn new(regularizer: &'a Regularizer, w: &'a [f64], g: &[f64]) -> Self {
        let at_zero = (0..w.len()).map(|j| regularizer.slope_of(j, 0.0)).filter(|slope| slope.is_finite());
        let force = at_zero.fold(0.0, f64::max).max(g.iter().fold(0.0, |most, g| most.max(g.abs())));
        let all = Self { regularizer, w, force: if force > 0.0 { force } else { 1.0 } };
        if force > 0.0 {
            return all;
        }
        // Nothing pulls, and no slope at 0 is finite: what is kept is measured by its own slope.
        let own = (0..w.len()).filter(|&j| w[j] != 0.0).map(|j| all.slope(j)).fold(0.0, f64::max);
        Self { force: if own > 0.0 { own } else { 1.0 }, ..all }
    }

    /// ω_j. Not a vector: with millions of features every one of these counts.
    fn slope(&self, j: usize) -> f64 {
        self.regularizer.slope_of(j, self.w[j])
    }

    /// max_j dist(0, ∂_j F), relative to the forces that balance.
    pub(crate) fn violation(&self, g: &[f64]) -> f64 {
        let l2 = self.regularizer.l2();
        let distance = |j: usize| {
            let (w, g, slope) = (self.w[j], g[j], self.slope(j));
            if w == 0.0 { (g.abs() - slope).max(0.0) } else { (l2 * w + slope.copysign(w) - g).abs() }
        };
        (0..g.len()).map(distance).fold(0.0, f64::max) / self.force
    }

    /// The features to whose columns a dual point must be orthogonal, or nearly so: ω_j = 0 (κ_j = 0, or
    /// past the flat end of SCAD, MCP and capped ℓ1), and kept features whose slope is so small that scaling
    /// β down until |g_j| ≤ ω_j would cost too much. With a ridge part there are none.
    pub(crate) fn loose(&self) -> Vec<usize> {
        let ridge = self.regularizer.l2() > 0.0;
        (0..self.w.len()).filter(|&j| !ridge && self.is_loose(j)).collect()
    }

    fn is_loose(&self, j: usize) -> bool {
        self.slope(j) == 0.0 || (self.w[j] != 0.0 && self.slope(j) < SMALL * self.force)
    }

    /// Where g_j belongs.
    pub(crate) fn target(&self, j: usize) -> f64 {
        if self.w[j] == 0.0 { 0.0 } else { self.slope(j).copysign(self.w[j]) }
    }

    /// What the residue of the loose features can be worth at solutions whose coefficients there are up to
    /// twice as large as these. (By convexity, a solution further away that is better by Δ would make some
    /// solution within that range better in proportion.)
    pub(crate) fn residue(&self, loose: &[usize], g: &[f64]) -> f64 {
        2.0 * loose.iter().map(|&j| (g[j].abs() - self.slope(j)).max(0.0) * self.w[j].abs()).sum::<f64>()
    }

    /// No solution of the majorising problem lies below this. `residue` is what β misses.
    pub(crate) fn lower_bound(&self, dual: DualPoint<'_>, residue: f64) -> f64 {
        let (value, scale) = self.best_multiple(dual);
        (value - scale * residue).max(0.0) + self.constant()
    }

    /// κp(|w|) - ω|w| ≥ 0, since p is concave and p(0) = 0.
    fn constant(&self) -> f64 {
        let of_feature = |j: usize| {
            let size = self.w[j].abs();
            self.regularizer.factor(j) * self.regularizer.penalty().value_at(size) - self.slope(j) * size
        };
        (0..self.w.len()).filter(|&j| self.w[j] != 0.0).map(of_feature).sum()
    }

    /// D at the best multiple of β that meets the constraints that bind, and that multiple.
    fn best_multiple(&self, dual: DualPoint<'_>) -> (f64, f64) {
        let (linear, l2) = (dual.linear, self.regularizer.l2());
        if linear == 0.0 {
            return (0.0, 1.0);
        }
        let quadratic = linear - dual.value;
        if l2 > 0.0 {
            let excess = |j: usize| (dual.g[j].abs() - self.slope(j)).max(0.0).powi(2) / (2.0 * l2);
            return (dual.value - (0..dual.g.len()).map(excess).sum::<f64>(), 1.0);
        }
        let binding = (0..self.w.len()).filter(|&j| dual.g[j] != 0.0 && !self.is_loose(j));
        // Never up: g of a β that has been repaired to almost nothing is rounding, which must not be
        // magnified.
        let largest = binding.map(|j| self.slope(j) / dual.g[j].abs()).fold(1.0, f64::min);
        // D(sβ) = s·linear - s²·quadratic, s up to where the first constraint is met.
        let scale = if quadratic > 0.0 { largest.min(linear / (2.0 * quadratic)) } else { largest };
        (scale * linear - scale * scale * quadratic, scale)
    }
}
