//! Observers that ask for iterates see the points that would be returned.

#![allow(clippy::unwrap_used)]

mod support;

use std::ops::ControlFlow;

use sparsvm_core::solver::{Exact, Feadmm, Gist, Observer, Reweighted, Solver, Sqa, Step, solve};
use sparsvm_core::{Family, Intercept, Loss, PenaltySpec, Problem, Regularizer};
use support::{Lcg, dense};

/// Keeps every point.
#[derive(Default)]
struct Keep {
    steps: usize,
    seen: Vec<(Vec<f64>, f64)>,
}

impl Observer for Keep {
    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        self.steps += 1;
        ControlFlow::Continue(())
    }

    fn wants_iterate(&self) -> bool {
        true
    }

    fn on_iterate(&mut self, w: &[f64], b: f64) {
        self.seen.push((w.to_vec(), b));
    }
}

/// With an intercept of its own and one that is the weight of a column.
fn with_problem(loss: Loss, check: impl Fn(&Problem<'_>)) {
    let mut random = Lcg(7);
    let rows = random.matrix(60, 8, 0.2);
    let y = random.labels(&rows, 3, 0.1);
    let x = dense(&rows);
    let penalty = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, 0.05)).unwrap();
    for intercept in [Intercept::Free, Intercept::Penalised] {
        let wide = intercept.columns(&x);
        let x = wide.as_deref().unwrap_or(&x);
        check(&Problem::new(x, &y, loss, penalty.clone()).unwrap().with_intercept(intercept));
    }
}

#[test]
fn the_last_iterate_of_an_iteration_is_what_is_returned() {
    let solvers: [(&dyn Solver, Loss); 4] = [
        (&Feadmm::default(), Loss::Hinge),
        (&Sqa::default(), Loss::Hinge),
        (&Gist::default(), Loss::SquaredHinge),
        (&Reweighted::default(), Loss::SquaredHinge),
    ];
    for (solver, loss) in solvers {
        with_problem(loss, |problem| {
            let mut keep = Keep::default();
            let solution = solve(solver, problem, None, &mut keep).unwrap();
            assert_eq!((keep.steps, keep.seen.len()), (solution.iterations, solution.iterations));
            assert_eq!(keep.seen.last().unwrap(), &(solution.w, solution.b), "{}", solver.name());
        });
    }
}

#[test]
fn the_exact_solver_shows_each_best_point() {
    with_problem(Loss::Hinge, |problem| {
        let mut keep = Keep::default();
        let solution = solve(&Exact::default(), problem, None, &mut keep).unwrap();
        let mut scores = vec![0.0; problem.samples()];
        let mut values: Vec<f64> =
            keep.seen.iter().map(|(w, b)| problem.objective(w, *b, &mut scores)).collect();
        assert!(!values.is_empty());
        values.push(solution.certificate.objective);
        assert!(values.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)), "{values:?}");
    });
}
