//! The mapped file, and arrays in it. The only `unsafe` of the project is here.
#![allow(unsafe_code)]

use std::fs::{File, Metadata};
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytemuck::AnyBitPattern;
use memmap2::{Mmap, MmapMut};
use sparsvm_core::design::Shared;

/// A file in memory, read by the system as it is looked at; or a copy of one.
#[derive(Debug)]
pub(super) struct Bytes {
    map: Mmap,
    /// The file, kept to see whether it has changed since; a copy has none.
    file: Option<(File, Metadata)>,
}

impl Bytes {
    /// Maps a regular file.
    pub(super) fn map(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        // SAFETY: the map is read-only and private to this struct, which owns it: no slice of it outlives it.
        // `map` asks for one thing more, that nobody changes the file as long as it is mapped. This program
        // never does: it writes files under another name and renames them over the old one, which leaves the
        // old file to those who have mapped it. Another process may write into the file in place all the same,
        // and no lock that a system enforces forbids it. What then happens:
        //  - Bytes that change: every number in the file is data without invalid values (u8, u32, u64, f32,
        //    f64, texts copied before they are checked), and what it points at is looked up with a bounds
        //    check. So the results are wrong or the program panics; memory outside the map is not touched.
        //    The compiler may read a number twice and see two values, with the same consequences.
        //  - A file cut shorter: a look at a page past the new end ends the process with SIGBUS on Unix, and
        //    cannot be caught here. Windows refuses to cut a mapped file.
        // `unchanged` is asked after the file was verified, so that a change before that is an error.
        // docs/format.md tells users not to write into a file in use.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self { map, file: Some((file, about)) })
    }

    /// A copy of bytes that lie in no file, at the start of a page as a file's would.
    pub(super) fn copy(bytes: &[u8]) -> io::Result<Self> {
        let mut map = MmapMut::map_anon(bytes.len())?;
        map.copy_from_slice(bytes);
        Ok(Self { map: map.make_read_only()?, file: None })
    }

    /// All of it.
    pub(super) fn all(&self) -> &[u8] {
        &self.map
    }

    /// True if the file has the length and the time of its last change that it had when it was mapped.
    pub(super) fn unchanged(&self) -> bool {
        let same = |now: Metadata, then: &Metadata| {
            now.len() == then.len() && now.modified().ok() == then.modified().ok()
        };
        self.file.as_ref().is_none_or(|(file, then)| file.metadata().is_ok_and(|now| same(now, then)))
    }
}

/// An array in a mapped file, which stays mapped as long as this lives.
#[derive(Debug)]
struct Part<T> {
    bytes: Arc<Bytes>,
    range: Range<usize>,
    of: PhantomData<T>,
}

impl<T: AnyBitPattern> AsRef<[T]> for Part<T> {
    /// The array; `shared` has seen that it is one.
    #[inline]
    fn as_ref(&self) -> &[T] {
        bytemuck::try_cast_slice(&self.bytes.map[self.range.clone()]).unwrap_or(&[])
    }
}

/// The array in a range of the file; nothing if it is not within the file, cut amid an element or misaligned.
pub(super) fn shared<T>(bytes: &Arc<Bytes>, range: Range<usize>) -> Option<Shared<T>>
where
    T: AnyBitPattern + Send + Sync,
{
    bytemuck::try_cast_slice::<u8, T>(bytes.map.get(range.clone())?).ok()?;
    Some(Arc::new(Part { bytes: Arc::clone(bytes), range, of: PhantomData }))
}
