//! The successive quadratic approximation against one as a newcomer would write it, against the exact solver,
//! and against what majorisation promises.
#![allow(clippy::unwrap_used, clippy::needless_range_loop)]

mod support;

use std::ops::ControlFlow;

use sparsvm_core::linsys::Linsys;
use sparsvm_core::solver::{Exact, Observer, Silent, Sqa, Step, Stopping, solve};
use sparsvm_core::{Design, Error, Family, Loss, PenaltySpec, Problem, Regularizer, Start, Status};
use support::{Lcg, dense, eliminate, sparse, threads_agree};

const FAMILIES: [Family; 3] = [Family::Scad, Family::Mcp, Family::Lsp];

fn regularizer(family: Family, lambda: f64) -> Regularizer {
    Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap()
}

/// (AᵀDA + Q)v = Aᵀ(D∘y∘(1+a)) with A = [X 1], D = c/(2n a), a = |1 - y f|.
fn naive_step(problem: &Problem<'_>, rows: &[Vec<f64>], w: &[f64], b: f64) -> Vec<f64> {
    let (d, intercept) = (w.len(), problem.has_intercept());
    let width = d + usize::from(intercept);
    let (mut matrix, mut right) = (vec![vec![0.0; width]; width], vec![0.0; width]);
    for (i, row) in rows.iter().enumerate() {
        let mut a = row.clone();
        a.resize(width, 1.0);
        let score: f64 = row.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + b;
        let y = problem.y()[i];
        let slack = (1.0 - y * score).abs();
        let curvature = problem.caps()[i] / (2.0 * slack);
        for p in 0..width {
            right[p] += a[p] * curvature * y * (1.0 + slack);
            for q in 0..width {
                matrix[p][q] += curvature * a[p] * a[q];
            }
        }
    }
    for j in 0..d {
        let regularizer = problem.regularizer();
        matrix[j][j] += regularizer.slope_of(j, w[j]) / w[j].abs() + regularizer.l2();
    }
    eliminate(matrix, right)
}

#[test]
fn a_step_is_the_naive_one_on_every_branch() {
    let mut random = Lcg(41);
    for (n, d) in [(40, 6), (9, 15)] {
        let rows = random.matrix(n, d, 0.3);
        let y = random.labels(&rows, 3, 0.1);
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let factors: Vec<f64> = (0..d).map(|j| 1.0 + 0.1 * j as f64).collect();
        let w: Vec<f64> = (0..d).map(|_| 0.1 * random.normal()).collect();
        let designs: [Box<dyn Design>; 2] = [Box::new(dense(&rows)), Box::new(sparse(&rows))];
        for x in &designs {
            for (family, intercept) in [(Family::Scad, true), (Family::Mcp, false), (Family::Lsp, true)] {
                let regularizer =
                    regularizer(family, 0.2).with_l2(0.01).unwrap().with_factors(factors.clone()).unwrap();
                let problem = Problem::new(&**x, &y, Loss::Hinge, regularizer).unwrap();
                let mut problem = problem.with_weights(&weights).unwrap();
                if !intercept {
                    problem = problem.without_intercept();
                }
                let b = if intercept { 0.2 } else { 0.0 };
                let expected = naive_step(&problem, &rows, &w, b);
                for linsys in [Linsys::Auto, Linsys::Cholesky, Linsys::Woodbury, Linsys::Cg] {
                    let stopping = Stopping { tol: 0.0, max_iter: 1, max_time: None };
                    let solver = Sqa { zero_below: 0.0, linsys, stopping, ..Sqa::default() };
                    let start = Start { w: w.clone(), b, beta: None };
                    let found = solve(&solver, &problem, Some(&start), &mut Silent).unwrap();
                    let case = format!("{n}×{d} {family} {linsys}");
                    for (j, w) in found.w.iter().enumerate() {
                        let scale = 1.0 + expected[j].abs();
                        assert!((w - expected[j]).abs() < 1e-5 * scale, "{case}: {w} {}", expected[j]);
                    }
                    let b = if intercept { expected[d] } else { 0.0 };
                    assert!((found.b - b).abs() < 1e-5, "{case}: {} {b}", found.b);
                }
            }
        }
    }
}

/// MCP with a huge θ is ℓ1, which is convex: there the step must lead to the optimum.
#[test]
fn where_the_penalty_is_nearly_convex_the_optimum_is_found() {
    let mut random = Lcg(42);
    for (n, d) in [(60, 12), (30, 50)] {
        let rows = random.matrix(n, d, 0.4);
        let y = random.labels(&rows, 4, 0.1);
        let designs: [Box<dyn Design>; 2] = [Box::new(dense(&rows)), Box::new(sparse(&rows))];
        for (x, intercept, l2) in
            [(&designs[0], true, 0.0), (&designs[1], true, 0.05), (&designs[1], false, 0.0)]
        {
            let wide = PenaltySpec { theta: 1e9, ..PenaltySpec::new(Family::Mcp, 0.05) };
            let wide = Regularizer::from_spec(&wide).unwrap().with_l2(l2).unwrap();
            let mut problem = Problem::new(&**x, &y, Loss::Hinge, wide).unwrap();
            if !intercept {
                problem = problem.without_intercept();
            }
            let convex = regularizer(Family::L1, 0.05).with_l2(l2).unwrap();
            let convex = problem.with_regularizer(convex).unwrap();
            let best = solve(&Exact::default(), &convex, None, &mut Silent).unwrap().certificate.objective;
            let stopping = Stopping { tol: 1e-9, max_iter: 3000, max_time: None };
            let solver = Sqa { zero_below: 1e-12, stopping, ..Sqa::default() };
            let found = solve(&solver, &problem, None, &mut Silent).unwrap();
            let certificate = found.certificate;
            assert!((certificate.objective - best).abs() <= 1e-3 * best, "{n}×{d}: {certificate:?}, {best}");
            assert!(certificate.gap <= 1e-2, "{n}×{d} l2 {l2}: {certificate:?}");
        }
    }
}

#[test]
fn kept_features_are_balanced_and_f_is_not_far_above_exact() {
    let mut random = Lcg(43);
    let rows = random.matrix(80, 14, 0.4);
    let y = random.labels(&rows, 4, 0.15);
    let x = dense(&rows);
    for family in FAMILIES {
        let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(family, 0.03)).unwrap();
        let best = solve(&Exact::default(), &problem, None, &mut Silent).unwrap().certificate.objective;
        let stopping = Stopping { tol: 1e-10, max_iter: 5000, max_time: None };
        let found = solve(&Sqa { stopping, ..Sqa::default() }, &problem, None, &mut Silent).unwrap();
        let objective = found.certificate.objective;
        assert!(objective <= 1.15 * best && objective >= 0.999 * best, "{family}: {objective} {best}");
        assert!(found.certificate.complementarity <= 1e-4 * best, "{family}: {:?}", found.certificate);
        assert!(found.nonzeros() < 14, "{family}");
        // Features that were set to zero may want to come back, which this algorithm does not allow.
        for (j, w) in found.w.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let g: f64 = (0..80).map(|i| rows[i][j] * y[i] * found.beta[i]).sum();
            let slope = problem.regularizer().slope_of(j, *w).copysign(*w);
            assert!((g - slope).abs() < 1e-3 * 0.03, "{family}, feature {j}: {g} {slope}");
        }
    }
}

struct Falls(f64);

impl Observer for Falls {
    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        assert!(step.objective <= self.0 * (1.0 + 1e-5), "{} > {}", step.objective, self.0);
        self.0 = step.objective;
        ControlFlow::Continue(())
    }
}

#[test]
fn every_step_lowers_f() {
    let mut random = Lcg(44);
    let rows = random.matrix(60, 25, 0.4);
    let y = random.labels(&rows, 4, 0.15);
    let x = sparse(&rows);
    for family in FAMILIES {
        let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(family, 0.03)).unwrap();
        let solver = Sqa { zero_below: 0.0, ..Sqa::default() };
        let start = Start { w: (0..25).map(|_| random.normal()).collect(), b: 0.0, beta: None };
        solve(&solver, &problem, Some(&start), &mut Falls(f64::INFINITY)).unwrap();
    }
}

#[test]
fn limits_zeros_and_memory() {
    let mut random = Lcg(45);
    let rows = random.matrix(50, 30, 0.3);
    let y = random.labels(&rows, 4, 0.2);
    let x = dense(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::Scad, 0.03)).unwrap();
    let stopping = Stopping { tol: 0.0, max_iter: 7, max_time: None };
    let found = solve(&Sqa { stopping, ..Sqa::default() }, &problem, None, &mut Silent).unwrap();
    assert_eq!((found.iterations, found.status), (7, Status::MaxIter));
    // A zero of the start stays.
    let start = Start { w: (0..30).map(|j| f64::from(j % 2)).collect(), b: 0.0, beta: None };
    let found = solve(&Sqa::default(), &problem, Some(&start), &mut Silent).unwrap();
    assert!(found.w.iter().step_by(2).all(|w| *w == 0.0) && found.nonzeros() > 0);
    // Nothing but the intercept is left, or nothing at all.
    let nothing = Start { w: vec![0.0; 30], b: 0.0, beta: None };
    let found = solve(&Sqa::default(), &problem, Some(&nothing), &mut Silent).unwrap();
    assert!(found.nonzeros() == 0 && found.b.abs() <= 1.0 + 1e-3, "{}", found.b);
    let found =
        solve(&Sqa::default(), &problem.clone().without_intercept(), Some(&nothing), &mut Silent).unwrap();
    assert!(found.nonzeros() == 0 && found.b == 0.0 && (found.certificate.objective - 1.0).abs() < 1e-12);
    for zero_below in [-0.1, 1.0, f64::NAN] {
        let error = solve(&Sqa { zero_below, ..Sqa::default() }, &problem, None, &mut Silent).unwrap_err();
        assert!(error.to_string().contains("zero-below"), "{error}");
    }
    let small = Sqa { memory_limit: 1000, ..Sqa::default() };
    assert!(matches!(solve(&small, &problem, None, &mut Silent), Err(Error::Memory { .. })));
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut random = Lcg(46);
    let rows = random.matrix(600, 700, 0.6);
    let y = random.labels(&rows, 20, 0.05);
    for x in [Box::new(sparse(&rows)) as Box<dyn Design>, Box::new(dense(&rows))] {
        let problem = Problem::new(&*x, &y, Loss::Hinge, regularizer(Family::Scad, 0.05)).unwrap();
        for linsys in [Linsys::Auto, Linsys::Cg] {
            let stopping = Stopping { max_iter: 12, ..Stopping::default() };
            let solver = Sqa { linsys, stopping, ..Sqa::default() };
            threads_agree(|| solve(&solver, &problem, None, &mut Silent).unwrap());
        }
    }
}
