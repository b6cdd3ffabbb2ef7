//! When to stop. The clock may stop the iterates, it never alters them.

use std::time::{Duration, Instant};

use crate::error::check;
use crate::{Error, Result};

/// Tolerance and limits.
///
/// | field | default | range |
/// |---|---|---|
/// | `tol` | 1e-4 | ≥ 0 (0: run to a limit) |
/// | `max_iter` | 1000 | ≥ 1 |
/// | `max_time` | none | > 0 |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// The relative tolerance.
    pub tol: f64,
    /// The most iterations.
    pub max_iter: usize,
    /// The most time in the iterations.
    pub max_time: Option<Duration>,
}

impl Default for Stopping {
    fn default() -> Self {
        Self { tol: 1e-4, max_iter: 1000, max_time: None }
    }
}

impl Stopping {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a value out of range.
    pub fn new(tol: f64, max_iter: usize, max_time: Option<Duration>) -> Result<Self> {
        check(tol >= 0.0, "tol", tol, "a tolerance is 0 or more")?;
        if max_iter == 0 {
            return Err(Error::parameter("max-iter", max_iter, "at least 1"));
        }
        Ok(Self { tol, max_iter, max_time })
    }

    /// True if the time since `began` is up.
    pub(crate) fn out_of_time(&self, began: Instant) -> bool {
        self.max_time.is_some_and(|limit| began.elapsed() >= limit)
    }
}
