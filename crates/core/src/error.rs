//! What can go wrong before there is an answer. A solver that merely does not converge is no error:
//! that is a [`Status`](crate::Status) inside the solution.

use thiserror::Error;

/// The result of every fallible call in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Errors carry the offending value and the remedy, so that a caller can print them as they are.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A setting outside its range.
    #[error("{name} = {value} is not allowed: {allowed}")]
    Parameter {
        /// The setting's name, as in `docs/maths.md`.
        name: &'static str,
        /// What was given.
        value: String,
        /// The range, in words.
        allowed: &'static str,
    },
    /// Two things that must have the same length have not.
    #[error("{what}: {found} given where {expected} are needed")]
    Length {
        /// What was counted.
        what: &'static str,
        /// How many came.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
    /// A matrix that breaks the rules of its format.
    #[error("malformed matrix: {0}")]
    Matrix(String),
    /// Not exactly two classes.
    #[error(
        "the labels have {count} {} ({listed}), but a binary model needs exactly two: \
         keep the rows of two classes, or merge classes into two",
        if *count == 1 { "class" } else { "classes" }
    )]
    Classes {
        /// How many distinct labels there are.
        count: usize,
        /// The first few of them.
        listed: String,
    },
    /// The data has no row or no column.
    #[error("the data is empty: {rows} rows and {cols} features; at least one of each is needed")]
    Empty {
        /// Rows found.
        rows: usize,
        /// Features found.
        cols: usize,
    },
    /// A large allocation that was refused before it was made.
    #[error(
        "{what} needs {needed_mib} MiB, more than the limit of {limit_mib} MiB: {remedy}, or raise --memory-limit"
    )]
    Memory {
        /// What wants the memory.
        what: &'static str,
        /// How much it wants.
        needed_mib: u64,
        /// How much there may be.
        limit_mib: u64,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A solver that cannot take this problem.
    #[error("solver {solver} cannot take {what}: {instead}")]
    Unsupported {
        /// The solver.
        solver: &'static str,
        /// What it cannot take.
        what: String,
        /// What it can take, and which ones can take this.
        instead: String,
    },
    /// The numbers ran away.
    #[error("{what}: {remedy}")]
    Numerical {
        /// What happened.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Someone asked to stop before there was an answer.
    #[error("stopped before there was an answer")]
    Interrupted,
    /// A finished piece of a long run could not be kept.
    #[error("{0}")]
    Keeping(String),
    /// Another member of the team is gone, or not in step.
    #[error("{0}")]
    Team(String),
    /// A model file that cannot be used.
    #[error("not a usable sparsvm model: {0}")]
    Model(String),
}

impl Error {
    /// A [`Error::Parameter`], with the value formatted.
    pub fn parameter(name: &'static str, value: impl std::fmt::Display, allowed: &'static str) -> Self {
        Self::Parameter { name, value: value.to_string(), allowed }
    }
}

/// Checks `value` in a way that NaN fails.
pub(crate) fn check(ok: bool, name: &'static str, value: f64, allowed: &'static str) -> Result<()> {
    if ok && value.is_finite() { Ok(()) } else { Err(Error::parameter(name, value, allowed)) }
}
