//! Apache Arrow IPC. A stream is read from front to back, so that a pipe will do; a file (Feather 2) by the list at its
//! end, from the file itself or from its content in memory. Record batches are decoded in parallel.

use std::io::Cursor;
use std::sync::Arc;

use arrow_ipc::MessageHeader;
use arrow_ipc::reader::FileDecoder;
use rayon::prelude::*;
use sparsvm_core::Dataset;

use super::columnar::{Batch, Columnar};
use super::ipc_messages::{FILE_MAGIC, Failure, Message, Messages};
use super::join::{Before, Join};
use crate::error::mib;
use crate::guard::guarded;
use crate::open::Opened;
use crate::{ReadError, ReadOptions};

/// Record batches for each thread that are held at a time.
const BATCHES_A_THREAD: usize = 2;

/// And at most about so many bytes of them.
const WAVE_BYTES: usize = 64 << 20;

/// Reads a data set.
pub(crate) fn read(opened: Opened<'_>, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let limit = options.memory_limit.unwrap_or(u64::MAX);
    let compression = opened.compression;
    let corrupt = |reason: String| ReadError::Undecodable { name: name.to_owned(), format: "Arrow", reason };
    let failed = |error| match error {
        Failure::Io(error) => compression.error(name, error),
        Failure::Reason(reason) => corrupt(reason),
        Failure::Large(bytes) => ReadError::Memory {
            name: name.to_owned(),
            what: "a single record batch takes".into(),
            needed_mib: mib(bytes),
            limit_mib: limit >> 20,
        },
    };
    let messages = match (opened.head.starts_with(FILE_MAGIC), opened.file(name)?) {
        (false, _) => Messages::of_stream(opened.text(name).text, limit),
        (true, Some(file)) => Messages::of_file(Box::new(file), limit),
        (true, None) => {
            Messages::of_file(Box::new(Cursor::new(opened.bytes(name, options.memory_limit)?)), limit)
        }
    };
    let mut messages = messages.map_err(failed)?;
    let columns = Columnar::new(name, &messages.schema, options)?;
    let schema = Arc::new(messages.schema.clone());
    let mut decoder = FileDecoder::new(schema, messages.version).with_projection(columns.used.clone());
    let mut join = Join::new(
        name,
        &columns.plan,
        options.table.missing,
        (options.memory_limit, None),
        Before::default(),
    );
    loop {
        let (wave, next) = next_wave(&mut messages).map_err(failed)?;
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
            Next::End => return join.finish(),
        }
    }
}

/// What follows a wave of record batches.
enum Next {
    Batch,
    Dictionary(Message),
    End,
}

/// Record batches, up to the next dictionary, or until there are enough for all threads.
fn next_wave(messages: &mut Messages<'_>) -> Result<(Vec<Message>, Next), Failure> {
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

fn batch(decoder: &FileDecoder, message: &Message) -> Result<Batch, String> {
    let read = decoder.read_record_batch(&message.block(), &message.bytes);
    let batch = read.map_err(|error| error.to_string())?.ok_or("a record batch is empty")?;
    Ok(Batch { rows: batch.num_rows(), columns: batch.columns().to_vec() })
}
