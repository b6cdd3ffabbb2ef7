//! The strengths of a path.

use crate::error::check;
use crate::{Error, Result};

/// Which λ, from the largest down.
#[derive(Debug, Clone, PartialEq)]
pub enum Grid {
    /// Log-spaced from λ_max down.
    Spaced {
        /// How many, from 1 to [`Grid::MOST`].
        count: usize,
        /// The last λ relative to λ_max, 0 < x < 1.
        min_ratio: f64,
    },
    /// These: positive and descending. From λ_max on nothing is kept.
    Given(Vec<f64>),
}

impl Default for Grid {
    fn default() -> Self {
        let (count, min_ratio) = Self::USUAL;
        Self::Spaced { count, min_ratio }
    }
}

impl Grid {
    /// How many λ down to which share, unless told otherwise.
    pub const USUAL: (usize, f64) = (100, 0.01);

    /// The most λ that are spaced: more differ by less than anyone looks at, and are not to fill the memory.
    pub const MOST: usize = 1_000_000;

    /// Refuses numbers that are out of range.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the first one.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Spaced { count, .. } if !(1..=Self::MOST).contains(count) => {
                Err(Error::parameter("n-lambda", count, "it lies between 1 and 1000000"))
            }
            Self::Spaced { min_ratio: ratio, .. } => {
                check(*ratio > 0.0 && *ratio < 1.0, "lambda-min-ratio", *ratio, "it lies between 0 and 1")
            }
            Self::Given(lambdas) => {
                let last = lambdas.last().copied().unwrap_or(f64::NAN);
                check(last > 0.0, "lambda", last, "a path needs one at least, and every one is more than 0")?;
                match lambdas.windows(2).find(|pair| !(pair[0] > pair[1] && pair[0].is_finite())) {
                    Some(pair) => Err(Error::parameter("lambda", pair[0], "those of a path descend")),
                    None => Ok(()),
                }
            }
        }
    }

    /// How many λ.
    pub fn len(&self) -> usize {
        match self {
            Self::Spaced { count, .. } => *count,
            Self::Given(lambdas) => lambdas.len(),
        }
    }

    /// True if there is none; such a grid is refused.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The λ themselves, for a λ_max.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn lambdas(&self, largest: f64) -> Result<Vec<f64>> {
        self.check()?;
        Ok(match self {
            Self::Spaced { count, min_ratio } => {
                let last = (*count.max(&2) - 1) as f64;
                (0..*count).map(|k| largest * min_ratio.powf(k as f64 / last)).collect()
            }
            Self::Given(lambdas) => lambdas.clone(),
        })
    }
}
