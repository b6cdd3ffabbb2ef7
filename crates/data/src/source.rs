//! Where the bytes come from.

use std::convert::Infallible;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::str::FromStr;

use crate::ReadError;

/// A file, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// Standard input, written `-`.
    Stdin,
}

impl Source {
    /// The bytes, and how many there are if that is known.
    pub(crate) fn open(&self) -> Result<(Box<dyn Read + Send>, Option<u64>), ReadError> {
        match self {
            Self::Stdin => Ok((Box::new(io::stdin()), None)),
            Self::Path(path) => {
                let failed = |source| ReadError::Open { name: self.to_string(), source };
                let file = File::open(path).map_err(failed)?;
                let about = file.metadata().map_err(failed)?;
                // A pipe or a device has a length of 0 that says nothing.
                let size = Some(about.len()).filter(|_| about.is_file());
                Ok((Box::new(file), size))
            }
        }
    }
}

impl From<PathBuf> for Source {
    /// `-` is standard input.
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::Path(path) }
    }
}

impl From<&str> for Source {
    fn from(path: &str) -> Self {
        Self::from(PathBuf::from(path))
    }
}

impl FromStr for Source {
    type Err = Infallible;

    fn from_str(path: &str) -> Result<Self, Infallible> {
        Ok(Self::from(path))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Stdin => f.write_str("standard input"),
        }
    }
}
