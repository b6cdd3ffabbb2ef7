//! Where a Newton step goes when the working set is wide: coordinate descent on the quadratic model with
//! the ℓ1 norm in it, without forming the Gram matrix (newGLMNET; Yuan, Ho and Lin 2012).
//!
//! The model sees only the samples that bend, so their part of each column is gathered first, scaled so
//! that a column's curvature is its squared length. A visit to a coordinate then reads its column once for
//! the slope and, if it moves, once more to carry the move into the residual. With a thousand columns that
//! costs a hundredth of their Gram matrix, and where many more samples bend than there are columns
//! the model is well conditioned and a few sweeps are enough.
//!
//! In a team a visit would have to ask every member. There the Gram matrix is summed once for a direction, and
//! the same visits are made on it.

use faer::Mat;
use rayon::prelude::*;

use super::block::Block;
use super::newton::{Engine, Point, Weights};
use crate::design::{Compressed, Slice};

/// Sweeps for one direction; most are over the support only.
const MOST_SWEEPS: usize = 30;
/// After so many a sweep goes over all columns, to ask who else wants in.
const ASK_EVERY: usize = 10;
/// Columns are gathered together, for alone each would leave a hole of its own in memory: as many as have about so many
/// entries, …
const BUNDLE: usize = 1 << 15;
/// … at most.
const MOST_BUNDLED: usize = 32;

/// What the quadratic model says of a coordinate.
#[derive(Debug)]
struct Coordinate {
    /// Its curvature, the intercept's part taken out.
    bend: f64,
    /// How far the intercept moves back when this moves by 1.
    shared: f64,
    /// Entries of its column that bend.
    entries: usize,
}

/// The curvature of the model, by its columns or by their products.
trait Curved {
    /// Entry p of (Bᵀ diag(ψ'') B) times what the coordinates have moved.
    fn response(&self, p: usize) -> f64;

    /// Coordinate p moves.
    fn shift(&mut self, p: usize, change: f64);
}

/// The part of the columns that bends: √ψ''·B but for y, whose square is 1, rows counted among the samples that bend.
struct Columns {
    /// Of so many columns each, …
    size: usize,
    /// … but for the last one. In 32 bits: that is enough for a direction, and less to read and to hold.
    bundles: Vec<Bundle>,
    residual: Vec<f64>,
}

impl Curved for Columns {
    fn response(&self, p: usize) -> f64 {
        self.bundles[p / self.size].columns.vector(p % self.size).dot(&self.residual)
    }

    fn shift(&mut self, p: usize, change: f64) {
        let column = self.bundles[p / self.size].columns.vector(p % self.size);
        column.axpy(change, &mut self.residual);
    }
}

/// Bᵀ diag(ψ'') B, the lower triangle, and its product with the moves.
struct Products {
    gram: Mat<f64>,
    product: Vec<f64>,
}

impl Curved for Products {
    fn response(&self, p: usize) -> f64 {
        self.product[p]
    }

    fn shift(&mut self, p: usize, change: f64) {
        let (above, below) = self.product.split_at_mut(p);
        above.iter_mut().enumerate().for_each(|(q, product)| *product += change * self.gram[(p, q)]);
        let column = &self.gram.col_as_slice(p)[p..];
        below.iter_mut().zip(column).for_each(|(product, entry)| *product += change * entry);
    }
}

const STRAIGHT: u32 = u32::MAX;

/// The samples that bend.
struct Bends {
    /// Where a sample is among them, or [`STRAIGHT`], and √ψ'' relative to the largest: half as much to look up as with 64 bits.
    of: Vec<(u32, f32)>,
    /// The largest √ψ'', which may have any size, as sample weights may.
    largest: f64,
    count: usize,
}

impl Bends {
    fn new(curvatures: &[f64]) -> Self {
        let largest = curvatures.iter().copied().fold(0.0, f64::max).sqrt();
        let mut count = 0;
        let bend = |&curvature: &f64| {
            if curvature == 0.0 {
                return (STRAIGHT, 0.0);
            }
            count += 1;
            (count as u32 - 1, (curvature.sqrt() / largest) as f32)
        };
        Self { of: curvatures.iter().map(bend).collect(), largest, count }
    }
}

/// Columns that are gathered together.
struct Bundle {
    columns: Compressed<'static>,
    /// What each is of itself, and with the roots.
    products: Vec<[f64; 2]>,
}

/// The part of raw columns that bends, each times a scale.
fn gather(columns: &[(Slice<'_>, f64)], bends: &Bends) -> Bundle {
    let stored = columns.iter().map(|(column, _)| column.stored()).sum();
    let (mut rows, mut values) = (vec![0u32; stored], vec![0f32; stored]);
    let (mut starts, mut products, mut next) = (vec![0], Vec::with_capacity(columns.len()), 0);
    for &(column, scale) in columns {
        let [mut own, mut across] = [0.0; 2];
        let scale = scale * bends.largest;
        column.for_each(|i, value| {
            let (row, root) = bends.of[i];
            let value = (f64::from(root) * value * scale) as f32;
            // What does not bend is written over by what comes next: a branch would be guessed wrong time and again.
            (rows[next], values[next]) = (row, value);
            next += usize::from(row != STRAIGHT);
            own += f64::from(value) * f64::from(value);
            across += f64::from(value) * f64::from(root);
        });
        starts.push(next);
        products.push([own, bends.largest * across]);
    }
    rows.truncate(next);
    values.truncate(next);
    rows.shrink_to_fit();
    values.shrink_to_fit();
    Bundle { columns: Compressed::made(starts, rows, values, bends.count), products }
}

impl Engine {
    /// Fills the direction, until a sweep changes no coordinate's slope by more than `goal`. The intercept
    /// follows the others exactly: it is correlated with everything, and would slow the sweeps down.
    pub(super) fn by_sweeps(&mut self, block: &Block<'_>, weights: &Weights, point: &Point, goal: f64) {
        if block.is_shared() {
            self.sweep_products(block, weights, point, goal);
        } else {
            self.sweep_columns(block, weights, point, goal);
        }
    }

    fn sweep_columns(&mut self, block: &Block<'_>, weights: &Weights, point: &Point, goal: f64) {
        let width = block.features.len();
        let intercept = if block.has_intercept() { block.scales[width] } else { 0.0 };
        let bends = Bends::new(&self.curvatures);
        let whole = intercept * intercept * self.curvatures.iter().sum::<f64>();
        let size = (BUNDLE * width / block.stored().max(1)).clamp(1, MOST_BUNDLED);
        let bundle = |from: usize| {
            let some = from..width.min(from + size);
            let columns: Vec<_> = some.map(|p| (block.column(p), block.scales[p])).collect();
            gather(&columns, &bends)
        };
        let firsts = (0..width).into_par_iter().step_by(size).with_max_len(1);
        let bundles: Vec<Bundle> = firsts.map(bundle).collect();
        let coordinate = |p: usize| {
            let (bundle, k) = (&bundles[p / size], p % size);
            let [own, across] = bundle.products[k];
            let entries = bundle.columns.vector(k).stored();
            self.coordinate(weights, p, [own, intercept * across, whole], entries)
        };
        let coordinates: Vec<Coordinate> = (0..width).map(coordinate).collect();
        let model = Columns { size, bundles, residual: vec![0.0; bends.count] };
        self.forget_gram();
        self.effort = block.stored();
        self.sweep(model, &coordinates, whole, weights, point, goal);
    }

    fn sweep_products(&mut self, block: &Block<'_>, weights: &Weights, point: &Point, goal: f64) {
        let width = block.features.len();
        let columns: Vec<usize> = (0..block.width()).collect();
        let gram = self.gram_of_all(block, &columns);
        let count = |p: usize| {
            let mut count = 0;
            block.column(p).for_each(|i, _| count += usize::from(self.curvatures[i] != 0.0));
            count as f64
        };
        let mut entries: Vec<f64> = (0..width).into_par_iter().with_min_len(8).map(count).collect();
        let stored = block.sum_with(&mut entries, block.stored());
        let (whole, intercept) =
            if block.has_intercept() { (gram[(width, width)], true) } else { (0.0, false) };
        let coordinate = |p: usize| {
            let across = if intercept { gram[(width, p)] } else { 0.0 };
            self.coordinate(weights, p, [gram[(p, p)], across, whole], entries[p] as usize)
        };
        let coordinates: Vec<Coordinate> = (0..width).map(coordinate).collect();
        let model = Products { gram, product: vec![0.0; block.width()] };
        self.effort = stored;
        self.sweep(model, &coordinates, whole, weights, point, goal);
    }

    /// From the coordinate's own curvature, the one it shares with the intercept, and the intercept's.
    fn coordinate(
        &self,
        weights: &Weights,
        p: usize,
        [own, across, whole]: [f64; 3],
        entries: usize,
    ) -> Coordinate {
        let shared = if whole > 0.0 { across / whole } else { 0.0 };
        let bend = (own - shared * across).max(0.0) + weights.ridge[p] + self.damping * self.steepness;
        Coordinate { bend, shared, entries }
    }

    fn sweep(
        &mut self,
        mut model: impl Curved,
        coordinates: &[Coordinate],
        whole: f64,
        weights: &Weights,
        point: &Point,
        goal: f64,
    ) {
        let width = coordinates.len();
        let floor = self.damping * self.steepness;
        let Self { gradient, direction, effort, .. } = self;
        direction.fill(0.0);
        let mut offset = if whole > 0.0 { -gradient[width] / whole } else { 0.0 };
        let mut live: Vec<usize> = (0..width).collect();
        for sweep in 1..=MOST_SWEEPS {
            let mut furthest = 0.0f64;
            for &p in &live {
                let Coordinate { bend, shared, entries } = coordinates[p];
                *effort += 2 * entries;
                let now = point.w[p] + direction[p];
                let held = (weights.ridge[p] + floor) * direction[p] + shared * whole * offset;
                let slope = gradient[p] + model.response(p) + held;
                let free = now - slope / bend;
                let change = (free.abs() - weights.slope[p] / bend).max(0.0).copysign(free) - now;
                if change != 0.0 {
                    direction[p] += change;
                    offset -= shared * change;
                    furthest = furthest.max(change.abs() * bend / weights.unit[p]);
                    model.shift(p, change);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Sample weights may have any size: in the block's units, where columns have length one, nothing depends on it.
    #[test]
    fn the_size_of_the_weights_does_not_matter() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i % 7) - 2.5).collect();
        let curvatures: Vec<f64> =
            (0..40).map(|i| if i % 5 == 0 { 0.0 } else { 0.5 + f64::from(i % 3) }).collect();
        let of = |size: f64| {
            let curvatures: Vec<f64> = curvatures.iter().map(|c| c * size).collect();
            let bends = Bends::new(&curvatures);
            gather(&[(Slice::Dense(&values), 0.1 / size.sqrt())], &bends)
        };
        let usual = of(1.0);
        let [own, across] = usual.products[0];
        let squares: f64 = values.iter().zip(&curvatures).map(|(x, c)| 0.01 * c * x * x).sum();
        let shared: f64 = values.iter().zip(&curvatures).map(|(x, c)| 0.1 * c * x).sum();
        assert!((own / squares - 1.0).abs() < 1e-6 && (across / shared - 1.0).abs() < 1e-6, "{own} {across}");
        for size in [1e-200, 1e-80, 1e80, 1e200] {
            let [other_own, other_across] = of(size).products[0];
            assert!((other_own / own - 1.0).abs() < 1e-6, "{size}: {other_own} {own}");
            assert!(
                (other_across / size.sqrt() / across - 1.0).abs() < 1e-6,
                "{size}: {other_across} {across}"
            );
        }
    }
}
