//! One thread reads and decompresses, the pool's threads parse, and rows are joined in order. A text of one block needs
//! neither: to start a thread would take longer than to parse it.
//!
//! The caller may itself be a thread of the pool, and the pool may have only one: so nobody ever waits for
//! a task of the pool but in rayon's own `join`, and the reading thread does not belong to the pool.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};

use rayon::prelude::*;

use super::blocks::{Block, Counter, Cutter, FillError};
use super::{Grammar, Sink};
use crate::ReadError;
use crate::compression::Compression;
use crate::error::mib;

/// Blocks that are parsed at a time, for each thread: enough that one slow block keeps nobody waiting long.
const BLOCKS_A_THREAD: usize = 4;

/// And at most so many, as memory grows with them.
const MOST_BLOCKS: usize = 128;

/// Blocks for one wave to be filled, one to be parsed, one to be joined.
const WAVES: usize = 3;

type Filled<T> = Result<Block<T>, ReadError>;

/// Blocks that belong together, and what follows them.
type Wave<T> = (Vec<Block<T>>, End);

/// What is read.
pub(crate) struct Input<'a> {
    /// Plain text.
    pub(crate) text: Box<dyn Read + Send + 'a>,
    /// What it was compressed with.
    pub(crate) compression: Compression,
    /// Counts the bytes of the file.
    pub(crate) counter: Counter,
    /// The file's size, if it is known.
    pub(crate) size: Option<u64>,
    /// The file, in errors.
    pub(crate) name: &'a str,
    /// Lines are passed on as soon as they are there, in blocks as small as need be.
    pub(crate) eager: bool,
}

/// Parses all of `input` by `grammar` in blocks of about `block_bytes` and hands the rows to `sink`. A line of
/// more than `most_bytes` is an error.
pub(crate) fn run<G: Grammar>(
    input: Input<'_>,
    grammar: &G,
    sink: &mut impl Sink<G::Rows>,
    (block_bytes, most_bytes): (usize, u64),
) -> Result<(), ReadError> {
    let wave = (BLOCKS_A_THREAD * rayon::current_num_threads()).min(MOST_BLOCKS);
    let mut reading = Reading {
        cutter: Cutter::new(
            input.text,
            input.counter,
            (block_bytes, most_bytes),
            grammar.quoting(),
            input.eager,
        ),
        blocks: WAVES * wave,
        in_flight: 0,
        most_in_flight: (WAVES * wave * block_bytes) as u64,
        most_bytes,
        compression: input.compression,
        name: input.name,
    };
    let first = match reading.fill(Block::default()) {
        None => return Ok(()),
        Some(Err(error)) => return Err(error),
        Some(Ok(mut only)) if reading.cutter.is_over() => {
            only.parse(grammar);
            return sink.append(&mut [only]);
        }
        Some(first) => first,
    };
    std::thread::scope(|scope| {
        let (to_parse, filled) = sync_channel(WAVES * wave);
        // There is room for it, and somebody who takes it.
        let _ = to_parse.send(first);
        let (give_back, empties) = channel();
        // Where threads are rationed, that is told, like every other failure.
        std::thread::Builder::new()
            .spawn_scoped(scope, move || reading.run(&to_parse, &empties))
            .map_err(|source| ReadError::Io { name: input.name.to_owned(), source })?;
        // When this returns early, both channels close, and the reading thread ends at its next block.
        Parsing { filled, give_back, wave, grammar }.run(sink)
    })
}

/// What the reading thread has.
struct Reading<'a, R> {
    cutter: Cutter<R>,
    blocks: usize,
    /// Text that is on its way, …
    in_flight: u64,
    /// … and that may be. Only very long lines reach this before the blocks run out.
    most_in_flight: u64,
    most_bytes: u64,
    compression: Compression,
    name: &'a str,
}

impl<R: Read> Reading<'_, R> {
    fn run<T: Default>(mut self, to_parse: &SyncSender<Filled<T>>, empties: &Receiver<Block<T>>) {
        loop {
            let mut block = Block::default();
            while self.blocks == 0 || self.in_flight > self.most_in_flight {
                let Ok(empty) = empties.recv() else { return };
                self.in_flight -= empty.bytes();
                self.blocks += 1;
                block = empty;
            }
            let Some(filled) = self.fill(block) else { return };
            let failed = filled.is_err();
            if to_parse.send(filled).is_err() || failed {
                return;
            }
        }
    }

    /// The next block, in the memory of one that is empty; nothing at the end of the text.
    fn fill<T: Default>(&mut self, mut block: Block<T>) -> Option<Filled<T>> {
        self.blocks -= 1;
        block.trim(self.cutter.block_bytes());
        Some(match self.cutter.fill(&mut block) {
            Ok(false) => return None,
            Ok(true) => {
                self.in_flight += block.bytes();
                Ok(block)
            }
            Err(FillError::Io(error)) => Err(self.compression.error(self.name, error)),
            Err(FillError::LongLine(bytes)) => Err(ReadError::Memory {
                name: self.name.to_owned(),
                what: match self.cutter.has_quotes() {
                    true => "a single line (perhaps because of a quote that is never closed) takes".into(),
                    false => "a single line takes".into(),
                },
                needed_mib: mib(bytes),
                limit_mib: self.most_bytes >> 20,
            }),
        })
    }
}

/// What the calling thread has.
struct Parsing<'a, G: Grammar> {
    filled: Receiver<Filled<G::Rows>>,
    give_back: Sender<Block<G::Rows>>,
    wave: usize,
    grammar: &'a G,
}

impl<G: Grammar> Parsing<'_, G> {
    fn run(self, sink: &mut impl Sink<G::Rows>) -> Result<(), ReadError> {
        let grammar = self.grammar;
        let mut parsed = Vec::new();
        loop {
            let (mut wave, end) = self.next(&mut parsed, sink)?;
            // The last wave is joined while this one is parsed.
            let (joined, ()) = rayon::join(
                || sink.append(&mut parsed),
                || wave.par_iter_mut().with_max_len(1).for_each(|block| block.parse(grammar)),
            );
            joined?;
            self.recycle(&mut parsed);
            parsed = wave;
            match end {
                End::NotYet => {}
                End::Done => return sink.append(&mut parsed),
                End::Failed(error) => {
                    // A fault in the text before comes first.
                    sink.append(&mut parsed)?;
                    return Err(error);
                }
            }
        }
    }

    /// The blocks that are there, or the next one. What is `parsed` is joined before waiting, as the reading
    /// thread may be waiting for these blocks.
    fn next(
        &self,
        parsed: &mut Vec<Block<G::Rows>>,
        sink: &mut impl Sink<G::Rows>,
    ) -> Result<Wave<G::Rows>, ReadError> {
        let mut wave = Vec::with_capacity(self.wave);
        while wave.len() < self.wave {
            match self.filled.try_recv() {
                Ok(Ok(block)) => wave.push(block),
                Ok(Err(error)) => return Ok((wave, End::Failed(error))),
                Err(TryRecvError::Disconnected) => return Ok((wave, End::Done)),
                Err(TryRecvError::Empty) if !wave.is_empty() => break,
                Err(TryRecvError::Empty) => {
                    sink.append(parsed)?;
                    self.recycle(parsed);
                    match self.filled.recv() {
                        Ok(Ok(block)) => wave.push(block),
                        Ok(Err(error)) => return Ok((wave, End::Failed(error))),
                        Err(_) => return Ok((wave, End::Done)),
                    }
                }
            }
        }
        Ok((wave, End::NotYet))
    }

    fn recycle(&self, blocks: &mut Vec<Block<G::Rows>>) {
        for block in blocks.drain(..) {
            // If nobody wants it, the reading thread is done.
            let _ = self.give_back.send(block);
        }
    }
}

/// What follows a wave.
enum End {
    NotYet,
    Done,
    Failed(ReadError),
}
