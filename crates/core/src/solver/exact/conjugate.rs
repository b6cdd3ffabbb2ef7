//! Where a Newton step goes when the working set is wide and the data are sparse: conjugate gradients.
//!
//! Near a vertex of the hinge about as many samples bend as features are kept. A factor of their Gram matrix
//! costs the cube of that number; a product with their few stored entries costs next to nothing, so even a
//! hundred of them are cheaper. The direction need not be exact: most steps are cut at the next bend anyway,
//! and every iterate of conjugate gradients leads down.

use super::block::Block;
use super::newton::{Engine, Point, Weights};
use super::rows::Rows;
use crate::design::Compressed;
use crate::team::Team;

/// Iterations for one direction, …
const MOST_ITERATIONS: usize = 100;
/// … fewer if the residual is down to this.
const CLOSE: f64 = 0.1;
/// How often a direction goes on with more coordinates held because they met zero.
const MOST_HOLDS: usize = 3;
/// The damping that a new problem begins with, at least: which samples will bend is not yet in sight.
const CAUTIOUS: f64 = 1e-3;

/// The rows of the samples that bend on the columns that move, times √ψ'', and the diagonal of μ + damping.
struct System<'a> {
    team: &'a dyn Team,
    rows: Compressed<'static>,
    /// The same by columns: sums are faster than additions here and there, and run in parallel.
    columns: Compressed<'static>,
    shift: Vec<f64>,
    /// That of the whole: the preconditioner.
    diagonal: Vec<f64>,
    /// Entries of all members.
    entries: usize,
}

impl<'a> System<'a> {
    fn gather(block: &Block<'a>, curvatures: &[f64], free: &[usize], shift: Vec<f64>) -> Self {
        let Rows { starts, columns: at, values, width } = block.weighted_rows(free, curvatures);
        let mut squares = vec![0.0; width];
        at.iter().zip(&values).for_each(|(&c, x): (&u32, &f64)| squares[c as usize] += x * x);
        let entries = block.sum_with(&mut squares, values.len());
        Self::new(block.team(), Compressed::made(starts, at, values, width), entries, &squares, shift)
    }

    fn new(
        team: &'a dyn Team,
        rows: Compressed<'static>,
        entries: usize,
        squares: &[f64],
        shift: Vec<f64>,
    ) -> Self {
        let diagonal = squares.iter().zip(&shift).map(|(squares, shift)| squares + shift).collect();
        Self { team, columns: rows.transposed(), rows, shift, diagonal, entries }
    }

    /// out = M v: there by rows, and back by columns.
    fn apply(&self, v: &[f64], out: &mut [f64]) {
        let mut sums = vec![0.0; self.rows.len()];
        self.rows.dots(v, &mut sums);
        self.columns.dots(&sums, out);
        self.team.sum(out);
        out.iter_mut().zip(v.iter().zip(&self.shift)).for_each(|(out, (v, shift))| *out += v * shift);
    }

    /// rᵀ diag(M)⁻¹ r without the held.
    fn size(&self, residual: &[f64], held: &[bool]) -> f64 {
        let each = residual.iter().zip(&self.diagonal).zip(held).filter(|(_, held)| !**held);
        each.map(|((r, diagonal), _)| r * r / diagonal).sum()
    }
}

impl Engine {
    /// Fills the direction with a step of the free coordinates: of the smooth part with the penalty's present
    /// signs, as the factor's, but rough. Coordinates that would cross zero are held there, and the others
    /// go on from where they are.
    pub(super) fn by_conjugate_gradients(
        &mut self,
        block: &Block<'_>,
        weights: &Weights,
        point: &Point,
        free: &[usize],
    ) {
        if !self.is_conjugate {
            self.is_conjugate = true;
            self.damping = self.damping.max(CAUTIOUS);
        }
        self.forget_gram();
        let shift = free.iter().map(|&p| weights.ridge[p] + self.damping * self.steepness).collect();
        let system = System::gather(block, &self.curvatures, free, shift);
        let w: Vec<f64> = free.iter().map(|&p| point.w[p]).collect();
        let signs: Vec<f64> = free.iter().map(|&p| self.sign(point, p)).collect();
        let crosses = |c: usize, step: f64| weights.slope[free[c]] > 0.0 && (w[c] + step) * signs[c] < 0.0;
        let right: Vec<f64> =
            free.iter().zip(&signs).map(|(&p, sign)| -(self.gradient[p] + weights.slope[p] * sign)).collect();

        let mut search = Search::new(&system, &right);
        for _ in 0..=MOST_HOLDS {
            search.descend();
            let new: Vec<usize> =
                (0..free.len()).filter(|&c| !search.held[c] && crosses(c, search.step[c])).collect();
            if new.is_empty() {
                break;
            }
            for c in new {
                (search.held[c], search.step[c]) = (true, -w[c]);
            }
            search.renew_residual(&right);
        }
        self.effort = search.iterations * (4 * system.entries + 10 * free.len());
        self.direction.fill(0.0);
        free.iter().zip(&search.step).for_each(|(&p, step)| self.direction[p] = *step);
    }
}

/// Conjugate gradients on the coordinates that are not held.
struct Search<'a> {
    system: &'a System<'a>,
    step: Vec<f64>,
    residual: Vec<f64>,
    held: Vec<bool>,
    way: Vec<f64>,
    product: Vec<f64>,
    /// The size of a residual that is small enough.
    goal: f64,
    iterations: usize,
}

impl<'a> Search<'a> {
    fn new(system: &'a System<'a>, right: &[f64]) -> Self {
        let (k, held) = (right.len(), vec![false; right.len()]);
        let goal = CLOSE * CLOSE * system.size(right, &held);
        let (step, way, product) = (vec![0.0; k], vec![0.0; k], vec![0.0; k]);
        Self { system, step, residual: right.to_vec(), held, way, product, goal, iterations: 0 }
    }

    /// After the step was changed by hand.
    fn renew_residual(&mut self, right: &[f64]) {
        self.system.apply(&self.step, &mut self.product);
        let residual = self.residual.iter_mut().zip(right.iter().zip(&self.product));
        residual.for_each(|(residual, (right, product))| *residual = right - product);
    }

    /// The residual's way, scaled, and so much of the last way.
    fn turn(&mut self, share: f64) {
        let residual = self.residual.iter().zip(&self.system.diagonal).zip(&self.held);
        for (way, ((residual, diagonal), held)) in self.way.iter_mut().zip(residual) {
            *way = if *held { 0.0 } else { residual / diagonal + share * *way };
        }
    }

    /// Until the residual is small enough, or the iterations are used up.
    fn descend(&mut self) {
        let mut size = self.system.size(&self.residual, &self.held);
        self.turn(0.0);
        while size > self.goal && self.iterations < MOST_ITERATIONS {
            self.iterations += 1;
            self.system.apply(&self.way, &mut self.product);
            let bend: f64 = self.way.iter().zip(&self.product).map(|(way, product)| way * product).sum();
            let length = size / bend;
            self.step.iter_mut().zip(&self.way).for_each(|(step, way)| *step += length * way);
            self.residual.iter_mut().zip(&self.product).for_each(|(residual, p)| *residual -= length * p);
            let next = self.system.size(&self.residual, &self.held);
            self.turn(next / size);
            size = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::Alone;

    /// M = [[5, 2, 0], [2, 5, 2], [0, 2, 5]] + a shift of 0.5, from rows of different lengths.
    fn system() -> System<'static> {
        let (starts, at) = (vec![0, 2, 4, 5, 6], vec![0, 1, 1, 2, 0, 2]);
        let rows = Compressed::made(starts, at, vec![2.0, 1.0, 2.0, 1.0, 1.0, 2.0], 3);
        System::new(&Alone, rows, 6, &[5.0; 3], vec![0.5; 3])
    }

    #[test]
    fn product_is_that_of_the_matrix() {
        let mut out = vec![f64::NAN; 3];
        system().apply(&[1.0, -2.0, 3.0], &mut out);
        assert_eq!(out, [5.5 - 4.0, 2.0 - 11.0 + 6.0, -4.0 + 16.5]);
    }

    #[test]
    fn held_coordinates_stay_and_the_others_solve_what_is_left() {
        let (system, right) = (system(), [3.0, 1.0, 2.0]);
        let mut search = Search::new(&system, &right);
        (search.held[1], search.step[1], search.goal) = (true, -1.0, 1e-28);
        search.renew_residual(&right);
        search.descend();
        let expected = [5.0 / 5.5, -1.0, 4.0 / 5.5];
        assert!(
            search.step.iter().zip(expected).all(|(step, x)| (step - x).abs() < 1e-12),
            "{:?}",
            search.step
        );
    }
}
