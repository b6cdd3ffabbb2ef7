//! The cells of the tables that are finished, in their folder.

use std::fs;

use anyhow::{Result, bail};

use super::cell::{Cell, Protocol, Record};
pub(super) use crate::folder::Folder;

impl Folder {
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
