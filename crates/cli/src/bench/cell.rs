//! A cell of the tables: what a process is told to do, and what it answers. Both are JSON, on the command
//! line, through a pipe and in the files that `--resume` reads.

use serde::{Deserialize, Serialize};
use sparsvm_core::Status;
use sparsvm_core::penalty::Family;

use super::method::{Method, Parameters};
use super::set::Set;

/// The penalties of the paper's tables.
pub(super) const PENALTIES: [Family; 2] = [Family::Scad, Family::Mcp];

/// A data set, a penalty, a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) set: String,
    pub(super) penalty: Family,
    pub(super) method: Method,
}

impl Cell {
    /// All of a set's, in the order of the tables.
    pub(super) fn all(set: &Set) -> Vec<Self> {
        let of = |penalty: Family| {
            let methods = Method::ALL.into_iter().filter(move |method| method.takes(penalty));
            methods.map(move |method| Self { set: set.title.name.clone(), penalty, method })
        };
        PENALTIES.into_iter().flat_map(of).collect()
    }

    /// For people.
    pub(super) fn title(&self) -> String {
        format!("{} {} {}", self.set, self.penalty, self.method.name())
    }

    /// For files.
    pub(super) fn key(&self) -> String {
        format!("{}.{}.{}", self.set, self.penalty, self.method.key())
    }
}

/// What must be the same for two measurements to stand in one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Protocol {
    pub(super) quick: bool,
    pub(super) full_grid: bool,
    pub(super) seed: u64,
    /// For one cell.
    pub(super) time_limit: f64,
    pub(super) memory_limit: u64,
    pub(super) threads: u16,
    /// Of this program.
    pub(super) version: String,
}

/// What a process is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) set: Set,
    pub(super) cell: Cell,
    pub(super) protocol: Protocol,
}

/// What a process says, a line each.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Message {
    /// What it is doing now.
    Doing(String),
    /// The data is read: from now on time counts.
    Ready(Shape),
    Done(Box<Measured>),
    /// The method has no answer; why.
    Unable(String),
    /// Nothing can be measured, as the data cannot be read.
    Broken(String),
}

/// The data after the split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shape {
    pub(super) train: usize,
    pub(super) test: usize,
    pub(super) features: usize,
    /// Parameters are chosen on a tenth of it.
    pub(super) large: bool,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) loss: String,
    pub(super) chosen: Parameters,
    /// How they were chosen.
    pub(super) choice: Choice,
    pub(super) iterations: usize,
    /// CPU seconds before the first iteration, and in the iterations.
    pub(super) setup_seconds: f64,
    pub(super) iteration_seconds: f64,
    /// On the test rows.
    pub(super) accuracy: f64,
    /// The true F, and what else the certificate says.
    pub(super) objective: f64,
    pub(super) features: usize,
    pub(super) gap: f64,
    pub(super) violation: f64,
    pub(super) status: Status,
    /// F of the exact solver on the same problem, if it had the time.
    pub(super) reference: Option<f64>,
    /// CPU seconds and accuracy along the way.
    pub(super) curve: Vec<(f64, f64)>,
}

/// How parameters were chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Choice {
    pub(super) seconds: f64,
    /// Rows that it was made on.
    pub(super) rows: usize,
    /// Of so many candidates, as many as the time allowed.
    pub(super) tried: usize,
    pub(super) candidates: usize,
}

/// A finished cell, as its file holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) cell: Cell,
    pub(super) protocol: Protocol,
    /// None if the data was never ready.
    pub(super) shape: Option<Shape>,
    pub(super) outcome: Outcome,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Measured(Box<Measured>),
    /// No answer within the limits, and why.
    Unable(String),
}

impl Record {
    pub(super) fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            Outcome::Unable(_) => None,
        }
    }
}

impl Measured {
    pub(super) fn running_seconds(&self) -> f64 {
        self.setup_seconds + self.iteration_seconds
    }
}
