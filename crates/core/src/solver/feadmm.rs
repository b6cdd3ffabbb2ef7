//! FEADMM, Algorithm 1 of Guan, Qiao, Li, Sun, Ge, Lu, "An Efficient ADMM-Based Algorithm to Nonconvex
//! Penalized Support Vector Machines", with the errata of `docs/maths.md`.
//!
//!   min (1/n) Σ c_i φ(ξ_i) + P(z)   s.t.  w = z,  Y(Xw + b1) + ξ = s + 1,  ξ ≥ 0,  s ≥ 0
//!
//! One function a line of the algorithm. With the paper's hinge φ(ξ) = ξ; the ξ-update by the prox of φ
//! is the only thing that the other two losses change.

use std::time::Instant;

use super::{Detail, Ended, Iterate, Observer, Solver, Step, Stopping};
use crate::error::check;
use crate::linsys::{Cholesky, LinearSystem, Linsys};
use crate::team::is_shared;
use crate::{Error, Problem, Result, Start};

/// FEADMM's settings.
///
/// | field | default | range |
/// |---|---|---|
/// | `rho1`, `rho2` | 1, 0.1 | > 0 |
/// | `beta` | 0 | ≥ 0 (eq. 7') |
/// | `linsys` | auto | |
/// | `memory_limit` | none | bytes |
#[derive(Debug, Clone, PartialEq)]
pub struct Feadmm {
    /// Penalty parameter of w = z.
    pub rho1: f64,
    /// Penalty parameter of the margin constraint.
    pub rho2: f64,
    /// Proximal parameter of the z-update.
    pub beta: f64,
    /// How the w-update is solved.
    pub linsys: Linsys,
    /// The factor may take this many bytes.
    pub memory_limit: u64,
    /// When to stop; `tol` is the paper's ε, on the relative change of the paper's objective.
    pub stopping: Stopping,
}

impl Default for Feadmm {
    fn default() -> Self {
        Self {
            rho1: 1.0,
            rho2: 0.1,
            beta: 0.0,
            linsys: Linsys::Auto,
            memory_limit: u64::MAX,
            stopping: Stopping::default(),
        }
    }
}

impl Feadmm {
    fn check(&self) -> Result<()> {
        check(self.rho1 > 0.0, "rho1", self.rho1, "ADMM needs rho1 > 0")?;
        check(self.rho2 > 0.0, "rho2", self.rho2, "ADMM needs rho2 > 0")?;
        check(
            self.rho1 / self.rho2 > 0.0,
            "rho1/rho2",
            self.rho1 / self.rho2,
            "it must be a finite number > 0",
        )?;
        check(self.beta >= 0.0, "beta", self.beta, "the proximal parameter is 0 or more")
    }

    /// In a team XᵀX is summed once; the n × n matrix would be of rows that nobody has all of.
    fn system<'a>(&self, problem: &Problem<'a>) -> Result<Box<dyn LinearSystem + 'a>> {
        let (n, d, rho) = (problem.samples_of_all(), problem.features(), self.rho1 / self.rho2);
        if !is_shared(problem.team()) {
            return self.linsys.build(problem.x(), rho, self.memory_limit);
        }
        if self.linsys.resolve(n, d) != Linsys::Cholesky {
            return Err(Error::Unsupported {
                solver: self.name(),
                what: format!("{n} rows with {d} features spread over several machines"),
                instead: "there it needs more rows than features; exact takes any".into(),
            });
        }
        Linsys::Cholesky.check_memory(n, d, self.memory_limit)?;
        Ok(Box::new(Cholesky::in_team(problem.x(), rho, problem.team())?))
    }
}

impl Solver for Feadmm {
    fn name(&self) -> &'static str {
        "feadmm"
    }

    fn stopping(&self) -> &Stopping {
        &self.stopping
    }

    fn takes_teams(&self) -> bool {
        true
    }

    fn settings(&self) -> Vec<(&'static str, f64)> {
        vec![("rho1", self.rho1), ("rho2", self.rho2), ("beta", self.beta)]
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        start: Option<&Start>,
        observer: &mut dyn Observer,
    ) -> Result<Iterate> {
        self.check()?;
        let clock = Instant::now();
        let (n, d) = (problem.samples_of_all(), problem.features());
        observer.on_phase(&setup_phase(self.linsys, n, d));
        let system = self.system(problem)?;
        let mut state = State::new(self, problem, system, start);
        let setup_seconds = clock.elapsed().as_secs_f64();

        observer.on_phase("iterating");
        let began = Instant::now();
        let mut objective = state.paper_objective();
        let mut iterations = 0;
        let ended = loop {
            let moved = state.iterate();
            iterations += 1;
            let previous = std::mem::replace(&mut objective, state.paper_objective());
            if !objective.is_finite() {
                return Err(Error::Numerical {
                    what: format!("FEADMM diverged in iteration {iterations}"),
                    remedy: "scale the columns (--scale standard) or raise rho1",
                });
            }
            let step = Step {
                iteration: iterations,
                seconds: began.elapsed().as_secs_f64(),
                objective,
                nonzeros: state.z.iter().filter(|z| **z != 0.0).count(),
                detail: observer.wants_detail().then(|| state.detail(&moved)),
            };
            let mut ends =
                [observer.on_step(&step).is_break(), self.stopping.out_of_time(began)].map(f64::from);
            problem.sum(&mut ends);
            if ends[0] > 0.0 || problem.team().failure().is_some() {
                break Ended::Interrupted;
            }
            if observer.wants_iterate() {
                observer.on_iterate(&state.z, state.b);
            }
            if (objective - previous).abs() < self.stopping.tol * previous.abs() {
                break Ended::Rule;
            }
            if iterations == self.stopping.max_iter {
                break Ended::MaxIter;
            }
            if ends[1] > 0.0 {
                break Ended::MaxTime;
            }
        };
        let beta = state.dual();
        Ok(Iterate {
            w: state.z,
            b: state.b,
            beta,
            ended,
            iterations,
            paper_objective: Some(objective),
            setup_seconds,
            global_bound: None,
        })
    }
}

/// What the set-up does and the memory that it takes, said before it is taken.
fn setup_phase(linsys: Linsys, n: usize, d: usize) -> String {
    let mib = linsys.bytes(n, d).div_ceil(1 << 20);
    match linsys.resolve(n, d) {
        Linsys::Cg => "preparing conjugate gradients (no factor)".into(),
        Linsys::Woodbury => format!("forming and factoring an n × n matrix, {n} × {n} ({mib} MiB)"),
        _ => format!("forming and factoring a d × d matrix, {d} × {d} ({mib} MiB)"),
    }
}

/// D = (w, b, z, ξ, s, u, v), and Xw, which each iteration has at hand.
struct State<'a> {
    settings: &'a Feadmm,
    problem: &'a Problem<'a>,
    system: Box<dyn LinearSystem + 'a>,
    w: Vec<f64>,
    b: f64,
    z: Vec<f64>,
    xi: Vec<f64>,
    s: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    xw: Vec<f64>,
    // Scratch of length d and n: nothing is allocated in the loop.
    by_feature: Vec<f64>,
    old_by_feature: Vec<f64>,
    by_sample: Vec<f64>,
}

/// How far each group of variables moved in one iteration, squared.
struct Moved {
    primal: f64,
    duals: f64,
}

impl<'a> State<'a> {
    fn new(
        settings: &'a Feadmm,
        problem: &'a Problem<'a>,
        system: Box<dyn LinearSystem + 'a>,
        start: Option<&Start>,
    ) -> Self {
        let (n, d) = (problem.samples(), problem.features());
        let (w, b) = start.map_or_else(|| (vec![0.0; d], 0.0), |start| (start.w.clone(), start.b));
        let mut xw = vec![0.0; n];
        problem.x().matvec(&w, &mut xw);
        Self {
            settings,
            problem,
            system,
            z: w.clone(),
            w,
            b,
            xi: vec![0.0; n],
            s: vec![0.0; n],
            u: vec![0.0; d],
            v: vec![0.0; n],
            xw,
            by_feature: vec![0.0; d],
            old_by_feature: vec![0.0; d],
            by_sample: vec![0.0; n],
        }
    }

    /// One pass of Algorithm 1, lines 10 to 20.
    fn iterate(&mut self) -> Moved {
        let mut primal = self.update_w();
        if self.problem.has_intercept() {
            primal += self.update_b();
        }
        primal += self.update_z();
        primal += self.update_xi();
        primal += self.update_s();
        Moved { primal, duals: self.update_u() + self.update_v() }
    }

    /// Lines 10 and 11: q = z - u, r = Y(s + 1 - ξ - v) - b1 (as Y² = I), then the linear system.
    fn update_w(&mut self) -> f64 {
        let Self {
            problem,
            system,
            w,
            b,
            z,
            xi,
            s,
            u,
            v,
            xw,
            by_feature: q,
            old_by_feature: old,
            by_sample: r,
            ..
        } = self;
        old.copy_from_slice(w);
        q.iter_mut().zip(z.iter().zip(u.iter())).for_each(|(q, (z, u))| *q = z - u);
        for (i, r) in r.iter_mut().enumerate() {
            *r = problem.y()[i] * (s[i] + 1.0 - xi[i] - v[i]) - *b;
        }
        system.solve(problem.x(), q, r, w, xw);
        w.iter().zip(old.iter()).map(|(w, old)| (w - old) * (w - old)).sum()
    }

    /// Line 12: b = yᵀ(s + 1 - Hw - ξ - v)/n, where yᵀHw is the sum of Xw.
    fn update_b(&mut self) -> f64 {
        let y = self.problem.y();
        let sum: f64 =
            (0..y.len()).map(|i| y[i] * (self.s[i] + 1.0 - self.xi[i] - self.v[i]) - self.xw[i]).sum();
        let sum = self.problem.total(sum);
        let old = std::mem::replace(&mut self.b, sum / self.problem.samples_of_all() as f64);
        (self.b - old) * (self.b - old)
    }

    /// Line 13, or eq. 7' with β > 0: z = prox of P at (ρ₁(w+u) + βz)/(ρ₁+β), step 1/(ρ₁+β).
    fn update_z(&mut self) -> f64 {
        let Feadmm { rho1, beta, .. } = *self.settings;
        let total = rho1 + beta;
        for (point, ((w, u), z)) in self.by_feature.iter_mut().zip(self.w.iter().zip(&self.u).zip(&self.z)) {
            // Without β the point is w+u to the last bit.
            *point = if beta == 0.0 { w + u } else { (rho1 * (w + u) + beta * z) / total };
        }
        std::mem::swap(&mut self.z, &mut self.old_by_feature);
        self.problem.regularizer().prox(&self.by_feature, 1.0 / total, &mut self.z);
        self.z.iter().zip(&self.old_by_feature).map(|(z, old)| (z - old) * (z - old)).sum()
    }

    /// Lines 14 and 15: ξ = prox of (c/n)φ/ρ₂ over ξ ≥ 0, at s + 1 - v - Hw - by.
    fn update_xi(&mut self) -> f64 {
        let (loss, rho2) = (self.problem.loss(), self.settings.rho2);
        let mut moved = 0.0;
        for (i, cap) in self.problem.caps().iter().enumerate() {
            let point = self.s[i] + 1.0 - self.v[i] - self.margin(i);
            let old = std::mem::replace(&mut self.xi[i], loss.slack_prox(point, cap / rho2));
            moved += (self.xi[i] - old) * (self.xi[i] - old);
        }
        moved
    }

    /// Lines 16 and 17.
    fn update_s(&mut self) -> f64 {
        let mut moved = 0.0;
        for i in 0..self.s.len() {
            let point = self.margin(i) + self.xi[i] - 1.0 + self.v[i];
            let old = std::mem::replace(&mut self.s[i], point.max(0.0));
            moved += (self.s[i] - old) * (self.s[i] - old);
        }
        moved
    }

    /// Line 18.
    fn update_u(&mut self) -> f64 {
        let mut moved = 0.0;
        for (u, (w, z)) in self.u.iter_mut().zip(self.w.iter().zip(&self.z)) {
            *u += w - z;
            moved += (w - z) * (w - z);
        }
        moved
    }

    /// Line 19, with b⁽ᵏ⁺¹⁾ (the paper leaves out the index).
    fn update_v(&mut self) -> f64 {
        let mut moved = 0.0;
        for i in 0..self.v.len() {
            let missed = self.xi[i] - self.s[i] + self.margin(i) - 1.0;
            self.v[i] += missed;
            moved += missed * missed;
        }
        moved
    }

    /// (Hw + by)_i.
    #[inline]
    fn margin(&self, i: usize) -> f64 {
        self.problem.y()[i] * (self.xw[i] + self.b)
    }

    /// (1/n) Σ c_i φ(ξ_i) + P(z): what the paper's stop rule looks at. It is not F(z, b).
    fn paper_objective(&self) -> f64 {
        let loss = self.problem.loss();
        let slack: f64 =
            self.xi.iter().zip(self.problem.caps()).map(|(xi, cap)| cap * loss.value(1.0 - xi)).sum();
        self.problem.total(slack) + self.problem.regularizer().value(&self.z)
    }

    /// β = -τ = -ρ₂v: the multipliers of the margin constraint.
    fn dual(&self) -> Vec<f64> {
        self.v.iter().map(|v| -self.settings.rho2 * v).collect()
    }

    /// Residuals and the true objective; two more products by X, so only on request.
    fn detail(&mut self, moved: &Moved) -> Detail {
        let Feadmm { rho1, rho2, .. } = *self.settings;
        let true_objective = self.problem.value(&self.z, self.b, &mut self.by_sample);
        // Stationarity in w: γ + Hᵀτ = ρ₁u + ρ₂Hᵀv.
        let signed = self.by_sample.iter_mut().zip(self.problem.y().iter().zip(&self.v));
        signed.for_each(|(t, (y, v))| *t = y * v);
        self.problem.x().rmatvec(&self.by_sample, &mut self.by_feature);
        let missed = self.by_feature.iter().zip(&self.u).map(|(hv, u)| (rho1 * u + rho2 * hv).powi(2));
        Detail {
            true_objective,
            primal_residual: moved.duals.sqrt(),
            dual_residual: missed.sum::<f64>().sqrt(),
            movement: (moved.primal + moved.duals).sqrt(),
        }
    }
}
