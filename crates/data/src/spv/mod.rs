//! The mapped binary format, .spv: rows and columns in one file that is used where it lies.
//!
//! [`Map::open`] looks at header, index and classes only; [`Map::verify`] reads the file once and checks all of
//! it; [`Map::into_dataset`] gives a data set whose matrix stays in the file. docs/format.md has every byte.

mod check;
mod layout;
mod map;
#[cfg(test)]
mod tests;
mod texts;
mod write;

use std::io;
use std::path::Path;
use std::sync::Arc;

use bytemuck::AnyBitPattern;
use sparsvm_core::design::{Compressed, Shared, Sparse, Values, Width};
use sparsvm_core::{Dataset, Labels};

use crate::error::mib;
use crate::{ReadError, ReadOptions};
use check::View;
use layout::{Kind, Layout};
use map::Bytes;

pub(crate) use layout::MAGIC;
pub use write::{WriteError, write};

/// What is wrong, and where.
#[derive(Debug)]
struct Damage {
    section: &'static str,
    found: String,
}

/// What a file says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// n.
    pub rows: usize,
    /// d.
    pub columns: usize,
    /// Stored entries of the matrix.
    pub entries: usize,
    /// How wide values are stored.
    pub width: Width,
    /// Classes in the order of their codes, and how many rows each has.
    pub classes: Vec<(String, u64)>,
    /// True if features have names.
    pub named: bool,
    /// True if rows have query numbers.
    pub queries: bool,
    /// Bytes of the file.
    pub bytes: u64,
}

/// A mapped file.
#[derive(Debug)]
pub struct Map {
    name: String,
    bytes: Arc<Bytes>,
    layout: Layout,
    classes: Vec<(String, u64)>,
    verified: bool,
}

impl Map {
    /// Maps a file and checks its header, its index and its classes. That takes milliseconds for any size: the
    /// rest of the file is not looked at.
    ///
    /// # Errors
    /// If there is no such file, or what was looked at is damaged.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        Self::of(path.display().to_string(), || Bytes::map(path))
    }

    /// Looks at a copy of these bytes as [`open`](Self::open) does at a file; `name` stands for it in errors. A file is
    /// better mapped, which copies nothing.
    ///
    /// # Errors
    /// If there is no memory for it, or what was looked at is damaged.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, ReadError> {
        Self::of(name.to_owned(), || Bytes::copy(bytes))
    }

    fn of(name: String, bytes: impl FnOnce() -> io::Result<Bytes>) -> Result<Self, ReadError> {
        if cfg!(not(all(target_endian = "little", target_pointer_width = "64"))) {
            let found = "an .spv file needs a little-endian machine with 64 bits".into();
            return Err(ReadError::Refused { name, found, remedy: "read the original data" });
        }
        let bytes = bytes().map_err(|source| ReadError::Open { name: name.clone(), source })?;
        let damaged = |damage: Damage| damage.of(&name);
        match layout::version(bytes.all()) {
            Some(layout::VERSION) => {}
            Some(other) => {
                let found = format!(
                    "an .spv file of version {other}, but this program reads version {}",
                    layout::VERSION
                );
                let remedy = "use the program that wrote it, or convert the original data again";
                return Err(ReadError::Refused { name, found, remedy });
            }
            None => {
                let found = "it does not begin as an .spv file does".into();
                return Err(damaged(Damage { section: "header", found }));
            }
        }
        let layout = Layout::read(bytes.all()).map_err(damaged)?;
        let view = View { all: bytes.all(), layout: &layout };
        view.check_index().map_err(damaged)?;
        let classes = view.classes().map_err(damaged)?;
        Ok(Self { name, bytes: Arc::new(bytes), layout, classes, verified: false })
    }

    /// What the file says about itself.
    pub fn about(&self) -> About {
        let shape = &self.layout.shape;
        About {
            rows: shape.rows as usize,
            columns: shape.columns as usize,
            entries: shape.entries as usize,
            width: shape.width,
            classes: self.classes.clone(),
            named: shape.name_bytes.is_some(),
            queries: shape.has_queries,
            bytes: self.layout.bytes,
        }
    }

    /// Reads the whole file once and checks all of it: every checksum, and that the numbers make a data set
    /// whose rows and columns are the same matrix.
    ///
    /// # Errors
    /// If the file is damaged, or was changed in the meantime.
    pub fn verify(&mut self) -> Result<(), ReadError> {
        self.view().check(&self.classes).map_err(|damage| damage.of(&self.name))?;
        if !self.bytes.unchanged() {
            let found = "the file was changed while it was read".into();
            let remedy = "write files under another name and rename them; then read this one again";
            return Err(ReadError::Refused { name: self.name.clone(), found, remedy });
        }
        self.verified = true;
        Ok(())
    }

    /// The data set. Its matrix stays in the file; labels, query numbers and names are copied. A file that was
    /// not verified is verified first.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn into_dataset(mut self) -> Result<Dataset, ReadError> {
        if !self.verified {
            self.verify()?;
        }
        let failed = |source| ReadError::Data { name: self.name.clone(), source };
        let (n, d) = (self.layout.shape.rows as usize, self.layout.shape.columns as usize);
        let rows = self.matrix([Kind::RowStarts, Kind::RowPositions, Kind::RowValues], d)?;
        let columns = self.matrix([Kind::ColumnStarts, Kind::ColumnPositions, Kind::ColumnValues], n)?;
        let design = Sparse::from_both(rows, columns).map_err(failed)?;
        let classes = self.classes.iter().map(|(class, _)| class.clone()).collect();
        let codes = self.array::<u32>(Kind::Codes)?;
        let labels = Labels::from_codes(classes, (*codes).as_ref().to_vec()).map_err(failed)?;
        let mut data = Dataset::new(design, labels).map_err(failed)?;
        if self.layout.shape.has_queries {
            let queries = self.array::<u64>(Kind::Queries)?;
            data = data.with_queries((*queries).as_ref().to_vec()).map_err(failed)?;
        }
        match self.view().names().map_err(|damage| damage.of(&self.name))? {
            Some(names) => data.with_names(names).map_err(failed),
            None => Ok(data),
        }
    }

    fn view(&self) -> View<'_> {
        View { all: self.bytes.all(), layout: &self.layout }
    }

    fn matrix(&self, kinds: [Kind; 3], across: usize) -> Result<Compressed<'static>, ReadError> {
        let values: Values<'static> = match self.layout.shape.width {
            Width::F64 => self.array::<f64>(kinds[2])?.into(),
            Width::F32 => self.array::<f32>(kinds[2])?.into(),
        };
        let (starts, at) = (self.array::<usize>(kinds[0])?, self.array::<u32>(kinds[1])?);
        let made = Compressed::already_checked(starts, at, values, across);
        made.map_err(|source| ReadError::Data { name: self.name.clone(), source })
    }

    fn array<T: AnyBitPattern + Send + Sync>(&self, kind: Kind) -> Result<Shared<T>, ReadError> {
        let section = self.layout.section(kind);
        let range = section.map_or(0..0, |s| s.offset as usize..(s.offset + s.bytes) as usize);
        map::shared(&self.bytes, range)
            .ok_or_else(|| Damage { section: kind.name(), found: "it is misaligned".into() }.of(&self.name))
    }

    /// Bytes that the data set takes beside the file: what is copied. What is mapped is the system's to keep or
    /// to drop.
    fn copied(&self) -> u64 {
        let bytes = |kind| self.layout.section(kind).map_or(0, |section| section.bytes);
        // A text takes 24 bytes beside its own; 8 stand in the file.
        let names = self.layout.shape.name_bytes.map_or(0, |bytes| bytes + 16 * self.layout.shape.columns);
        bytes(Kind::Codes) + bytes(Kind::Queries) + names
    }
}

impl Damage {
    fn of(self, name: &str) -> ReadError {
        ReadError::DamagedSpv { name: name.to_owned(), section: self.section, found: self.found }
    }
}

/// What to say of one of ours that comes through a pipe, or compressed.
pub(crate) fn not_a_file(name: &str) -> ReadError {
    let found = "this is an .spv file, which must lie in a file to be mapped".into();
    let remedy = "give the file itself, not compressed and not through a pipe";
    ReadError::Refused { name: name.to_owned(), found, remedy }
}

/// Reads a file for [`read`](crate::read).
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let map = Map::open(path)?;
    let columns = map.layout.shape.columns;
    if let Some(asked) = options.features.filter(|&asked| asked as u64 != columns) {
        let found = format!("an .spv file of {columns} features, but {asked} were asked for");
        let remedy = "leave --features out, or give it when the data is converted";
        return Err(ReadError::Refused { name: map.name, found, remedy });
    }
    let needed = map.copied();
    if let Some(limit) = options.memory_limit.filter(|&limit| needed > limit) {
        let what = "labels, query numbers and names take".into();
        let (needed_mib, limit_mib) = (mib(needed), limit >> 20);
        return Err(ReadError::Memory { name: map.name, what, needed_mib, limit_mib });
    }
    map.into_dataset()
}
