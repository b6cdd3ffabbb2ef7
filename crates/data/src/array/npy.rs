//! One array out of a stream of bytes: as numbers, integers or texts, and never more memory than bytes came in.

use std::io::{self, ErrorKind, Read};

use sparsvm_core::Labels;

use super::header::{Header, MOST_BYTES};
use crate::ReadError;
use crate::compression::Compression;
use crate::error::mib;

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// Where an array is, in errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// The array's name in an archive.
    pub(crate) key: Option<&'a str>,
    pub(crate) compression: Compression,
}

impl Place<'_> {
    /// What is wrong with the array.
    pub(crate) fn fault(&self, what: impl std::fmt::Display) -> ReadError {
        let what = match self.key {
            Some(key) => format!("array {key}: {what}"),
            None => what.to_string(),
        };
        ReadError::Table { name: self.file.to_owned(), what }
    }

    /// A failed read.
    fn io(&self, error: io::Error) -> ReadError {
        if self.compression != Compression::Plain || error.raw_os_error().is_some() {
            return self.compression.error(self.file, error);
        }
        let (name, format) = (self.file.to_owned(), if self.key.is_some() { "npz" } else { "npy" });
        match error.kind() {
            ErrorKind::UnexpectedEof => ReadError::Truncated { name, format },
            _ => ReadError::Damaged { name, format, reason: error.to_string() },
        }
    }

    /// Refuses what takes more memory than allowed.
    pub(crate) fn check_memory(&self, bytes: u64, limit: Option<u64>) -> Result<(), ReadError> {
        match limit {
            Some(limit) if bytes > limit => Err(ReadError::Memory {
                name: self.file.to_owned(),
                what: match self.key {
                    Some(key) => format!("array {key} takes"),
                    None => "the array takes".into(),
                },
                needed_mib: mib(bytes),
                limit_mib: limit >> 20,
            }),
            _ => Ok(()),
        }
    }
}

/// An array whose header has been read.
pub(crate) struct Array<'a> {
    pub(crate) header: Header,
    pub(crate) place: Place<'a>,
    from: Box<dyn Read + 'a>,
    /// Bytes of its elements.
    pub(crate) bytes: u64,
}

impl<'a> Array<'a> {
    /// Reads the header. There are at most `size` bytes, if that is known.
    pub(crate) fn open(
        mut from: Box<dyn Read + 'a>,
        place: Place<'a>,
        size: Option<u64>,
    ) -> Result<Self, ReadError> {
        let mut start = [0; 8];
        from.read_exact(&mut start).map_err(|error| place.io(error))?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(place.fault("this is no NumPy array: save it with numpy.save"));
        }
        let mut len = [0; 4];
        let width = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => {
                let what = format!("version {version} of NumPy's format is not known: save it as version 1");
                return Err(place.fault(what));
            }
        };
        from.read_exact(&mut len[..width]).map_err(|error| place.io(error))?;
        let len = u32::from_le_bytes(len) as usize;
        if len > MOST_BYTES {
            return Err(place.fault(format!("its header of {len} bytes is too long: save it again")));
        }
        let mut text = vec![0; len];
        from.read_exact(&mut text).map_err(|error| place.io(error))?;
        let header = Header::new(&text).map_err(|what| place.fault(what))?;
        let bytes = header.count().and_then(|count| count.checked_mul(header.dtype.size as u64));
        let left = size.map_or(u64::MAX, |size| size.saturating_sub((8 + width + len) as u64));
        match bytes {
            Some(bytes) if bytes <= left => Ok(Self { header, place, from, bytes }),
            _ => {
                let there = if size.is_some() { format!("{left} bytes") } else { "any memory".into() };
                let shape = header.shape_text();
                Err(place.fault(format!(
                    "its shape {shape} is more than {there} can hold: the file is truncated or damaged, so \
                     fetch or save it again"
                )))
            }
        }
    }

    /// Appends the next `len` bytes to `into`.
    pub(crate) fn take(&mut self, len: u64, into: &mut Vec<u8>) -> Result<(), ReadError> {
        let read = self.from.by_ref().take(len).read_to_end(into).map_err(|error| self.place.io(error))?;
        if read as u64 == len { Ok(()) } else { Err(self.place.io(ErrorKind::UnexpectedEof.into())) }
    }

    /// Puts bytes back that were taken.
    pub(crate) fn put_back(&mut self, bytes: Vec<u8>) {
        let behind = std::mem::replace(&mut self.from, Box::new(io::empty()));
        self.from = Box::new(io::Cursor::new(bytes).chain(behind));
    }

    /// Makes sure that nothing follows. An archive checks its sums here.
    pub(crate) fn end(&mut self) -> Result<(), ReadError> {
        match self.from.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.place.fault("more bytes follow than its shape says: save it again")),
            Err(error) => Err(self.place.io(error)),
        }
    }

    /// All bytes, some whole elements at a time.
    fn each(mut self, mut f: impl FnMut(&[u8]) -> Result<(), String>) -> Result<(), ReadError> {
        let size = self.header.dtype.size;
        let chunk = (CHUNK_BYTES / size).max(1) * size;
        let (mut left, mut bytes) = (self.bytes, Vec::new());
        while left > 0 {
            bytes.clear();
            let some = left.min(chunk as u64);
            self.take(some, &mut bytes)?;
            left -= some;
            f(&bytes).map_err(|what| self.place.fault(what))?;
        }
        self.end()
    }

    /// The length of an array of one dimension, or of one column.
    pub(crate) fn len(&self) -> Result<u64, ReadError> {
        match self.header.shape[..] {
            [len] | [len, 1] => Ok(len),
            _ => {
                let shape = self.header.shape_text();
                Err(self.place.fault(format!("its shape is {shape}, but one dimension was expected")))
            }
        }
    }

    /// An array of two rows as one row, the second behind the first.
    pub(crate) fn pair(mut self) -> Result<Self, ReadError> {
        match self.header.shape[..] {
            [2, len] if !self.header.fortran => {
                self.header.shape = vec![2 * len];
                Ok(self)
            }
            _ => {
                let shape = self.header.shape_text();
                Err(self.place.fault(format!("its shape is {shape}, but two rows were expected")))
            }
        }
    }

    /// All elements as numbers.
    pub(crate) fn numbers(self, limit: Option<u64>) -> Result<Vec<f64>, ReadError> {
        let (len, dtype) = (self.len()?, self.header.dtype);
        if !dtype.is_number() {
            return Err(self.place.fault("it holds texts, but numbers were expected"));
        }
        self.place.check_memory(len.saturating_mul(8), limit)?;
        let mut numbers = Vec::new();
        self.each(|bytes| {
            dtype.decode(bytes, &mut numbers);
            Ok(())
        })?;
        Ok(numbers)
    }

    /// All elements as integers from 0 that `of` takes; it says what was expected otherwise.
    pub(crate) fn integers<T>(
        self,
        limit: Option<u64>,
        of: impl Fn(u64) -> Option<T>,
        expected: &str,
    ) -> Result<Vec<T>, ReadError> {
        let (len, dtype) = (self.len()?, self.header.dtype);
        if !dtype.is_integer() {
            return Err(self.place.fault("its elements are no integers: save it as int64"));
        }
        self.place.check_memory(len.saturating_mul(size_of::<T>() as u64), limit)?;
        let mut all = Vec::new();
        self.each(|bytes| {
            for element in bytes.chunks_exact(dtype.size) {
                let at = all.len();
                let one = dtype.integer(element).and_then(&of);
                all.push(one.ok_or_else(|| format!("element {at} (from 0) is not {expected}"))?);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// All elements as texts.
    pub(crate) fn texts(self, limit: Option<u64>) -> Result<Vec<String>, ReadError> {
        let (_, dtype) = (self.len()?, self.header.dtype);
        if dtype.is_number() {
            return Err(self.place.fault("it holds numbers, but texts were expected"));
        }
        self.place.check_memory(self.bytes, limit)?;
        let mut all = Vec::new();
        self.each(|bytes| {
            for element in bytes.chunks_exact(dtype.size) {
                let text = dtype.text(element);
                all.push(text.ok_or_else(|| format!("element {} (from 0) is no Unicode text", all.len()))?);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// The one text of an array without dimensions.
    pub(crate) fn scalar(mut self) -> Result<String, ReadError> {
        if !matches!(self.header.shape[..], [] | [1]) {
            return Err(self.place.fault("it is no single text"));
        }
        self.header.shape = vec![1];
        let place = self.place;
        let texts = self.texts(None)?;
        texts.into_iter().next().ok_or_else(|| place.fault("it is empty"))
    }

    /// All elements as labels.
    pub(crate) fn labels(self, limit: Option<u64>) -> Result<Column, ReadError> {
        match self.header.dtype.is_number() {
            true => Ok(Column::Numbers(self.numbers(limit)?)),
            false => Ok(Column::Texts(self.texts(limit)?)),
        }
    }
}

/// One value a row.
#[derive(Debug)]
pub(crate) enum Column {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Column {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// The value of row i as text; nothing if it is missing.
    pub(crate) fn text(&self, i: usize) -> Option<String> {
        match self {
            Self::Numbers(numbers) => Some(numbers[i]).filter(|x| !x.is_nan()).map(|x| x.to_string()),
            Self::Texts(texts) => Some(texts[i].clone()).filter(|text| !text.trim().is_empty()),
        }
    }

    /// The labels; or the row, from 0, of the first that is none.
    pub(crate) fn into_labels(self) -> Result<Labels, usize> {
        match self {
            Self::Numbers(numbers) => match numbers.iter().position(|x| !x.is_finite()) {
                Some(row) => Err(row),
                None => Ok(Labels::from_numbers(&numbers)),
            },
            Self::Texts(texts) => match texts.iter().position(|text| text.trim().is_empty()) {
                Some(row) => Err(row),
                None => Ok(Labels::from_texts(&texts)),
            },
        }
    }
}
