//! Branch and bound: boxes that may hold a better point, the one with the lowest bound first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::incumbent::Incumbent;
use super::relax::{self, Bound, Boxes};
use super::scaled::Scaled;
use super::simplex::{Basis, Simplex};

/// Relaxations of one box: tightening an interval makes its envelope steeper, and the bound better.
const MOST_SOLVES: usize = 4;
/// Every so many boxes, a descent starts from a relaxation's solution; from every one of the first few.
const DESCEND_EVERY: usize = 16;
/// A split leaves each side at least this share of the interval.
const LEAST_SHARE: f64 = 0.1;
/// If the envelopes miss the penalties by less than this, relative to F, splitting is of no use.
const CLOSED: f64 = 1e-13;

/// A box that may hold a better point.
#[derive(Debug)]
struct Node {
    bound: f64,
    /// Counts up; settles ties, so that the order is always the same.
    id: usize,
    boxes: Boxes,
    basis: Basis,
    /// The relaxation's solution.
    w: Vec<f64>,
}

impl Ord for Node {
    /// The lowest bound is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

/// The search.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    data: &'a Scaled<'a>,
    fresh: &'a Simplex,
    incumbent: Incumbent<'a>,
    /// Points are better only if F is lower by this share.
    tol: f64,
    open: BinaryHeap<Node>,
    /// The lowest bound of a box that was given up.
    floor: f64,
    next_id: usize,
}

impl<'a> Tree<'a> {
    /// Begins with one box, or none.
    pub(super) fn new(
        data: &'a Scaled<'a>,
        fresh: &'a Simplex,
        incumbent: Incumbent<'a>,
        tol: f64,
        root: Option<Boxes>,
    ) -> Self {
        let mut tree =
            Self { data, fresh, incumbent, tol, open: BinaryHeap::new(), floor: f64::INFINITY, next_id: 0 };
        if let Some(boxes) = root {
            tree.consider(boxes, 0.0, &mut fresh.clone());
        }
        tree
    }

    /// What is not below this is not worth looking for.
    pub(super) fn cutoff(&self) -> f64 {
        self.incumbent.objective * (1.0 - self.tol)
    }

    /// No point has a lower F.
    pub(super) fn bound(&self) -> f64 {
        let open = self.open.peek().map_or(f64::INFINITY, |node| node.bound);
        open.min(self.floor).min(self.cutoff()).max(0.0)
    }

    pub(super) fn incumbent(&self) -> &Incumbent<'a> {
        &self.incumbent
    }

    /// Boxes that wait.
    pub(super) fn waiting(&self) -> usize {
        self.open.len()
    }

    /// Splits the most promising box; false if there is none.
    pub(super) fn advance(&mut self) -> bool {
        let Some(node) = self.open.pop() else { return false };
        if node.bound >= self.cutoff() {
            self.open.clear();
            return false;
        }
        if node.id < DESCEND_EVERY || node.id % DESCEND_EVERY == 0 {
            self.incumbent.descend(&node.w);
        }
        let Some((j, at)) = self.split(&node) else {
            self.floor = self.floor.min(node.bound);
            return true;
        };
        let mut simplex = self.fresh.clone();
        simplex.restore(self.fresh, &node.basis);
        let [low, high] = node.boxes[j];
        for part in [[low, at], [at, high]] {
            let mut boxes = node.boxes.clone();
            boxes[j] = part;
            self.consider(boxes, node.bound, &mut simplex.clone());
        }
        true
    }

    /// Bounds a box, of which `bound` is known, and keeps it if it may hold a better point.
    fn consider(&mut self, mut boxes: Boxes, mut bound: f64, simplex: &mut Simplex) {
        for _ in 0..MOST_SOLVES {
            relax::solve(self.data, &boxes, simplex);
            let beta = simplex.multipliers(&self.data.caps);
            let found = Bound::new(self.data, &boxes, &beta);
            bound = bound.max(found.value);
            let mut shrunk = false;
            if bound >= self.cutoff() || !found.tighten(self.data, self.cutoff(), &mut boxes, &mut shrunk) {
                return;
            }
            if !shrunk {
                break;
            }
        }
        let mut w = simplex.coefficients();
        w.iter_mut().zip(&boxes).for_each(|(w, [low, high])| *w = w.clamp(*low, *high));
        if self.data.objective(&w) < self.incumbent.objective {
            self.incumbent.descend(&w);
        }
        self.next_id += 1;
        self.open.push(Node { bound, id: self.next_id, boxes, basis: simplex.basis(), w });
    }

    /// The coefficient whose envelope misses its penalty most, and where to split its interval: at the flat
    /// end if that is inside, for beyond it nothing is left to split; else at the relaxation's solution, where
    /// both parts will be exact.
    fn split(&self, node: &Node) -> Option<(usize, f64)> {
        let miss = |j: usize| {
            let w = node.w[j];
            self.data.penalty(j, w) - relax::envelope_at(self.data, j, node.boxes[j], w)
        };
        let misses = (0..self.data.d).map(|j| (j, miss(j)));
        let (j, most) = misses.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        if !(most > CLOSED * self.incumbent.objective) {
            return None;
        }
        let (w, [low, high], flat) = (node.w[j], node.boxes[j], self.data.flat_end(j));
        // The interval on the side of w.
        let (near, far) = if w < 0.0 { (high.min(0.0), low) } else { (low.max(0.0), high) };
        let length = far - near;
        let at = if near.abs() < flat && flat < far.abs() {
            flat.copysign(w)
        } else {
            let share = ((w - near) / length).clamp(LEAST_SHARE, 1.0 - LEAST_SHARE);
            near + share * length
        };
        (at > low && at < high).then_some((j, at))
    }
}
