//! Several starts for a nonconvex penalty, all deterministic, the lowest F kept.
//!
//! A descent ends in the valley that it starts in, and starts matter more than anything: with SCAD, MCP or
//! capped ℓ1 at λ ≥ λ_max, w = 0 is stationary and a solver started there returns it. So descents start
//! from points along the ℓ1 path, from nearly nothing to many features, and from the caller's point.

use super::convex::{Convex, Snapshot};
use super::descent::{Found, Tangent};
use super::watch::Watch;
use crate::Problem;

/// The path of starts goes from the strength at which the first feature enters down by this factor.
const REACH: f64 = 1e-3;
/// Starts and the descents from them are solved to this gap; only the winner goes on to the tolerance.
const ROUGH: f64 = 1e-2;
/// The path ends early after this many descents in a row that were no better.
const PATIENCE: usize = 4;

/// Descents from `starts` points of the ℓ1 path and from `given`; then the best one to the end.
pub(super) fn search<'a>(
    problem: &'a Problem<'a>,
    given: Option<&Snapshot>,
    starts: usize,
    watch: &mut Watch<'_>,
) -> Snapshot {
    let mut tangent = Tangent::new(problem);
    let mut convex = Convex::new(problem);
    let mut best: Option<Found> = None;
    let mut keep = |found: Found| {
        let better = best.as_ref().is_none_or(|best| found.objective < best.objective);
        if better {
            best = Some(found);
        }
        better
    };
    if let Some(given) = given {
        convex.restore(given);
        keep(tangent.descend(&mut convex, ROUGH, watch));
        convex = Convex::new(problem);
    }
    let factors: Vec<f64> = (0..problem.features()).map(|j| problem.regularizer().factor(j)).collect();
    let strongest = convex.first_entry(&factors, watch);
    let mut waited = 0;
    for k in 0..starts {
        if watch.stopped() || waited >= PATIENCE || strongest == 0.0 {
            break;
        }
        watch.phase(&format!("start {} of {starts}", k + 1));
        let strength = strongest * REACH.powf((k + 1) as f64 / starts as f64);
        let slopes: Vec<f64> = factors.iter().map(|factor| factor * strength).collect();
        convex.solve(&slopes, 0.0, ROUGH, watch);
        let on_path = convex.snapshot();
        let found = tangent.descend(&mut convex, ROUGH, watch);
        if std::env::var("ROUNDS").is_ok() {
            eprintln!("start {k} strength {strength:.5} path support {} F {} support {}", on_path.w.len(), found.objective, found.at.w.len());
        }
        waited = if keep(found) { 0 } else { waited + 1 };
        convex.restore(&on_path);
    }
    watch.phase("finishing");
    if let Some(found) = best {
        convex.restore(&found.at);
    }
    tangent.descend(&mut convex, watch.tol(), watch).at
}
