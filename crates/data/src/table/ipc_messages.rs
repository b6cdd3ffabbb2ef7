//! The messages of an Arrow stream: each has its length, metadata, and a body of buffers.
//!
//! Nothing that a message says of sizes is believed before the bytes are there: the decoder is only shown what
//! cannot make it ask for more memory than the data deserves.

use std::io::Read;

use arrow_buffer::Buffer;
use arrow_ipc::{Block, MessageHeader, RecordBatch, root_as_message};

use super::arrow_ipc::Failure;
use crate::guard::guarded;

const FILE_MAGIC: &[u8] = b"ARROW1\0\0";
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Bytes that are asked for at once.
const STEP_BYTES: u64 = 1 << 24;

/// A buffer this large is believed whatever it was compressed to, and beyond that if it shrank by no more than
/// this.
const BUFFER_BYTES: u64 = 64 << 20;
const MOST_RATIO: u64 = 1032;

/// One message.
pub(crate) struct Message {
    /// Where it begins in the file.
    pub(crate) offset: u64,
    /// All of it.
    pub(crate) bytes: Buffer,
    /// Bytes before the body.
    head_bytes: usize,
    pub(crate) header: MessageHeader,
}

impl Message {
    /// Its metadata.
    pub(crate) fn metadata(&self) -> &[u8] {
        metadata(&self.bytes[..self.head_bytes])
    }

    /// It as a place in `bytes`.
    pub(crate) fn block(&self) -> Block {
        Block::new(0, self.head_bytes as i32, (self.bytes.len() - self.head_bytes) as i64)
    }
}

/// Metadata without the length before it.
fn metadata(head: &[u8]) -> &[u8] {
    if head.starts_with(&CONTINUATION) { &head[8..] } else { &head[4..] }
}

/// The messages one after the other.
pub(crate) struct Messages<R> {
    from: R,
    /// Bytes read so far.
    at: u64,
    limit: u64,
    /// A file's magic word came first.
    pub(crate) is_file: bool,
    /// What was read to look for it.
    begun: Vec<u8>,
}

impl<R: Read> Messages<R> {
    /// Looks whether it is a file or a stream.
    pub(crate) fn begin(mut from: R, limit: Option<u64>) -> Result<Self, Failure> {
        let mut begun = Vec::new();
        (&mut from).take(FILE_MAGIC.len() as u64).read_to_end(&mut begun)?;
        let is_file = begun == FILE_MAGIC;
        let mut at = 0;
        // Zeros may follow the magic word, up to where the writer likes its messages to begin.
        while is_file && (at == 0 || begun == [0; 4]) {
            at += begun.len() as u64;
            begun.clear();
            (&mut from).take(4).read_to_end(&mut begun)?;
        }
        Ok(Self { from, at, limit: limit.unwrap_or(u64::MAX), is_file, begun })
    }

    /// The next message; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Message>, Failure> {
        let offset = self.at;
        let mut bytes = Vec::new();
        if self.add(4, &mut bytes)? == 0 && !self.is_file {
            // A stream may just end.
            return Ok(None);
        }
        if bytes == CONTINUATION {
            self.add(4, &mut bytes)?;
        }
        let prefix = bytes.len();
        let len = bytes.last_chunk().map_or(-1, |len| i32::from_le_bytes(*len));
        if prefix % 4 != 0 || prefix == 0 {
            return Err(ends_early());
        }
        if len == 0 {
            return Ok(None);
        }
        let len = u64::try_from(len).map_err(|_| Failure::Reason("a length is negative".into()))?;
        self.whole(len, &mut bytes)?;
        let head_bytes = bytes.len();
        let (header, body) = guarded(|| about(metadata(&bytes))).map_err(Failure::Reason)?;
        self.whole(body, &mut bytes)?;
        let check = guarded(|| check_sizes(metadata(&bytes[..head_bytes]), &bytes[head_bytes..]));
        check.map_err(Failure::Reason)?;
        Ok(Some(Message { offset, bytes: Buffer::from_vec(bytes), head_bytes, header }))
    }

    /// All that follows the last message.
    pub(crate) fn tail(&mut self) -> Result<Buffer, Failure> {
        let mut bytes = Vec::new();
        self.add(self.limit, &mut bytes)?;
        Ok(Buffer::from_vec(bytes))
    }

    fn whole(&mut self, len: u64, into: &mut Vec<u8>) -> Result<(), Failure> {
        if len > self.limit {
            return Err(Failure::Large(len));
        }
        if self.add(len, into)? < len { Err(ends_early()) } else { Ok(()) }
    }

    /// So many bytes more, or all that there are.
    fn add(&mut self, len: u64, into: &mut Vec<u8>) -> Result<u64, Failure> {
        let before = into.len();
        into.reserve(len.min(STEP_BYTES) as usize);
        let begun = self.begun.len().min(usize::try_from(len).unwrap_or(usize::MAX));
        into.extend(self.begun.drain(..begun));
        (&mut self.from).take(len - begun as u64).read_to_end(into)?;
        let added = (into.len() - before) as u64;
        self.at += added;
        Ok(added)
    }
}

fn ends_early() -> Failure {
    Failure::Reason("it ends too early".into())
}

/// What a message is, and how long its body.
fn about(metadata: &[u8]) -> Result<(MessageHeader, u64), String> {
    let root = root_as_message(metadata).map_err(|error| error.to_string())?;
    let body = u64::try_from(root.bodyLength()).map_err(|_| "a length is negative")?;
    Ok((root.header_type(), body))
}

/// Refuses buffers that are not there, or that say they had shrunk more than can be. The decoder makes room for what
/// they say before it looks at them.
fn check_sizes(metadata: &[u8], body: &[u8]) -> Result<(), String> {
    let root = root_as_message(metadata).map_err(|error| error.to_string())?;
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
