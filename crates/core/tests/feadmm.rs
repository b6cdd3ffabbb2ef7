//! FEADMM against Algorithm 1 as a newcomer would write it: dense, no cached factor, the normal equations
//! solved by Gaussian elimination in every iteration. (The proxes have a grid as their own oracle.)

#![allow(clippy::unwrap_used, clippy::needless_range_loop)]

mod support;

use sparsvm_core::linsys::Linsys;
use sparsvm_core::solver::{Exact, Feadmm, Silent, Stopping, solve};
use sparsvm_core::{Design, Family, Loss, PenaltySpec, Problem, Regularizer};
use support::{Lcg, dense, eliminate, sparse};

struct Naive {
    paper_objective: f64,
    z: Vec<f64>,
    b: f64,
}

/// Lines 9 to 21 of the algorithm, verbatim.
fn naive(
    h: &[Vec<f64>],
    y: &[f64],
    spec: PenaltySpec,
    rho1: f64,
    rho2: f64,
    beta: f64,
    iterations: usize,
) -> Naive {
    let (n, d) = (h.len(), h[0].len());
    let p = spec.build().unwrap();
    let rho = rho1 / rho2;
    let (mut z, mut u) = (vec![0.0; d], vec![0.0; d]);
    let (mut xi, mut s, mut v, mut b) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], 0.0);
    for _ in 0..iterations {
        let mut c = vec![vec![0.0; d]; d];
        let mut f: Vec<f64> = (0..d).map(|j| rho * (z[j] - u[j])).collect();
        for i in 0..n {
            for j in 0..d {
                f[j] += h[i][j] * (s[i] + 1.0 - xi[i] - v[i] - b * y[i]);
                for k in 0..d {
                    c[j][k] += h[i][j] * h[i][k];
                }
            }
        }
        (0..d).for_each(|j| c[j][j] += rho);
        let w = eliminate(c, f);
        let hw: Vec<f64> = h.iter().map(|row| row.iter().zip(&w).map(|(a, b)| a * b).sum()).collect();
        b = (0..n).map(|i| y[i] * (s[i] + 1.0 - hw[i] - xi[i] - v[i])).sum::<f64>() / n as f64;
        for j in 0..d {
            let point = (rho1 * (w[j] + u[j]) + beta * z[j]) / (rho1 + beta);
            z[j] = p.prox(point, 1.0 / (rho1 + beta));
        }
        for i in 0..n {
            xi[i] = (s[i] + 1.0 - v[i] - hw[i] - b * y[i] - 1.0 / (n as f64 * rho2)).max(0.0);
            s[i] = (hw[i] + b * y[i] + xi[i] - 1.0 + v[i]).max(0.0);
            v[i] += xi[i] - s[i] + hw[i] + b * y[i] - 1.0;
        }
        for j in 0..d {
            u[j] += w[j] - z[j];
        }
    }
    let penalty: f64 = z.iter().map(|z| p.value_at(z.abs())).sum();
    Naive { paper_objective: xi.iter().sum::<f64>() / n as f64 + penalty, z, b }
}

#[test]
fn agrees_with_the_naive_algorithm_on_every_branch() {
    let mut random = Lcg(7);
    for (n, d) in [(30, 6), (8, 20), (12, 12)] {
        let rows = random.matrix(n, d, 0.4);
        let y: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let h: Vec<Vec<f64>> =
            rows.iter().zip(&y).map(|(row, y)| row.iter().map(|x| x * y).collect()).collect();
        let designs: [Box<dyn Design>; 2] = [Box::new(dense(&rows)), Box::new(sparse(&rows))];
        for (family, rho1, rho2, beta) in [
            (Family::Scad, 1.0, 0.1, 0.0),
            (Family::Mcp, 0.1, 0.01, 0.0),
            (Family::Lsp, 1.0, 0.1, 0.2),
            (Family::CappedL1, 0.1, 0.01, 0.05),
            (Family::L1, 1.5, 5.0, 0.0),
            (Family::Lp, 1.0, 0.1, 0.0),
        ] {
            let spec = PenaltySpec::new(family, 1.0 / 64.0);
            let expected = naive(&h, &y, spec, rho1, rho2, beta, 40);
            for x in &designs {
                for linsys in [Linsys::Auto, Linsys::Cholesky, Linsys::Woodbury, Linsys::Cg] {
                    let stopping = Stopping::new(0.0, 40, None).unwrap();
                    let settings = Feadmm { rho1, rho2, beta, linsys, stopping, ..Feadmm::default() };
                    let problem =
                        Problem::new(&**x, &y, Loss::Hinge, Regularizer::from_spec(&spec).unwrap()).unwrap();
                    let found = solve(&settings, &problem, None, &mut Silent).unwrap();
                    let case = format!("{n}×{d} {family} {linsys}");
                    let objective = found.paper_objective.unwrap();
                    assert!((objective - expected.paper_objective).abs() < 1e-9 * objective, "{case}");
                    assert!((found.b - expected.b).abs() < 1e-8, "{case}: {} {}", found.b, expected.b);
                    for (a, b) in found.w.iter().zip(&expected.z) {
                        assert!((a - b).abs() < 1e-8, "{case}: {a} {b}");
                        assert_eq!(*a == 0.0, *b == 0.0, "{case}");
                    }
                    assert_eq!(found.iterations, 40);
                }
            }
        }
    }
}

/// Elastic net and ℓp, the paper's future work: the first is convex and has one optimum, the second must at
/// least be balanced where it keeps something.
#[test]
fn ridge_parts_and_lp_are_minimised() {
    let mut random = Lcg(8);
    let rows = random.matrix(40, 8, 0.3);
    let y = random.labels(&rows, 3, 0.1);
    let x = dense(&rows);
    let stopping = Stopping::new(1e-12, 20_000, None).unwrap();
    for loss in Loss::ALL {
        for (family, l2) in [(Family::L1, 0.1), (Family::Lp, 0.0), (Family::Lp, 0.1), (Family::Mcp, 0.1)] {
            let spec = PenaltySpec::new(family, 0.02);
            let regularizer = Regularizer::from_spec(&spec).unwrap().with_l2(l2).unwrap();
            let problem = Problem::new(&x, &y, loss, regularizer).unwrap();
            let settings = Feadmm { stopping, ..Feadmm::default() };
            let found = solve(&settings, &problem, None, &mut Silent).unwrap().certificate;
            let best = solve(&Exact::default(), &problem, None, &mut Silent).unwrap().certificate.objective;
            let case = format!("{loss} {family} l2 {l2}: {found:?}, exact {best}");
            assert!(found.violation <= 1e-3, "{case}");
            let above = if family == Family::L1 { 1e-4 } else { 0.2 };
            assert!(found.objective <= best * (1.0 + above) && found.objective >= best * 0.98, "{case}");
        }
    }
}
