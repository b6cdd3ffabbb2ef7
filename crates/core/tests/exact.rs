//! The exact solver on every combination of loss, penalty, ridge, intercept and storage, judged by the
//! certificate and by other ways to the same number.
#![allow(clippy::unwrap_used)]

mod support;

use sparsvm_core::solver::{Exact, Feadmm, Silent, Stopping, rho_grid, solve};
use sparsvm_core::{Design, Family, Loss, PenaltySpec, Problem, Regularizer, Solution, Start, Status};
use support::{Lcg, dense, sparse};

const LOSSES: [Loss; 4] =
    [Loss::Hinge, Loss::SquaredHinge, Loss::HuberHinge { delta: 2.0 }, Loss::HuberHinge { delta: 0.1 }];

fn exact(tol: f64) -> Exact {
    Exact { stopping: Stopping { tol, ..Exact::default().stopping }, ..Exact::default() }
}

fn fit(problem: &Problem<'_>, tol: f64) -> Solution {
    solve(&exact(tol), problem, None, &mut Silent).unwrap()
}

fn regularizer(family: Family, lambda: f64) -> Regularizer {
    Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap()
}

#[test]
fn every_combination_is_certified() {
    let mut random = Lcg(1);
    for (n, d) in [(60, 12), (25, 70)] {
        let rows = random.matrix(n, d, 0.5);
        let y = random.labels(&rows, 4, 0.1);
        let designs: [Box<dyn Design>; 2] = [Box::new(dense(&rows)), Box::new(sparse(&rows))];
        for loss in LOSSES {
            for family in Family::ALL {
                for l2 in [0.0, 0.05] {
                    for intercept in [true, false] {
                        let mut objectives = Vec::new();
                        for x in &designs {
                            let regularizer = regularizer(family, 0.03).with_l2(l2).unwrap();
                            let mut problem = Problem::new(&**x, &y, loss, regularizer).unwrap();
                            if !intercept {
                                problem = problem.without_intercept();
                            }
                            let few = Exact { starts: 3, ..exact(1e-4) };
                            let found = solve(&few, &problem, None, &mut Silent).unwrap();
                            let case = format!("{n}×{d} {loss} {family} l2 {l2} intercept {intercept}");
                            assert_eq!(found.status, Status::Converged, "{case}: {:?}", found.certificate);
                            assert!(intercept || found.b == 0.0, "{case}");
                            objectives.push(found.certificate.objective);
                        }
                        // A nonconvex descent may part ways at a rounding; a convex one may not.
                        let close = if family == Family::L1 { 2e-4 } else { 0.2 };
                        assert!((objectives[0] - objectives[1]).abs() <= close * objectives[0]);
                    }
                }
            }
        }
    }
}

#[test]
fn tight_tolerances_are_reached() {
    let mut random = Lcg(2);
    let rows = random.matrix(80, 200, 0.3);
    let y = random.labels(&rows, 5, 0.1);
    let x = sparse(&rows);
    for loss in LOSSES {
        for family in [Family::L1, Family::Mcp, Family::CappedL1] {
            let problem = Problem::new(&x, &y, loss, regularizer(family, 0.02)).unwrap();
            let found = fit(&problem, 1e-8);
            assert_eq!(found.status, Status::Converged, "{loss} {family}: {:?}", found.certificate);
        }
    }
}

#[test]
fn weights_and_factors_count() {
    let mut random = Lcg(3);
    let rows = random.matrix(40, 10, 0.2);
    let y = random.labels(&rows, 3, 0.15);
    let x = dense(&rows);
    // A row with weight 2 is the row twice, and one with weight 0 is no row.
    let weights: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
    let (mut more, mut more_y) = (Vec::new(), Vec::new());
    for (i, row) in rows.iter().enumerate() {
        for _ in 0..i % 3 {
            more.push(row.clone());
            more_y.push(y[i]);
        }
    }
    let repeated = dense(&more);
    let share = more.len() as f64 / 40.0;
    for loss in LOSSES {
        let weighted = Problem::new(&x, &y, loss, regularizer(Family::L1, 0.02)).unwrap();
        let weighted = fit(&weighted.with_weights(&weights).unwrap(), 1e-9).certificate.objective;
        let problem = Problem::new(&repeated, &more_y, loss, regularizer(Family::L1, 0.02 / share)).unwrap();
        let plain = fit(&problem, 1e-9).certificate.objective * share;
        assert!((weighted - plain).abs() <= 1e-7 * plain, "{loss}: {weighted} {plain}");
    }
    // A factor 0 keeps its feature, however strong the penalty.
    let mut factors = vec![1.0; 10];
    factors[7] = 0.0;
    for family in Family::ALL {
        let regularizer = regularizer(family, 10.0).with_factors(factors.clone()).unwrap();
        let found = fit(&Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap(), 1e-4);
        let kept: Vec<usize> = (0..10).filter(|&j| found.w[j] != 0.0).collect();
        assert_eq!(kept, [7], "{family}");
        assert_eq!(found.status, Status::Converged, "{family}: {:?}", found.certificate);
    }
}

#[test]
fn ugly_data_is_certified() {
    let mut random = Lcg(4);
    let mut rows = random.matrix(120, 30, 0.3);
    let mut y = random.labels(&rows, 4, 0.05);
    for row in &mut rows {
        row[1] *= 1e6;
        row[2] *= 1e-6;
        row[5] = row[4];
        row[6] = -2.0 * row[4];
        row[8] = 1.0;
        row[9] = 0.0;
    }
    let x = sparse(&rows);
    for family in Family::ALL {
        for loss in [Loss::Hinge, Loss::SquaredHinge] {
            let problem = Problem::new(&x, &y, loss, regularizer(family, 0.01)).unwrap();
            let found = fit(&problem, 1e-4);
            assert_eq!(found.status, Status::Converged, "{loss} {family}: {:?}", found.certificate);
        }
    }
    // One positive row in 120, then separable by construction.
    y.iter_mut().enumerate().for_each(|(i, y)| *y = if i == 17 { 1.0 } else { -1.0 });
    let found = fit(&Problem::new(&x, &y, Loss::Hinge, regularizer(Family::Mcp, 0.001)).unwrap(), 1e-4);
    assert_eq!(found.status, Status::Converged, "{:?}", found.certificate);
}

#[test]
fn never_above_feadmm_with_its_best_parameters() {
    let mut random = Lcg(5);
    for (n, d) in [(50, 8), (20, 60)] {
        let rows = random.matrix(n, d, 0.2);
        let y = random.labels(&rows, 3, 0.1);
        let x = dense(&rows);
        for family in [Family::Scad, Family::Mcp, Family::Lsp, Family::CappedL1] {
            let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(family, 1.0 / 64.0)).unwrap();
            let (_, theirs) = rho_grid(&Feadmm::default(), &problem, &mut Silent).unwrap();
            let ours = fit(&problem, 1e-6).certificate.objective;
            assert!(ours <= theirs.certificate.objective * (1.0 + 1e-6), "{family}: {ours}");
        }
    }
}

#[test]
fn a_start_is_never_made_worse() {
    let mut random = Lcg(6);
    let rows = random.matrix(40, 60, 0.2);
    let y = random.labels(&rows, 3, 0.1);
    let x = sparse(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::Mcp, 0.05)).unwrap();
    let few = Exact { starts: 1, ..exact(1e-6) };
    let alone = solve(&few, &problem, None, &mut Silent).unwrap();
    let many = fit(&problem, 1e-6);
    let start = Start { w: many.w.clone(), b: many.b, beta: None };
    let warm = solve(&few, &problem, Some(&start), &mut Silent).unwrap();
    assert!(warm.certificate.objective <= many.certificate.objective * (1.0 + 1e-6));
    assert!(warm.certificate.objective <= alone.certificate.objective * (1.0 + 1e-6));
    let wrong = Start { w: vec![0.0; 3], b: 0.0, beta: None };
    assert!(solve(&few, &problem, Some(&wrong), &mut Silent).is_err());
}

/// At large λ many features cost more than they bring, and starts with many lead to solutions with many.
#[test]
fn nothing_at_all_is_a_start_too_but_others_are_tried() {
    let mut random = Lcg(31);
    let rows = random.matrix(2000, 800, 0.9);
    let y = random.labels(&rows, 40, 0.1);
    let x = sparse(&rows);
    let rarer =
        2.0 * y.iter().filter(|y| **y > 0.0).count().min(y.iter().filter(|y| **y < 0.0).count()) as f64;
    for starts in [1, 20] {
        let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::Mcp, 0.3)).unwrap();
        let found = solve(&Exact { starts, ..exact(1e-4) }, &problem, None, &mut Silent).unwrap();
        let nothing = rarer / y.len() as f64;
        assert!(found.certificate.objective <= nothing * (1.0 + 1e-9), "{:?}", found.certificate);
    }
    let mut random = Lcg(31);
    let rows = random.matrix(600, 300, 0.9);
    let y = random.labels(&rows, 40, 0.1);
    let x = sparse(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::Mcp, 0.1)).unwrap();
    let [one, many] =
        [1, 20].map(|starts| solve(&Exact { starts, ..exact(1e-4) }, &problem, None, &mut Silent).unwrap());
    assert!(one.nonzeros() > 0 && many.nonzeros() > 0, "{} {}", one.nonzeros(), many.nonzeros());
}

/// From 10,000 samples on one start, well chosen, is all that up to 20 are, but for what pruning adds.
#[test]
fn more_starts_end_no_higher() {
    let mut random = Lcg(41);
    for (n, d, informative) in [(60, 200, 4), (400, 80, 15), (10_000, 12, 6)] {
        let rows = random.matrix(n, d, 0.7);
        let y = random.labels(&rows, informative, 0.1);
        let x = sparse(&rows);
        for loss in [Loss::Hinge, Loss::SquaredHinge] {
            for family in [Family::Mcp, Family::Lsp, Family::CappedL1] {
                let problem = Problem::new(&x, &y, loss, regularizer(family, 0.03)).unwrap();
                let [one, usual, more] = [1, 20, 40].map(|starts| {
                    let found = solve(&Exact { starts, ..exact(1e-4) }, &problem, None, &mut Silent).unwrap();
                    assert_eq!(found.status, Status::Converged, "{n}×{d} {loss} {family} {starts}");
                    found.certificate.objective
                });
                assert!(usual <= one * (1.0 + 1e-4), "{n}×{d} {loss} {family}: {one} {usual}");
                assert!(more <= usual * (1.0 + 1e-4), "{n}×{d} {loss} {family}: {usual} {more}");
                // A quick look is not far off.
                assert!(one <= 1.4 * more, "{n}×{d} {loss} {family}: {one} {more}");
            }
        }
    }
}

#[test]
fn a_model_without_its_multipliers_is_a_start_too() {
    let (mut cold, mut warm) = (0, 0);
    for (seed, n, d) in [(21, 60, 200), (22, 300, 30), (23, 150, 400), (24, 80, 80)] {
        let mut random = Lcg(seed);
        let rows = random.matrix(n, d, 0.3);
        let y = random.labels(&rows, 5, 0.1);
        let x = sparse(&rows);
        let stronger = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::L1, 0.022)).unwrap();
        let model = fit(&stronger, 1e-4);
        let start = Start { w: model.w, b: model.b, beta: None };
        let problem = stronger.with_regularizer(regularizer(Family::L1, 0.02)).unwrap();
        let near = solve(&exact(1e-4), &problem, Some(&start), &mut Silent).unwrap();
        let far = fit(&problem, 1e-4);
        let (a, b) = (near.certificate.objective, far.certificate.objective);
        assert!((a - b).abs() <= 1e-4 * b, "{a} {b}");
        warm += near.iterations;
        cold += far.iterations;
    }
    assert!(4 * warm < 3 * cold, "{warm} steps from a near model, {cold} from none");
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut random = Lcg(7);
    let rows = random.matrix(700, 900, 0.8);
    let y = random.labels(&rows, 30, 0.05);
    for x in [Box::new(sparse(&rows)) as Box<dyn Design>, Box::new(dense(&rows))] {
        for (loss, family, lambda) in [
            (Loss::Hinge, Family::L1, 0.004),
            (Loss::SquaredHinge, Family::L1, 0.002),
            (Loss::Hinge, Family::Mcp, 0.02),
        ] {
            let problem = Problem::new(&*x, &y, loss, regularizer(family, lambda)).unwrap();
            let few = Exact { starts: 3, ..exact(1e-4) };
            let results: Vec<(Vec<f64>, f64)> = [1, 2, 3]
                .into_iter()
                .map(|threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let found = pool.install(|| solve(&few, &problem, None, &mut Silent).unwrap());
                    (found.w, found.b)
                })
                .collect();
            assert_eq!(results[0], results[1], "{loss} {family}");
            assert_eq!(results[0], results[2], "{loss} {family}");
        }
    }
}

/// All features past the penalty's flat end: every slope is 0, and so is what a violation is measured by,
/// unless it is the slope at zero. This once took 700,000 steps.
#[test]
fn a_solution_on_the_flat_end_is_recognised() {
    let mut random = Lcg(8);
    let rows = random.matrix(80, 6, 0.0);
    let y = random.labels(&rows, 6, 0.1);
    let x = dense(&rows);
    let weights: Vec<f64> = y.iter().map(|y| if *y > 0.0 { 5.0 } else { 1.0 }).collect();
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::Mcp, 1.0 / 64.0)).unwrap();
    let found = fit(&problem.with_weights(&weights).unwrap(), 1e-4);
    assert_eq!(found.status, Status::Converged, "{:?}", found.certificate);
    assert!(found.iterations < 10_000, "{}", found.iterations);
}

#[test]
fn separable_data_gets_the_shortest_of_equal_models() {
    let mut random = Lcg(77);
    for case in 0..20 {
        let rows = random.matrix(30, 12, 1.0);
        let y: Vec<f64> = rows.iter().map(|row| if row[0] + row[1] > 0.0 { 1.0 } else { -1.0 }).collect();
        let x = dense(&rows);
        for family in [Family::Mcp, Family::Scad, Family::CappedL1] {
            let penalty = Regularizer::from_spec(&PenaltySpec::new(family, 0.01)).unwrap();
            let problem = Problem::new(&x, &y, Loss::Hinge, penalty).unwrap();
            let found = solve(&Exact::default(), &problem, None, &mut Silent).unwrap();
            assert_eq!(found.status, Status::Converged, "case {case} {family}");
            let mut scores = vec![0.0; 30];
            let objective = problem.objective(&found.w, found.b, &mut scores);
            let least = scores.iter().zip(&y).map(|(s, y)| y * (s + found.b)).fold(f64::INFINITY, f64::min);
            let half: Vec<f64> = found.w.iter().map(|w| 0.5 * w).collect();
            let shorter = problem.objective(&half, 0.5 * found.b, &mut scores);
            assert!(
                shorter > objective * (1.0 + 1e-9),
                "case {case} {family}: {shorter} {objective} {least}"
            );
        }
    }
}

#[test]
fn one_class_with_all_the_weight_ends_at_once() {
    let mut random = Lcg(78);
    let rows = random.matrix(20, 5, 1.0);
    let y: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let weights: Vec<f64> = y.iter().map(|y| if *y > 0.0 { 1.0 } else { 0.0 }).collect();
    let x = dense(&rows);
    for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::HuberHinge { delta: 2.0 }] {
        for family in Family::ALL {
            let spec = PenaltySpec::new(family, 0.1);
            let problem = Problem::new(&x, &y, loss, Regularizer::from_spec(&spec).unwrap()).unwrap();
            let problem = problem.with_weights(&weights).unwrap();
            let found = solve(&Exact::default(), &problem, None, &mut Silent).unwrap();
            assert_eq!(found.nonzeros(), 0);
            assert!(found.certificate.objective < 1e-6, "{loss} {family}");
            assert!(sparsvm_core::path::lambda_max(&problem, &spec, &mut Silent).is_err());
        }
    }
}

/// Conjugate gradients and sweeps end where the intercept is not yet at rest; the certificate would have to balance the
/// multipliers, at the cost of its bound.
#[test]
fn rough_fits_of_the_hinge_leave_the_classes_balanced() {
    let mut random = Lcg(3);
    let rows = random.matrix(2000, 500, 0.97);
    let y = random.labels(&rows, 20, 0.5);
    let x = sparse(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::L1, 1e-4)).unwrap();
    for tol in [1e-2, 1e-3] {
        let found = fit(&problem, tol);
        assert!(found.nonzeros() >= 300, "{} features: none of the rough directions", found.nonzeros());
        assert!(found.certificate.imbalance < 1e-12, "tol {tol}: {:?}", found.certificate);
    }
}
