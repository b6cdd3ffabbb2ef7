//! How steep the ramps of the hinge's augmented Lagrangian are, and how accurately it is minimised, round by round.
//!
//! What a round can prove at best is its potential: F less the dual's value, as if the multipliers were feasible, as
//! they are once the round is solved exactly. It depends on the multipliers that the round began with, and on the
//! steepness. On text at many λ a round divided it by about 1.5 and 1.1 times the growth of the steepness, so one can
//! plan: as few rounds as need be, of equal growth, the last of them accurate and the others not.

/// The steepness (σ·n for unit weights) at the very start, when the ramps reach over all samples, …
pub(super) const COLD: f64 = 0.5;
/// … when multipliers are known, …
const WARM: f64 = 30.0;
/// … or, with many features, this divided by the root of the tolerance, if that is less (with few features it is the
/// samples that bend which cost), …
const ROUGH: f64 = 0.3;
/// … and the most, past which the pieces of the inner problem become so short that Newton steps are cut all the
/// time.
pub(super) const MOST: f64 = 100.0;
/// Where a round runs out of Newton steps they are too short already: those after it may have the steepness divided by this.
const RELIEF: f64 = 4.0;
/// Where the gap stands still at the most though hardly a step is taken, more does no harm: a multiplier has far to go then, since
/// the margin is all but right, and goes the faster. The rounds after it have this times the steepness, until that has helped, …
const EFFORT: f64 = 10.0;
/// … up to this: multipliers have that times the rounding of margins.
const UTMOST: f64 = 1e8;
/// The most that it grows in a round.
const GROWTH: f64 = 4.0;
/// A round divides the potential by the first of these and the second times the growth.
const GAIN: (f64, f64) = (1.5, 1.1);
/// The last round aims at a potential of this times the tolerance; …
const AIM: f64 = 0.5;
/// … at this no other multipliers are needed.
const REACHED: f64 = 0.95;
/// The accuracy of the last round, relative to the tolerance, …
const LAST: f64 = 0.45;
/// … or this share of what the potential leaves of that, if it is less, …
const SPARING: f64 = 0.9;
/// … but at least this, …
const LEAST: f64 = 0.05;
/// … and of the other rounds, relative to the potential that they are to have, …
const OTHERS: f64 = 10.0;
/// … but not less than this.
const ROUGHEST: f64 = 1.0;
/// What the potential is to be divided by in one plan, at most: it may be infinite.
const FURTHEST: f64 = 1e12;

/// What comes next, and how accurately.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Next {
    /// The multipliers are good enough: the same problem.
    Same { accuracy: f64 },
    /// New multipliers.
    Renewed { steepness: f64, accuracy: f64 },
}

/// Where to begin with multipliers that are known.
pub(super) fn warm(tol: f64, has_many_features: bool) -> f64 {
    if has_many_features { (ROUGH / tol.sqrt()).clamp(1.0, WARM) } else { WARM }
}

/// The most for what comes after a round of this steepness that ran out of Newton steps.
pub(super) fn relieved(steepness: f64) -> f64 {
    (steepness / RELIEF).max(COLD)
}

/// The most for what comes after a round that had hardly a step to take, and to no avail.
pub(super) fn raised(most: f64) -> f64 {
    (most * EFFORT).min(UTMOST)
}

/// A round that is over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    pub(super) steepness: f64,
    /// The most that the next one may have.
    pub(super) most: f64,
    pub(super) potential: f64,
    /// How far it was minimised.
    pub(super) violation: f64,
    /// True if that is as far as was asked: if not, there is no use in asking again.
    pub(super) is_solved: bool,
    /// True if no feature outside the working set would enter.
    pub(super) is_whole: bool,
}

/// What comes after a round.
pub(super) fn next(round: Round, tol: f64) -> Next {
    let Round { steepness, potential, .. } = round;
    // What the potential leaves of the gap is for the violation, with a little to spare.
    let enough = (SPARING * (tol - potential)).clamp(LEAST * tol, LAST * tol);
    let lacks_accuracy = round.violation > enough || !round.is_whole;
    if potential <= REACHED * tol && round.is_solved && lacks_accuracy {
        return Next::Same { accuracy: enough };
    }
    let needed = (potential / (AIM * tol)).clamp(1.0, FURTHEST);
    let rounds = (needed.ln() / (GAIN.0 + GAIN.1 * GROWTH).ln()).ceil().max(1.0);
    let growth = ((needed.powf(1.0 / rounds) - GAIN.0) / GAIN.1).max(1.0);
    let steeper = if round.most > MOST { round.most } else { (growth * steepness).min(round.most) };
    let predicted = potential / (GAIN.0 + GAIN.1 * steeper / steepness);
    let accuracy = if predicted <= tol { LAST * tol } else { (OTHERS * predicted).min(ROUGHEST) };
    Next::Renewed { steepness: steeper, accuracy }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOL: f64 = 1e-4;

    fn round(steepness: f64, potential: f64) -> Round {
        Round { steepness, most: MOST, potential, violation: 1e-9, is_solved: true, is_whole: true }
    }

    #[test]
    fn multipliers_that_are_good_enough_stay() {
        let rough = Round { violation: 1e-3, ..round(50.0, 0.5e-4) };
        assert_eq!(next(rough, TOL), Next::Same { accuracy: LAST * TOL });
        let Next::Same { accuracy } = next(Round { is_whole: false, ..round(50.0, 0.9e-4) }, TOL) else {
            panic!("they are renewed")
        };
        assert!((accuracy - 0.09e-4).abs() < 1e-12, "{accuracy}");
        // As accurate as the last round has to be, but with more of the gap taken by the potential than was planned.
        let unlucky = Round { violation: 0.4e-4, ..round(50.0, 0.65e-4) };
        assert!(
            matches!(next(unlucky, TOL), Next::Same { accuracy } if accuracy < 0.35e-4 && accuracy > 0.3e-4)
        );
        // Solved and whole, it is something else that keeps the gap up; and what failed would fail again.
        for other in [round(50.0, 0.5e-4), Round { is_solved: false, ..rough }] {
            assert!(matches!(next(other, TOL), Next::Renewed { .. }), "{other:?}");
        }
    }

    #[test]
    fn what_is_to_be_rough_begins_less_steep() {
        assert_eq!([1.0, 0.0625, 1e-8, 0.0].map(|tol| warm(tol, true)), [1.0, 4.0 * ROUGH, WARM, WARM]);
        assert_eq!(warm(1e-2, false), WARM);
    }

    #[test]
    fn steepness_grows_by_what_is_needed() {
        let renewed = |steepness, potential| match next(round(steepness, potential), TOL) {
            Next::Renewed { steepness, accuracy } => (steepness, accuracy),
            Next::Same { .. } => panic!("the multipliers stay"),
        };
        // A last round, which is accurate, …
        let (steeper, accuracy) = renewed(10.0, 2e-4);
        assert!(steeper > 10.0 && steeper < 40.0 && accuracy == LAST * TOL, "{steeper} {accuracy}");
        // … one of several, …
        let (steeper, accuracy) = renewed(1.0, 0.5);
        assert!(steeper > 2.0 && steeper <= GROWTH && accuracy > 0.1, "{steeper} {accuracy}");
        // … and never less steep, nor too steep.
        assert_eq!(renewed(10.0, 1e-4).0, 10.0);
        assert_eq!(renewed(90.0, 1e-2).0, MOST);
        // Unless that was not enough, …
        let raised = Round { most: raised(MOST), ..round(MOST, 1e-9) };
        assert!(matches!(next(raised, 1e-10), Next::Renewed { steepness: 1000.0, .. }));
        // … or was too steep.
        let relieved = Round { most: relieved(90.0), ..round(90.0, 1e-2) };
        assert!(matches!(next(relieved, TOL), Next::Renewed { steepness: 22.5, .. }));
        // What is infinite, or asked for to the last bit, is no trouble.
        let (steeper, accuracy) = renewed(1.0, f64::INFINITY);
        assert!(steeper > 1.0 && accuracy == ROUGHEST, "{steeper} {accuracy}");
        let exact = next(round(1.0, 1e-3), 0.0);
        assert!(matches!(exact, Next::Renewed { steepness, .. } if steepness > 1.0), "{exact:?}");
    }
}
