//! Minimises Σ_k cost_k(x_k) over the coefficients w, the intercept b and the shortfalls r = 1 - Hw - yb,
//! each with a convex piecewise linear [`Cost`]: the relaxation of a box, or the tangent problem of a descent.
//!
//! A simplex method without constraints. A vertex is where d + 1 of the variables ("resting") stand on kinks
//! of their costs; the other n ("moving") follow from them through a dictionary of n × (d + 1). A step takes
//! one resting variable off its kink and goes on, past kinks of the moving ones, to the lowest point of that
//! line; what stands on its kink there takes the rest. Boxes are steep walls in the costs, so every point is
//! feasible, and a basis of any other box is a start for this one.
//!
//! The ones in r are nudged apart by some 1e-10, each by its own amount, so that no two steps end at the same
//! place: that would stall. Multipliers of the nudged problem are as valid as any (`relax`).

use super::cost::Cost;
use super::scaled::Scaled;

/// A descent slower than this is none; costs and columns are of about unit size.
const FLAT: f64 = 1e-13;
/// Entries of the dictionary below this are rounding.
const NOTHING: f64 = 1e-12;
/// Pivots below this would spoil the dictionary.
const LEAST_PIVOT: f64 = 1e-8;
/// The size of the nudges.
const NUDGE: f64 = 1e-10;

/// Which variables rest, and where: enough to come back to a vertex.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    resting: Vec<u32>,
    at: Vec<f64>,
}

/// A dictionary at a vertex. Variables are numbered: w, b, then the shortfalls.
#[derive(Debug, Clone)]
pub(super) struct Simplex {
    n: usize,
    /// Resting variables, d + 1.
    m: usize,
    /// moving_i = Σ_k table[k·n + i]·resting_k, with two columns more: the constant, and the nudges.
    table: Vec<f64>,
    moving: Vec<u32>,
    resting: Vec<u32>,
    moving_at: Vec<f64>,
    resting_at: Vec<f64>,
    costs: Vec<Cost>,
    /// Slopes to the left of the moving variables, and where the right ones are steeper, by how much.
    lefts: Vec<f64>,
    kinked: Vec<(usize, f64)>,
    stops: Vec<Stop>,
}

/// Where a step may end.
#[derive(Debug, Clone, Copy)]
struct Stop {
    length: f64,
    rise: f64,
    kink: f64,
    /// The row of a moving variable; `None` is the variable that left its kink.
    row: Option<usize>,
}

impl Simplex {
    /// All coefficients rest at 0; walls and slopes are yet to come.
    pub(super) fn new(data: &Scaled<'_>) -> Self {
        let (n, m) = (data.n, data.d + 1);
        let mut table: Vec<f64> = (0..m).flat_map(|j| data.column(j).iter().map(|h| -h)).collect();
        table.extend(std::iter::repeat_n(1.0, n));
        // Multiples of the golden ratio, so that no two are alike.
        table.extend((1..=n).map(|i| NUDGE * (0.5 + (i as f64 * 0.618_033_988_749_895).fract())));
        let mut costs = vec![Cost::chord(0.0, 0.0, 0.0, 1.0); m];
        costs.extend(data.caps.iter().map(|cap| Cost::ramp(*cap)));
        Self {
            n,
            m,
            table,
            moving: (m..m + n).map(|k| k as u32).collect(),
            resting: (0..m).map(|k| k as u32).collect(),
            moving_at: vec![1.0; n],
            resting_at: vec![0.0; m],
            costs,
            lefts: vec![0.0; n],
            kinked: Vec::new(),
            stops: Vec::new(),
        }
    }

    /// Where it stands.
    pub(super) fn basis(&self) -> Basis {
        Basis { resting: self.resting.clone(), at: self.resting_at.clone() }
    }

    /// Comes to a basis from `fresh`, the dictionary in which all coefficients rest: no rounding is carried
    /// along from vertex to vertex.
    pub(super) fn restore(&mut self, fresh: &Self, basis: &Basis) {
        self.clone_from(fresh);
        let mut rests = vec![None; self.m + self.n];
        basis.resting.iter().zip(&basis.at).for_each(|(k, at)| rests[*k as usize] = Some(*at));
        for column in 0..self.m {
            if rests[self.resting[column] as usize].is_some() {
                continue;
            }
            let entries = &self.table[column * self.n..][..self.n];
            let wanted = (0..self.n).filter(|&i| rests[self.moving[i] as usize].is_some());
            let best = wanted.max_by(|&a, &b| entries[a].abs().total_cmp(&entries[b].abs()).then(b.cmp(&a)));
            // A basis that has become singular is left half-way: any vertex is a start.
            if let Some(row) = best.filter(|&row| entries[row].abs() > LEAST_PIVOT) {
                self.exchange(row, column);
            }
        }
        for (k, at) in self.resting.iter().zip(&mut self.resting_at) {
            *at = rests[*k as usize].unwrap_or(0.0);
        }
    }

    /// Gives coefficient j (or b, j = d) another cost.
    pub(super) fn set_cost(&mut self, j: usize, cost: Cost) {
        self.costs[j] = cost;
    }

    /// Goes down to a vertex from which no step leads down, or to the limit of steps.
    pub(super) fn minimise(&mut self) {
        for (k, at) in self.resting.iter().zip(&mut self.resting_at) {
            *at = self.costs[*k as usize].nearest(*at);
        }
        self.follow();
        let mut barred = vec![false; 2 * self.m];
        for _ in 0..200 + 20 * (self.n + self.m) {
            let Some((column, up, descent)) = self.steepest(&barred) else { break };
            if self.step(column, up, descent) {
                barred.fill(false);
            } else {
                barred[2 * column + usize::from(up)] = true;
            }
        }
    }

    /// Coefficients and intercept, without the nudges.
    pub(super) fn coefficients(&self) -> Vec<f64> {
        let mut w = vec![0.0; self.m];
        for (k, at) in self.resting.iter().zip(&self.resting_at) {
            if (*k as usize) < self.m {
                w[*k as usize] = *at;
            }
        }
        for (i, k) in self.moving.iter().enumerate().filter(|(_, k)| (**k as usize) < self.m) {
            let columns = (0..self.m).map(|c| self.table[c * self.n + i] * self.resting_at[c]);
            w[*k as usize] = self.table[self.m * self.n + i] + columns.sum::<f64>();
        }
        w
    }

    /// Multipliers of the samples, within their caps.
    pub(super) fn multipliers(&mut self, caps: &[f64]) -> Vec<f64> {
        self.refresh_slopes();
        let mut beta = vec![0.0; self.n];
        for (k, slope) in self.moving.iter().zip(&self.lefts) {
            if (*k as usize) >= self.m {
                beta[*k as usize - self.m] = *slope;
            }
        }
        for (c, k) in self.resting.iter().enumerate().filter(|(_, k)| (**k as usize) >= self.m) {
            let i = *k as usize - self.m;
            let column = &self.table[c * self.n..][..self.n];
            let pull: f64 = column.iter().zip(&self.lefts).map(|(entry, slope)| entry * slope).sum();
            beta[i] = (-pull).clamp(0.0, caps[i]);
        }
        beta
    }

    /// The moving variables from the resting ones.
    fn follow(&mut self) {
        let (n, m) = (self.n, self.m);
        let (columns, constants) = self.table.split_at(m * n);
        let nudged = constants[..n].iter().zip(&constants[n..]);
        self.moving_at.iter_mut().zip(nudged).for_each(|(at, (one, nudge))| *at = one + nudge);
        for (column, at) in columns.chunks_exact(n).zip(&self.resting_at).filter(|(_, at)| **at != 0.0) {
            self.moving_at.iter_mut().zip(column).for_each(|(moving, entry)| *moving += entry * at);
        }
    }

    fn refresh_slopes(&mut self) {
        self.kinked.clear();
        for (i, (k, at)) in self.moving.iter().zip(&self.moving_at).enumerate() {
            let cost = &self.costs[*k as usize];
            self.lefts[i] = cost.left(*at);
            let rise = cost.right(*at) - self.lefts[i];
            if rise != 0.0 {
                self.kinked.push((i, rise));
            }
        }
    }

    /// The resting variable and direction with the steepest descent for its length, and that descent.
    fn steepest(&mut self, barred: &[bool]) -> Option<(usize, bool, f64)> {
        self.refresh_slopes();
        let (mut best, mut found) = (0.0, None);
        for c in 0..self.m {
            let column = &self.table[c * self.n..][..self.n];
            let (mut slope, mut squares) = (0.0, 1.0);
            for (entry, left) in column.iter().zip(&self.lefts) {
                slope += entry * left;
                squares += entry * entry;
            }
            let (mut rise_up, mut rise_down) = (0.0, 0.0);
            for &(i, rise) in &self.kinked {
                rise_up += rise * column[i].max(0.0);
                rise_down += rise * (-column[i]).max(0.0);
            }
            let (cost, at) = (&self.costs[self.resting[c] as usize], self.resting_at[c]);
            let (up, down) = (cost.right(at) + slope + rise_up, -cost.left(at) - slope + rise_down);
            for (is_up, descent) in [(true, up), (false, down)] {
                let rate = descent / f64::sqrt(squares);
                if rate < -FLAT && rate < best && !barred[2 * c + usize::from(is_up)] {
                    (best, found) = (rate, Some((c, is_up, descent)));
                }
            }
        }
        found
    }

    /// Goes along a line to its lowest point; false if the pivot there is too small.
    fn step(&mut self, column: usize, up: bool, descent: f64) -> bool {
        let sign = if up { 1.0 } else { -1.0 };
        let entries = &self.table[column * self.n..][..self.n];
        let mut stops = std::mem::take(&mut self.stops);
        stops.clear();
        let (own, at) = (&self.costs[self.resting[column] as usize], self.resting_at[column]);
        stops.extend(own.ahead(at, up).map(|(kink, rise)| Stop {
            length: (kink - at).abs(),
            rise,
            kink,
            row: None,
        }));
        for (i, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.abs() > NOTHING) {
            let (rate, at) = (sign * entry, self.moving_at[i]);
            let ahead = self.costs[self.moving[i] as usize].ahead(at, rate > 0.0);
            stops.extend(ahead.map(|(kink, rise)| Stop {
                length: (kink - at) / rate,
                rise: rise * rate.abs(),
                kink,
                row: Some(i),
            }));
        }
        stops.sort_unstable_by(|a, b| a.length.total_cmp(&b.length).then(a.row.cmp(&b.row)));
        let mut slope = descent;
        let lowest = stops.iter().find(|stop| {
            slope += stop.rise;
            slope >= -FLAT
        });
        let lowest = lowest.copied();
        self.stops = stops;
        let Some(stop) = lowest else { return false };
        if stop.row.is_some_and(|row| self.table[column * self.n + row].abs() < LEAST_PIVOT) {
            return false;
        }
        let length = sign * stop.length;
        let entries = &self.table[column * self.n..][..self.n];
        self.moving_at.iter_mut().zip(entries).for_each(|(at, entry)| *at += length * entry);
        match stop.row {
            None => self.resting_at[column] = stop.kink,
            Some(row) => {
                self.moving_at[row] = self.resting_at[column] + length;
                self.resting_at[column] = stop.kink;
                self.exchange(row, column);
            }
        }
        true
    }

    /// The moving variable of a row and the resting one of a column change places.
    fn exchange(&mut self, row: usize, column: usize) {
        let n = self.n;
        let pivot = self.table[column * n + row];
        let entering: Vec<f64> = self.table[column * n..][..n].to_vec();
        for (c, entries) in self.table.chunks_exact_mut(n).enumerate() {
            if c == column {
                entries.iter_mut().for_each(|entry| *entry /= pivot);
                entries[row] = 1.0 / pivot;
            } else if entries[row] != 0.0 {
                let share = -entries[row] / pivot;
                entries.iter_mut().zip(&entering).for_each(|(entry, by)| *entry += share * by);
                entries[row] = share;
            }
        }
        std::mem::swap(&mut self.moving[row], &mut self.resting[column]);
    }
}
