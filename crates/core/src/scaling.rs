//! Column scaling. Only factors, never shifts: a shift of the columns is a change of the intercept, so
//! with a free intercept centring would change nothing but b, and without one it would make sparse data
//! dense.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::team::{Alone, Team, total};
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
        self.factors_in(x, &Alone)
    }

    /// The same over the rows of all members of a team.
    pub fn factors_in(self, x: &dyn Design, team: &dyn Team) -> Vec<f64> {
        let spreads = match self {
            Self::None => return vec![1.0; x.cols()],
            Self::MaxAbs => largest(x, team),
            Self::Standard => deviations(x, team),
        };
        let factor = |spread: f64| {
            let factor = 1.0 / spread;
            if spread > 0.0 && factor.is_finite() { factor } else { 1.0 }
        };
        spreads.into_iter().map(factor).collect()
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

/// The largest absolute value of each column.
fn largest(x: &dyn Design, team: &dyn Team) -> Vec<f64> {
    let of = |j: usize| {
        let mut largest = 0.0f64;
        x.column(j).for_each(|_, value| largest = largest.max(value.abs()));
        largest
    };
    let mut all: Vec<f64> = (0..x.cols()).map(of).collect();
    team.max(&mut all);
    all
}

/// The standard deviation of each column; 0 for one that is constant up to rounding.
fn deviations(x: &dyn Design, team: &dyn Team) -> Vec<f64> {
    let n = total(team, x.rows() as f64);
    let sum = |j: usize| {
        let mut sum = 0.0;
        x.column(j).for_each(|_, value| sum += value);
        sum
    };
    let mut means: Vec<f64> = (0..x.cols()).map(sum).collect();
    team.sum(&mut means);
    means.iter_mut().for_each(|sum| *sum /= n);
    let squares = |(j, mean): (usize, &f64)| {
        let column = x.column(j);
        let (mut squares, mut count) = (0.0, 0usize);
        column.for_each(|_, value| {
            squares += (value - mean) * (value - mean);
            count += 1;
        });
        squares + (x.rows() - count) as f64 * mean * mean
    };
    let mut all: Vec<f64> = means.iter().enumerate().map(squares).collect();
    team.sum(&mut all);
    // Rounding alone gives a constant column a spread of about 1e-16 of its size.
    let spread = |(squares, largest): (f64, f64)| {
        let spread = (squares / n).sqrt();
        if spread > 1e-12 * largest { spread } else { 0.0 }
    };
    all.into_iter().zip(largest(x, team)).map(spread).collect()
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
