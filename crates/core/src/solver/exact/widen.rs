//! Where a model separates the data and its coefficients lie where the penalty is flat, F does not say which
//! of many models is meant: longer coefficients cost nothing, and neither does another direction that
//! separates too. The one with the widest margin is taken, as a support vector machine should: the shortest w
//! on the features that were chosen with y_i(x_iᵀw + b) ≥ 1 for every row.
//!
//! With w* the shortest, the minimiser of the squared hinge with a ridge part (ε/2)‖w‖² on these features is no longer than w*,
//! and its pulls on the rows sum to at most ε‖w*‖²: no margin is below 1 - δ with ε = 2δ·min(c_i/n)/‖w*‖². So w divided by
//! the least margin that it has, m, is at most 1/m times as long as w*. ε goes down until m is next to 1.

use super::convex::Convex;
use super::descent::{Aim, Found, Tangent};
use super::snapshot::{Snapshot, scores};
use crate::solver::{Silent, Stopping, Watch};
use crate::team::least;
use crate::{Loss, Problem, Regularizer};

/// The widest margin is found up to this, relatively, …
const ACCURACY: f64 = 1e-6;
/// … by these δ one after the other, …
const SHORTFALLS: [f64; 6] = [1e4, 1e2, 1.0, 1e-2, 1e-4, 1e-6];
/// … each problem solved to this gap, …
const GAP: f64 = 1e-9;
/// … unless that takes more steps or more work: with 771 features it took nine tenths of the time of the whole fit.
const MOST_STEPS: usize = 2_000;
const WORK: u64 = 500_000_000;
/// Margins stay this much above 1, relatively.
const ROUNDING: f64 = 1e-12;
/// If F comes down by this, relatively, a wider margin is the start of a new descent.
const WORTHWHILE: f64 = 1e-9;
/// So often, at most.
const MOST_DESCENTS: usize = 5;

/// Widens the margin of what a descent found; where that lowers F, because coefficients leave the flat part,
/// the descent goes on from there.
pub(super) fn widened(
    problem: &Problem<'_>,
    tangent: &mut Tangent<'_>,
    mut found: Found,
    convex: &mut Convex<'_>,
    watch: &mut Watch<'_>,
) -> Found {
    let mut work = WORK;
    for _ in 0..MOST_DESCENTS {
        if watch.stopped() || work == 0 {
            break;
        }
        let Some(wider) = widest(problem, tangent.regularizer(), &found.at, &mut work) else { break };
        convex.restore(&wider);
        let objective = tangent.objective(convex);
        if objective < found.objective * (1.0 - WORTHWHILE) && !watch.stopped() {
            found = tangent.descend(convex, Aim::to(watch.tol()), watch);
        } else {
            if objective <= found.objective {
                found = Found { objective, at: wider };
            }
            break;
        }
    }
    convex.restore(&found.at);
    found
}

/// The least of the margins that count.
pub(super) fn least_margin(problem: &Problem<'_>, w: &[(usize, f64)], b: f64) -> f64 {
    let scores = scores(problem, w, b);
    let rows = scores.iter().zip(problem.y()).zip(problem.caps()).filter(|(_, cap)| **cap > 0.0);
    least(problem.team(), rows.map(|((score, y), _)| score * y).fold(f64::INFINITY, f64::min))
}

fn squares(w: &[(usize, f64)]) -> f64 {
    w.iter().map(|(_, w)| w * w).sum()
}

/// The widest margin on the same features, if the model separates the data and lies where all is flat, or as wide a one as
/// the work allows, which is taken off. The other features are out of sight: of 7,129 genes two are kept.
fn widest(
    problem: &Problem<'_>,
    regularizer: &Regularizer,
    at: &Snapshot,
    work: &mut u64,
) -> Option<Snapshot> {
    let is_flat = regularizer.l2() == 0.0 && at.w.iter().all(|&(j, w)| regularizer.slope_of(j, w) == 0.0);
    if at.w.is_empty() || !is_flat {
        return None;
    }
    let features: Vec<usize> = at.w.iter().map(|&(j, _)| j).collect();
    let Some(x) = problem.x().select_columns(&features) else {
        return widest_on_support(problem, at, work);
    };
    let w = at.w.iter().enumerate().map(|(k, &(_, w))| (k, w)).collect();
    let alone = Snapshot { w, b: at.b, pulls: Vec::new() };
    let mut wide = widest_on_support(&problem.with_features(&*x, &features), &alone, work)?;
    wide.w.iter_mut().for_each(|(k, _)| *k = features[*k]);
    Some(wide)
}

/// The widest margin on the features that are kept there, if the model separates the data.
fn widest_on_support(problem: &Problem<'_>, at: &Snapshot, work: &mut u64) -> Option<Snapshot> {
    let narrowest = least_margin(problem, &at.w, at.b);
    let shortest = squares(&at.w) / (narrowest * narrowest);
    if !(narrowest > 0.0 && shortest > 0.0 && shortest.is_finite()) {
        return None;
    }
    let caps = problem.caps().iter().copied().filter(|cap| *cap > 0.0);
    let cap = least(problem.team(), caps.fold(f64::INFINITY, f64::min));
    let mut slopes = vec![f64::INFINITY; problem.features()];
    at.w.iter().for_each(|&(j, _)| slopes[j] = 0.0);
    let unpulled = |at: &Snapshot| Snapshot { w: at.w.clone(), b: at.b, pulls: vec![0.0; problem.samples()] };
    let mut best = (shortest, brought_to(narrowest, unpulled(at)));
    let mut from = Snapshot { w: Vec::new(), b: 0.0, pulls: vec![0.0; problem.samples()] };
    let mut silent = Silent;
    let stopping = Stopping { tol: GAP, max_iter: MOST_STEPS, max_time: None };
    let mut watch = Watch::new(&mut silent, stopping, problem.team()).with_most_work(*work);
    for shortfall in SHORTFALLS {
        let ridge = problem.regularizer().tangent(slopes.clone());
        let ridge = ridge.and_then(|r| r.with_l2(2.0 * shortfall * cap / best.0)).ok()?;
        let smooth = problem.with_objective(Loss::SquaredHinge, ridge).ok()?;
        let mut convex = Convex::new(&smooth);
        convex.restore(&from);
        convex.solve(&slopes, 0.0, GAP, &mut watch);
        from = convex.snapshot();
        let reached = least_margin(problem, &from.w, from.b);
        let length = squares(&from.w) / (reached * reached);
        if reached > 0.0 && length < best.0 {
            best = (length, brought_to(reached, unpulled(&from)));
        }
        if reached >= 1.0 - ACCURACY || watch.stopped() {
            break;
        }
    }
    *work = work.saturating_sub(watch.work());
    Some(best.1)
}

/// With a least margin of 1 where it is `least`. Then the loss is 0, and no row need pull where all is flat.
pub(super) fn brought_to(least: f64, mut at: Snapshot) -> Snapshot {
    let factor = (1.0 + ROUNDING) / least;
    at.w.iter_mut().for_each(|(_, w)| *w *= factor);
    at.b *= factor;
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, PenaltySpec};

    /// Half of the gap between the classes in a direction of the plane.
    fn margin(rows: &[[f64; 2]], y: &[f64], angle: f64) -> f64 {
        let least_of = |sign: f64| {
            let of_class = rows.iter().zip(y).filter(|(_, y)| **y == sign);
            let along = of_class.map(|(x, _)| sign * (x[0] * angle.cos() + x[1] * angle.sin()));
            along.fold(f64::INFINITY, f64::min)
        };
        0.5 * (least_of(1.0) + least_of(-1.0))
    }

    #[test]
    fn no_direction_has_a_wider_margin() {
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, 1e-9)).unwrap();
        for seed in 0..10 {
            // Two clouds, far out and close to each other.
            let part = |k: usize| ((k * 7919 + seed * 104_729) % 1009) as f64 / 1009.0;
            let y: Vec<f64> = (0..40).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
            let rows: Vec<[f64; 2]> =
                y.iter().enumerate().map(|(i, y)| [5.0 + y * (0.01 + part(i)), 9.0 * part(i + 50)]).collect();
            let columns = (0..2).flat_map(|j| rows.iter().map(move |row| row[j])).collect::<Vec<_>>();
            let x = Dense::from_columns(40, 2, columns).unwrap();
            let problem = Problem::new(&x, &y, Loss::Hinge, regularizer.clone()).unwrap();
            let angles = (0..400_000).map(|k| (f64::from(k) / 200_000.0 - 1.0) * std::f64::consts::PI);
            let widest_of_all = angles.map(|angle| margin(&rows, &y, angle)).fold(0.0, f64::max);

            // It separates, but it is long.
            let at = Snapshot { w: vec![(0, 1e6), (1, 1e-6)], b: -5e6, pulls: vec![0.0; 40] };
            let mut work = WORK;
            let wide = widest(&problem, &regularizer, &at, &mut work).unwrap();
            assert!(least_margin(&problem, &wide.w, wide.b) >= 1.0, "seed {seed}");
            let length = squares(&wide.w).sqrt();
            // The best direction of all may lie between two that were tried.
            let ratio = length * widest_of_all;
            assert!(ratio > 0.999 && ratio < 1.0 + 1e-6, "seed {seed}: {ratio}");
            assert!(work < WORK);

            let none = &mut 0;
            let kept = widest(&problem, &regularizer, &at, none).unwrap();
            assert!(least_margin(&problem, &kept.w, kept.b) >= 1.0 && squares(&kept.w) >= length * length);
        }
    }
}
