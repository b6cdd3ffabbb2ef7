//! How a table's columns become labels and features.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What to do about values that are not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse the table, and name the columns.
    #[default]
    Refuse,
    /// Take the mean of the column's other values.
    Mean,
    /// Take 0.
    Zero,
    /// Leave the row out.
    DropRows,
}

/// A name that is none of these.
#[derive(Debug, Error)]
#[error("missing values can be treated by mean, zero or drop-rows")]
pub struct UnknownMissing;

impl Missing {
    /// The names in options.
    pub const NAMES: [&'static str; 3] = ["mean", "zero", "drop-rows"];
}

impl FromStr for Missing {
    type Err = UnknownMissing;

    fn from_str(name: &str) -> Result<Self, UnknownMissing> {
        match name {
            "mean" => Ok(Self::Mean),
            "zero" => Ok(Self::Zero),
            "drop-rows" => Ok(Self::DropRows),
            _ => Err(UnknownMissing),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refuse => "refuse",
            Self::Mean => "mean",
            Self::Zero => "zero",
            Self::DropRows => "drop-rows",
        })
    }
}

/// Which column is what. Columns are named, or numbered from 1, or from the end with -1, -2, …
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// The label's column. Without it, a column called label, target, class or y.
    pub label: Option<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Columns of categories: a feature for each of them, 1 where it is so and 0 elsewhere.
    pub one_hot: Vec<String>,
    /// What to do about missing values.
    pub missing: Missing,
    /// What separates the values of a text; told by its first line otherwise.
    pub delimiter: Option<u8>,
    /// Whether the first line of a text has the names; if this is not said, it has if it holds no number.
    pub header: Option<bool>,
}
