//! The certificate must believe no solver: wrong points are seen through, right ones are proved.
#![allow(clippy::unwrap_used)]

mod support;

use sparsvm_core::design::Dense;
use sparsvm_core::solver::{Exact, Silent, Stopping, solve};
use sparsvm_core::{Design, Family, Loss, PenaltySpec, Problem, Regularizer, certify};
use support::{Lcg, dense, sparse};

#[test]
fn the_gap_bounds_the_distance_to_the_optimum_at_any_point() {
    let mut random = Lcg(21);
    let rows = random.matrix(50, 15, 0.3);
    let y = random.labels(&rows, 3, 0.1);
    let x = dense(&rows);
    for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::HuberHinge { delta: 0.5 }] {
        for l2 in [0.0, 0.1] {
            let spec = PenaltySpec::new(Family::L1, 0.03);
            let regularizer = Regularizer::from_spec(&spec).unwrap().with_l2(l2).unwrap();
            let problem = Problem::new(&x, &y, loss, regularizer).unwrap();
            let exact =
                Exact { stopping: Stopping { tol: 1e-10, ..Exact::default().stopping }, ..Exact::default() };
            let best = solve(&exact, &problem, None, &mut Silent).unwrap();
            assert!(best.certificate.gap <= 1e-10, "{loss} {l2}: {best:?}");
            let optimum = best.certificate.objective;
            for shake in [1e-6, 1e-3, 1e-1, 1.0] {
                let w: Vec<f64> = best.w.iter().map(|w| w + shake * random.normal()).collect();
                let b = best.b + shake * random.normal();
                let beta: Vec<f64> =
                    best.beta.iter().map(|beta| beta * (1.0 + shake * random.normal())).collect();
                let judged = certify(&problem, &w, b, &beta);
                assert!(judged.lower_bound <= optimum * (1.0 + 1e-9), "{loss} {shake}: {judged:?}");
                assert!(judged.objective >= optimum * (1.0 - 1e-9));
                assert!(judged.gap * judged.objective >= (judged.objective - optimum) * (1.0 - 1e-6));
                assert!(shake < 1e-2 || !judged.within(1e-4), "{loss} {shake}: {judged:?}");
            }
        }
    }
}

/// Rows and columns, dense and sparse: each sum is taken in the order of the rows.
#[test]
fn the_same_proof_however_the_data_are_held() {
    let mut random = Lcg(23);
    let (n, d) = (40, 21);
    let rows = random.matrix(n, d, 0.0);
    let y = random.labels(&rows, 3, 0.1);
    let by_rows = dense(&rows);
    let columns: Vec<f64> = (0..n * d).map(|k| rows[k % n][k / n]).collect();
    let by_columns = Dense::from_columns(n, d, columns).unwrap();
    let sparse = sparse(&rows);
    let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.05)).unwrap();
    let w: Vec<f64> = (0..d).map(|j| if j % 5 == 0 { random.normal() } else { 0.0 }).collect();
    // Few rows or many that pull, balanced or not.
    for pulling in [2, 3, n / 2, n] {
        let beta: Vec<f64> =
            (0..n).map(|i| if i < pulling { random.uniform() / n as f64 } else { 0.0 }).collect();
        let judged = [&by_rows as &dyn Design, &by_columns, &sparse].map(|x| {
            certify(&Problem::new(x, &y, Loss::Hinge, regularizer.clone()).unwrap(), &w, 0.1, &beta)
        });
        assert_eq!(judged[0], judged[1], "{pulling}");
        assert_eq!(judged[0], judged[2], "{pulling}");
    }
}

#[test]
fn a_vertex_by_hand() {
    // Two samples, one feature: x = ±1, y = ±1, no intercept: F = [1-w]₊ + λ|w|, minimised at w = 1.
    let x = dense(&[vec![1.0], vec![-1.0]]);
    let y = [1.0, -1.0];
    let spec = PenaltySpec::new(Family::L1, 0.25);
    let problem = Problem::new(&x, &y, Loss::Hinge, Regularizer::from_spec(&spec).unwrap()).unwrap();
    let problem = problem.without_intercept();
    let right = certify(&problem, &[1.0], 0.0, &[0.125, 0.125]);
    assert_eq!((right.objective, right.lower_bound, right.gap, right.violation), (0.25, 0.25, 0.0, 0.0));
    let wrong = certify(&problem, &[0.0], 0.0, &[0.5, 0.5]);
    assert_eq!((wrong.objective, wrong.lower_bound), (1.0, 0.25));
    assert!((wrong.gap - 0.75).abs() < 1e-15 && wrong.violation == 0.75);
}

/// Thousands of unpenalised columns take another road through the repair; empty ones change nothing.
#[test]
fn many_unpenalised_columns_are_repaired_as_few_are() {
    let mut random = Lcg(22);
    let rows = random.matrix(60, 12, 0.3);
    let y = random.labels(&rows, 3, 0.1);
    let wide: Vec<Vec<f64>> = rows.iter().map(|row| [&row[..], &[0.0; 2100]].concat()).collect();
    let factors = |d: usize| (0..d).map(|j| if (4..12).contains(&j) { 1.0 } else { 0.0 }).collect();
    let certified = |rows: &[Vec<f64>]| {
        let (x, d) = (sparse(rows), rows[0].len());
        let spec = PenaltySpec::new(Family::L1, 0.03);
        let regularizer = Regularizer::from_spec(&spec).unwrap().with_factors(factors(d)).unwrap();
        let problem = Problem::new(&x, &y, Loss::SquaredHinge, regularizer).unwrap();
        let exact =
            Exact { stopping: Stopping { tol: 1e-9, ..Exact::default().stopping }, ..Exact::default() };
        let best = solve(&exact, &problem, None, &mut Silent).unwrap();
        // A dual point that is a little wrong, so that there is something to repair.
        let beta: Vec<f64> =
            best.beta.iter().enumerate().map(|(i, b)| b * (1.0 + 1e-4 * (i % 5) as f64)).collect();
        certify(&problem, &best.w, best.b, &beta)
    };
    let (few, many) = (certified(&rows), certified(&wide));
    assert!(few.gap < 1e-3 && few.gap > 1e-9, "{few:?}");
    assert!((few.gap - many.gap).abs() < 1e-3 * few.gap, "{few:?} {many:?}");
}
