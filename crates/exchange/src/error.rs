//! What can go wrong on the way into or out of another format.

use thiserror::Error;

/// The result of every fallible call in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Errors say what was found, what was expected and what to do, so that a caller can print them as they are.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The format cannot say what the model says.
    #[error("{format} cannot hold this model: {what}: {remedy}")]
    Unable {
        /// The format.
        format: &'static str,
        /// What it has no room for.
        what: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A view whose parts do not fit together.
    #[error("the model is inconsistent: {0}")]
    Inconsistent(String),
    /// A name that is no C identifier.
    #[error(
        "`{0}` is no name in C: give letters, digits and _, not a digit first, and no word of the language"
    )]
    Name(String),
    /// A file that is not what it should be.
    #[error("line {line}: {fault}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What was found, what was expected, and the remedy.
        fault: String,
    },
    /// The reader failed.
    #[error("cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// What was read is no model that can be used.
    #[error(transparent)]
    Model(#[from] sparsvm_core::Error),
}
