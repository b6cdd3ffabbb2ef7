//! Where the method of multipliers creeps, or gets no further, the interior point method takes over.

use super::super::convex::Convex;
use super::super::direction::LARGE;
use super::{Interior, effort};
use crate::Loss;
use crate::solver::Watch;

/// The method of multipliers has this times what an interior point method is reckoned to cost, …
const PATIENT: f64 = 2.0;
/// … or this, if the last problem, on the same features, was solved by that.
const AGAIN: f64 = 0.1;
/// It is aimed at this share of the tolerance, …
const AIM: f64 = 0.3;
/// … and at this share of that again if its ends, where what is next to nothing is 0, are not as near, at most so often.
const MOST_AIMS: usize = 6;
/// After so many what is still missing is of the features outside.
const ENOUGH: usize = 2;
/// It does not come back, until the features are others, if it does not take the gap to this share.
const USEFUL: f64 = 0.5;

/// How the interior point method has done on these features.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Standing {
    #[default]
    Untried,
    /// The last solve on the same features ended by it.
    Proven,
    /// It was of no use on the same features.
    Useless,
}

impl Convex<'_> {
    /// The work that the method of multipliers may take on this working set before the interior point method takes over.
    pub(in super::super) fn patience(&self) -> u64 {
        let share = match self.inside {
            _ if self.block.width() < LARGE => return u64::MAX,
            Standing::Proven => AGAIN,
            _ => PATIENT,
        };
        (share * effort(&self.block) as f64) as u64
    }

    pub(in super::super) fn may_go_inside(&self) -> bool {
        self.problem.loss() == Loss::Hinge && !self.block.is_shared() && self.inside != Standing::Useless
    }

    /// Goes on by the interior point method, more accurately while that is what is missing; the gap that it ends with.
    pub(in super::super) fn go_inside(
        &mut self,
        slopes: &[f64],
        constant: f64,
        (before, tol): (f64, f64),
        watch: &mut Watch<'_>,
    ) -> f64 {
        let whole = watch.objective;
        let kept = (self.point.w.clone(), self.point.pulls.clone());
        let Some(mut inside) = Interior::new(self.problem, &self.block, &self.weights, &self.point, constant)
        else {
            self.inside = Standing::Useless;
            return before;
        };
        let (mut gap, mut aim) = (before, tol);
        for again in 0..MOST_AIMS {
            aim *= AIM;
            let gets_there = inside.go_on(&self.block, aim, watch);
            let last = gap;
            gap = self.end(&inside, slopes, constant, tol, watch);
            let is_done = again >= ENOUGH && self.potential <= tol && gap > USEFUL * last;
            if gap <= tol || !gets_there || is_done || watch.stopped() {
                break;
            }
        }
        let is_better = gap <= before || watch.objective <= whole;
        if !is_better {
            self.point.pulls = kept.1;
            gap = self.gap_at(kept.0, slopes, constant, watch);
        }
        self.inside = match gap {
            _ if gap <= tol => Standing::Proven,
            _ if gap <= USEFUL * before => Standing::Untried,
            _ => Standing::Useless,
        };
        gap
    }

    /// Goes to where the interior point method is: tidied, unless only what is not proves enough.
    fn end(
        &mut self,
        inside: &Interior,
        slopes: &[f64],
        constant: f64,
        tol: f64,
        watch: &mut Watch<'_>,
    ) -> f64 {
        let mut gap = f64::INFINITY;
        for is_tidied in [true, false, true] {
            inside.put_pulls(is_tidied, &mut self.point.pulls);
            gap = self.gap_at(inside.coefficients(), slopes, constant, watch);
            if gap <= tol {
                break;
            }
        }
        gap
    }

    /// The gap of these coefficients and the pulls of the point.
    fn gap_at(&mut self, w: Vec<f64>, slopes: &[f64], constant: f64, watch: &mut Watch<'_>) -> f64 {
        self.point.w = w;
        self.block.times(&self.point.w, &mut self.point.margins);
        self.gradient.forget();
        let (objective, gap) = self.gap(slopes, constant);
        watch.objective = objective;
        watch.count(self.gradient.effort());
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::solver::{Silent, Stopping};
    use crate::team::Alone;
    use crate::{Family, PenaltySpec, Problem, Regularizer};

    /// n samples of d columns; a plane tells the classes apart but for a share of the samples.
    fn data(n: usize, d: usize, share: f64) -> (Dense<'static>, Vec<f64>) {
        let mut state = 7u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
        };
        let columns: Vec<f64> = (0..n * d).map(|_| draw()).collect();
        let plane: Vec<f64> = (0..d).map(|_| draw()).collect();
        let side = |i: usize| (0..d).map(|j| plane[j] * columns[j * n + i]).sum::<f64>().signum();
        let y = (0..n).map(|i| if draw() + 0.5 < share { -side(i) } else { side(i) }).collect();
        (Dense::from_columns(n, d, columns).unwrap(), y)
    }

    fn l1(l2: f64) -> Regularizer {
        Regularizer::from_spec(&PenaltySpec::new(Family::L1, 1e-3)).unwrap().with_l2(l2).unwrap()
    }

    /// From far off and from near, with a ridge part, a column that is free, and samples that do not count.
    #[test]
    fn it_ends_where_the_method_of_multipliers_does() {
        let (n, d) = (80, 9);
        let (x, y) = data(n, d, 0.2);
        let counts: Vec<f64> = (0..n).map(|i| [1.0, 0.0, 2.5, 0.3][i % 4]).collect();
        for l2 in [0.0, 0.05] {
            let problem = Problem::new(&x, &y, Loss::Hinge, l1(l2)).unwrap().with_weights(&counts).unwrap();
            let slopes: Vec<f64> =
                (0..d).map(|j| if j == 3 { 0.0 } else { 0.002 * j as f64 + 0.001 }).collect();
            let mut silent = Silent;
            let mut watch = Watch::new(&mut silent, Stopping::default(), &Alone);
            let mut convex = Convex::new(&problem);
            let nothing = convex.point.pulls.clone();
            assert!(convex.solve(&slopes, 0.1, 1e-9, &mut watch) <= 1e-9);
            let solution = watch.objective;
            for pulls in [convex.point.pulls.clone(), nothing] {
                convex.point.pulls = pulls;
                let mut inside =
                    Interior::new(&problem, &convex.block, &convex.weights, &convex.point, 0.1).unwrap();
                assert!(inside.go_on(&convex.block, 1e-9, &mut watch));
                let residues = inside.residues(&convex.block);
                let objective = residues.objective * inside.unit;
                assert!((objective - solution).abs() <= 1e-8 * solution, "{objective}, {solution}");
                let of_free = inside.free.iter().map(|&p| residues.forces[p].abs()).fold(0.0, f64::max);
                assert!(of_free < 1e-6, "{of_free}");
                assert!(convex.end(&inside, &slopes, 0.1, 1e-7, &mut watch) <= 1e-7);
            }
        }
    }

    /// A limit of time is seen only in steps, and nothing but such attempts may follow one another.
    #[test]
    fn what_cannot_be_factored_is_a_step_too() {
        let (x, y) = data(80, 9, 0.2);
        let problem = Problem::new(&x, &y, Loss::Hinge, l1(0.0)).unwrap();
        let mut silent = Silent;
        let mut watch = Watch::new(&mut silent, Stopping::default(), &Alone);
        let mut convex = Convex::new(&problem);
        convex.solve(&[1e-3; 9], 0.0, 1e-2, &mut watch);
        let mut inside = Interior::new(&problem, &convex.block, &convex.weights, &convex.point, 0.0).unwrap();
        // The diagonal is far below 0 then.
        inside.right[2..].iter_mut().flatten().for_each(|z| *z = -1e-12);
        let before = watch.steps();
        assert!(!inside.go_on(&convex.block, 1e-9, &mut watch));
        assert_eq!(watch.steps(), before + 1);
    }

    /// Next to nothing shrinks 320 columns that nearly separate the classes: the method of multipliers has a gap of a half after a
    /// thousand steps, all that it may take here.
    #[test]
    fn it_takes_over_where_multipliers_creep() {
        let (x, y) = data(800, 320, 0.02);
        let problem = Problem::new(&x, &y, Loss::Hinge, l1(0.0)).unwrap();
        let mut silent = Silent;
        let mut watch = Watch::new(&mut silent, Stopping::default(), &Alone);
        let mut convex = Convex::new(&problem);
        let gap = convex.solve(&[1e-8; 320], 0.0, 1e-4, &mut watch);
        assert!(gap <= 1e-4 && watch.steps() < 500, "a gap of {gap} after {} steps", watch.steps());
    }
}
