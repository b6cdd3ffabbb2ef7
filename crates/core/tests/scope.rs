//! What a solver cannot take is refused before any work, and the refusal names those that can.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what it expects")]

mod support;

use std::ops::ControlFlow;

use sparsvm_core::solver::{
    Exact, Feadmm, Gist, Observer, Reweighted, Silent, Solver, Sqa, Step, Stopping, solve,
};
use sparsvm_core::{Error, Family, Loss, PenaltySpec, Problem, Regularizer};
use support::{Lcg, dense};

/// Must not hear of any work.
struct Deaf;

impl Observer for Deaf {
    fn on_phase(&mut self, phase: &str) {
        panic!("work began: {phase}");
    }

    fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
        panic!("work began");
    }
}

#[test]
fn every_pair_is_solved_or_refused_at_once() {
    let mut random = Lcg(51);
    let rows = random.matrix(20, 5, 0.2);
    let y = random.labels(&rows, 3, 0.1);
    let x = dense(&rows);
    let stopping = Stopping { max_iter: 30, ..Stopping::default() };
    let solvers: [Box<dyn Solver>; 5] = [
        Box::new(Exact { starts: 1, ..Exact::default() }),
        Box::new(Feadmm { stopping, ..Feadmm::default() }),
        Box::new(Gist { stopping, ..Gist::default() }),
        Box::new(Sqa { stopping, ..Sqa::default() }),
        Box::new(Reweighted { stopping, ..Reweighted::default() }),
    ];
    let mut refusals = [0; 5];
    for loss in Loss::ALL {
        for family in Family::ALL {
            let spec = PenaltySpec::new(family, 0.1);
            let problem = Problem::new(&x, &y, loss, Regularizer::from_spec(&spec).unwrap()).unwrap();
            for (solver, refusals) in solvers.iter().zip(&mut refusals) {
                if solver.scope().takes(loss, Some(family)) {
                    let found = solve(&**solver, &problem, None, &mut Silent).unwrap();
                    assert!(found.certificate.objective.is_finite(), "{} {loss} {family}", solver.name());
                    continue;
                }
                *refusals += 1;
                let error = solve(&**solver, &problem, None, &mut Deaf).unwrap_err();
                assert!(matches!(error, Error::Unsupported { .. }), "{error}");
                let said = error.to_string();
                let (_, able) = said.rsplit_once("use ").unwrap();
                for other in &solvers {
                    let can = other.scope().takes(loss, Some(family));
                    assert_eq!(able.contains(other.name()), can, "{error}");
                }
            }
        }
    }
    assert_eq!(refusals, [0, 0, 6, 15, 14]);
}
