//! `--trace`: every iteration as a line of CSV. Lines are kept in memory and written at the end, in one
//! piece, also after Ctrl-C.

use std::io::{self, Write};

use anyhow::Result;
use sparsvm_core::solver::Step;

use crate::atomic::Target;

const HEADER: &str =
    "iteration,seconds,paper_objective,true_objective,primal_residual,dual_residual,movement,nonzeros";

/// The iterations so far, and where they go.
#[derive(Debug)]
pub(crate) struct Trace {
    target: Target,
    steps: Vec<Step>,
}

impl Trace {
    pub(crate) fn new(target: Target) -> Self {
        Self { target, steps: Vec::new() }
    }

    pub(crate) fn add(&mut self, step: &Step) {
        self.steps.push(*step);
    }

    pub(crate) fn write(&self) -> Result<()> {
        self.target.write(|to| {
            writeln!(to, "{HEADER}")?;
            self.steps.iter().try_for_each(|step| line(to, step))
        })
    }
}

/// Numbers so that they are read back to the last bit; what is not known is left empty.
fn line(to: &mut dyn Write, step: &Step) -> io::Result<()> {
    write!(to, "{},{:?},", step.iteration, step.seconds)?;
    match &step.detail {
        Some(detail) => write!(
            to,
            "{:?},{:?},{:?},{:?},{:?}",
            step.objective,
            detail.true_objective,
            detail.primal_residual,
            detail.dual_residual,
            detail.movement
        )?,
        // Only FEADMM, which knows the paper's objective, knows more. Nothing is known at the first step.
        None if step.objective.is_finite() => write!(to, ",{:?},,,", step.objective)?,
        None => write!(to, ",,,,")?,
    }
    writeln!(to, ",{}", step.nonzeros)
}
