//! Where a Newton step goes when the working set is wide: coordinate descent on the quadratic model with
//! the ℓ1 norm in it, without forming the Gram matrix (newGLMNET; Yuan, Ho and Lin 2012).
//!
//! The model sees only the samples that bend, so their part of each column is gathered first, scaled so
//! that a column's curvature is its squared length. A visit to a coordinate then reads its column once for
//! the slope and, if it moves, once more to carry the move into the residual. With a thousand columns that
//! costs a hundredth of their Gram matrix, and where many more samples bend than there are columns
//! the model is well conditioned and a few sweeps are enough.

use rayon::prelude::*;

use super::block::Block;
use super::newton::{Engine, Point, Weights};
use crate::design::Slice;

/// Sweeps for one direction; most are over the support only.
const MOST_SWEEPS: usize = 30;
/// After so many a sweep goes over all columns, to ask who else wants in.
const ASK_EVERY: usize = 10;

/// One column of the model.
#[derive(Debug)]
struct Column {
    /// Counted among the samples that bend.
    rows: Vec<u32>,
    /// √ψ''·B, signed by y.
    values: Vec<f64>,
    /// Its curvature, the intercept's part taken out.
    bend: f64,
    /// How far the intercept moves back when this moves by 1.
    shared: f64,
}

impl Column {
    fn slice(&self) -> Slice<'_> {
        Slice::Sparse { at: &self.rows, values: &self.values }
    }
}

/// The samples that bend.
struct Bent {
    /// Where each sample is among them, or [`STRAIGHT`].
    place: Vec<u32>,
    /// √ψ''.
    roots: Vec<f64>,
}

const STRAIGHT: u32 = u32::MAX;

impl Bent {
    fn new(curvatures: &[f64]) -> Self {
        let mut roots = Vec::new();
        let place = curvatures.iter().map(|&curvature| {
            if curvature == 0.0 {
                return STRAIGHT;
            }
            roots.push(curvature.sqrt());
            roots.len() as u32 - 1
        });
        Self { place: place.collect(), roots }
    }

    /// The part of a raw column that bends.
    fn part(&self, column: Slice<'_>, scale: f64) -> (Vec<u32>, Vec<f64>) {
        let (mut rows, mut values) =
            (Vec::with_capacity(column.stored()), Vec::with_capacity(column.stored()));
        column.for_each(|i, value| {
            let place = self.place[i];
            if place != STRAIGHT {
                rows.push(place);
                values.push(self.roots[place as usize] * value * scale);
            }
        });
        (rows, values)
    }
}

impl Engine {
    /// Fills the direction, until a sweep changes no coordinate's slope by more than `goal`. The intercept
    /// follows the others exactly: it is correlated with everything, and would slow the sweeps down.
    pub(super) fn by_sweeps(&mut self, block: &Block<'_>, weights: &Weights, point: &Point, goal: f64) {
        let width = block.features.len();
        let intercept = if block.has_intercept() { block.scales[width] } else { 0.0 };
        let bent = Bent::new(&self.curvatures);
        let whole = intercept * intercept * self.curvatures.iter().sum::<f64>();
        let floor = self.damping * self.steepness;
        let gather = |p: usize| {
            let (rows, values) = bent.part(block.column(p), block.scales[p]);
            let own: f64 = values.iter().map(|value| value * value).sum();
            let across = intercept * Slice::Sparse { at: &rows, values: &values }.dot(&bent.roots);
            let shared = if whole > 0.0 { across / whole } else { 0.0 };
            let bend = (own - shared * across).max(0.0) + weights.ridge[p] + floor;
            Column { rows, values, bend, shared }
        };
        let columns: Vec<Column> = (0..width).into_par_iter().with_min_len(8).map(gather).collect();

        self.forget_gram();
        let Self { gradient, direction, effort, .. } = self;
        *effort = block.stored();
        direction.fill(0.0);
        let mut residual = vec![0.0; bent.roots.len()];
        let mut offset = if whole > 0.0 { -gradient[width] / whole } else { 0.0 };
        let mut live: Vec<usize> = (0..width).collect();
        for sweep in 1..=MOST_SWEEPS {
            let mut furthest = 0.0f64;
            for &p in &live {
                let column = &columns[p];
                *effort += 2 * column.values.len();
                let now = point.w[p] + direction[p];
                let held = (weights.ridge[p] + floor) * direction[p] + column.shared * whole * offset;
                let slope = gradient[p] + column.slice().dot(&residual) + held;
                let free = now - slope / column.bend;
                let change = (free.abs() - weights.slope[p] / column.bend).max(0.0).copysign(free) - now;
                if change != 0.0 {
                    direction[p] += change;
                    offset -= column.shared * change;
                    furthest = furthest.max(change.abs() * column.bend / weights.unit[p]);
                    column.slice().axpy(change, &mut residual);
                }
            }
            if furthest <= goal && live.len() == width {
                break;
            }
            let ask = furthest <= goal || sweep % ASK_EVERY == 0;
            live = (0..width).filter(|&p| ask || point.w[p] + direction[p] != 0.0).collect();
        }
        if whole > 0.0 {
            direction[width] = offset;
        }
    }
}
