//! lab
#![allow(missing_docs, clippy::all)]
mod block;
mod convex;
mod descent;
mod newton;
mod ramp;
mod search;
mod watch;
use crate::Problem;

pub fn lab(problem: &Problem<'_>, slopes: &[f64], tol: f64, starts: usize) -> (Vec<f64>, f64, Vec<f64>) {
    let mut silent = crate::solver::Silent;
    let mut watch = watch::Watch::new(&mut silent, crate::solver::Stopping::new(tol, 100000, None).unwrap());
    let s = if problem.regularizer().penalty().concavity() == 0.0 {
    let mut convex = convex::Convex::new(problem);
    let gap = convex.solve(slopes, 0.0, tol, &mut watch);
    eprintln!("gap {gap:.3e}");
    convex.snapshot()
    } else {
        search::search(problem, None, starts, &mut watch)
    };
    let mut w = vec![0.0; problem.features()];
    for (j, x) in s.w { w[j] = x; }
    eprintln!("Outcome steps {}", watch.steps());
    (w, s.b, s.pulls)
}
