//! Rankings: with pairs formed and unformed, by several solvers, and what is proved about them.
#![allow(clippy::unwrap_used)]

mod support;

use sparsvm_core::rank::{Queries, Ranking, solve_ranking};
use sparsvm_core::solver::{Exact, Feadmm, Gist, Reweighted, Silent, Solver, Sqa, Stopping};
use sparsvm_core::{Design, Error, Family, Loss, PenaltySpec, Regularizer, Solution, Start, Status, certify};
use support::{Lcg, dense, sparse};

fn penalty(family: Family, lambda: f64) -> Regularizer {
    Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap()
}

/// n rows in so many queries whose rows are not neighbours, with grades 0, 1, 2 that the first two of d
/// features tell, more or less.
fn data(seed: u64, n: usize, d: usize, queries: u64, holes: f64) -> (Vec<Vec<f64>>, Queries) {
    let mut random = Lcg(seed);
    let rows = random.matrix(n, d, holes);
    let grade =
        |row: &Vec<f64>, noise: f64| (row[0] - 0.7 * row[1] + 0.5 * noise + 1.0).floor().clamp(0.0, 2.0);
    let grades: Vec<f64> = rows.iter().map(|row| grade(row, random.normal())).collect();
    let ids: Vec<u64> = (0..n as u64).map(|i| i * 7 % queries).collect();
    (rows, Queries::new(&ids, &grades).unwrap())
}

fn stopping(tol: f64) -> Stopping {
    Stopping { tol, max_iter: 100_000, max_time: None }
}

fn exact(tol: f64) -> Exact {
    Exact { stopping: stopping(tol), ..Exact::default() }
}

fn run(solver: &dyn Solver, ranking: &Ranking<'_>) -> Solution {
    solve_ranking(solver, ranking, None, &mut Silent).unwrap()
}

#[test]
fn solvers_agree_on_convex_problems() {
    for holes in [0.0, 0.6] {
        let (rows, queries) = data(3, 90, 12, 6, holes);
        let (full, holey) = (dense(&rows), sparse(&rows));
        for loss in [Loss::SquaredHinge, Loss::HuberHinge { delta: 0.5 }] {
            let ranking = Ranking::new(&full, &queries, loss, penalty(Family::L1, 0.03)).unwrap();
            let found = run(&exact(1e-7), &ranking);
            assert_eq!(found.status, Status::Converged, "{:?}", found.certificate);
            assert!(found.nonzeros() >= 2 && found.nonzeros() < 12 && found.b == 0.0);
            let objective = found.certificate.objective;
            assert!((ranking.objective(&found.w) - objective).abs() < 1e-12);
            let close = |other: &Solution, name: &str| {
                let difference = (other.certificate.objective - objective).abs();
                assert!(difference < 1e-7 * objective, "{name}, {loss}: {difference:e} of {objective}");
                assert!(other.certificate.gap < 1e-5, "{name}, {loss}: {:?}", other.certificate);
            };
            for x in [&full as &dyn Design, &holey] {
                let ranking = Ranking::new(x, &queries, loss, penalty(Family::L1, 0.03)).unwrap();
                close(&run(&Gist { stopping: stopping(1e-12), ..Gist::default() }, &ranking), "gist");
                close(&run(&exact(1e-7), &ranking), "exact");
                if loss == Loss::SquaredHinge {
                    let reweighted = Reweighted { stopping: stopping(1e-10), ..Reweighted::default() };
                    close(&run(&reweighted, &ranking), "reweighted");
                }
            }
        }
    }
}

#[test]
fn every_solver_ranks() {
    let (rows, queries) = data(5, 60, 6, 4, 0.0);
    let x = dense(&rows);
    let solvers: [&dyn Solver; 5] =
        [&Exact::default(), &Feadmm::default(), &Gist::default(), &Sqa::default(), &Reweighted::default()];
    for solver in solvers {
        let loss = solver.scope().losses[0];
        let ranking = Ranking::new(&x, &queries, loss, penalty(Family::Mcp, 0.05)).unwrap();
        let found = run(solver, &ranking);
        let mut scores = vec![0.0; x.rows()];
        x.matvec(&found.w, &mut scores);
        let quality = queries.quality(&scores);
        assert!(quality.pairwise_accuracy.unwrap() > 0.75, "{}: {quality:?}", solver.name());
        assert!(quality.ndcg10.unwrap() > 0.75, "{}: {quality:?}", solver.name());
        assert!((ranking.objective(&found.w) - found.certificate.objective).abs() < 1e-12);
    }
}

/// What is proved without the pairs is what is proved with them.
#[test]
fn both_certificates_say_the_same() {
    let (rows, queries) = data(11, 80, 10, 5, 0.3);
    let x = sparse(&rows);
    for family in [Family::L1, Family::Mcp, Family::Lsp] {
        for l2 in [0.0, 0.01] {
            let regularizer = penalty(family, 0.05).with_l2(l2).unwrap();
            let ranking = Ranking::new(&x, &queries, Loss::SquaredHinge, regularizer).unwrap();
            let solver = Reweighted { stopping: stopping(1e-9), ..Reweighted::default() };
            let found = run(&solver, &ranking);
            assert!(found.certificate.gap < 1e-4, "{family}: {:?}", found.certificate);
            assert!(found.certificate.violation < 1e-3, "{family}: {:?}", found.certificate);

            let pairs = ranking.pair_design().unwrap();
            let ones = vec![1.0; pairs.rows()];
            let problem = ranking.pair_problem(&pairs, &ones).unwrap();
            let mut margins = vec![0.0; pairs.rows()];
            pairs.matvec(&found.w, &mut margins);
            let pull = |m: &f64| Loss::SquaredHinge.pull(*m) / pairs.rows() as f64;
            let beta: Vec<f64> = margins.iter().map(pull).collect();
            let formed = certify(&problem, &found.w, 0.0, &beta);
            for (a, b) in [
                (found.certificate.objective, formed.objective),
                (found.certificate.violation, formed.violation),
                (found.certificate.loss, formed.loss),
            ] {
                assert!((a - b).abs() < 1e-11, "{family}, l2 {l2}: {a} {b}");
            }
            // Past MCP's flat end β is repaired, which the two do in ways of their own.
            let allowed = if family == Family::Mcp && l2 == 0.0 { 1e-4 } else { 1e-11 };
            let (a, b) = (found.certificate.lower_bound, formed.lower_bound);
            assert!((a - b).abs() < allowed, "{family}, l2 {l2}: {a} {b}");
        }
    }
}

/// The bound holds wherever the certificate is asked, not only near a solution: it never exceeds the
/// optimum of the tangent problem, which the exact solver finds on the pairs.
#[test]
fn the_bound_is_never_above_the_optimum() {
    let (rows, queries) = data(17, 60, 5, 4, 0.0);
    let x = dense(&rows);
    for loss in [Loss::SquaredHinge, Loss::HuberHinge { delta: 0.7 }] {
        let regularizer = penalty(Family::Mcp, 0.05);
        let ranking = Ranking::new(&x, &queries, loss, regularizer.clone()).unwrap();
        // One step from somewhere leaves the solver far from a solution, with a weight past the flat end.
        for start in [[0.4, -0.2, 0.0, 0.1, 0.0], [0.9, -0.6, 0.05, 0.0, 0.3], [0.02, 0.0, 0.0, 0.0, 0.01]] {
            let gist = Gist { stopping: Stopping { max_iter: 1, ..stopping(1e-9) }, ..Gist::default() };
            let start = Start { w: start.to_vec(), b: 0.0, beta: None };
            let at = solve_ranking(&gist, &ranking, Some(&start), &mut Silent).unwrap();
            let slopes: Vec<f64> = (0..5).map(|j| regularizer.slope_of(j, at.w[j])).collect();
            let constant: f64 =
                (0..5).map(|j| regularizer.value_of(j, at.w[j]) - slopes[j] * at.w[j].abs()).sum();
            let tangent = penalty(Family::L1, 1.0).with_factors(slopes).unwrap();
            let convex = Ranking::new(&x, &queries, loss, tangent).unwrap();
            let optimum = run(&exact(1e-8), &convex);
            assert_eq!(optimum.status, Status::Converged);
            let (bound, best) = (at.certificate.lower_bound, optimum.certificate.objective + constant);
            assert!(bound <= best + 1e-9, "{loss}: {bound} > {best}");
            assert!(bound > constant + 1e-3, "{loss}: {bound} proves nothing above {constant}");
        }
    }
}

#[test]
fn threads_do_not_change_a_ranking() {
    let (rows, queries) = data(23, 6000, 8, 9, 0.0);
    let x = dense(&rows);
    let ranking = Ranking::new(&x, &queries, Loss::SquaredHinge, penalty(Family::Mcp, 0.02)).unwrap();
    let weights = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&Reweighted::default(), &ranking)).w
    };
    assert_eq!(weights(1), weights(3));
}

/// 20,000 rows of one query make more than 10⁸ pairs: a number for each of them would take a gigabyte.
#[test]
fn a_query_of_twenty_thousand_rows() {
    let (rows, queries) = data(29, 20_000, 10, 1, 0.0);
    assert!(queries.pairs() > 100_000_000);
    let x = dense(&rows);
    let ranking = Ranking::new(&x, &queries, Loss::SquaredHinge, penalty(Family::Mcp, 0.02)).unwrap();
    let ranking = ranking.with_memory_limit(1 << 30);
    let found = run(&Reweighted::default(), &ranking);
    assert!(found.certificate.gap < 1e-4, "{:?}", found.certificate);
    assert!(found.w[0] > 0.3 && found.w[1] < -0.2, "{:?}", found.w);
    let refused = solve_ranking(&Exact::default(), &ranking, None, &mut Silent).unwrap_err();
    assert!(matches!(refused, Error::Memory { limit_mib: 1024, .. }), "{refused}");
}

#[test]
fn starts_fit_or_are_refused() {
    let (rows, queries) = data(31, 40, 4, 2, 0.0);
    let x = dense(&rows);
    let ranking = Ranking::new(&x, &queries, Loss::SquaredHinge, penalty(Family::L1, 0.05)).unwrap();
    for solver in [&Exact::default() as &dyn Solver, &Reweighted::default()] {
        let cold = run(solver, &ranking);
        let start = Start { w: cold.w.clone(), b: 0.0, beta: None };
        let warm = solve_ranking(solver, &ranking, Some(&start), &mut Silent).unwrap();
        assert!(warm.iterations <= cold.iterations, "{}", solver.name());
        let short = Start { w: vec![0.0], b: 0.0, beta: None };
        assert!(solve_ranking(solver, &ranking, Some(&short), &mut Silent).is_err());
    }
}
