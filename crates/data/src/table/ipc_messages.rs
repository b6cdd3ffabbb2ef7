//! The messages of an Arrow stream or file: each has its length, metadata, and a body of buffers. In a stream they
//! follow each other; a file lists them at its end, and what lies between them is nobody's business.
//!
//! Nothing that is said of sizes is believed before the bytes are there: the decoder is only shown what cannot make
//! it ask for more memory than the data deserves.

use std::io::{self, Read, Seek, SeekFrom};

use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::{Block, MessageHeader, MetadataVersion, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::Schema;

use crate::guard::guarded;

/// What a file begins and ends with.
pub(crate) const FILE_MAGIC: &[u8] = b"ARROW1";
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Bytes that are asked for at once.
const STEP_BYTES: u64 = 1 << 24;

/// A buffer this large is believed whatever it was compressed to, and beyond that if it shrank by no more than
/// this.
const BUFFER_BYTES: u64 = 64 << 20;
const MOST_RATIO: u64 = 1032;

/// Why there is no next message.
pub(crate) enum Failure {
    Io(io::Error),
    Reason(String),
    /// It has so many bytes, which are more than allowed.
    Large(u64),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

/// A file that can be read from any place.
pub(crate) trait Random: Read + Seek + Send {}
impl<T: Read + Seek + Send> Random for T {}

/// One message.
pub(crate) struct Message {
    /// All of it.
    pub(crate) bytes: Buffer,
    /// Bytes before the body.
    head_bytes: usize,
    pub(crate) header: MessageHeader,
}

impl Message {
    fn new(bytes: Vec<u8>, head_bytes: usize) -> Result<Self, Failure> {
        let (header, _) = guarded(|| about(&bytes[..head_bytes]))?;
        guarded(|| check_sizes(&bytes[..head_bytes], &bytes[head_bytes..]))?;
        Ok(Self { bytes: Buffer::from_vec(bytes), head_bytes, header })
    }

    /// It as a place in `bytes`.
    pub(crate) fn block(&self) -> Block {
        Block::new(0, self.head_bytes as i32, (self.bytes.len() - self.head_bytes) as i64)
    }
}

/// The messages one after the other.
pub(crate) struct Messages<'a> {
    from: Origin<'a>,
    limit: u64,
    pub(crate) schema: Schema,
    pub(crate) version: MetadataVersion,
}

enum Origin<'a> {
    Stream(Box<dyn Read + Send + 'a>),
    /// A file of so many bytes, and where its messages are.
    File(Box<dyn Random + 'a>, u64, std::vec::IntoIter<Block>),
}

impl<'a> Messages<'a> {
    /// Those of a stream.
    pub(crate) fn of_stream(mut from: Box<dyn Read + Send + 'a>, limit: u64) -> Result<Self, Failure> {
        let first = in_stream(&mut from, limit)?.ok_or_else(|| "it is empty".to_owned())?;
        let (schema, version) = guarded(|| {
            let root =
                root_as_message(metadata(&first.bytes[..first.head_bytes])?).map_err(|e| e.to_string())?;
            let schema = root.header_as_schema().ok_or("it does not begin with its schema")?;
            Ok::<_, String>((schema_of(schema)?, root.version()))
        })?;
        Ok(Self { from: Origin::Stream(from), limit, schema, version })
    }

    /// Those that a file lists at its end: first the dictionaries, then the record batches.
    pub(crate) fn of_file(mut from: Box<dyn Random + 'a>, limit: u64) -> Result<Self, Failure> {
        let size = from.seek(SeekFrom::End(0))?;
        let tail = read_at(&mut *from, size, size.saturating_sub(10), 10)?;
        let (len, magic) = tail.split_at(4);
        if magic != FILE_MAGIC {
            return Err("it does not end as it should".to_owned().into());
        }
        let len = len.iter().rev().fold(0, |len, &byte| len << 8 | u64::from(byte));
        let begin =
            (size - 10).checked_sub(len).ok_or_else(|| "the list of its parts is too long".to_owned())?;
        let footer = read_at(&mut *from, size, begin, len)?;
        let (schema, version, blocks) = guarded(|| {
            let footer = root_as_footer(&footer).map_err(|error| error.to_string())?;
            let schema = schema_of(footer.schema().ok_or("it has no schema")?)?;
            let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
            Ok::<_, String>((schema, footer.version(), blocks.copied().collect::<Vec<Block>>()))
        })?;
        Ok(Self { from: Origin::File(from, size, blocks.into_iter()), limit, schema, version })
    }

    /// The next message; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Message>, Failure> {
        let (file, size, block) = match &mut self.from {
            Origin::Stream(stream) => return in_stream(stream, self.limit),
            Origin::File(file, size, blocks) => match blocks.next() {
                Some(block) => (file, *size, block),
                None => return Ok(None),
            },
        };
        let part =
            |part: i64| u64::try_from(part).map_err(|_| Failure::Reason("a length is negative".into()));
        let (at, head, body) =
            (part(block.offset())?, part(block.metaDataLength().into())?, part(block.bodyLength())?);
        let len = head.checked_add(body).ok_or_else(|| "a length is impossible".to_owned())?;
        if len > self.limit && len <= size {
            return Err(Failure::Large(len));
        }
        Message::new(read_at(&mut **file, size, at, len)?, head as usize).map(Some)
    }
}

/// The next message of a stream.
fn in_stream(from: &mut dyn Read, limit: u64) -> Result<Option<Message>, Failure> {
    let mut bytes = Vec::new();
    if add(from, 4, &mut bytes)? == 0 {
        // A stream may just end.
        return Ok(None);
    }
    if bytes == CONTINUATION {
        add(from, 4, &mut bytes)?;
    }
    if bytes.len() % 4 != 0 {
        return Err("it ends too early".to_owned().into());
    }
    let len = bytes.last_chunk().map_or(-1, |len| i32::from_le_bytes(*len));
    if len == 0 {
        return Ok(None);
    }
    let mut whole = |len: u64, bytes: &mut Vec<u8>| match len {
        len if len > limit => Err(Failure::Large(len)),
        len if add(from, len, bytes)? < len => Err("it ends too early".to_owned().into()),
        _ => Ok(()),
    };
    whole(u64::try_from(len).map_err(|_| "a length is negative".to_owned())?, &mut bytes)?;
    let head_bytes = bytes.len();
    let (_, body) = guarded(|| about(&bytes))?;
    whole(body, &mut bytes)?;
    Message::new(bytes, head_bytes).map(Some)
}

/// So many bytes more, or all that there are.
fn add(from: &mut dyn Read, len: u64, into: &mut Vec<u8>) -> io::Result<u64> {
    into.reserve(len.min(STEP_BYTES) as usize);
    from.take(len).read_to_end(into).map(|read| read as u64)
}

/// Bytes of a file, if they are there.
fn read_at(from: &mut dyn Random, size: u64, at: u64, len: u64) -> Result<Vec<u8>, Failure> {
    if at.checked_add(len).is_none_or(|end| end > size) {
        return Err("it ends too early".to_owned().into());
    }
    from.seek(SeekFrom::Start(at))?;
    let mut bytes = vec![0; len as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Metadata without the length before it.
fn metadata(head: &[u8]) -> Result<&[u8], String> {
    let prefix = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
    head.get(prefix..).ok_or_else(|| "a part is too short".into())
}

fn schema_of(schema: arrow_ipc::Schema<'_>) -> Result<Schema, String> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err("its numbers have their bytes in the other order".into());
    }
    try_fb_to_schema(schema).map_err(|error| error.to_string())
}

/// What a message is, and how long its body.
fn about(head: &[u8]) -> Result<(MessageHeader, u64), String> {
    let root = root_as_message(metadata(head)?).map_err(|error| error.to_string())?;
    let body = u64::try_from(root.bodyLength()).map_err(|_| "a length is negative")?;
    Ok((root.header_type(), body))
}

/// Refuses buffers that are not there, or that say they had shrunk more than can be. The decoder makes room for what
/// they say before it looks at them.
fn check_sizes(head: &[u8], body: &[u8]) -> Result<(), String> {
    let root = root_as_message(metadata(head)?).map_err(|error| error.to_string())?;
    let rows: Option<RecordBatch<'_>> = match root.header_type() {
        MessageHeader::RecordBatch => root.header_as_record_batch(),
        MessageHeader::DictionaryBatch => root.header_as_dictionary_batch().and_then(|batch| batch.data()),
        _ => None,
    };
    let Some(rows) = rows else { return Ok(()) };
    for buffer in rows.buffers().into_iter().flatten() {
        let (from, len) = (usize::try_from(buffer.offset()).ok(), usize::try_from(buffer.length()).ok());
        let range = from.zip(len).and_then(|(from, len)| Some(from..from.checked_add(len)?));
        let bytes = range.and_then(|range| body.get(range)).ok_or("a buffer is not where it should be")?;
        if rows.compression().is_none() || bytes.is_empty() {
            continue;
        }
        let (plain, packed) = bytes.split_first_chunk::<8>().ok_or("a buffer has no length")?;
        let plain = i64::from_le_bytes(*plain);
        // -1 is a buffer that was left as it is.
        let most = BUFFER_BYTES.max((packed.len() as u64).saturating_mul(MOST_RATIO));
        if plain != -1 && u64::try_from(plain).map_or(true, |plain| plain > most) {
            return Err("a buffer has an impossible size".into());
        }
    }
    Ok(())
}
