//! An interior point method for the hinge on a working set, for where the method of multipliers creeps.
//!
//! With many features past the flat end of a penalty nothing shrinks these, and where the classes are nearly separable the hinge
//! has a vertex with as many samples on the margin as there are such features, or a face where the loss is 0. Newton steps of the
//! augmented Lagrangian are cut at every bend on the way there, by the thousand. Here all bends are smooth, and a step, which
//! takes a factor of all columns, usually divides what is left by two or more.
//!
//! In units in which a sample of mean weight costs 1, with a_i the pull of sample i, at most κ_i, and h = Bᵀa - Rw, the point
//! at μ has
//!
//!   a_i t_i = μ,   (κ_i - a_i) s_i = μ,   t - s = m - 1,        (Ω_p - h_p) u_p = μ,   (Ω_p + h_p) v_p = μ,   u - v = w,
//!
//! and h_p = 0 where Ω_p = 0, as for the intercept. Steps are Newton's towards a smaller μ (Mehrotra 1992), with corrections
//! where products are far from it (Gondzio 1996).

mod start;
mod system;
mod takeover;

use super::block::Block;
use super::direction::factor_effort;
use crate::solver::Watch;
use system::System;
pub(super) use takeover::Standing;

/// In operations: the passes over the entries of a step, for one of these; …
const OF_PRODUCTS: usize = 48;
/// … the products of a Gram matrix are so many fewer if that is one of dense matrices, …
const OF_DENSE: usize = 16;
/// … or more, since rows are not all as long.
const OF_UNEVEN: usize = 2;
/// Steps, at most; a dozen is usual.
const MOST_STEPS: usize = 80;
/// What it takes is reckoned as so many.
const USUAL_STEPS: usize = 10;
/// A step goes this share of the way to where a number would be 0.
const SHORT_OF_ZERO: f64 = 0.995;
/// After a step that was shorter than this one aims at no less than this share of the present products, and corrects nothing for a
/// full step, which this one will not be.
const SHORT: f64 = 0.2;
const CENTRED: f64 = 0.3;
/// Corrections of a step, at most.
const CORRECTIONS: usize = 2;
/// They aim at a step that is longer by this, …
const FURTHER: f64 = 0.3;
/// … where products are to be within this range of the wanted one, …
const NEIGHBOURHOOD: (f64, f64) = (0.1, 10.0);
/// … and are kept if it is longer by this factor.
const WORTHWHILE: f64 = 1.02;
/// So many steps lead nowhere if none takes the gap to this share of the least before; it then begins again from there, …
const PATIENCE: usize = 8;
const BETTER: f64 = 0.9;
/// … so often.
const MOST_BEGINNINGS: usize = 2;

/// What a solve on this block is reckoned to cost, in operations.
fn effort(block: &Block<'_>) -> usize {
    USUAL_STEPS * (factor_effort(block.width()) + step_effort(block))
}

/// What a step costs besides the factor: a Gram matrix, by the mean of the rows' entries, and passes over all of them.
fn step_effort(block: &Block<'_>) -> usize {
    let entries = block.stored();
    let squares = entries * (entries / block.samples());
    OF_PRODUCTS * entries + if block.is_full() { squares / OF_DENSE } else { OF_UNEVEN * squares }
}

/// Four kinds of numbers, each with an entry a sample or a penalised column.
type Four = [Vec<f64>; 4];

/// The problem, and where the method stands.
struct Interior {
    /// κ; samples that count nothing are left out, and so are not in any of these.
    samples: Vec<usize>,
    most: Vec<f64>,
    /// The columns with Ω > 0, and those numbers; the others are free.
    penalised: Vec<usize>,
    slope: Vec<f64>,
    free: Vec<usize>,
    /// R, for every column.
    ridge: Vec<f64>,
    /// What a cost of 1 is in F.
    unit: f64,
    /// What belongs to F besides.
    constant: f64,
    w: Vec<f64>,
    /// a, κ - a, Ω - h and Ω + h, …
    left: Four,
    /// … and t, s, u and v: all of them positive.
    right: Four,
    /// What a step costs besides the factor.
    effort: usize,
    /// How long the last step was.
    length: f64,
}

/// What is not yet as it should be.
struct Residues {
    /// t - s - (m - 1), by samples.
    margins: Vec<f64>,
    /// Ω - h and Ω + h, less what stands for them.
    slopes: [Vec<f64>; 2],
    /// h.
    forces: Vec<f64>,
    /// F and the gap, on the block.
    objective: f64,
    gap: f64,
}

/// A change of everything.
struct Move {
    w: Vec<f64>,
    left: Four,
    right: Four,
}

impl Interior {
    /// Goes on until the gap on the block is this share of F; false if it gets nowhere.
    fn go_on(&mut self, block: &Block<'_>, share: f64, watch: &mut Watch<'_>) -> bool {
        let (mut least, mut waited, mut again) = (f64::INFINITY, 0, 0);
        for _ in 0..MOST_STEPS {
            let residues = self.residues(block);
            if residues.gap <= share * residues.objective {
                return true;
            }
            waited = if residues.gap < BETTER * least { 0 } else { waited + 1 };
            least = least.min(residues.gap);
            if watch.stopped() || !residues.gap.is_finite() {
                return false;
            }
            if waited >= PATIENCE {
                if again == MOST_BEGINNINGS {
                    return false;
                }
                self.begin_again(block);
                (least, waited, again) = (f64::INFINITY, 0, again + 1);
                continue;
            }
            let system = System::new(self, block);
            // One that cannot be factored took as long.
            let kept = self.w.iter().filter(|w| **w != 0.0).count();
            watch.tick(kept, self.effort, factor_effort(self.w.len()));
            let Some(system) = system else { return false };
            let Some(way) = self.way(block, &system, &residues) else { return false };
            let lengths = self.lengths(&way);
            self.length = lengths[0].min(lengths[1]);
            self.advance(&way, lengths);
        }
        false
    }

    /// Coefficients; those that end at 0 are 0.
    fn coefficients(&self) -> Vec<f64> {
        let mut w = self.w.clone();
        let longest = w.iter().fold(0.0, |longest: f64, w| longest.max(w.abs()));
        for (k, &p) in self.penalised.iter().enumerate() {
            let slack = self.left[2][k].min(self.left[3][k]) / self.slope[k];
            if slack * longest >= w[p].abs() {
                w[p] = 0.0;
            }
        }
        w
    }

    /// Puts the pulls in their places. If `tidied` those that end at 0 or at the most are there: these prove a bit less.
    fn put_pulls(&self, is_tidied: bool, to: &mut [f64]) {
        let ([a, spare, ..], [beyond, short, ..]) = (&self.left, &self.right);
        for (k, (&i, most)) in self.samples.iter().zip(&self.most).enumerate() {
            let pull = match is_tidied {
                true if a[k] < most * beyond[k] => 0.0,
                true if spare[k] < most * short[k] => *most,
                _ => a[k],
            };
            to[i] = pull * self.unit;
        }
    }

    /// Bᵀ by a number for each sample that counts.
    fn back(&self, block: &Block<'_>, of_samples: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; block.samples()];
        self.samples.iter().zip(of_samples).for_each(|(&i, x)| all[i] = *x);
        let mut out = vec![0.0; self.w.len()];
        block.transposed_times(&all, &mut out);
        out
    }

    /// B by coefficients.
    fn forth(&self, block: &Block<'_>, w: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; block.samples()];
        block.times(w, &mut all);
        self.samples.iter().map(|&i| all[i]).collect()
    }

    /// h.
    fn forces(&self, block: &Block<'_>, pulls: &[f64]) -> Vec<f64> {
        let mut forces = self.back(block, pulls);
        forces.iter_mut().zip(self.ridge.iter().zip(&self.w)).for_each(|(h, (ridge, w))| *h -= ridge * w);
        forces
    }

    fn residues(&self, block: &Block<'_>) -> Residues {
        let margins = self.forth(block, &self.w);
        let forces = self.forces(block, &self.left[0]);
        let [objective, gap] = self.objective_and_gap(&margins, &self.left[0], &forces);
        let [beyond, short, ..] = &self.right;
        let missed = |k: usize, sign: f64| {
            let each = self.penalised.iter().zip(&self.slope).zip(&self.left[k]);
            each.map(|((&p, slope), left)| slope + sign * forces[p] - left).collect()
        };
        Residues {
            margins: margins
                .iter()
                .zip(beyond.iter().zip(short))
                .map(|(m, (t, s))| t - s - (m - 1.0))
                .collect(),
            slopes: [missed(2, -1.0), missed(3, 1.0)],
            objective,
            gap,
            forces,
        }
    }

    /// The gap by what these pulls, made feasible, prove: F is constant + loss + penalty + ridge/2 and the bound constant +
    /// Σa/over - ridge/2.
    fn objective_and_gap(&self, margins: &[f64], pulls: &[f64], forces: &[f64]) -> [f64; 2] {
        let loss: f64 = margins.iter().zip(&self.most).map(|(m, most)| most * (1.0 - m).max(0.0)).sum();
        let (mut penalty, mut over) = (0.0, 1.0f64);
        for (&p, slope) in self.penalised.iter().zip(&self.slope) {
            penalty += slope * self.w[p].abs();
            over = over.max(forces[p].abs() / slope);
        }
        let ridge: f64 = self.ridge.iter().zip(&self.w).map(|(ridge, w)| ridge * w * w).sum();
        let loose: f64 = self.free.iter().map(|&p| 2.0 * (forces[p] * self.w[p]).abs()).sum();
        let gap = loss + penalty + ridge + loose - pulls.iter().sum::<f64>() / over;
        [self.constant + loss + penalty + 0.5 * ridge, gap]
    }

    /// The products of all pairs.
    fn products(&self) -> impl Iterator<Item = f64> {
        self.left.iter().flatten().zip(self.right.iter().flatten()).map(|(x, z)| x * z)
    }

    /// Where to go: to a μ that one step can reach, corrected for what products a full step would leave.
    fn way(&self, block: &Block<'_>, system: &System, residues: &Residues) -> Option<Move> {
        let count = self.left.iter().map(Vec::len).sum::<usize>() as f64;
        let mu = self.products().sum::<f64>() / count;
        let wanted = |target: f64, of: &dyn Fn(usize, usize) -> f64| -> Four {
            std::array::from_fn(|kind| {
                let each = self.left[kind].iter().zip(&self.right[kind]).enumerate();
                each.map(|(k, (x, z))| target - x * z - of(kind, k)).collect()
            })
        };
        let straight = system.solve(self, block, residues, &wanted(0.0, &|_, _| 0.0));
        let [dual, primal] = self.lengths(&straight);
        let reached = |kind: usize, k: usize, [dual, primal]: [f64; 2], way: &Move| {
            let x = self.left[kind][k] + dual * way.left[kind][k];
            let z = self.right[kind][k] + primal * way.right[kind][k];
            x * z
        };
        let all = || (0..4).flat_map(|kind| (0..self.left[kind].len()).map(move |k| (kind, k)));
        let left: f64 =
            all().map(|(kind, k)| reached(kind, k, [dual, primal], &straight)).sum::<f64>() / count;
        let was_short = self.length < SHORT;
        let least = if was_short { CENTRED } else { 0.0 };
        let target = mu * (left / mu).powi(3).max(least);
        if !(target > 0.0 && target.is_finite()) {
            return None;
        }
        let bends = |kind: usize, k: usize| straight.left[kind][k] * straight.right[kind][k];
        let mut aim = wanted(target, &|kind, k| if was_short { 0.0 } else { bends(kind, k) });
        let mut way = system.solve(self, block, residues, &aim);
        let mut lengths = self.lengths(&way);
        for _ in 0..CORRECTIONS {
            let further = lengths.map(|length| (length + FURTHER).min(1.0));
            let range = (NEIGHBOURHOOD.0 * target, NEIGHBOURHOOD.1 * target);
            for (kind, k) in all() {
                let there = reached(kind, k, further, &way);
                aim[kind][k] += (there.clamp(range.0, range.1) - there).max(-range.1);
            }
            let other = system.solve(self, block, residues, &aim);
            let longer = self.lengths(&other);
            if longer[0].min(longer[1]) < WORTHWHILE * lengths[0].min(lengths[1]) {
                break;
            }
            (way, lengths) = (other, longer);
        }
        Some(way)
    }

    /// How far the pulls may go, and the rest: until a number is 0, at most 1.
    fn lengths(&self, way: &Move) -> [f64; 2] {
        let until_zero = |from: &Four, by: &Four| {
            let each = from.iter().flatten().zip(by.iter().flatten());
            each.filter(|(_, by)| **by < 0.0).map(|(from, by)| -from / by).fold(1.0 / SHORT_OF_ZERO, f64::min)
        };
        let [dual, primal] = [until_zero(&self.left, &way.left), until_zero(&self.right, &way.right)];
        let [dual, primal] = [dual, primal].map(|length| (SHORT_OF_ZERO * length).min(1.0));
        // With a ridge part h is of both.
        if self.ridge.iter().any(|ridge| *ridge > 0.0) { [dual.min(primal); 2] } else { [dual, primal] }
    }

    fn advance(&mut self, way: &Move, [dual, primal]: [f64; 2]) {
        let go = |from: &mut Four, by: &Four, length: f64| {
            from.iter_mut().flatten().zip(by.iter().flatten()).for_each(|(from, by)| *from += length * by);
        };
        go(&mut self.left, &way.left, dual);
        go(&mut self.right, &way.right, primal);
        self.w.iter_mut().zip(&way.w).for_each(|(w, by)| *w += primal * by);
        let [_, _, plus, minus] = &self.right;
        self.penalised.iter().zip(plus.iter().zip(minus)).for_each(|(&p, (u, v))| self.w[p] = u - v);
    }
}
