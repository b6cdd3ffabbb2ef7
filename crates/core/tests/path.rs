//! Paths and λ_max.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::ops::ControlFlow;

use sparsvm_core::design::Dense;
use sparsvm_core::path::{Best, Grid, PathSettings, best_within, lambda_max, path};
use sparsvm_core::solver::{Exact, Observer, Silent, Step, Stopping, solve};
use sparsvm_core::{Design, Family, Loss, PenaltySpec, Problem, Regularizer, Status, certify};
use support::{Lcg, dense, sparse};

fn l1(lambda: f64) -> Regularizer {
    Regularizer::from_spec(&PenaltySpec::new(Family::L1, lambda)).unwrap()
}

/// F at λ, solved accurately from nothing.
fn value(problem: &Problem<'_>, lambda: f64) -> (f64, usize) {
    let exact = Exact { stopping: Stopping { tol: 1e-10, ..Exact::default().stopping }, ..Exact::default() };
    let found = solve(&exact, &problem.with_regularizer(l1(lambda)).unwrap(), None, &mut Silent).unwrap();
    (found.certificate.objective, found.nonzeros())
}

#[test]
fn nothing_is_kept_from_lambda_max_on_and_something_just_below() {
    let mut random = Lcg(11);
    for case in 0..30 {
        let (n, d) = [(40, 5), (30, 80), (200, 4)][case % 3];
        let rows = random.matrix(n, d, 0.3);
        // From balanced to extreme: the rows with the largest scores are positive.
        let positives = [n / 2, n / 3, n / 10, 2][case % 4];
        let score = |row: &[f64]| row[0] - 0.8 * row[1] + row[2];
        let mut scores: Vec<f64> = rows.iter().map(|row| score(row)).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        let cut = 0.5 * (scores[positives - 1] + scores[positives]);
        let y: Vec<f64> = rows.iter().map(|row| if score(row) > cut { 1.0 } else { -1.0 }).collect();
        let x = sparse(&rows);
        for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::HuberHinge { delta: 2.0 }] {
            for intercept in [true, false] {
                let mut problem = Problem::new(&x, &y, loss, l1(1.0)).unwrap();
                if !intercept {
                    problem = problem.without_intercept();
                }
                let largest = lambda_max(&problem, &PenaltySpec::new(Family::L1, 1.0), &mut Silent).unwrap();
                let what = format!("case {case} {loss} intercept {intercept} {largest}");
                let (nothing, _) = value(&problem, 2.0 * largest);
                let (at, _) = value(&problem, largest);
                assert!((at - nothing).abs() <= 1e-7 * nothing, "{what}: {at} {nothing}");
                let (below, kept) = value(&problem, 0.999 * largest);
                assert!(below < nothing && kept > 0, "{what}: {below} {nothing} {kept}");
            }
        }
    }
}

#[test]
fn every_point_is_certified_and_agrees_with_a_fit_of_its_own() {
    let mut random = Lcg(12);
    let rows = random.matrix(60, 120, 0.4);
    let y = random.labels(&rows, 4, 0.1);
    let x = sparse(&rows);
    for family in Family::ALL {
        for loss in [Loss::Hinge, Loss::SquaredHinge] {
            let spec = PenaltySpec::new(family, 1.0);
            let problem = Problem::new(&x, &y, loss, l1(1.0)).unwrap();
            let settings =
                PathSettings { grid: Grid::Spaced { count: 12, min_ratio: 0.05 }, ..PathSettings::default() };
            let found = path(&problem, &spec, &settings, &mut Silent).unwrap();
            assert_eq!(found.points.len(), 12);
            for point in &found.points {
                assert_eq!(
                    point.status,
                    Status::Converged,
                    "{family} {loss} {}: {:?}",
                    point.lambda,
                    point.certificate
                );
            }
            assert_eq!(found.status, Status::Converged);
            assert!(found.points[0].w.is_empty() && !found.points[11].w.is_empty());
            assert!((found.points[11].lambda - 0.05 * found.lambda_max).abs() < 1e-12);
            if family == Family::L1 {
                for point in &found.points {
                    let (alone, _) = value(&problem, point.lambda);
                    assert!(point.certificate.objective <= alone * (1.0 + 1e-4), "{loss}");
                }
            }
        }
    }
}

#[test]
fn a_path_stops_before_too_many_features() {
    let mut random = Lcg(13);
    let rows = random.matrix(300, 40, 0.4);
    let y = random.labels(&rows, 4, 0.1);
    let x = sparse(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, l1(1.0)).unwrap();
    let settings = PathSettings { max_features: Some(7), ..PathSettings::default() };
    let found = path(&problem, &PenaltySpec::new(Family::L1, 1.0), &settings, &mut Silent).unwrap();
    assert!(found.points.iter().all(|point| point.w.len() <= 7));
    assert!(found.points.len() < 100 && found.points.iter().any(|point| point.w.len() >= 4));
    let spaced = |count, min_ratio| Grid::Spaced { count, min_ratio };
    let given = |lambdas: &[f64]| Grid::Given(lambdas.to_vec());
    for wrong in [
        spaced(0, 0.1),
        spaced(9, 1.0),
        given(&[]),
        given(&[0.1, 0.2]),
        given(&[0.1, 0.0]),
        given(&[f64::NAN]),
    ] {
        let wrong = PathSettings { grid: wrong, ..settings.clone() };
        assert!(path(&problem, &PenaltySpec::new(Family::L1, 1.0), &wrong, &mut Silent).is_err());
    }
}

/// 40 × 2,000, so that threads share it.
fn wide() -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Lcg(15);
    let rows = random.matrix(40, 2_000, 0.0);
    let y = random.labels(&rows, 4, 0.1);
    (rows, y)
}

#[test]
fn certificates_of_dense_data_that_is_read_once_for_several_are_those_of_each() {
    let (rows, y) = wide();
    let by_columns: Vec<f64> = (0..2_000).flat_map(|j| rows.iter().map(move |row| row[j])).collect();
    let by_columns = Dense::from_columns(40, 2_000, by_columns).unwrap();
    let by_rows = dense(&rows);
    // Neither is a multiple of those that are read for together.
    for (family, count) in [(Family::L1, 19), (Family::Mcp, 5)] {
        let spec = PenaltySpec::new(family, 1.0);
        let grid = Grid::Spaced { count, min_ratio: 0.05 };
        let settings = PathSettings { grid, ..PathSettings::default() };
        let designs: [&dyn Design; 2] = [&by_columns, &by_rows];
        let found = designs.map(|x| {
            let problem = Problem::new(x, &y, Loss::Hinge, l1(1.0)).unwrap();
            let found = path(&problem, &spec, &settings, &mut Silent).unwrap();
            assert_eq!(found.points.len(), count);
            for point in &found.points {
                let regularizer = Regularizer::from_spec(&spec.with_lambda(point.lambda)).unwrap();
                let alone = problem.with_regularizer(regularizer).unwrap();
                let judged = certify(&alone, &point.solution(2_000).w, point.b, &point.beta);
                assert_eq!(point.certificate, judged, "{family} {}", point.lambda);
                assert!(judged.within(1e-4), "{family} {}: {judged:?}", point.lambda);
            }
            found.points
        });
        for (a, b) in found[0].iter().zip(&found[1]) {
            assert_eq!((&a.w, a.b, &a.beta, a.certificate), (&b.w, b.b, &b.beta, b.certificate));
        }
    }
}

/// Separable data of more features than samples: from somewhere on w stands still and the multipliers go down with λ.
#[test]
fn a_path_looks_ahead_where_nothing_but_the_multipliers_changes() {
    let (rows, y) = wide();
    let x = dense(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, l1(1.0)).unwrap();
    let grid = Grid::Spaced { count: 50, min_ratio: 0.05 };
    let settings = PathSettings { grid, ..PathSettings::default() };
    let found = path(&problem, &PenaltySpec::new(Family::L1, 1.0), &settings, &mut Silent).unwrap();
    let last = &found.points[35..];
    assert!(last.iter().all(|point| point.w.len() == last[0].w.len() && point.status == Status::Converged));
    let steps: usize = last.iter().map(|point| point.iterations).sum();
    assert!(steps <= last.len(), "{steps} steps of {} points", last.len());
    // And no certificate has to balance the classes, but at λ_max, where nothing is solved for.
    for point in &found.points[1..] {
        assert!(point.certificate.imbalance < 1e-14, "{}: {:?}", point.lambda, point.certificate);
    }
}

/// Wants to stop in the first step after so many λ.
struct Impatient {
    most: usize,
    done: usize,
}

impl Observer for Impatient {
    fn on_part(&mut self, done: usize, _all: usize) {
        self.done = done;
    }

    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        if self.done < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn a_path_that_is_interrupted_keeps_what_was_found_before() {
    let (rows, y) = wide();
    let x = dense(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, l1(1.0)).unwrap();
    let spec = PenaltySpec::new(Family::L1, 1.0);
    let whole = path(&problem, &spec, &PathSettings::default(), &mut Silent).unwrap();
    let mut watch = Impatient { most: 5, done: 0 };
    let cut = path(&problem, &spec, &PathSettings::default(), &mut watch).unwrap();
    assert_eq!(cut.status, Status::Interrupted);
    let [before @ .., last] = &cut.points[..] else { panic!("there are points") };
    assert_eq!((before.len(), last.status), (5, Status::Interrupted));
    for (point, of_whole) in before.iter().zip(&whole.points) {
        assert_eq!((point.status, &point.w), (Status::Converged, &of_whole.w));
    }
}

#[test]
fn given_lambdas_are_fitted_and_keep_nothing_from_lambda_max_on() {
    let mut random = Lcg(14);
    let rows = random.matrix(80, 30, 0.4);
    let y = random.labels(&rows, 4, 0.1);
    let x = sparse(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, l1(1.0)).unwrap();
    let spec = PenaltySpec::new(Family::L1, 1.0);
    let largest = lambda_max(&problem, &spec, &mut Silent).unwrap();
    let lambdas = vec![3.0 * largest, 1.01 * largest, 0.5 * largest, 0.2 * largest];
    let settings = PathSettings { grid: Grid::Given(lambdas.clone()), ..PathSettings::default() };
    let found = path(&problem, &spec, &settings, &mut Silent).unwrap();
    assert_eq!(found.points.iter().map(|point| point.lambda).collect::<Vec<_>>(), lambdas);
    assert!(found.points.iter().all(|point| point.status == Status::Converged));
    assert!(found.points[..2].iter().all(|point| point.w.is_empty()));
    for point in &found.points[2..] {
        let (alone, _) = value(&problem, point.lambda);
        assert!((point.certificate.objective - alone).abs() <= 1e-4 * alone);
    }
}

#[test]
fn so_many_lambdas_that_they_would_fill_the_memory_are_refused() {
    for count in [0, Grid::MOST + 1, usize::MAX] {
        let fault = Grid::Spaced { count, min_ratio: 0.5 }.lambdas(1.0).unwrap_err().to_string();
        assert!(fault.contains("n-lambda") && fault.contains("between 1 and 1000000"), "{fault}");
    }
}

/// 200 rows of 40 features, of which 20 count alike: the path goes from none of them to many at once.
fn evenly() -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Lcg(16);
    let rows = random.matrix(200, 40, 0.7);
    let y = random.labels(&rows, 20, 0.0);
    (rows, y)
}

#[test]
fn with_few_features_a_search_beside_the_path_finds_a_lower_loss() {
    let (rows, y) = evenly();
    let x = sparse(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, l1(1.0)).unwrap();
    for (family, most) in [(Family::Mcp, 4), (Family::Scad, 4), (Family::Scad, 15), (Family::L1, 15)] {
        let spec = PenaltySpec::new(family, 1.0);
        let settings = PathSettings { max_features: Some(most), ..PathSettings::default() };
        let (followed, best) = best_within(&problem, &spec, &settings, &mut Silent).unwrap();
        let Best { lambda, solution, beside } = best.unwrap();
        let (of_path, on_path) = followed.best(40).unwrap();
        let what = format!("{family} {most}: {} {}", solution.certificate.loss, on_path.certificate.loss);
        assert!((1..=most).contains(&solution.nonzeros()) && solution.status == Status::Converged, "{what}");
        if family == Family::L1 {
            assert_eq!((lambda, solution.w, beside), (of_path, on_path.w, 0), "{what}");
            continue;
        }
        assert!(solution.certificate.loss < 0.9 * on_path.certificate.loss, "{what}");
        assert!(lambda > followed.lambda_max && beside > 0, "{what}");
        // It is what it says: the certificate at that λ is within the tolerance.
        let regularizer = Regularizer::from_spec(&spec.with_lambda(lambda)).unwrap();
        let there = problem.with_regularizer(regularizer).unwrap();
        assert!(certify(&there, &solution.w, solution.b, &solution.beta).within(1e-4), "{what}");
    }
}

/// The points before the last with few features are not asked for, so most of them are not looked at. Features leave along a path as
/// well: then that may be a later point than the one before the first with too many, and never an earlier one.
#[test]
fn a_convex_path_to_so_many_features_is_jumped_along_and_ends_no_earlier() {
    let mut random = Lcg(19);
    let rows = random.matrix(150, 200, 0.4);
    let y = random.labels(&rows, 12, 0.5);
    let x = sparse(&rows);
    let spec = PenaltySpec::new(Family::L1, 1.0);
    let (mut is_shorter, mut are_same) = (false, 0);
    for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::HuberHinge { delta: 2.0 }] {
        let problem = Problem::new(&x, &y, loss, l1(1.0)).unwrap();
        for most in [1, 6, 30, 200] {
            let settings = PathSettings { max_features: Some(most), ..PathSettings::default() };
            let whole = path(&problem, &spec, &settings, &mut Silent).unwrap();
            let (jumped, best) = best_within(&problem, &spec, &settings, &mut Silent).unwrap();
            let (best, last) = (best.unwrap(), whole.points.last().unwrap());
            let what = format!("{loss} {most}: {} {}", best.lambda, last.lambda);
            assert!(best.lambda <= last.lambda && best.solution.nonzeros() <= most, "{what}");
            let (value, of_path) = (best.solution.certificate.objective, last.certificate.objective);
            assert!(value <= (1.0 + 2e-4) * of_path, "{what}: {value} {of_path}");
            are_same += usize::from(best.lambda == last.lambda);
            assert!(best.solution.status == Status::Converged && best.beside == 0, "{what}");
            let lambdas: Vec<f64> = jumped.points.iter().map(|point| point.lambda).collect();
            assert!(lambdas.is_sorted_by(|a, b| a > b) && lambdas.len() <= 9, "{what}: {lambdas:?}");
            is_shorter |= 5 * lambdas.len() <= whole.points.len();
        }
    }
    assert!(is_shorter && are_same >= 9, "{are_same}");
}

/// Wants to stop as soon as something but the path is tried.
struct Follower {
    is_beside: bool,
}

impl Observer for Follower {
    fn on_phase(&mut self, phase: &str) {
        self.is_beside = phase.starts_with("searching beside the path");
    }

    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        if self.is_beside { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_search_beside_the_path_that_is_interrupted_leaves_what_the_path_has() {
    let (rows, y) = evenly();
    let x = sparse(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, l1(1.0)).unwrap();
    let spec = PenaltySpec::new(Family::Mcp, 1.0);
    let settings = PathSettings { max_features: Some(4), ..PathSettings::default() };
    let (followed, best) =
        best_within(&problem, &spec, &settings, &mut Follower { is_beside: false }).unwrap();
    let best = best.unwrap();
    assert_eq!(followed.status, Status::Converged);
    let (lambda, on_path) = followed.best(40).unwrap();
    assert_eq!((best.lambda, &best.solution.w), (lambda, &on_path.w));
    assert_eq!((best.solution.status, best.beside), (Status::Interrupted, 1));
    assert!(best.solution.iterations > on_path.iterations);
    // Limits are for the path and the searches together.
    let max_iter = on_path.iterations + 50;
    let exact = Exact { stopping: Stopping { max_iter, ..Exact::default().stopping }, ..Exact::default() };
    let (_, best) = best_within(&problem, &spec, &PathSettings { exact, ..settings }, &mut Silent).unwrap();
    let best = best.unwrap().solution;
    assert_eq!((best.status, best.iterations), (Status::MaxIter, max_iter));
}

/// Levels of a category, a column each: they sum to the constant column, so where all weights are past the flat end the
/// multipliers have more equations to meet than there are unknowns. What rounding leaves of these must not come back magnified.
#[test]
fn categories_are_certified_past_the_flat_end() {
    for seed in 0..8 {
        let mut random = Lcg(seed);
        let levels = [2, 3, 4];
        let effects: Vec<Vec<f64>> =
            levels.iter().map(|&k| (0..k).map(|_| 1.5 * random.normal()).collect()).collect();
        let (mut rows, mut scores) = (Vec::new(), Vec::new());
        for _ in 0..1500 {
            let (mut row, mut score) = (Vec::new(), random.normal());
            for (&k, effects) in levels.iter().zip(&effects) {
                let level = (random.uniform() * k as f64) as usize;
                row.extend((0..k).map(|j| f64::from(u8::from(j == level))));
                score += effects[level];
            }
            rows.push(row);
            scores.push(score);
        }
        let mut ranked = scores.clone();
        ranked.sort_by(f64::total_cmp);
        let y: Vec<f64> = scores.iter().map(|s| if *s > ranked[900] { 1.0 } else { -1.0 }).collect();
        let x = sparse(&rows);
        let problem = Problem::new(&x, &y, Loss::Hinge, l1(1.0)).unwrap();
        let settings =
            PathSettings { grid: Grid::Spaced { count: 25, min_ratio: 0.02 }, ..PathSettings::default() };
        let found = path(&problem, &PenaltySpec::new(Family::Mcp, 1.0), &settings, &mut Silent).unwrap();
        for point in &found.points {
            assert_eq!(point.status, Status::Converged, "seed {seed}: {:?}", point.certificate);
        }
    }
}

/// Rare features mark rows of one class: past the flat end they might have any length.
#[test]
fn the_objective_comes_down_along_every_path_and_no_coefficient_runs_off() {
    for seed in 0..6 {
        let mut random = Lcg(100 + seed);
        let (n, common, rare) = (300, 12, 30);
        let (mut rows, mut y) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let mut row: Vec<f64> = (0..common).map(|_| random.normal()).collect();
            let sign = if row[0] - row[1] + 0.8 * random.normal() > 0.0 { 1.0 } else { -1.0 };
            row.extend((0..rare).map(|j| {
                let is_its_class = (j % 2 == 0) == (sign > 0.0);
                if is_its_class && random.uniform() < 0.02 { 0.1 + random.uniform() } else { 0.0 }
            }));
            rows.push(row);
            y.push(sign);
        }
        let x = sparse(&rows);
        let problem = Problem::new(&x, &y, Loss::Hinge, l1(1.0)).unwrap();
        let settings =
            PathSettings { grid: Grid::Spaced { count: 30, min_ratio: 0.02 }, ..PathSettings::default() };
        for family in [Family::L1, Family::Scad, Family::Mcp, Family::Lsp, Family::CappedL1, Family::Lp] {
            let found = path(&problem, &PenaltySpec::new(family, 1.0), &settings, &mut Silent).unwrap();
            let what =
                |point: &sparsvm_core::path::PathPoint| format!("{family:?} {seed} at {}", point.lambda);
            for pair in found.points.windows(2) {
                let [before, after] = [&pair[0], &pair[1]].map(|point| point.certificate.objective);
                assert!(after <= before * (1.0 + 1e-5), "{}: {before} and then {after}", what(&pair[1]));
            }
            for point in &found.points {
                // A row may have to be brought from far beyond the margin to it by 0.1 of a feature.
                let longest = point.w.iter().map(|(_, w)| w.abs()).fold(0.0, f64::max);
                assert!(longest < 300.0, "{}: {longest}", what(point));
            }
        }
    }
}
