//! The certificate of a ranking whose pairs are never formed.
//!
//! The dual variable of a pair is its pull at some scores s, β = pull(s_i - s_k)/P: within its box whatever
//! s is. All that the bound needs are sums over pairs. With t_i = Σ ±β over the pairs of row i,
//!
//!   g = Xᵀt,    Σ dual values = (1/P) Σ ℓ(s_i - s_k) + tᵀs    (inequality (1) of docs/maths.md is tight).
//!
//! At s = Xw the violation is measured. For the bound β must be orthogonal to the columns of unpenalised
//! features: s is moved along these columns until it is, by a few Newton steps on as many variables.

use super::{PairSums, Ranking};
use crate::Certificate;
use crate::certificate::{DualPoint, Majoriser, conjugate_gradients, scores, transposed};
use crate::design::dot;

/// Up to so many pairs the sums are taken pair by pair, in code that no solver shares.
const PLAIN_PAIRS: u64 = 1 << 22;
/// Newton steps at most; the loss is quadratic between kinks, so that a few reach the end of rounding.
const PASSES: usize = 8;
/// Times that a step is halved if it does not bring the residue down.
const HALVINGS: usize = 4;
/// Steps of conjugate gradients at most.
const MOST_CG_STEPS: usize = 300;

/// Judges w.
pub(super) fn certify(ranking: &Ranking<'_>, w: &[f64]) -> Certificate {
    let (x, regularizer) = (ranking.x(), ranking.regularizer());
    let mut dual = Dual::at(ranking, scores(x, w, 0.0));
    let (loss, g) = (dual.sums.loss, transposed(x, &dual.pulls));
    let majoriser = Majoriser::new(regularizer, w, &g);
    let loose = majoriser.loose();
    if !loose.is_empty() {
        dual = repair(ranking, &majoriser, &loose, dual);
    }
    let repaired = transposed(x, &dual.pulls);
    let residue = majoriser.residue(&loose, &repaired);
    let value = dual.sums.loss + dot(&dual.pulls, &dual.scores);
    let point = DualPoint { linear: dual.sums.pull, value, g: &repaired };
    let lower_bound = majoriser.lower_bound(point, residue);
    Certificate {
        violation: majoriser.violation(&g),
        ..Certificate::of(loss, regularizer.value(w), lower_bound)
    }
}

/// The dual point that some scores give.
struct Dual {
    scores: Vec<f64>,
    /// t.
    pulls: Vec<f64>,
    sums: PairSums,
}

impl Dual {
    fn at(ranking: &Ranking<'_>, scores: Vec<f64>) -> Self {
        let mut pulls = vec![0.0; scores.len()];
        let sums = if ranking.queries().pairs() <= PLAIN_PAIRS {
            plain_sums(ranking, &scores, &mut pulls)
        } else {
            ranking.pulls_of(&scores, &mut pulls)
        };
        Self { scores, pulls, sums }
    }

    /// g_j less where it belongs, for the loose features.
    fn residue(&self, ranking: &Ranking<'_>, majoriser: &Majoriser<'_>, loose: &[usize]) -> Vec<f64> {
        loose.iter().map(|&j| ranking.x().column(j).dot(&self.pulls) - majoriser.target(j)).collect()
    }
}

/// What [`Ranking::pulls_of`] sorts for, pair by pair.
fn plain_sums(ranking: &Ranking<'_>, scores: &[f64], pulls: &mut [f64]) -> PairSums {
    let (loss, share) = (ranking.loss(), 1.0 / ranking.queries().pairs() as f64);
    let mut sums = PairSums::default();
    for query in ranking.queries().iter() {
        for (&i, level) in query.rows.iter().zip(query.levels) {
            for (&k, _) in query.rows.iter().zip(query.levels).filter(|(_, other)| *other < level) {
                let (i, k) = (i as usize, k as usize);
                let margin = scores[i] - scores[k];
                let pull = share * loss.pull(margin);
                sums.loss += share * loss.value(margin);
                sums.pull += pull;
                pulls[i] += pull;
                pulls[k] -= pull;
            }
        }
    }
    sums
}

/// Moves the scores along the columns of the loose features until g is where it belongs there.
fn repair(ranking: &Ranking<'_>, majoriser: &Majoriser<'_>, loose: &[usize], start: Dual) -> Dual {
    let x = ranking.x();
    let mut at = start;
    // In units in which each column bends the loss about equally, conjugate gradients take fewer steps.
    let curvatures = ranking.curvatures();
    let unit = |j: usize| 1.0 / curvatures[j].sqrt();
    let units: Vec<f64> = loose.iter().map(|&j| if unit(j).is_finite() { unit(j) } else { 0.0 }).collect();
    let along = |v: &[f64]| {
        let mut z = vec![0.0; x.rows()];
        loose.iter().zip(&units).zip(v).for_each(|((&j, unit), v)| x.column(j).axpy(unit * v, &mut z));
        z
    };
    let scaled = |residue: &[f64]| residue.iter().zip(&units).map(|(r, unit)| r * unit).collect::<Vec<_>>();
    let mut residue = scaled(&at.residue(ranking, majoriser, loose));
    let mut bent = vec![0.0; x.rows()];
    for _ in 0..PASSES {
        let size = dot(&residue, &residue);
        let product = |v: &[f64]| {
            ranking.bend_of(&at.scores, &along(v), &mut bent);
            loose.iter().zip(&units).map(|(&j, unit)| unit * x.column(j).dot(&bent)).collect()
        };
        let steps = MOST_CG_STEPS.min(2 * loose.len() + 30);
        let mut step = along(&conjugate_gradients(&residue, product, steps));
        let closer = (0..HALVINGS).find_map(|_| {
            let moved = at.scores.iter().zip(&step).map(|(s, z)| s + z).collect();
            let next = Dual::at(ranking, moved);
            let left = scaled(&next.residue(ranking, majoriser, loose));
            step.iter_mut().for_each(|z| *z *= 0.5);
            (dot(&left, &left) < size).then_some((next, left))
        });
        match closer {
            Some((next, left)) => (at, residue) = (next, left),
            None => break,
        }
    }
    at
}
