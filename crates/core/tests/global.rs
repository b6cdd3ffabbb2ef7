//! The global solver against all candidates for an optimum, one by one.
//!
//! Between the hyperplanes w_j = 0 and m_i = 1 the hinge is linear and the penalty concave, so that F, which is
//! bounded below, is least at a vertex: where some features are 0 and as many samples as there are other
//! unknowns have margin 1. On tiny problems all vertices can be listed.
#![allow(clippy::unwrap_used)]

mod support;

use std::ops::ControlFlow;
use std::time::Duration;

use sparsvm_core::solver::{Exact, Global, Observer, Silent, Step, Stopping, solve};
use sparsvm_core::{Family, Loss, PenaltySpec, Problem, Regularizer, Solution, Status};
use support::{Lcg, dense, sparse};

const TOL: f64 = 1e-6;

fn global(tol: f64) -> Global {
    Global { stopping: Stopping { tol, ..Global::default().stopping }, ..Global::default() }
}

fn fit(problem: &Problem<'_>) -> Solution {
    solve(&global(TOL), problem, None, &mut Silent).unwrap()
}

/// All ways to choose k of n.
fn choices(n: usize, k: usize) -> Vec<Vec<usize>> {
    let masks = (0u32..1 << n).filter(|mask| mask.count_ones() as usize == k);
    masks.map(|mask| (0..n).filter(|i| mask >> i & 1 == 1).collect()).collect()
}

/// Gauss-Jordan elimination with row exchanges; `None` if singular.
fn linear(mut a: Vec<Vec<f64>>, mut rhs: Vec<f64>) -> Option<Vec<f64>> {
    let k = rhs.len();
    for c in 0..k {
        let p = (c..k).max_by(|&p, &q| a[p][c].abs().total_cmp(&a[q][c].abs()))?;
        if a[p][c].abs() < 1e-10 {
            return None;
        }
        a.swap(c, p);
        rhs.swap(c, p);
        let (pivot, value) = (a[c].clone(), rhs[c]);
        for r in (0..k).filter(|&r| r != c) {
            let share = a[r][c] / pivot[c];
            a[r].iter_mut().zip(&pivot).for_each(|(entry, by)| *entry -= share * by);
            rhs[r] -= share * value;
        }
    }
    Some((0..k).map(|c| rhs[c] / a[c][c]).collect())
}

/// The least F over all vertices.
fn lowest_vertex(problem: &Problem<'_>, rows: &[Vec<f64>], y: &[f64]) -> f64 {
    let (n, d) = (rows.len(), rows[0].len());
    let free = usize::from(problem.has_intercept());
    let mut scores = vec![0.0; n];
    let mut best = f64::INFINITY;
    for features in (0..=d).flat_map(|k| choices(d, k)) {
        for samples in choices(n, features.len() + free) {
            let row = |i: &usize| {
                let of_b = (free == 1).then_some(1.0);
                features.iter().map(|&j| rows[*i][j]).chain(of_b).collect::<Vec<f64>>()
            };
            let Some(at) = linear(samples.iter().map(row).collect(), samples.iter().map(|&i| y[i]).collect())
            else {
                continue;
            };
            let mut w = vec![0.0; d];
            features.iter().zip(&at).for_each(|(&j, value)| w[j] = *value);
            let b = if free == 1 { at[features.len()] } else { 0.0 };
            best = best.min(problem.objective(&w, b, &mut scores));
        }
    }
    best
}

fn judge(found: &Solution, lowest: f64, case: &str) {
    let bound = found.global_bound.unwrap();
    let objective = found.certificate.objective;
    assert!(bound.value <= lowest, "{case}: bound {} is above the optimum {lowest}", bound.value);
    assert!(objective >= lowest * (1.0 - 1e-9), "{case}: {objective} is below the optimum {lowest}");
    assert!(objective <= lowest * (1.0 + TOL), "{case}: {objective}, but the optimum is {lowest}");
    assert!(bound.gap(objective) <= TOL, "{case}: {bound:?}");
    assert_eq!(found.status, Status::Converged, "{case}: {:?}", found.certificate);
}

#[test]
fn no_vertex_is_lower() {
    let mut random = Lcg(991);
    let mut beyond_exact = 0;
    for round in 0..100 {
        let (n, d) = [(12, 2), (10, 3), (7, 4), (5, 3)][round % 4];
        let mut rows = random.matrix(n, d, 0.2);
        let y = random.labels(&rows, 2, if round % 3 == 0 { 0.0 } else { 0.25 });
        match round % 6 {
            // Whole numbers, many of them equal: every vertex is degenerate.
            1 | 4 => rows.iter_mut().flatten().for_each(|x| *x = x.round().clamp(-1.0, 1.0)),
            2 => rows.iter_mut().for_each(|row| (row[0], row[1]) = (1e4 * row[0], 1e-3 * row[1])),
            3 => rows.iter_mut().for_each(|row| row[1] = -row[0]),
            _ => {}
        }
        let x = dense(&rows);
        for family in Family::ALL {
            let lambda = [0.3, 0.1, 0.03][round % 3];
            let mut regularizer = Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap();
            if round % 5 == 4 {
                regularizer = regularizer.with_factors((0..d).map(|j| j as f64).collect()).unwrap();
            }
            let mut problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
            if round % 4 == 3 {
                let weights: Vec<f64> = (0..n).map(|i| f64::from(i as u32 % 3)).collect();
                problem = problem.with_weights(&weights).unwrap();
            }
            if round % 3 == 1 {
                problem = problem.without_intercept();
            }
            let lowest = lowest_vertex(&problem, &rows, &y);
            if lowest < 1e-12 {
                continue; // F is 0 but for rounding, and nothing is relative to that.
            }
            let found = fit(&problem);
            judge(&found, lowest, &format!("round {round}, {family}"));
            let exact = solve(&Exact::default(), &problem, None, &mut Silent).unwrap();
            beyond_exact +=
                usize::from(exact.certificate.objective > found.certificate.objective * (1.0 + 1e-3));
        }
    }
    // Else the search would never have had anything to do.
    assert!(beyond_exact > 0);
}

/// The list of vertices is no better than it should be: no point of a grid is lower.
#[test]
fn the_lowest_vertex_is_the_lowest_point() {
    let mut random = Lcg(22);
    let rows = random.matrix(8, 1, 0.0);
    let y = random.labels(&rows, 1, 0.3);
    let x = dense(&rows);
    for family in Family::ALL {
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(family, 0.1)).unwrap();
        let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
        let lowest = lowest_vertex(&problem, &rows, &y);
        let mut scores = [0.0; 8];
        for (w, b) in (-300..=300).flat_map(|w| (-300..=300).map(move |b| (w, b))) {
            let at = problem.objective(&[f64::from(w) / 50.0], f64::from(b) / 50.0, &mut scores);
            assert!(at >= lowest - 1e-12, "{family}: {at} at {w}, {b}");
        }
    }
}

/// More features than a list of vertices could take, against what the exact solver finds from many starts.
#[test]
fn larger_problems_are_closed_and_never_above_exact() {
    let mut random = Lcg(23);
    for (n, d, lambda) in [(60, 8, 0.05), (20, 14, 0.15)] {
        let rows = random.matrix(n, d, 0.1);
        let y = random.labels(&rows, 4, 0.2);
        for family in [Family::Scad, Family::Mcp, Family::CappedL1] {
            let regularizer = Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap();
            let (x, same) = (dense(&rows), sparse(&rows));
            let problem = Problem::new(&x, &y, Loss::Hinge, regularizer.clone()).unwrap();
            let found = fit(&problem);
            assert_eq!(found.status, Status::Converged, "{family}: {:?}", found.global_bound);
            let many = Exact { starts: 50, ..Exact::default() };
            let exact = solve(&many, &problem, None, &mut Silent).unwrap().certificate.objective;
            let (bound, objective) = (found.global_bound.unwrap().value, found.certificate.objective);
            assert!(
                bound <= exact && objective <= exact * (1.0 + TOL),
                "{family}: {bound} {objective} {exact}"
            );
            let other =
                fit(&Problem::new(&same, &y, Loss::Hinge, regularizer).unwrap()).certificate.objective;
            assert!((other - objective).abs() <= TOL * objective, "{family}: {other} {objective}");
        }
    }
}

/// Counts steps, and stops after so many.
struct Count {
    seen: usize,
    most: usize,
}

impl Observer for Count {
    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        self.seen += 1;
        if self.seen >= self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn stopped_early_the_bound_still_holds() {
    let mut random = Lcg(24);
    let rows = random.matrix(20, 20, 0.0);
    let y = random.labels(&rows, 4, 0.2);
    let x = dense(&rows);
    let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::CappedL1, 0.1)).unwrap();
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
    let mut count = Count { seen: 0, most: usize::MAX };
    let whole = solve(&global(TOL), &problem, None, &mut count).unwrap();
    assert!(whole.iterations > 50, "{}", whole.iterations);
    let best = whole.certificate.objective;
    let mut gaps = Vec::new();
    for most in [1, count.seen - whole.iterations + 1, count.seen - whole.iterations / 2] {
        let found = solve(&global(TOL), &problem, None, &mut Count { seen: 0, most }).unwrap();
        assert_eq!(found.status, Status::Interrupted, "{most}");
        let bound = found.global_bound.unwrap();
        assert!(bound.value <= best, "{most}: {bound:?}, but {best} was found");
        gaps.push(bound.gap(found.certificate.objective));
    }
    assert!(gaps[0] >= gaps[1] && gaps[1] > gaps[2] && gaps[2] < 0.5, "{gaps:?}");
    let few = Global { stopping: Stopping { max_iter: 3, ..global(TOL).stopping }, ..global(TOL) };
    let found = solve(&few, &problem, None, &mut Silent).unwrap();
    assert_eq!((found.status, found.iterations), (Status::MaxIter, 3));
    assert!(found.global_bound.unwrap().value <= best);
    let short = Stopping { max_time: Some(Duration::from_nanos(1)), ..global(TOL).stopping };
    let found = solve(&Global { stopping: short, ..global(TOL) }, &problem, None, &mut Silent).unwrap();
    assert_eq!(found.status, Status::MaxTime);
    assert!(found.global_bound.unwrap().value <= best);
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut random = Lcg(25);
    let rows = random.matrix(30, 12, 0.2);
    let y = random.labels(&rows, 4, 0.2);
    let x = dense(&rows);
    let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Scad, 0.05)).unwrap();
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer).unwrap();
    let results = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| fit(&problem));
        (found.w, found.b, found.iterations, found.global_bound)
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
}

#[test]
fn what_it_cannot_take_is_refused_with_a_remedy() {
    let mut random = Lcg(26);
    let rows = random.matrix(30, 10, 0.0);
    let y = random.labels(&rows, 3, 0.1);
    let x = dense(&rows);
    let mcp = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, 0.1)).unwrap();
    let small = Global { size_limit: 299, ..Global::default() };
    let refusal = |solver: &Global, loss: Loss, l2: f64| {
        let problem = Problem::new(&x, &y, loss, mcp.clone().with_l2(l2).unwrap()).unwrap();
        solve(solver, &problem, None, &mut Silent).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(refusal(&Global { size_limit: 300, ..small.clone() }, Loss::Hinge, 0.0), Ok(()));
    for (solver, loss, l2, words) in [
        (&small, Loss::Hinge, 0.0, "30 rows x 10 features"),
        (&small, Loss::Hinge, 0.0, "--size-limit"),
        (&Global::default(), Loss::SquaredHinge, 0.0, "squared-hinge"),
        (&Global::default(), Loss::Hinge, 0.5, "use exact"),
    ] {
        let message = refusal(solver, loss, l2).unwrap_err();
        assert!(message.contains(words), "{message}");
    }
}
