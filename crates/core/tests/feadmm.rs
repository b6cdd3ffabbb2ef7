//! FEADMM against Algorithm 1 as a newcomer would write it: dense, no cached factor, the normal equations
//! solved by Gaussian elimination in every iteration. (The proxes have a grid as their own oracle.)

#![allow(clippy::unwrap_used, clippy::needless_range_loop)]

mod support;

use sparsvm_core::linsys::Linsys;
use sparsvm_core::solver::{Feadmm, Silent, Stopping, solve};
use sparsvm_core::{Design, Family, Loss, PenaltySpec, Problem, Regularizer};
use support::{Lcg, dense, sparse};

/// Gaussian elimination with partial pivoting.
fn eliminate(mut a: Vec<Vec<f64>>, mut f: Vec<f64>) -> Vec<f64> {
    let n = f.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs())).unwrap();
        a.swap(k, pivot);
        f.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            f[i] -= factor * f[k];
        }
    }
    for k in (0..n).rev() {
        f[k] = (f[k] - (k + 1..n).map(|j| a[k][j] * f[j]).sum::<f64>()) / a[k][k];
    }
    f
}

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
