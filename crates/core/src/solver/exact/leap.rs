//! The first start, and of a short search the only one: straight to the point of the ℓ1 path that the penalty asks for; for the
//! hinge with its corner rounded off on the way (docs/maths.md, section 8).
//!
//! Under the huberised hinge no multipliers are looked for, and F has its valleys where the hinge has them: far from the end
//! nothing else is asked of a loss.

use super::Exact;
use super::descent::Aim;
use super::scout::{downward, has_many_samples, reach};
use super::search::{Search, slope_at_zero};
use crate::solver::Watch;
use crate::{Loss, Problem};

/// The usual size of a weight, in units of 1 / the strength at which the first feature enters. A leap ends where one costs under ℓ1
/// what it costs under the penalty; no further down than the path, unless the penalty's slope at 0 is.
const USUAL_SIZE: f64 = 0.33;
/// It takes so many steps.
const POINTS: usize = 10;
/// The corner of the hinge is rounded from a margin of 1 down to one less by this.
const ROUNDED: f64 = 0.5;
/// Where the penalty's slope at 0 is below this share of the strength at which the first feature enters, it is not: classes are
/// nearly separated there, and what is left of the loss lies in the corner.
const WEAK: f64 = 0.5;

/// True if a leap has to do.
pub(super) fn is_enough(problem: &Problem<'_>, starts: usize) -> bool {
    starts == 1 || starts <= Exact::STARTS && has_many_samples(problem)
}

/// The weakest strength that a leap comes to.
pub(super) fn weakest(problem: &Problem<'_>, strongest: f64) -> f64 {
    let penalty = problem.regularizer().penalty();
    let size = USUAL_SIZE / strongest;
    let chord = penalty.value_at(size) / size;
    chord.max(reach(problem) * strongest).min(penalty.slope_at(0.0)).min(strongest)
}

impl Search<'_> {
    /// Descends from one start.
    pub(super) fn leap(&mut self, problem: &Problem<'_>, watch: &mut Watch<'_>) {
        let strongest = self.look_at_nothing(problem, watch);
        if strongest > 0.0 {
            let strengths = downward(strongest, weakest(problem, strongest), POINTS);
            let is_weak = slope_at_zero(problem) < WEAK * strongest;
            if problem.loss() == Loss::Hinge && !is_weak {
                self.leap_rounded(problem, &strengths, watch);
            } else {
                self.descend_along(problem, &strengths, 1, watch);
            }
        }
    }

    /// Leaps under the rounded loss, and goes on from there.
    fn leap_rounded(&mut self, problem: &Problem<'_>, strengths: &[f64], watch: &mut Watch<'_>) {
        let rounded = problem.with_loss(Loss::HuberHinge { delta: ROUNDED });
        let mut ahead = Search::new(&rounded, 1);
        ahead.look_at_nothing(&rounded, watch);
        ahead.descend_along(&rounded, strengths, 1, watch);
        let places = ahead.best;
        drop(ahead.convex);
        for place in places {
            self.convex.restore(&place.at.without_pulls());
            self.descend(Aim::at_a_glance(), watch);
        }
        self.firsts.extend(self.best.first().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, PenaltySpec, Regularizer};

    #[test]
    fn a_leap_ends_where_a_weight_costs_the_same() {
        let x = Dense::from_columns(2, 1, vec![1.0, -1.0]).unwrap();
        for (lambda, end) in [
            // Past the flat end at 0.3, with the height 0.1²·3/2: that over the usual size.
            (0.1, 0.015 / USUAL_SIZE),
            // Not above where the first feature enters, …
            (2.0, 1.0),
            // … nor below the reach of the path, …
            (0.005, 1e-3),
            // … unless the penalty is weaker still.
            (0.0005, 0.0005),
        ] {
            let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, lambda)).unwrap();
            let problem = Problem::new(&x, &[1.0, -1.0], Loss::Hinge, regularizer).unwrap();
            let found = weakest(&problem, 1.0);
            assert!((found - end).abs() < 1e-12, "{lambda}: {found}");
        }
    }
}
