//! Archives of arrays: a dense `X` with `y`, or a sparse matrix of SciPy with `y` beside it.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};

use sparsvm_core::Dataset;
use zip::ZipArchive;
use zip::result::ZipError;

use super::dense::{self, Beside};
use super::npy::{Array, Place};
use super::scipy;
use crate::compression::Compression;
use crate::open::Opened;
use crate::{ReadError, ReadOptions};

/// What a matrix, and its labels, are looked for under. The second names are those of scikit-learn's data sets.
const MATRIX: [&str; 2] = ["X", "data"];
const LABELS: [&str; 2] = ["y", "target"];

/// So many arrays are named in a message.
const SHOWN: usize = 8;

trait Bytes: Read + Seek {}
impl Bytes for BufReader<File> {}
impl Bytes for Cursor<Vec<u8>> {}

/// An archive.
pub(crate) struct Archive<'a> {
    name: &'a str,
    zip: ZipArchive<Box<dyn Bytes>>,
}

/// Reads a data set.
pub(crate) fn read(opened: Opened<'_>, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let limit = options.memory_limit;
    let mut archive = Archive::open(opened, name, limit)?;
    let labels = archive.first(&LABELS)?.map(|array| array.labels(limit)).transpose()?;
    let names = archive.get("feature_names")?.map(|array| array.texts(limit)).transpose()?;
    let queries =
        archive.get("qid")?.map(|array| array.integers(limit, Some, "a number from 0")).transpose()?;
    let beside = Beside { labels, names, queries };
    if archive.has("format") {
        return scipy::read(&mut archive, beside, options);
    }
    let found = archive.listed();
    match archive.first(&MATRIX)? {
        Some(array) => dense::read(array, beside, options),
        None => Err(ReadError::Table {
            name: name.to_owned(),
            what: format!(
                "there is no array X (or data), but {found}: write it with numpy.savez(FILE, X=X, y=y), or \
                 scipy.sparse.save_npz"
            ),
        }),
    }
}

impl<'a> Archive<'a> {
    /// Opens an archive, in memory if it is no plain file.
    fn open(opened: Opened<'_>, name: &'a str, limit: Option<u64>) -> Result<Self, ReadError> {
        let bytes: Box<dyn Bytes> = match opened.file(name)? {
            Some(file) => Box::new(BufReader::new(file)),
            None => Box::new(Cursor::new(opened.bytes(name, limit)?)),
        };
        let zip = ZipArchive::new(bytes).map_err(|error| fault(name, error))?;
        Ok(Self { name, zip })
    }

    /// The file, in errors.
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.zip.index_for_name(&format!("{key}.npy")).is_some()
    }

    /// The array of this name, if there is one.
    pub(crate) fn get<'b>(&'b mut self, key: &'b str) -> Result<Option<Array<'b>>, ReadError> {
        let name = self.name;
        let Some(index) = self.zip.index_for_name(&format!("{key}.npy")) else { return Ok(None) };
        let file = self.zip.by_index(index).map_err(|error| fault(name, error))?;
        let size = file.size();
        let place = Place { file: name, key: Some(key), compression: Compression::Plain };
        // What the archive says of an array's size bounds it, so that nothing grows past it.
        Array::open(Box::new(file.take(size.saturating_add(1))), place, Some(size)).map(Some)
    }

    /// The array of this name.
    pub(crate) fn must<'b>(&'b mut self, key: &'b str) -> Result<Array<'b>, ReadError> {
        let (name, found) = (self.name, self.listed());
        self.get(key)?.ok_or_else(|| ReadError::Table {
            name: name.to_owned(),
            what: format!("a sparse matrix has an array {key}, but there are {found}: save it again"),
        })
    }

    fn first<'b>(&'b mut self, keys: &[&'b str]) -> Result<Option<Array<'b>>, ReadError> {
        match keys.iter().find(|key| self.has(key)) {
            Some(key) => self.get(key),
            None => Ok(None),
        }
    }

    /// The names of the arrays, for a message.
    fn listed(&self) -> String {
        let names: Vec<String> = self
            .zip
            .file_names_raw()
            .take(SHOWN)
            .map(|name| crate::quote::quoted(name.strip_suffix(b".npy").unwrap_or(name)))
            .collect();
        let more = if self.zip.len() > SHOWN { ", …" } else { "" };
        if names.is_empty() { "nothing".into() } else { names.join(", ") + more }
    }
}

fn fault(name: &str, error: ZipError) -> ReadError {
    let name = name.to_owned();
    let format = "npz";
    match error {
        ZipError::Io(source) if source.raw_os_error().is_some() => ReadError::Io { name, source },
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => ReadError::Table {
            name,
            what: format!("the archive is of a kind that NumPy does not write ({error}): save it again"),
        },
        error => ReadError::Damaged { name, format, reason: error.to_string() },
    }
}
