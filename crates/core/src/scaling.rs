//! Column scaling. Only factors, never shifts: a shift of the columns is a change of the intercept, so
//! with a free intercept centring would change nothing but b, and without one it would make sparse data
//! dense.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Design, Error, Result};

/// How columns are scaled before a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// As they are.
    None,
    /// To standard deviation 1.
    Standard,
    /// To largest absolute value 1.
    MaxAbs,
}

impl Scaling {
    /// The factor for each column; 1 for a column that is constant (Standard) or zero (MaxAbs).
    pub fn factors(self, x: &dyn Design) -> Vec<f64> {
        let n = x.rows() as f64;
        (0..x.cols())
            .map(|j| {
                let column = x.column(j);
                let largest = || {
                    let mut largest = 0.0f64;
                    column.for_each(|_, value| largest = largest.max(value.abs()));
                    largest
                };
                let spread = match self {
                    Self::None => return 1.0,
                    Self::MaxAbs => largest(),
                    Self::Standard => {
                        let (mut sum, mut count) = (0.0, 0usize);
                        column.for_each(|_, value| (sum, count) = (sum + value, count + 1));
                        let mean = sum / n;
                        let mut squares = (n - count as f64) * mean * mean;
                        column.for_each(|_, value| squares += (value - mean) * (value - mean));
                        let spread = (squares / n).sqrt();
                        // Rounding alone gives a constant column a spread of about 1e-16 of its size.
                        if spread > 1e-12 * largest() { spread } else { 0.0 }
                    }
                };
                let factor = 1.0 / spread;
                if spread > 0.0 && factor.is_finite() { factor } else { 1.0 }
            })
            .collect()
    }

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::MaxAbs => "max-abs",
        }
    }
}

impl FromStr for Scaling {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        [Self::None, Self::Standard, Self::MaxAbs]
            .into_iter()
            .find(|scaling| scaling.name() == text)
            .ok_or_else(|| Error::parameter("scale", text, "one of none, standard, max-abs"))
    }
}
