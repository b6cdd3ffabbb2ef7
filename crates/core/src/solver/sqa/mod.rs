//! The SCAD SVM by successive quadratic approximation of Zhang, Ahn, Lin and Park (Bioinformatics 2006), on
//! the hinge. At the last point, with slacks r⁰ and coefficients w⁰,
//!
//!   [r]₊ = (r + |r|)/2 ≤ r/2 + r²/(4a) + a/4,                 a = |r⁰|,
//!   p(|w|) ≤ p'(|w⁰|)/(2|w⁰|)·w² + constant,                  w⁰ ≠ 0,
//!
//! so a step is one linear system ([`quadratic`]), and F does not rise. Coefficients that have become
//! small are set to zero for good, and the system shrinks with them.
//!
//! A coefficient that starts at 0 stays there, so the start is the ridge SVM, found by the same steps.

mod quadratic;

use super::proximal::Settled;
use super::{Iterate, Observer, Solver, Stopping, Watch};
use crate::error::check;
use crate::linsys::Linsys;
use crate::team::Alone;
use crate::{Problem, Result, Start};
use quadratic::Quadratic;

/// |r⁰| counts as no less than this: a sample on the kink would have infinite curvature.
const SLACK_FLOOR: f64 = 1e-6;
/// The start need not be exact: relative change of its objective,
const START_TOL: f64 = 1e-2;
/// and the most steps for it.
const START_STEPS: usize = 20;
/// Conjugate gradients solve a step to this share of the tolerance, if to nothing better.
const STEP_SHARE: f64 = 1e-2;

/// The successive quadratic approximation's settings.
///
/// | field | default | range |
/// |---|---|---|
/// | `zero_below` | 1e-3 | ≥ 0 and < 1; smaller coefficients, relative to the largest, are set to zero |
/// | `linsys` | auto | auto: d × d or n × n, whichever is smaller; conjugate gradients if both are large |
/// | `memory_limit` | none | bytes |
/// | `stopping.tol` | 1e-4 | on the relative change of F, three times in a row |
/// | `stopping.max_iter` | 1000 | linear systems, those of the start with them |
#[derive(Debug, Clone, PartialEq)]
pub struct Sqa {
    /// A coefficient below this share of the largest is set to zero for good.
    pub zero_below: f64,
    /// How a step is solved.
    pub linsys: Linsys,
    /// The system of a step may take this many bytes.
    pub memory_limit: u64,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Sqa {
    fn default() -> Self {
        Self { zero_below: 1e-3, linsys: Linsys::Auto, memory_limit: u64::MAX, stopping: Stopping::default() }
    }
}

impl Solver for Sqa {
    fn name(&self) -> &'static str {
        "sqa"
    }

    fn stopping(&self) -> &Stopping {
        &self.stopping
    }

    fn settings(&self) -> Vec<(&'static str, f64)> {
        vec![("zero_below", self.zero_below)]
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        let share = self.zero_below;
        check((0.0..1.0).contains(&share), "zero-below", share, "a share of the largest, from 0 to below 1")?;
        let mut state = State::new(self, problem, start);
        observer.on_phase(if start.is_none() { "starting from the ridge SVM" } else { "iterating" });
        let mut watch = Watch::new(observer, self.stopping, &Alone);
        if start.is_none() {
            state.ridge(&mut watch)?;
            watch.phase("iterating");
        }
        let accuracy = (STEP_SHARE * self.stopping.tol).max(f64::EPSILON);
        let mut settled = Settled::new(state.objective);
        while !watch.stopped() {
            state.approximate(accuracy, |j, w| problem.regularizer().slope_of(j, w) / w.abs())?;
            state.set_small_to_zero();
            watch.objective = state.evaluate();
            watch.tick(state.kept.len(), 0, 0);
            watch.show(&state.w, state.b);
            if settled.next(state.objective, self.stopping.tol) {
                break;
            }
        }
        Ok(Iterate {
            beta: state.dual(),
            w: state.w,
            b: state.b,
            ended: watch.ended(),
            iterations: watch.steps(),
            paper_objective: None,
            setup_seconds: 0.0,
            global_bound: None,
        })
    }
}

/// Where it is.
struct State<'a> {
    settings: &'a Sqa,
    problem: &'a Problem<'a>,
    w: Vec<f64>,
    b: f64,
    /// Features that are not zero, ascending.
    kept: Vec<usize>,
    /// Xw + b.
    scores: Vec<f64>,
    /// a = |r⁰| of the approximation that led here.
    slacks: Vec<f64>,
    /// F(w, b).
    objective: f64,
}

impl<'a> State<'a> {
    fn new(settings: &'a Sqa, problem: &'a Problem<'a>, start: Option<&Start>) -> Self {
        let (n, d) = (problem.samples(), problem.features());
        let (w, b, kept) = match start {
            None => (vec![0.0; d], 0.0, (0..d).collect()),
            Some(start) => {
                let b = if problem.has_intercept() { start.b } else { 0.0 };
                (start.w.clone(), b, (0..d).filter(|&j| start.w[j] != 0.0).collect())
            }
        };
        let mut state = Self {
            settings,
            problem,
            w,
            b,
            kept,
            scores: vec![0.0; n],
            slacks: vec![1.0; n],
            objective: 0.0,
        };
        state.evaluate();
        state
    }

    /// The ridge SVM by the same approximation of the hinge. Its ridge is as strong as the penalty is at 0:
    /// a weaker one leaves most weights past the penalty's flat end, where nothing moves them any more.
    fn ridge(&mut self, watch: &mut Watch<'_>) -> Result<()> {
        let mean_cap = self.problem.caps().iter().sum::<f64>() / self.problem.samples() as f64;
        let stiffness = self.problem.regularizer().penalty().slope_at(0.0).max(mean_cap);
        let mut last = f64::INFINITY;
        for _ in 0..START_STEPS {
            self.approximate(START_TOL, |_, _| stiffness)?;
            watch.objective = self.evaluate();
            watch.tick(self.kept.len(), 0, 0);
            watch.show(&self.w, self.b);
            let squares: f64 = self.w.iter().map(|w| w * w).sum();
            let value = self.loss() + 0.5 * stiffness * squares;
            if watch.stopped() || (value - last).abs() < START_TOL * last.abs() {
                break;
            }
            last = value;
        }
        // Columns without entries: at zero a penalty's stiffness is infinite.
        self.kept.retain(|&j| self.w[j] != 0.0);
        Ok(())
    }

    /// One step: to the minimiser of the quadratic approximation at (w, b), with `stiffness(j, w_j)` for
    /// the penalty of a feature that is kept.
    fn approximate(&mut self, accuracy: f64, stiffness: impl Fn(usize, f64) -> f64) -> Result<()> {
        let (y, caps) = (self.problem.y(), self.problem.caps());
        let l2 = self.problem.regularizer().l2();
        for (slack, (y, score)) in self.slacks.iter_mut().zip(y.iter().zip(&self.scores)) {
            *slack = (1.0 - y * score).abs().max(SLACK_FLOOR);
        }
        let step = Quadratic {
            problem: self.problem,
            kept: &self.kept,
            curvature: self.slacks.iter().zip(caps).map(|(slack, cap)| cap / (2.0 * slack)).collect(),
            target: self.slacks.iter().zip(y).map(|(slack, y)| y * (1.0 + slack)).collect(),
            stiffness: self.kept.iter().map(|&j| stiffness(j, self.w[j]) + l2).collect(),
        };
        step.minimise(self.settings, accuracy, &mut self.w, &mut self.b)
    }

    /// Those that are small next to the largest leave for good.
    fn set_small_to_zero(&mut self) {
        let largest = self.kept.iter().map(|&j| self.w[j].abs()).fold(0.0, f64::max);
        let (least, w) = (self.settings.zero_below * largest, &mut self.w);
        self.kept.retain(|&j| {
            let keep = w[j].abs() > least;
            if !keep {
                w[j] = 0.0;
            }
            keep
        });
    }

    /// Renews scores and F.
    fn evaluate(&mut self) -> f64 {
        self.problem.x().matvec(&self.w, &mut self.scores);
        self.scores.iter_mut().for_each(|score| *score += self.b);
        self.objective = self.loss() + self.problem.regularizer().value(&self.w);
        self.objective
    }

    fn loss(&self) -> f64 {
        let of_sample = |((score, y), cap): ((&f64, &f64), &f64)| cap * self.problem.loss().value(y * score);
        self.scores.iter().zip(self.problem.y()).zip(self.problem.caps()).map(of_sample).sum()
    }

    /// β_i = (c_i/n)(1 + r_i/a_i)/2, within [0, c_i/n]: minus the derivative of the approximation by the
    /// margin. It balances the penalty because (w, b) solves the linear system, and it tends to a
    /// subgradient of the hinge: c_i/n for r > 0, 0 for r < 0, and what the system asks for at the kink.
    fn dual(&self) -> Vec<f64> {
        let (y, caps) = (self.problem.y(), self.problem.caps());
        let of_sample = |i: usize| {
            let pull = 0.5 * (1.0 + (1.0 - y[i] * self.scores[i]) / self.slacks[i]);
            caps[i] * pull.clamp(0.0, 1.0)
        };
        (0..y.len()).map(of_sample).collect()
    }
}
