//! A folder for the results of a long run: files that appear whole, and `cells` for what is finished.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic::Target;

/// A folder that can be written to.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    /// Makes it and its `cells`, if they are not there.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let cells = path.join("cells");
        fs::create_dir_all(&cells).with_context(|| format!("cannot make the folder {}", cells.display()))?;
        let folder = Self { path: path.to_owned() };
        // Found out now rather than in an hour.
        Target::new(&folder.path.join("cells/any"), &[])?;
        Ok(folder)
    }

    pub(crate) fn shown(&self, name: &str) -> String {
        self.path.join(name).display().to_string()
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        Target::new(&self.path.join(name), &[])?.write(|to| to.write_all(content))
    }

    pub(crate) fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value)?;
        Target::new(&self.path.join(name), &[])?.write(|to| writeln!(to, "{text}"))
    }

    /// None if there is no such file, or it is none that this version understands.
    pub(crate) fn read_json<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(&fs::read_to_string(self.path.join(name)).ok()?).ok()
    }
}
