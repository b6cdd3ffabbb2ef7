//! The process of one cell: reads the data, chooses, fits, and tells its parent in lines of JSON. It may run
//! out of memory or of time without harm to the others.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sparsvm_core::solver::solve;
use sparsvm_core::{PenaltySpec, Problem, Regularizer, Status};
use sparsvm_data::ReadError;

use super::cell::{Measured, Message, Protocol, Task};
use super::choose::Chooser;
use super::clock::{Until, cpu_seconds};
use super::curve::Curve;
use super::material::Material;
use super::method::{MAX_ITER, Method, Parameters};
use crate::output::one_line;

/// The parent is told so often at most.
const TELL: Duration = Duration::from_millis(150);
/// Of a cell's time, what the exact solver gets to find the F that the method should have reached.
const REFERENCE_SHARE: f64 = 0.1;

/// Does the task; what went wrong is told, too.
pub(super) fn run(task: &str) -> Result<()> {
    let task: Task = serde_json::from_str(task).context("bench cell is for the program's own use")?;
    rayon::ThreadPoolBuilder::new().num_threads(task.protocol.threads.into()).build_global()?;
    let mut told = Instant::now();
    let mut tell = |text: &str| {
        if told.elapsed() >= TELL {
            told = Instant::now();
            // If the parent is gone, so is the reason to go on.
            if say(&Message::Doing(text.to_owned())).is_err() {
                std::process::exit(1);
            }
        }
    };
    let material = match Material::load(&task.set, &task.protocol) {
        Ok(material) => material,
        Err(error) if is_about_memory(&error) => return say(&Message::Unable(one_line(&error))),
        Err(error) => return say(&Message::Broken(format!("{}: {}", task.set.title.name, one_line(&error)))),
    };
    say(&Message::Ready(material.shape()))?;
    match measure(&task, &material, &mut tell) {
        Ok(measured) => say(&Message::Done(Box::new(measured))),
        Err(error) => say(&Message::Unable(one_line(&error))),
    }
}

/// A limit that the user set is no fault of the file.
fn is_about_memory(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ReadError::Memory { .. } | ReadError::OutOfMemory { .. }))
}

fn say(message: &Message) -> Result<()> {
    let text = serde_json::to_string(message)?;
    let mut to = io::stdout().lock();
    writeln!(to, "{text}").and_then(|()| to.flush()).context("the parent process is gone")
}

fn measure(task: &Task, material: &Material, tell: &mut (dyn FnMut(&str) + Send)) -> Result<Measured> {
    let (method, penalty, protocol) = (task.cell.method, task.cell.penalty, &task.protocol);
    let end = cpu_seconds() + protocol.time_limit;
    let (chosen, choice) = Chooser::new((method, penalty), protocol, tell).choose(material)?;
    let regularizer = Regularizer::from_spec(&PenaltySpec::new(penalty, chosen.lambda))?;
    let problem = Problem::new(material.train.design(), &material.y, method.loss(), regularizer)?;
    let solver = method.solver(&chosen, MAX_ITER, protocol.memory_limit);
    let mut curve = Curve::new(&material.test, Until(end), tell);
    let solution = solve(&*solver, &problem, None, &mut curve)?;
    let accuracy = material.test.accuracy(&solution.w, solution.b);
    let (watch, curve) = curve.finish(accuracy);
    let certificate = solution.certificate;
    ensure!(certificate.objective.is_finite(), "the numbers ran away: F is {}", certificate.objective);
    Ok(Measured {
        loss: problem.loss().to_string(),
        reference: reference(method, &problem, &chosen, (end, protocol), tell)?,
        chosen,
        choice,
        iterations: solution.iterations,
        setup_seconds: watch.setup(),
        iteration_seconds: watch.iterations(),
        accuracy,
        objective: certificate.objective,
        features: solution.nonzeros(),
        gap: certificate.gap,
        violation: certificate.violation,
        // Time is all that interrupts this process and lets it tell.
        status: if solution.status == Status::Interrupted { Status::MaxTime } else { solution.status },
        curve,
    })
}

/// F of the exact solver on the same problem, if it gets to the end. FEADMM and exact stand in one table with
/// the same problem.
fn reference(
    method: Method,
    problem: &Problem<'_>,
    chosen: &Parameters,
    (end, protocol): (f64, &Protocol),
    tell: &mut (dyn FnMut(&str) + Send),
) -> Result<Option<f64>> {
    let end = end.min(cpu_seconds() + REFERENCE_SHARE * protocol.time_limit);
    if cpu_seconds() >= end || matches!(method, Method::Exact | Method::Feadmm) {
        return Ok(None);
    }
    tell("the exact solver on the same problem");
    let exact = Method::Exact.solver(chosen, MAX_ITER, protocol.memory_limit);
    let solution = solve(&*exact, problem, None, &mut Until(end))?;
    Ok((solution.status != Status::Interrupted).then_some(solution.certificate.objective))
}
