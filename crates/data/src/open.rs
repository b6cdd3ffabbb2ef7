//! A file, opened: decompressed, and with its first lines looked at, so that its format is known.

use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::compression::{self, Compression};
use crate::text::blocks::{Counted, Counter};
use crate::text::pipeline::Input;
use crate::{Format, ReadError, ReadOptions, Source, format};

/// The bytes that may be looked at to tell the format.
const HEAD_BYTES: usize = 64 << 10;

/// What there is to read.
pub(crate) struct Opened<'a> {
    /// The first bytes, decompressed.
    pub(crate) head: Vec<u8>,
    /// All bytes that follow them.
    rest: Box<dyn Read + Send + 'a>,
    pub(crate) compression: Compression,
    counter: Counter,
    /// The file's size, if it is known.
    size: Option<u64>,
    /// If the bytes are those of a file that can be read from any place.
    pub(crate) path: Option<PathBuf>,
    /// What the file is called, if it has a name.
    named: Option<PathBuf>,
}

impl<'a> Opened<'a> {
    /// Opens a file or standard input.
    pub(crate) fn new(source: &Source) -> Result<Self, ReadError> {
        let name = source.to_string();
        let (input, size) = source.open()?;
        let mut opened = Self::from_reader(input, size, &name)?;
        if let Source::Path(path) = source {
            opened.named = Some(path.clone());
            if opened.compression == Compression::Plain && size.is_some() {
                opened.path = Some(path.clone());
            }
        }
        Ok(opened)
    }

    /// Takes bytes from anywhere; `name` stands for the file in errors.
    pub(crate) fn from_reader(
        input: impl Read + Send + 'a,
        size: Option<u64>,
        name: &str,
    ) -> Result<Self, ReadError> {
        let counter = Counter::default();
        let counted = Counted { source: input, counter: counter.clone() };
        let (mut rest, compression) = compression::open(counted, name)?;
        let head = head(&mut rest).map_err(|error| compression.error(name, error))?;
        Ok(Self { head, rest, compression, counter, size, path: None, named: None })
    }

    /// The format, unless the caller knows better.
    pub(crate) fn format(&self, options: &ReadOptions) -> Format {
        options.format.unwrap_or_else(|| Format::of(&self.head, self.name()))
    }

    /// What the file is called, if it has a name.
    pub(crate) fn name(&self) -> Option<&Path> {
        self.named.as_deref()
    }

    /// All of it as text.
    pub(crate) fn text(self, name: &'a str) -> Input<'a> {
        Input {
            text: Box::new(Cursor::new(self.head).chain(self.rest)),
            compression: self.compression,
            counter: self.counter,
            size: self.size,
            name,
            eager: false,
        }
    }

    /// All of it as text, where lines that come slowly are not kept waiting for more.
    pub(crate) fn eager_text(self, name: &'a str) -> Input<'a> {
        let eager = self.size.is_none();
        Input { eager, ..self.text(name) }
    }

    /// All of it in memory, at most `limit` bytes: for formats that are read from their end.
    pub(crate) fn bytes(mut self, name: &str, limit: Option<u64>) -> Result<Vec<u8>, ReadError> {
        let most = limit.unwrap_or(u64::MAX);
        let mut bytes = std::mem::take(&mut self.head);
        let left = most.saturating_sub(bytes.len() as u64).saturating_add(1);
        self.rest.take(left).read_to_end(&mut bytes).map_err(|error| self.compression.error(name, error))?;
        if bytes.len() as u64 > most {
            return Err(ReadError::Memory {
                name: name.to_owned(),
                what: "the file's content takes more than".into(),
                needed_mib: most >> 20,
                limit_mib: most >> 20,
            });
        }
        Ok(bytes)
    }

    /// The file itself, where it can be read from any place.
    pub(crate) fn file(&self, name: &str) -> Result<Option<File>, ReadError> {
        let open =
            |path| File::open(path).map_err(|source| ReadError::Open { name: name.to_owned(), source });
        self.path.as_ref().map(open).transpose()
    }
}

/// Bytes up to the end of the first line that tells something; a pipe is not read further than that.
fn head(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let mut piece = [0; 4096];
    while head.len() < HEAD_BYTES && !format::tells(&head) {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => head.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(head)
}
