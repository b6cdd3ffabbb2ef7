//! What a model is for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The tasks, as `--task` and model files name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Tell two classes apart.
    #[default]
    Classify,
    /// Order the rows of each query; see [`rank`](crate::rank).
    Rank,
}

impl Goal {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Classify, Self::Rank];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classify => "classify",
            Self::Rank => "rank",
        }
    }

    /// True for the one that files leave out.
    pub(crate) fn is_classify(&self) -> bool {
        *self == Self::Classify
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Goal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|goal| goal.name() == text)
            .ok_or_else(|| Error::parameter("task", text, "one of classify, rank"))
    }
}
