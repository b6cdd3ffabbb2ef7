//! How far the convex problem is from being solved, by its dual.

use super::convex::Convex;
use super::parts;
use super::scan::{largest_finite, positions};

/// Kept features with a slope below this, relative to the largest, do not scale the multipliers down.
const SMALL: f64 = 1e-3;

/// Sums over all samples.
struct Sums {
    /// (1/n) Σ c_i ℓ(m_i).
    loss: f64,
    /// Σ a.
    linear: f64,
    /// What the dual says of a.
    dual: f64,
    /// yᵀa.
    signed: f64,
}

impl Convex<'_> {
    /// F, and how far the current point is from a proven solution: the largest of gap, violation and
    /// imbalance, as the certificate will see them. Notes the potential.
    pub(super) fn gap(&mut self, slopes: &[f64], constant: f64) -> (f64, f64) {
        self.bring_gradient(slopes);
        let (gradient, l2) = (self.gradient.values(), self.problem.regularizer().l2());
        let Sums { loss, linear, dual, signed } = self.sums();
        let (mut objective, mut loose, mut furthest) = (loss, 0.0f64, 0.0f64);
        let kept = self.coefficients();
        for &(j, w) in &kept {
            let g = gradient[j];
            objective += slopes[j] * w.abs() + 0.5 * l2 * w * w;
            furthest = furthest.max((l2 * w + slopes[j].copysign(w) - g).abs());
        }
        let largest = self.force.max(largest_finite(gradient)).max(largest_finite(slopes));
        let (mut over, mut excess) = (1.0f64, 0.0);
        let mut kept = kept.iter().peekable();
        for j in positions([gradient, slopes], |[g, slope]| g.abs() > slope) {
            let (g, slope) = (gradient[j].abs(), slopes[j]);
            while kept.next_if(|(kept, _)| *kept < j).is_some() {}
            let w = kept.next_if(|(kept, _)| *kept == j).map_or(0.0, |&(_, w)| w);
            excess += (g - slope) * (g - slope);
            if w == 0.0 {
                furthest = furthest.max(g - slope);
            }
            if slope == 0.0 || w != 0.0 && slope < SMALL * largest {
                loose += 2.0 * (g - slope) * w.abs();
            } else {
                over = over.max(g / slope);
            }
        }
        if l2 > 0.0 {
            loose = 0.0;
        }
        loose += 2.0 * (signed * self.intercept()).abs();
        let bound = if l2 > 0.0 {
            dual - excess / (2.0 * l2)
        } else {
            linear / over - (linear - dual) / (over * over)
        };
        let whole = objective + constant;
        let relative = |difference: f64| difference.max(0.0) / whole.max(f64::MIN_POSITIVE);
        self.potential = relative(objective - dual + loose);
        let gap = relative(objective - bound + loose);
        let violation = if largest > 0.0 { furthest / largest } else { 0.0 };
        let imbalance =
            if self.block.has_intercept() { signed.abs() / self.problem.total_cap() } else { 0.0 };
        (whole, gap.max(violation).max(imbalance))
    }

    fn sums(&self) -> Sums {
        let (loss, caps, y) = (self.problem.loss(), self.problem.caps(), self.problem.y());
        let (margins, pulls) = (&self.point.margins, &self.point.pulls);
        let mut sums = parts::sums(margins.len(), |samples| {
            let mut sums = [0.0; 4];
            for i in samples {
                let (a, cap) = (pulls[i], caps[i]);
                sums[0] += cap * loss.value(margins[i]);
                if a != 0.0 {
                    sums[1] += a;
                    sums[2] += cap * loss.dual_value(a / cap);
                    sums[3] += y[i] * a;
                }
            }
            sums
        });
        self.problem.sum(&mut sums);
        let [loss, linear, dual, signed] = sums;
        Sums { loss, linear, dual, signed }
    }
}
