//! The equations of a step of the interior point method.

use super::super::block::Block;
use super::{Four, Interior, Move, Residues};
use crate::linsys::Factor;

/// Added to the diagonal of what is factored, relative to its largest entry: columns may be equal.
const SHIFT: f64 = 1e-13;

/// BᵀDB + R + E and its factor.
pub(super) struct System {
    factor: Factor,
    /// D: 1/(t/a + s/(κ-a)), …
    weights: Vec<f64>,
    /// … and E: 1/(u/(Ω-h) + v/(Ω+h)).
    stiffness: Vec<f64>,
}

impl System {
    /// Nothing if it cannot be factored.
    pub(super) fn new(at: &Interior, block: &Block<'_>) -> Option<Self> {
        let ratio = |kind: usize, k: usize| at.right[kind][k] / at.left[kind][k];
        let weights: Vec<f64> = (0..at.samples.len()).map(|k| 1.0 / (ratio(0, k) + ratio(1, k))).collect();
        let stiffness: Vec<f64> = (0..at.slope.len()).map(|k| 1.0 / (ratio(2, k) + ratio(3, k))).collect();
        let mut of_all = vec![0.0; block.samples()];
        at.samples.iter().zip(&weights).for_each(|(&i, weight)| of_all[i] = *weight);
        let columns: Vec<usize> = (0..at.w.len()).collect();
        let mut system = match block.is_full() {
            true => block.dense_gram(&columns, &of_all),
            false => block.gram(&columns, &of_all),
        };
        let largest = columns.iter().map(|&p| system[(p, p)]).fold(0.0, f64::max);
        columns.iter().for_each(|&p| system[(p, p)] += at.ridge[p] + SHIFT * largest);
        at.penalised.iter().zip(&stiffness).for_each(|(&p, stiffness)| system[(p, p)] += stiffness);
        Some(Self { factor: Factor::new(system).ok()?, weights, stiffness })
    }

    /// The change that takes all residues away and the products by what is wanted, to first order.
    pub(super) fn solve(&self, at: &Interior, block: &Block<'_>, residues: &Residues, wanted: &Four) -> Move {
        let quotient = |kind: usize, k: usize| wanted[kind][k] / at.left[kind][k];
        let of_samples = residues.margins.iter().zip(&self.weights).enumerate();
        let mut pulls: Vec<f64> = of_samples
            .map(|(k, (missed, weight))| weight * (quotient(0, k) - quotient(1, k) + missed))
            .collect();
        let mut w = at.back(block, &pulls);
        for (k, (&p, stiffness)) in at.penalised.iter().zip(&self.stiffness).enumerate() {
            let side = |kind: usize| {
                (wanted[kind][k] - at.right[kind][k] * residues.slopes[kind - 2][k]) / at.left[kind][k]
            };
            w[p] += stiffness * (side(2) - side(3));
        }
        at.free.iter().for_each(|&p| w[p] += residues.forces[p]);
        self.factor.solve(&mut w);
        let along = at.forth(block, &w);
        pulls
            .iter_mut()
            .zip(along.iter().zip(&self.weights))
            .for_each(|(a, (along, weight))| *a -= weight * along);
        let mut forces = at.back(block, &pulls);
        forces.iter_mut().zip(at.ridge.iter().zip(&w)).for_each(|(h, (ridge, w))| *h -= ridge * w);
        let of_columns = |kind: usize, sign: f64| -> Vec<f64> {
            let missed = at.penalised.iter().zip(&residues.slopes[kind]);
            missed.map(|(&p, missed)| missed + sign * forces[p]).collect()
        };
        let spare = pulls.iter().map(|a| -a).collect();
        let left = [pulls, spare, of_columns(0, -1.0), of_columns(1, 1.0)];
        // Of two whose difference is known the smaller is had from its product, and the larger from the difference: from its own
        // product it would be off by the rounding of a force over next to no slack.
        let mut right: Four = std::array::from_fn(|kind| vec![0.0; left[kind].len()]);
        for (first, k) in (0..4).step_by(2).flat_map(|first| (0..left[first].len()).map(move |k| (first, k)))
        {
            let of_product =
                |kind: usize| (wanted[kind][k] - at.right[kind][k] * left[kind][k]) / at.left[kind][k];
            let difference = if first == 0 { along[k] - residues.margins[k] } else { w[at.penalised[k]] };
            (right[first][k], right[first + 1][k]) = if at.right[first][k] < at.right[first + 1][k] {
                (of_product(first), of_product(first) - difference)
            } else {
                (of_product(first + 1) + difference, of_product(first + 1))
            };
        }
        Move { w, left, right }
    }
}
