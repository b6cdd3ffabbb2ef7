//! The folder that results go to: files that appear whole, and the cells that are finished.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cell::{Cell, Protocol, Record};
use crate::atomic::Target;

/// A folder that can be written to.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes it, if it is not there.
    pub(super) fn new(path: &Path) -> Result<Self> {
        let cells = path.join("cells");
        fs::create_dir_all(&cells).with_context(|| format!("cannot make the folder {}", cells.display()))?;
        let folder = Self { path: path.to_owned() };
        // Found out now rather than in an hour.
        Target::new(&folder.path.join("index.html"), &[])?;
        Ok(folder)
    }

    pub(super) fn shown(&self, name: &str) -> String {
        self.path.join(name).display().to_string()
    }

    pub(super) fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        Target::new(&self.path.join(name), &[])?.write(|to| to.write_all(content))
    }

    pub(super) fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value)?;
        Target::new(&self.path.join(name), &[])?.write(|to| writeln!(to, "{text}"))
    }

    /// None if there is no such file, or it is none that this version understands.
    pub(super) fn read_json<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(&fs::read_to_string(self.path.join(name)).ok()?).ok()
    }

    pub(super) fn keep(&self, record: &Record) -> Result<()> {
        self.write_json(&name_of(&record.cell), record)
    }

    /// A finished cell, if it was measured in the same way.
    pub(super) fn finished(&self, cell: &Cell, protocol: &Protocol) -> Option<Record> {
        let record: Record = self.read_json(&name_of(cell))?;
        (record.cell == *cell && record.protocol == *protocol).then_some(record)
    }

    /// Every cell that is there.
    pub(super) fn records(&self) -> Vec<Record> {
        let Ok(entries) = fs::read_dir(self.path.join("cells")) else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".json")).collect();
        names.sort();
        names.iter().filter_map(|name| self.read_json(&format!("cells/{name}"))).collect()
    }

    /// Refuses to start over what took an hour.
    pub(super) fn refuse_old_cells(&self) -> Result<()> {
        if !self.records().is_empty() {
            bail!(
                "{} holds the cells of an earlier run: give --resume to go on with them, or another --out",
                self.path.display()
            );
        }
        Ok(())
    }
}

fn name_of(cell: &Cell) -> String {
    format!("cells/{}.json", cell.key())
}
