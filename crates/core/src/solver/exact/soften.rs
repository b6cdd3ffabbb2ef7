//! From a point of the ℓ1 path to the penalty that is meant by way of softer ones (docs/maths.md, section 8).
//!
//! At a weak point of the path hundreds of coefficients lie past the flat end of MCP or SCAD, where nothing shrinks any of
//! them, so a descent keeps them all. Stretched until it is as steep at 0 as the ℓ1 norm was there, the penalty tells
//! them apart: a coefficient goes if it is worth less than the penalty's height.

use super::descent::{Aim, Tangent};
use super::search::Search;
use crate::solver::Watch;

/// From one penalty to the next the slope at 0 grows by this factor; …
const GROWTH: f64 = 4.0;
/// … up to this share of the slope that is meant.
const NEARLY: f64 = 0.99;
/// Work that they may usually take together: after that the descents end where they are.
pub(super) const WORK: u64 = 2_000_000_000;

impl Search<'_> {
    /// Descends from the solver's point, which solves the ℓ1 problem of that strength, under softer penalties; the solver is left
    /// where the last of them led. False if that took too much work.
    pub(super) fn soften(&mut self, strength: f64, watch: &mut Watch<'_>) -> bool {
        let regularizer = self.tangent.regularizer();
        let slope = regularizer.penalty().slope_at(0.0);
        if !slope.is_finite() || strength == 0.0 {
            return true;
        }
        let most = watch.work().saturating_add(self.softening);
        let aim = Aim::in_passing().within(most);
        let mut by = strength / slope;
        while by < NEARLY && !watch.stopped() {
            let softer = regularizer.stretched(by);
            Tangent::new(&softer, self.tangent.at_zero().len()).descend(&mut self.convex, aim, watch);
            by *= GROWTH;
        }
        watch.work() < most
    }
}

#[cfg(test)]
mod tests {
    use super::super::convex::Convex;
    use super::super::soften;
    use super::*;
    use crate::design::Dense;
    use crate::solver::{Silent, Stopping};
    use crate::team::Alone;
    use crate::{Family, Loss, PenaltySpec, Problem, Regularizer};

    /// 200 samples, of whose 100 columns five tell the classes apart, up to noise.
    fn data() -> (Dense<'static>, Vec<f64>) {
        let (n, d) = (200, 100);
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
        };
        let columns: Vec<f64> = (0..n * d).map(|_| draw()).collect();
        let y: Vec<f64> = (0..n)
            .map(|i| (0..5).map(|j| columns[j * n + i]).sum::<f64>() + 0.3 * draw())
            .map(|score| if score > 0.0 { 1.0 } else { -1.0 })
            .collect();
        (Dense::from_columns(n, d, columns).unwrap(), y)
    }

    /// The flat part begins at 0.06, 0.07 and 0.05.
    fn penalties() -> [(Family, Regularizer); 3] {
        [Family::Mcp, Family::Scad, Family::CappedL1].map(|family| {
            let theta = if family == Family::CappedL1 { 0.05 } else { family.default_theta() };
            let spec = PenaltySpec { theta, ..PenaltySpec::new(family, 0.02) };
            (family, Regularizer::from_spec(&spec).unwrap())
        })
    }

    /// At a weak point of the ℓ1 path most columns are kept.
    #[test]
    fn what_a_weak_start_has_too_much_is_left_out() {
        let (x, y) = data();
        for (family, regularizer) in penalties() {
            let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
            let mut search = Search::new(&problem, 1);
            let mut silent = Silent;
            let mut watch = Watch::new(&mut silent, Stopping::default(), &Alone);
            let strength = 1e-3;
            search.convex.solve(&vec![strength; 100], 0.0, 1e-2, &mut watch);
            let start = search.convex.snapshot();
            let at_once = search.tangent.descend(&mut search.convex, Aim::roughly(), &mut watch);
            search.convex.restore(&start);
            assert!(search.soften(strength, &mut watch));
            let by_way = search.tangent.descend(&mut search.convex, Aim::roughly(), &mut watch);
            let (many, few) = (at_once.at.w.len(), by_way.at.w.len());
            assert!(few < many && by_way.objective < at_once.objective, "{family}: {few}, {many}");
        }
    }

    /// Starts that are not softened in time do not count, so the search goes on to stronger ones, with few features: to the
    /// strongest, if it has to.
    #[test]
    fn where_no_start_is_softened_in_time_stronger_ones_follow() {
        let (x, y) = data();
        for (family, regularizer) in penalties() {
            let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
            let found = [soften::WORK, 0].map(|softening| {
                let mut search = Search::new(&problem, 2);
                search.softening = softening;
                let mut silent = Silent;
                let mut watch = Watch::new(&mut silent, Stopping::default(), &Alone);
                search.along_path(&problem, 2, &mut watch);
                search.best.swap_remove(0)
            });
            let [in_time, late] = found;
            let nothing = Convex::new(&problem).loss();
            assert!(in_time.objective <= late.objective && late.objective < 0.7 * nothing, "{family}");
            // The weakest two alone keep most of the columns.
            assert!(late.at.w.len() < 50, "{family}: {}", late.at.w.len());
        }
    }
}
