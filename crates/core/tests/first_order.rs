//! GIST and reweighted ℓ1 against the exact solver, which shares no step with them, and against what their
//! papers promise: descent, line searches, limits.
#![allow(clippy::unwrap_used)]

mod support;

use std::ops::ControlFlow;

use sparsvm_core::solver::{Exact, Gist, Observer, Reweighted, Silent, Solver, Step, Stopping, solve};
use sparsvm_core::{Design, Family, Loss, PenaltySpec, Problem, Regularizer, Start, Status};
use support::{Lcg, dense, sparse, threads_agree};

const HUBER: Loss = Loss::HuberHinge { delta: 0.5 };

fn tight(tol: f64) -> Stopping {
    Stopping { tol, max_iter: 50_000, max_time: None }
}

/// Each solver that can take this.
fn solvers(loss: Loss, family: Family, stopping: Stopping) -> Vec<Box<dyn Solver>> {
    let all: [Box<dyn Solver>; 3] = [
        Box::new(Gist { stopping, ..Gist::default() }),
        Box::new(Gist { nonmonotone: 1, stopping }),
        Box::new(Reweighted { stopping, ..Reweighted::default() }),
    ];
    all.into_iter().filter(|solver| solver.scope().takes(loss, Some(family))).collect()
}

fn exact(problem: &Problem<'_>) -> f64 {
    let exact = Exact { stopping: Stopping { tol: 1e-9, ..Exact::default().stopping }, ..Exact::default() };
    solve(&exact, problem, None, &mut Silent).unwrap().certificate.objective
}

fn regularizer(family: Family, lambda: f64) -> Regularizer {
    Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap()
}

#[test]
fn convex_optima_are_those_of_exact() {
    let mut random = Lcg(31);
    for (n, d) in [(60, 12), (25, 40)] {
        let rows = random.matrix(n, d, 0.5);
        let y = random.labels(&rows, 4, 0.1);
        let weights: Vec<f64> = (0..n).map(|i| 0.5 * (i % 4) as f64).collect();
        // The third feature is free, the others cost more and more.
        let factors: Vec<f64> = (0..d).map(|j| if j == 2 { 0.0 } else { 1.0 + 0.05 * j as f64 }).collect();
        let designs: [Box<dyn Design>; 2] = [Box::new(dense(&rows)), Box::new(sparse(&rows))];
        for loss in [Loss::SquaredHinge, HUBER] {
            for (l2, intercept, plain) in [(0.0, true, true), (0.05, false, true), (0.02, true, false)] {
                let mut regularizer = regularizer(Family::L1, 0.03).with_l2(l2).unwrap();
                if !plain {
                    regularizer = regularizer.with_factors(factors.clone()).unwrap();
                }
                for x in &designs {
                    let mut problem = Problem::new(&**x, &y, loss, regularizer.clone()).unwrap();
                    if !plain {
                        problem = problem.with_weights(&weights).unwrap();
                    }
                    if !intercept {
                        problem = problem.without_intercept();
                    }
                    let best = exact(&problem);
                    for solver in solvers(loss, Family::L1, tight(1e-13)) {
                        let found = solve(&*solver, &problem, None, &mut Silent).unwrap();
                        let case = format!("{n}×{d} {loss} l2 {l2} plain {plain} {solver:?}");
                        let certificate = found.certificate;
                        assert!(
                            (certificate.objective - best).abs() <= 1e-8 * best,
                            "{case}: {certificate:?}"
                        );
                        assert!(certificate.within(1e-4), "{case}: {certificate:?}");
                        assert!(intercept || found.b == 0.0, "{case}");
                        assert!(plain || found.w[2] != 0.0, "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn nonconvex_points_are_stationary_and_not_far_above_exact() {
    let mut random = Lcg(32);
    let rows = random.matrix(80, 14, 0.4);
    let y = random.labels(&rows, 4, 0.15);
    let x = sparse(&rows);
    for loss in [Loss::SquaredHinge, HUBER] {
        for family in Family::ALL {
            for l2 in [0.0, 0.05] {
                let regularizer = regularizer(family, 0.03).with_l2(l2).unwrap();
                let problem = Problem::new(&x, &y, loss, regularizer).unwrap();
                let best = exact(&problem);
                for solver in solvers(loss, family, tight(1e-13)) {
                    let found = solve(&*solver, &problem, None, &mut Silent).unwrap().certificate;
                    let case = format!("{loss} {family} l2 {l2} {solver:?}: {found:?}, exact {best}");
                    assert!(found.violation <= 1e-4 && found.imbalance <= 1e-9, "{case}");
                    assert!(found.objective <= 1.15 * best, "{case}");
                    assert!(found.objective >= 0.98 * best, "{case}");
                }
            }
        }
    }
}

/// Keeps every F, and stops when told.
#[derive(Default)]
struct Recorder {
    objectives: Vec<f64>,
    stop_after: Option<usize>,
}

impl Observer for Recorder {
    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        self.objectives.push(step.objective);
        assert_eq!(step.iteration, self.objectives.len());
        if self.stop_after == Some(step.iteration) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn the_line_search_remembers_as_many_values_as_it_should() {
    let mut random = Lcg(33);
    let rows = random.matrix(60, 30, 0.3);
    let y = random.labels(&rows, 4, 0.2);
    let x = dense(&rows);
    let problem = Problem::new(&x, &y, Loss::SquaredHinge, regularizer(Family::Mcp, 0.02)).unwrap();
    let run = |nonmonotone| {
        let mut seen = Recorder::default();
        let solver = Gist { nonmonotone, stopping: tight(1e-12) };
        let found = solve(&solver, &problem, None, &mut seen).unwrap();
        let last = *seen.objectives.last().unwrap();
        assert!((last - found.certificate.objective).abs() < 1e-12 * last);
        for k in nonmonotone..seen.objectives.len() {
            let highest = seen.objectives[k - nonmonotone..k].iter().copied().fold(0.0, f64::max);
            assert!(seen.objectives[k] <= highest * (1.0 + 1e-13), "step {k} of memory {nonmonotone}");
        }
        seen.objectives.windows(2).any(|pair| pair[1] > pair[0] * (1.0 + 1e-12))
    };
    assert!(!run(1), "the monotone search went up");
    assert!(run(5), "the nonmonotone search never went up, so this test shows nothing");
}

#[test]
fn one_round_is_plain_l1_and_more_only_help() {
    let mut random = Lcg(34);
    let rows = random.matrix(70, 20, 0.3);
    let y = random.labels(&rows, 4, 0.1);
    let x = sparse(&rows);
    let fit = |family, rounds| {
        let problem = Problem::new(&x, &y, Loss::SquaredHinge, regularizer(family, 0.05)).unwrap();
        let solver = Reweighted { rounds, stopping: tight(1e-10) };
        solve(&solver, &problem, None, &mut Silent).unwrap()
    };
    let l1 = fit(Family::L1, 100);
    // MCP and LSP with θ = 1 have ℓ1's slope at 0, and ℓp begins with ℓ1.
    for family in [Family::Mcp, Family::Lsp, Family::Lp] {
        assert_eq!(fit(family, 1).w, l1.w, "{family}");
        let objectives: Vec<f64> = (1..6).map(|rounds| fit(family, rounds).certificate.objective).collect();
        assert!(
            objectives.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)),
            "{family}: {objectives:?}"
        );
        assert!(objectives[4] < objectives[0], "{family}: {objectives:?}");
    }
}

#[test]
fn limits_starts_and_settings_are_honoured() {
    let mut random = Lcg(35);
    let rows = random.matrix(50, 30, 0.3);
    let y = random.labels(&rows, 4, 0.2);
    let x = dense(&rows);
    let problem = Problem::new(&x, &y, Loss::SquaredHinge, regularizer(Family::Mcp, 0.03)).unwrap();
    for solver in solvers(Loss::SquaredHinge, Family::Mcp, Stopping { tol: 0.0, max_iter: 7, max_time: None })
    {
        let found = solve(&*solver, &problem, None, &mut Silent).unwrap();
        assert_eq!((found.iterations, found.status), (7, Status::MaxIter), "{solver:?}");
        let mut stops = Recorder { stop_after: Some(3), ..Recorder::default() };
        let found = solve(&*solver, &problem, None, &mut stops).unwrap();
        assert_eq!((found.iterations, found.status), (3, Status::Interrupted), "{solver:?}");
    }
    let best = solve(&Exact::default(), &problem, None, &mut Silent).unwrap();
    let start = Start { w: best.w.clone(), b: 0.0, beta: None };
    for solver in solvers(Loss::SquaredHinge, Family::Mcp, tight(1e-10)) {
        let warm = solve(&*solver, &problem, Some(&start), &mut Silent).unwrap();
        assert!(warm.certificate.objective <= best.certificate.objective * (1.0 + 1e-9), "{solver:?}");
        let wrong = Start { w: vec![0.0; 3], b: 0.0, beta: None };
        assert!(solve(&*solver, &problem, Some(&wrong), &mut Silent).is_err());
    }
    let none: [Box<dyn Solver>; 2] = [
        Box::new(Gist { nonmonotone: 0, ..Gist::default() }),
        Box::new(Reweighted { rounds: 0, ..Reweighted::default() }),
    ];
    for solver in none {
        assert!(solve(&*solver, &problem, None, &mut Silent).is_err(), "{solver:?}");
    }
}

#[test]
fn ugly_data_does_no_harm() {
    let mut random = Lcg(36);
    let mut rows = random.matrix(60, 10, 0.3);
    let mut y = random.labels(&rows, 4, 0.05);
    for row in &mut rows {
        row[1] *= 1e5;
        row[2] *= 1e-5;
        row[5] = row[4];
        row[9] = 0.0;
    }
    let x = sparse(&rows);
    for case in 0..2 {
        let problem = Problem::new(&x, &y, Loss::SquaredHinge, regularizer(Family::Mcp, 0.01)).unwrap();
        for solver in solvers(Loss::SquaredHinge, Family::Mcp, Stopping::default()) {
            let found = solve(&*solver, &problem, None, &mut Silent).unwrap();
            let zero = problem.objective(&[0.0; 10], 0.0, &mut [0.0; 60]);
            assert!(found.certificate.objective < zero, "{case} {solver:?}: {:?}", found.certificate);
            assert_eq!(found.w[9], 0.0);
        }
        // The second time with one class only: b alone does it.
        y.fill(1.0);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut random = Lcg(37);
    let rows = random.matrix(400, 600, 0.5);
    let y = random.labels(&rows, 20, 0.05);
    for x in [Box::new(sparse(&rows)) as Box<dyn Design>, Box::new(dense(&rows))] {
        let problem = Problem::new(&*x, &y, Loss::SquaredHinge, regularizer(Family::Mcp, 0.02)).unwrap();
        for solver in solvers(Loss::SquaredHinge, Family::Mcp, Stopping::default()) {
            threads_agree(|| solve(&*solver, &problem, None, &mut Silent).unwrap());
        }
    }
}
