//! Bytes of a Parquet file from any place, for several threads at once.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::parquet_kinds::{METADATA, PAGE};
use super::thrift::{Look, look};

/// Bytes that are read ahead for a page's header.
const HEADER_BYTES: usize = 512;

/// No header is longer, whatever statistics it has.
const MOST_HEADER_BYTES: usize = HEADER_BYTES << 15;

/// The bytes behind the file's metadata: its length, and the magic.
const FOOTER_BYTES: u64 = 8;

/// A page this large is believed whatever it was compressed to, and beyond that if it shrank by no more than gzip
/// can. The decoder makes room for what a header says before it looks at the page.
const PAGE_BYTES: u64 = 64 << 20;
const MOST_RATIO: u64 = 1032;

/// A file, or its content.
#[derive(Clone)]
pub(crate) enum Place {
    Memory(Bytes),
    /// A file and its length. Its position is one for all handles, so that one thread reads at a time.
    File(Arc<Mutex<File>>, u64),
}

impl Place {
    pub(crate) fn of_file(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self::File(Arc::new(Mutex::new(file)), len))
    }

    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        Self::Memory(bytes.into())
    }

    /// Refuses a page's header that the decoder must not see.
    fn check_header(&self, start: u64) -> Result<()> {
        let refused = |what| Err(ParquetError::General(format!("the page at byte {start} has {what}")));
        let mut bytes = HEADER_BYTES;
        loop {
            let mut head = Vec::with_capacity(bytes);
            At { place: self.clone(), at: start }.take(bytes as u64).read_to_end(&mut head)?;
            if !is_plausible(&head) {
                return refused("an impossible size");
            }
            match look(&head, PAGE) {
                Look::Endless => return refused("an endless list"),
                Look::Strange => return refused("a field of a kind that Parquet does not have there"),
                // Statistics may be long.
                Look::Cut if head.len() == bytes && bytes < MOST_HEADER_BYTES => bytes *= 8,
                Look::Cut if head.len() == bytes => return refused("an endless header"),
                Look::Cut | Look::Finite => return Ok(()),
            }
        }
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Memory(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
                let len = rest.len().min(into.len());
                into[..len].copy_from_slice(&rest[..len]);
                Ok(len)
            }
            Self::File(file, _) => {
                let mut file = file.lock().map_err(|_| io::Error::from(ErrorKind::Other))?;
                file.seek(SeekFrom::Start(at))?;
                file.read(into)
            }
        }
    }
}

impl Length for Place {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File(_, len) => *len,
        }
    }
}

impl ChunkReader for Place {
    type T = BufReader<Within>;

    /// The decoder asks so for the file's last bytes, and for the header of each page.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        if start != self.len().saturating_sub(FOOTER_BYTES) {
            self.check_header(start)?;
        }
        Ok(BufReader::with_capacity(HEADER_BYTES, Within(At { place: self.clone(), at: start })))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.len());
        let end =
            end.ok_or_else(|| ParquetError::EOF(format!("{length} bytes at byte {start} are not there")))?;
        let bytes = match self {
            Self::Memory(bytes) => bytes.slice(start as usize..end as usize),
            Self::File(..) => {
                let mut bytes = vec![0; length];
                At { place: self.clone(), at: start }.read_exact(&mut bytes)?;
                bytes.into()
            }
        };
        // The metadata ends where the footer begins.
        if end == self.len().saturating_sub(FOOTER_BYTES) {
            match look(&bytes, METADATA) {
                Look::Endless => return refused_metadata("an endless list"),
                Look::Strange => {
                    return refused_metadata("a field of a kind that Parquet does not have there");
                }
                Look::Cut | Look::Finite => {}
            }
        }
        Ok(bytes)
    }
}

fn refused_metadata(what: &str) -> Result<Bytes> {
    Err(ParquetError::General(format!("the metadata has {what}")))
}

/// A place whose end is a fault: the decoder passes over bytes that are not there as if they were, and a list of
/// two thousand million of them takes it hours.
pub(crate) struct Within(At);

impl Read for Within {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 if !into.is_empty() => Err(ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}

/// A place, read on from some byte.
pub(crate) struct At {
    place: Place,
    at: u64,
}

impl Read for At {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.place.read_at(self.at, into)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// False if a page's header, which begins with its type and its sizes before and after compression, says what
/// cannot be. A header of another shape is left to the decoder.
fn is_plausible(head: &[u8]) -> bool {
    let mut rest = head.iter();
    // Each field: a byte that says "the next field, a 32-bit integer", and the integer, seven bits a byte and
    // the sign last.
    let mut field = || {
        rest.next().filter(|&&byte| byte == 0x15)?;
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let byte = *rest.next()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return (number & 1 == 0).then_some(number >> 1);
            }
            shift += 7;
            if shift > 35 {
                return None;
            }
        }
    };
    let (Some(_), Some(plain), Some(packed)) = (field(), field(), field()) else { return true };
    plain <= PAGE_BYTES.max(packed.saturating_mul(MOST_RATIO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_pages() {
        // A data page of 100 bytes, packed to 50.
        assert!(is_plausible(&[0x15, 0, 0x15, 0xc8, 1, 0x15, 0x64, 0x2c]));
        // 2^31 - 1 bytes out of 50.
        assert!(!is_plausible(&[0x15, 0, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 0x64]));
        // Not a header.
        assert!(is_plausible(b"PAR1"));
        assert!(is_plausible(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]));
    }

    #[test]
    fn endless_lists_are_refused_in_metadata_and_headers() {
        // In a field that is not known, and in one that is a number.
        for (head, what) in [(0xf9, "endless"), (0x19, "a kind that Parquet does not have there")] {
            let list = [head, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00];
            let place = Place::of_bytes([&list[..], &[0; 8]].concat());
            assert!(place.get_bytes(0, 8).unwrap_err().to_string().contains(what));
            assert!(place.get_read(0).err().unwrap().to_string().contains(what));
        }
    }

    #[test]
    fn nothing_is_read_past_the_end() {
        let place = Place::of_bytes(b"0123456789".to_vec());
        assert_eq!(place.get_bytes(3, 4).unwrap(), &b"3456"[..]);
        assert!(place.get_bytes(8, 3).is_err());
        assert!(place.get_bytes(u64::MAX, 3).is_err());
        assert!(place.get_bytes(0, usize::MAX).is_err());
        assert_eq!(
            place.get_read(99).unwrap().read(&mut [0; 8]).unwrap_err().kind(),
            ErrorKind::UnexpectedEof
        );
    }
}
