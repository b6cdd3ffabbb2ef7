//! Decompression, chosen by the first bytes of the data: names of files lie, and a pipe has none.

use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

use crate::ReadError;

/// Compressed bytes that are read at a time.
const BUFFER_BYTES: usize = 128 << 10;

/// The most memory that an xz dictionary may take, in KiB. The presets take up to 64 MiB; a header can ask
/// for 4 GiB, which is more likely damage or malice than need.
const XZ_KIB: u32 = 1 << 20;

/// How the data is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Plain,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

/// Kinds of files that are easily taken for data: magic bytes, name and remedy.
const STRANGERS: [(&[u8], &str, &str); 6] = [
    (b"PK\x05\x06", "an empty zip archive", "write it again"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"),
    (b"\x1f\x9d", "a file of compress (.Z)", "unpack it first"),
    (b"\x04\x22\x4d\x18", "an lz4 file", "unpack it first"),
    (b"\xff\xfe", "UTF-16 text", "convert it to UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "convert it to UTF-8"),
];

impl Compression {
    /// The format's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        }
    }

    fn of(head: &[u8]) -> Self {
        // Skippable zstd frames have 16 magic numbers, 0x184D2A50 to 0x184D2A5F.
        let skippable = matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
        if head.starts_with(b"\x1f\x8b") {
            Self::Gzip
        } else if head.starts_with(b"BZh") {
            Self::Bzip2
        } else if head.starts_with(b"\xfd7zXZ\x00") {
            Self::Xz
        } else if head.starts_with(b"\x28\xb5\x2f\xfd") || skippable {
            Self::Zstd
        } else {
            Self::Plain
        }
    }

    /// A failed read as an error that says whose fault it is.
    pub(crate) fn error(self, name: &str, source: io::Error) -> ReadError {
        let (name, format) = (name.to_owned(), self.name());
        if self == Self::Plain || source.raw_os_error().is_some() {
            ReadError::Io { name, source }
        } else if source.kind() == ErrorKind::UnexpectedEof {
            ReadError::Truncated { name, format }
        } else {
            ReadError::Damaged { name, format, reason: source.to_string() }
        }
    }
}

/// Magic bytes, in as many as are needed to tell them from text; zstd's skippable frames are the last one.
const MARKS: [&[u8]; 5] = [b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"];

/// True if these bytes may be the beginning of a mark: a short line that comes through a pipe is not kept waiting for
/// more.
fn is_mark_so_far(head: &[u8]) -> bool {
    let begins = |mark: &[u8]| mark.iter().zip(head).all(|(mark, byte)| mark == byte);
    let skippable = head.first().is_some_and(|first| (0x50..=0x5f).contains(first));
    skippable || MARKS.iter().any(|mark| begins(mark)) || STRANGERS.iter().any(|(mark, ..)| begins(mark))
}

/// The plain text of `source`, and what it was compressed with.
pub(crate) fn open<'a>(
    mut source: impl Read + Send + 'a,
    name: &str,
) -> Result<(Box<dyn Read + Send + 'a>, Compression), ReadError> {
    let mut head = [0; 6];
    let mut len = 0;
    while len < head.len() && is_mark_so_far(&head[..len]) {
        match source.read(&mut head[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(ReadError::Io { name: name.to_owned(), source }),
        }
    }
    let head = &head[..len];
    if let Some((_, format, remedy)) = STRANGERS.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Err(ReadError::Format { name: name.to_owned(), format, remedy });
    }
    let format = Compression::of(head);
    let whole = Cursor::new(head.to_vec()).chain(source);
    let buffered = |whole| BufReader::with_capacity(BUFFER_BYTES, whole);
    let text: Box<dyn Read + Send + 'a> = match format {
        Compression::Plain => Box::new(whole),
        Compression::Gzip => Box::new(MultiGzDecoder::new(buffered(whole))),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(buffered(whole))),
        Compression::Xz => Box::new(XzReader::new_mem_limit(buffered(whole), true, XZ_KIB)),
        Compression::Zstd => Box::new(Zstd::new(buffered(whole))),
    };
    Ok((text, format))
}

/// All frames of a zstd file, one after the other; the decoder knows only one.
struct Zstd<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> Zstd<R> {
    fn new(source: R) -> Self {
        Self { source, decoder: FrameDecoder::new(), in_frame: false }
    }

    /// Goes to the next frame with data, if there is one.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(unwrapped(error)),
            }
        }
        Ok(false)
    }

    fn check(&self) -> io::Result<()> {
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(stored), Some(found)) if stored != found => {
                Err(io::Error::new(ErrorKind::InvalidData, "wrong checksum"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame {
                if !self.next_frame()? {
                    return Ok(0);
                }
                self.in_frame = true;
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(into);
            }
            if self.decoder.is_finished() {
                self.check()?;
                self.in_frame = false;
            } else {
                let some = ruzstd::decoding::BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, some).map_err(unwrapped)?;
            }
        }
    }
}

/// The error of the source that is inside the decoder's, so that its kind is not lost; or the decoder's own.
fn unwrapped(error: FrameDecoderError) -> io::Error {
    let mut inner: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(cause) = inner {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            return io.raw_os_error().map_or_else(|| io.kind().into(), io::Error::from_raw_os_error);
        }
        inner = cause.source();
    }
    io::Error::new(ErrorKind::InvalidData, error)
}
