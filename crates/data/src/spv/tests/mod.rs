//! Tests of the mapped format.

mod damage;
mod hostile;
mod reading;
mod round_trip;

use std::path::{Path, PathBuf};

use sparsvm_core::design::{Compressed, Sparse, Width};
use sparsvm_core::{Dataset, Labels};
use tempfile::TempDir;

use super::{Map, write};
use crate::ReadError;

/// Three rows and four columns with everything that a file can hold.
pub(super) fn small() -> Dataset {
    let rows = Compressed::new(vec![0, 2, 2, 5], vec![0, 2, 0, 1, 3], vec![1.5, -2.1, 0.1, 1e-3, 7.0], 4);
    let labels = Labels::from_texts(&["spam", "ham", "spam"]);
    let names = ["a", "b", "", "längst"].map(String::from).to_vec();
    let data = Dataset::new(Sparse::from_rows(rows.unwrap()), labels).unwrap();
    data.with_names(names).unwrap().with_queries(vec![3, 3, u64::MAX]).unwrap()
}

pub(super) fn bytes_of(data: &Dataset, width: Width) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(data, width, &mut bytes).unwrap();
    bytes
}

/// A folder with one file, written anew for each look at it.
pub(super) struct Place {
    _folder: TempDir,
    path: PathBuf,
}

impl Place {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.spv");
        Self { _folder: folder, path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads these bytes as a file.
    pub(super) fn read(&self, bytes: &[u8]) -> Result<Dataset, ReadError> {
        // A new file each time: one that is mapped is never written to.
        std::fs::remove_file(&self.path).ok();
        std::fs::write(&self.path, bytes).unwrap();
        Map::open(&self.path)?.into_dataset()
    }

    /// The error of a file that must be refused.
    pub(super) fn fault(&self, bytes: &[u8]) -> String {
        match self.read(bytes) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("the file was taken"),
        }
    }
}
