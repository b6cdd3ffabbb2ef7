//! Apache Arrow IPC, streams and files (Feather 2).
//!
//! A file is a stream between a magic word and a list of its parts. Both are read from front to back, so that a pipe
//! will do, and what the list says is checked at the end. Record batches are decoded in parallel.

use std::io::Read;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, MessageHeader, root_as_footer, root_as_message};
use rayon::prelude::*;
use sparsvm_core::Dataset;

use super::columnar::{Batch, Columnar};
use super::ipc_messages::{Message, Messages};
use super::join::Join;
use crate::error::mib;
use crate::guard::guarded;
use crate::text::pipeline::Input;
use crate::{ReadError, ReadOptions};

/// Record batches for each thread that are held at a time.
const BATCHES_A_THREAD: usize = 2;

/// And at most about so many bytes of them.
const WAVE_BYTES: usize = 64 << 20;

/// Reads a data set.
pub(crate) fn read(input: Input<'_>, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let (name, compression) = (input.name, input.compression);
    let corrupt = |reason: String| ReadError::Undecodable { name: name.to_owned(), format: "Arrow", reason };
    let failed = |error| match error {
        Failure::Io(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            compression.error(name, error)
        }
        Failure::Io(_) => corrupt("it ends too early".into()),
        Failure::Reason(reason) => corrupt(reason),
        Failure::Large(bytes) => ReadError::Memory {
            name: name.to_owned(),
            what: "a single record batch takes".into(),
            needed_mib: mib(bytes),
            limit_mib: options.memory_limit.unwrap_or(u64::MAX) >> 20,
        },
    };
    let mut messages = Messages::begin(input.text, options.memory_limit).map_err(failed)?;
    let head = messages.next().map_err(failed)?.ok_or_else(|| corrupt("it is empty".into()))?;
    let (schema, version) = guarded(|| schema(&head)).map_err(corrupt)?;
    let columns = Columnar::new(name, &schema, options)?;
    let mut decoder = FileDecoder::new(Arc::new(schema), version).with_projection(columns.used.clone());
    let mut join = Join::new(name, &columns.plan, options.table.missing, (options.memory_limit, None));
    let mut offsets = Vec::new();
    loop {
        let (wave, next) = next_wave(&mut messages).map_err(failed)?;
        offsets.extend(wave.iter().map(|message| message.offset));
        let batches = wave
            .par_iter()
            .with_max_len(1)
            .map(|message| guarded(|| batch(&decoder, message)))
            .collect::<Result<Vec<Batch>, _>>()
            .map_err(corrupt)?;
        drop(wave);
        columns.append(&mut join, &batches)?;
        match next {
            Next::Batch => {}
            Next::Dictionary(message) => {
                guarded(|| decoder.read_dictionary(&message.block(), &message.bytes)).map_err(corrupt)?;
            }
            Next::End => break,
        }
    }
    if messages.is_file {
        let tail = messages.tail().map_err(failed)?;
        guarded(|| check_footer(&tail, &offsets)).map_err(corrupt)?;
    }
    join.finish()
}

/// Why there is no next message.
pub(crate) enum Failure {
    Io(std::io::Error),
    Reason(String),
    /// It has so many bytes, which are more than allowed.
    Large(u64),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// What follows a wave of record batches.
enum Next {
    Batch,
    Dictionary(Message),
    End,
}

/// Record batches, up to the next dictionary, or until there are enough for all threads.
fn next_wave(messages: &mut Messages<impl Read>) -> Result<(Vec<Message>, Next), Failure> {
    let (mut wave, mut bytes) = (Vec::new(), 0);
    while wave.len() < BATCHES_A_THREAD * rayon::current_num_threads() && bytes < WAVE_BYTES {
        let Some(message) = messages.next()? else { return Ok((wave, Next::End)) };
        match message.header {
            MessageHeader::RecordBatch => {
                bytes += message.bytes.len();
                wave.push(message);
            }
            MessageHeader::DictionaryBatch => return Ok((wave, Next::Dictionary(message))),
            _ => return Err(Failure::Reason("it holds a part that is neither rows nor categories".into())),
        }
    }
    Ok((wave, Next::Batch))
}

fn schema(message: &Message) -> Result<(arrow_schema::Schema, arrow_ipc::MetadataVersion), String> {
    let root = root_as_message(message.metadata()).map_err(|error| error.to_string())?;
    let schema = root.header_as_schema().ok_or("it does not begin with its schema")?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err("its numbers have their bytes in the other order".into());
    }
    Ok((try_fb_to_schema(schema).map_err(|error| error.to_string())?, root.version()))
}

fn batch(decoder: &FileDecoder, message: &Message) -> Result<Batch, String> {
    let read = decoder.read_record_batch(&message.block(), &message.bytes);
    let batch: Option<RecordBatch> = read.map_err(|error| error.to_string())?;
    let batch = batch.ok_or("a record batch is empty")?;
    Ok(Batch { rows: batch.num_rows(), columns: batch.columns().to_vec() })
}

/// A file ends with a list of its parts, its length and a magic word.
fn check_footer(tail: &Buffer, offsets: &[u64]) -> Result<(), String> {
    const MAGIC: &[u8] = b"ARROW1";
    let body = tail.strip_suffix(MAGIC).ok_or("it does not end as it should")?;
    let (footer, len) = body.split_last_chunk::<4>().ok_or("it ends too early")?;
    if u32::from_le_bytes(*len) as usize != footer.len() {
        return Err("the list of its parts has another length".into());
    }
    let footer = root_as_footer(footer).map_err(|error| error.to_string())?;
    let listed: Vec<&Block> = footer.recordBatches().into_iter().flatten().collect();
    let same =
        listed.iter().map(|block| u64::try_from(block.offset()).ok()).eq(offsets.iter().map(|&at| Some(at)));
    if same { Ok(()) } else { Err("its parts are not those that it lists, or in another order".into()) }
}
