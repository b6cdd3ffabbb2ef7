//! g = Xᵀ(y∘a) over all features: the one pass over the whole data that a round makes.
//!
//! In a team d numbers a round are too many to send, and long columns are too dear to read. What a round asks of a
//! feature outside the working set is whether |g_j| comes near its slope, and since g_j last was computed it
//! has changed by at most ‖x_j‖ times the way that a has gone: only features for which that leaves a doubt are
//! computed. The others keep an old value, which is below the slope as the true one is, so no decision differs.

use super::scan::positions;
use crate::Problem;
use crate::design::shares;
use crate::team::is_shared;

/// Columns of so many entries on average cost more than the bounds that spare them.
const LONG: usize = 32;

/// Bounds are taken wider by this: they are sums of rounded numbers.
const ROUNDING: f64 = 1e-9;

/// The gradient, and what is known about its age.
#[derive(Debug)]
pub(super) struct Gradient {
    values: Vec<f64>,
    /// True if nothing has moved since the last [`bring`](Self::bring), …
    is_current: bool,
    /// … and that was of all features.
    is_whole: bool,
    /// True if features that are kept out (ω = ∞) are not asked for: violations are then relative to old values of theirs.
    pub(super) is_closed: bool,
    /// y∘a.
    signed: Vec<f64>,
    age: Option<Age>,
    /// Operations since they were last asked for.
    effort: usize,
}

/// How far a has gone, at each value's time and in all.
#[derive(Debug)]
struct Age {
    /// ‖x_j‖.
    lengths: Vec<f64>,
    /// The way of a until the value was computed.
    way_then: Vec<f64>,
    way: f64,
    /// Where a was when the way was last measured.
    pulls: Vec<f64>,
}

impl Gradient {
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        let (n, d) = (problem.samples(), problem.features());
        Self {
            values: vec![0.0; d],
            is_current: false,
            is_whole: false,
            is_closed: false,
            signed: vec![0.0; n],
            age: None,
            effort: 0,
        }
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn is_current(&self) -> bool {
        self.is_current
    }

    /// Operations since this was last asked, roughly.
    pub(super) fn effort(&mut self) -> usize {
        std::mem::take(&mut self.effort)
    }

    /// The point has moved.
    pub(super) fn forget(&mut self) {
        self.is_current = false;
    }

    /// Computes what is to be known at these pulls, under these slopes: the features of the working set, and all whose |g_j| may
    /// be as large as `near` times their slope.
    pub(super) fn bring(
        &mut self,
        problem: &Problem<'_>,
        pulls: &[f64],
        slopes: &[f64],
        near: f64,
        working: &[usize],
    ) {
        let is_closed = self.is_closed;
        if !is_shared(problem.team()) && problem.x().stored() < LONG * problem.features() {
            let open = || (0..slopes.len()).filter(|&j| slopes[j].is_finite());
            let few = is_closed && open().count() < slopes.len() / 2;
            if few {
                self.compute(problem, pulls, &open().collect::<Vec<_>>());
            } else if !self.is_current || !self.is_whole {
                self.compute_all(problem, pulls);
            }
            (self.is_current, self.is_whole) = (true, !few);
            return;
        }
        let age = self.age.get_or_insert_with(|| Age::new(problem));
        if !self.is_current {
            age.go_to(problem, pulls);
        }
        let mut doubtful = age.doubtful(&self.values, slopes, near, is_closed);
        doubtful.extend(working.iter().filter(|&&j| age.way_then[j] != age.way));
        // Two runs that ascend already.
        doubtful.sort();
        doubtful.dedup();
        doubtful.iter().for_each(|&j| age.way_then[j] = age.way);
        self.is_current = true;
        if doubtful.len() == self.values.len() {
            self.compute_all(problem, pulls);
        } else {
            self.compute(problem, pulls, &doubtful);
        }
    }

    fn sign(&mut self, problem: &Problem<'_>, pulls: &[f64]) {
        let signed = self.signed.iter_mut().zip(problem.y().iter().zip(pulls));
        signed.for_each(|(signed, (y, a))| *signed = y * a);
    }

    fn compute_all(&mut self, problem: &Problem<'_>, pulls: &[f64]) {
        self.sign(problem, pulls);
        self.effort += 2 * problem.x().stored();
        problem.x().rmatvec(&self.signed, &mut self.values);
        problem.sum(&mut self.values);
    }

    fn compute(&mut self, problem: &Problem<'_>, pulls: &[f64], features: &[usize]) {
        if features.is_empty() {
            return;
        }
        self.sign(problem, pulls);
        self.effort += 2 * problem.x().stored() * features.len() / problem.features();
        let (x, mut some) = (problem.x(), vec![0.0; features.len()]);
        let starts = shares::starts(features.iter().map(|&j| x.column(j).work()));
        shares::for_each(&starts, &mut some, &|k, value| *value = x.column(features[k]).dot(&self.signed));
        problem.sum(&mut some);
        features.iter().zip(&some).for_each(|(&j, value)| self.values[j] = *value);
    }
}

impl Age {
    fn new(problem: &Problem<'_>) -> Self {
        let (x, d) = (problem.x(), problem.features());
        let mut lengths = vec![0.0; d];
        let starts = shares::starts((0..d).map(|j| x.column(j).work()));
        shares::for_each(&starts, &mut lengths, &|j, squares| {
            x.column(j).for_each(|_, value| *squares += value * value);
        });
        problem.sum(&mut lengths);
        lengths.iter_mut().for_each(|squares| *squares = squares.sqrt() * (1.0 + ROUNDING));
        Self { lengths, way_then: vec![f64::NEG_INFINITY; d], way: 0.0, pulls: vec![0.0; problem.samples()] }
    }

    fn go_to(&mut self, problem: &Problem<'_>, pulls: &[f64]) {
        let steps = self.pulls.iter().zip(pulls).map(|(from, to)| (to - from) * (to - from));
        self.way += problem.total(steps.sum()).sqrt() * (1.0 + ROUNDING);
        self.pulls.copy_from_slice(pulls);
    }

    /// The features whose value is old and may be as large as `near` times their slope. Those with a slope of infinity are, unless it
    /// is closed to them.
    fn doubtful(&self, values: &[f64], slopes: &[f64], near: f64, is_closed: bool) -> Vec<usize> {
        let (way, limit) = (self.way, near * (1.0 - ROUNDING));
        let columns = [values, slopes, &self.lengths, &self.way_then];
        positions(columns, move |[value, slope, length, then]| {
            let most = value.abs() + length * (way - then);
            let may_be_as_large = !(most < slope * limit) | (slope == f64::INFINITY);
            (then != way) & may_be_as_large & !(is_closed & (slope == f64::INFINITY))
        })
    }
}
