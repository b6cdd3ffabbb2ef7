//! Descent for a nonconvex penalty by majorisation (local linear approximation, Zou and Li 2008).
//!
//! At w the penalty is replaced by its tangent, Σ_j ω_j|w_j| + constant with ω_j = κ_j p'(|w_j|), which lies
//! above it everywhere and touches it at w: solving that convex problem never makes F worse. The descent
//! ends when the tangent at w has its own minimum at w, up to the tolerance: the certificate's gap.

use super::convex::Convex;
use super::snapshot::Snapshot;
use crate::Regularizer;
use crate::solver::Watch;

/// Most reweightings in one descent; a handful is usual.
const MOST_REWEIGHTINGS: usize = 200;
/// The furthest that a tangent is taken ahead, in steps of the contact point.
const FURTHEST: f64 = 32.0;

/// Descents are compared at this gap; only the winner goes on to the tolerance.
const ROUGH: f64 = 1e-2;
/// A problem that is only passed by, on the way to another one, is solved to this gap.
pub(super) const PASSING: f64 = 1e-1;
/// A tangent problem is not solved more accurately than this.
const FINEST: f64 = 1e-12;
/// F may rise by this, relatively, in one step: the inner problems are not solved to the last bit, and at a
/// point that is a solution already only the multipliers change.
const SIDESTEP: f64 = 1e-8;
/// And in the last one by this share of the gap that is aimed at, if that is reached by it.
const SHARE: f64 = 0.01;

/// How far a descent goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    /// The gap at which it ends.
    gap: f64,
    /// Tangent problems are not solved more accurately than this, unless F does not come down.
    finest: f64,
    /// It ends as well where a step has lowered F by less than this, relatively, …
    least_gain: Option<f64>,
    /// … and when this much work has been done in all.
    most_work: u64,
}

impl Aim {
    /// To a gap.
    pub(super) fn to(gap: f64) -> Self {
        Self { gap, finest: 0.5 * gap, least_gain: None, most_work: u64::MAX }
    }

    /// To where descents can be compared.
    pub(super) fn roughly() -> Self {
        Self::to(ROUGH)
    }

    /// To where F is known to a per cent or so, whatever the gap: most of F is gained in the first step, and nearly all of the
    /// time goes into the gap.
    pub(super) fn at_a_glance() -> Self {
        Self { finest: 2.0 * ROUGH, least_gain: Some(ROUGH), ..Self::roughly() }
    }

    /// To where the next descent can go on.
    pub(super) fn in_passing() -> Self {
        Self { finest: PASSING, ..Self::at_a_glance() }
    }

    /// With a limit to the work.
    pub(super) fn within(self, most_work: u64) -> Self {
        Self { most_work, ..self }
    }

    /// True if it goes by F alone.
    fn is_brief(&self) -> bool {
        self.least_gain.is_some()
    }

    fn is_reached(&self, before: f64, now: f64) -> bool {
        self.least_gain.is_some_and(|gain| now > before * (1.0 - gain))
    }
}

/// Where a descent ended.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The true F.
    pub(super) objective: f64,
    pub(super) at: Snapshot,
}

/// The tangent of the penalty: slopes for all features, and the constant.
#[derive(Debug)]
pub(super) struct Tangent<'a> {
    regularizer: &'a Regularizer,
    /// Slopes at w = 0.
    at_zero: Vec<f64>,
    slopes: Vec<f64>,
    constant: f64,
    /// A feature that may not come in.
    barred: Option<usize>,
}

impl<'a> Tangent<'a> {
    pub(super) fn new(regularizer: &'a Regularizer, features: usize) -> Self {
        let at_zero: Vec<f64> = (0..features).map(|j| regularizer.slope_of(j, 0.0)).collect();
        Self { regularizer, slopes: Vec::new(), at_zero, constant: 0.0, barred: None }
    }

    /// The penalty that it touches.
    pub(super) fn regularizer(&self) -> &'a Regularizer {
        self.regularizer
    }

    /// The slopes at w = 0.
    pub(super) fn at_zero(&self) -> &[f64] {
        &self.at_zero
    }

    /// Touches the penalty at w.
    fn touch(&mut self, w: &[(usize, f64)]) {
        self.slopes.clone_from(&self.at_zero);
        self.constant = 0.0;
        for &(j, w) in w {
            self.slopes[j] = self.regularizer.slope_of(j, w);
            let value = self.regularizer.factor(j) * self.regularizer.penalty().value_at(w.abs());
            self.constant += value - self.slopes[j] * w.abs();
        }
        if let Some(j) = self.barred {
            self.slopes[j] = f64::INFINITY;
        }
    }

    /// Descends from `from` without feature j.
    pub(super) fn descend_without(
        &mut self,
        j: usize,
        from: &Snapshot,
        convex: &mut Convex<'_>,
        aim: Aim,
        watch: &mut Watch<'_>,
    ) -> Found {
        let w = from.w.iter().copied().filter(|&(k, _)| k != j).collect();
        convex.restore(&Snapshot { w, ..from.clone() });
        self.barred = Some(j);
        let found = self.descend(convex, aim, watch);
        self.barred = None;
        found
    }

    /// The true F at the solver's point.
    pub(super) fn objective(&self, convex: &Convex<'_>) -> f64 {
        let penalty: f64 = convex.coefficients().iter().map(|&(j, w)| self.regularizer.value_of(j, w)).sum();
        convex.loss() + penalty
    }

    /// Descends from the solver's point until the tangent problem is solved as far as `aim` says at its own point of
    /// contact, F cannot be lowered any more, the work is up, or the watch says stop. The solver is left at the point that
    /// is returned: the lowest.
    ///
    /// Where the penalty is curved, contact points creep toward their limit at a linear rate, so once the
    /// support has settled the tangent is taken further along the way they go, the further the longer that
    /// works: every tangent majorises F, and F and the gap are looked at before a step is kept.
    pub(super) fn descend(&mut self, convex: &mut Convex<'_>, aim: Aim, watch: &mut Watch<'_>) -> Found {
        convex.force = self.at_zero.iter().copied().filter(|slope| slope.is_finite()).fold(0.0, f64::max);
        let of_all = watch.limit_part(aim.most_work);
        let mut best = Found { objective: self.objective(convex), at: convex.snapshot() };
        let (mut before, mut ahead): (Vec<(usize, f64)>, f64) = (Vec::new(), 0.0);
        for _ in 0..MOST_REWEIGHTINGS {
            self.touch(&best.at.w);
            let gap = if convex.knows_gradient() { convex.gap(&self.slopes, self.constant).1 } else { 1.0 };
            if gap <= aim.gap || watch.stopped() {
                break;
            }
            // A gap may be infinite, and an accuracy that is would never come down.
            let accuracy = (0.05 * gap).max(aim.finest).min(1.0);
            let (last, was) = (best.at.w.clone(), best.objective);
            if let Some(further) = further_along(&before, &last, ahead) {
                self.touch(&further);
                convex.solve(&self.slopes, self.constant, accuracy, watch);
                self.touch(&convex.coefficients());
                let closer = convex.gap(&self.slopes, self.constant).1 < gap;
                if closer && self.keep_if_lower(convex, &mut best) {
                    if aim.is_reached(was, best.objective) {
                        break;
                    }
                    (before, ahead) = (last, (2.0 * ahead).min(FURTHEST));
                    continue;
                }
                convex.restore(&best.at);
                self.touch(&best.at.w);
                ahead = 0.0;
            }
            if !self.improve(convex, accuracy, aim, &mut best, watch) {
                if !self.settle(convex, aim, &mut best) {
                    convex.restore(&best.at);
                }
                break;
            }
            if aim.is_reached(was, best.objective) {
                break;
            }
            (before, ahead) = (last, (2.0 * ahead).clamp(1.0, FURTHEST));
        }
        watch.limit_part(of_all);
        best
    }

    /// Solves the tangent problem, more accurately if F has not come down and the gap counts; false if it never does.
    fn improve(
        &self,
        convex: &mut Convex<'_>,
        mut accuracy: f64,
        aim: Aim,
        best: &mut Found,
        watch: &mut Watch<'_>,
    ) -> bool {
        while accuracy > FINEST {
            convex.solve(&self.slopes, self.constant, accuracy, watch);
            if self.keep_if_lower(convex, best) {
                return true;
            }
            if watch.stopped() || aim.is_brief() {
                break;
            }
            accuracy *= 0.1;
        }
        false
    }

    /// Where F comes down no more, the multipliers may still be those of an earlier tangent. Takes the solver's point if it is the
    /// minimum of its own tangent, and F there is as low but for a share of the gap.
    fn settle(&mut self, convex: &mut Convex<'_>, aim: Aim, best: &mut Found) -> bool {
        let objective = self.objective(convex);
        self.touch(&convex.coefficients());
        let is_proved = convex.gap(&self.slopes, self.constant).1 <= aim.gap;
        let settles = is_proved && objective <= best.objective * (1.0 + SHARE * aim.gap);
        if settles {
            *best = Found { objective, at: convex.snapshot() };
        }
        settles
    }

    /// Keeps the solver's point unless F is higher there. A step to the side is no harm: the gap may close.
    fn keep_if_lower(&self, convex: &Convex<'_>, best: &mut Found) -> bool {
        let objective = self.objective(convex);
        let lower = objective <= best.objective * (1.0 + SIDESTEP);
        if lower {
            *best = Found { objective, at: convex.snapshot() };
        }
        lower
    }
}

/// now + ahead · (now - before), if both keep the same features with the same signs; none changes sign.
fn further_along(before: &[(usize, f64)], now: &[(usize, f64)], ahead: f64) -> Option<Vec<(usize, f64)>> {
    let alike = |(a, b): (&(usize, f64), &(usize, f64))| a.0 == b.0 && a.1 * b.1 > 0.0;
    if ahead == 0.0 || before.len() != now.len() || !before.iter().zip(now).all(alike) {
        return None;
    }
    let reach = |(&(_, from), &(j, to)): (&(usize, f64), &(usize, f64))| {
        let point = to + ahead * (to - from);
        (j, if point * to > 0.1 * to * to { point } else { 0.1 * to })
    };
    Some(before.iter().zip(now).map(reach).collect())
}
