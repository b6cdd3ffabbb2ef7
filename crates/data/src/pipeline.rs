//! One thread reads and decompresses, the pool's threads parse, and rows are joined in order.
//!
//! The caller may itself be a thread of the pool, and the pool may have only one: so nobody ever waits for
//! a task of the pool but in rayon's own `join`, and the reading thread does not belong to the pool.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};

use rayon::prelude::*;
use sparsvm_core::Dataset;

use crate::assemble::Assembly;
use crate::blocks::{Block, Counted, Counter, Cutter, FillError};
use crate::compression::{self, Format};
use crate::error::mib;
use crate::parse::Rules;
use crate::{ReadError, ReadOptions};

/// Blocks that are parsed at a time, for each thread: enough that one slow block keeps nobody waiting long.
const BLOCKS_A_THREAD: usize = 4;

/// And at most so many, as memory grows with them.
const MOST_BLOCKS: usize = 128;

/// Blocks for one wave to be filled, one to be parsed, one to be joined.
const WAVES: usize = 3;

type Filled = Result<Block, ReadError>;

/// Reads a data set from `input`, which has `size` bytes if that is known.
pub(crate) fn read(
    input: impl Read + Send,
    size: Option<u64>,
    name: &str,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<Dataset, ReadError> {
    let counter = Counter::default();
    let (text, format) = compression::open(Counted { source: input, counter: counter.clone() }, name)?;
    let wave = (BLOCKS_A_THREAD * rayon::current_num_threads()).min(MOST_BLOCKS);
    let most_bytes = options.memory_limit.unwrap_or(u64::MAX);
    let reading = Reading {
        cutter: Cutter::new(text, counter, block_bytes, most_bytes),
        blocks: WAVES * wave,
        most_in_flight: (WAVES * wave * block_bytes) as u64,
        most_bytes,
        format,
        name,
    };
    std::thread::scope(|scope| {
        let (to_parse, filled) = sync_channel(WAVES * wave);
        let (give_back, empties) = channel();
        scope.spawn(move || reading.run(&to_parse, &empties));
        // When this returns early, both channels close, and the reading thread ends at its next block.
        Parsing { filled, give_back, wave, rules: rules(options) }.run(Assembly::new(name, options, size))
    })
}

fn rules(options: &ReadOptions) -> Rules {
    let base = u64::from(!options.zero_based);
    // Indices stay below 2^32 - 1, so that columns and their number are 32-bit integers.
    let largest = u64::from(u32::MAX) - base;
    let asked = options.features.map(|features| features as u64);
    Rules {
        base,
        bound: asked.unwrap_or(largest).min(largest),
        fixed: asked.is_some_and(|asked| asked <= largest),
    }
}

/// What the reading thread has.
struct Reading<'a, R> {
    cutter: Cutter<R>,
    blocks: usize,
    /// Text that may be on its way. Only very long lines reach this before the blocks run out.
    most_in_flight: u64,
    most_bytes: u64,
    format: Format,
    name: &'a str,
}

impl<R: Read> Reading<'_, R> {
    fn run(mut self, to_parse: &SyncSender<Filled>, empties: &Receiver<Block>) {
        let mut in_flight = 0;
        loop {
            let mut block = Block::default();
            while self.blocks == 0 || in_flight > self.most_in_flight {
                let Ok(empty) = empties.recv() else { return };
                in_flight -= empty.bytes();
                self.blocks += 1;
                block = empty;
            }
            self.blocks -= 1;
            block.trim(self.cutter.block_bytes());
            let filled = match self.cutter.fill(&mut block) {
                Ok(false) => return,
                Ok(true) => {
                    in_flight += block.bytes();
                    Ok(block)
                }
                Err(FillError::Io(error)) => Err(self.format.error(self.name, error)),
                Err(FillError::LongLine(bytes)) => Err(ReadError::Memory {
                    name: self.name.to_owned(),
                    what: "a single line takes".into(),
                    needed_mib: mib(bytes),
                    limit_mib: self.most_bytes >> 20,
                }),
            };
            let failed = filled.is_err();
            if to_parse.send(filled).is_err() || failed {
                return;
            }
        }
    }
}

/// What the calling thread has.
struct Parsing {
    filled: Receiver<Filled>,
    give_back: Sender<Block>,
    wave: usize,
    rules: Rules,
}

impl Parsing {
    fn run(self, mut assembly: Assembly<'_>) -> Result<Dataset, ReadError> {
        let rules = self.rules;
        let mut parsed = Vec::new();
        loop {
            let (mut wave, end) = self.next(&mut parsed, &mut assembly)?;
            // The last wave is joined while this one is parsed.
            let (joined, ()) = rayon::join(
                || assembly.append(&parsed),
                || wave.par_iter_mut().with_max_len(1).for_each(|block| block.parse(rules)),
            );
            joined?;
            self.recycle(&mut parsed);
            parsed = wave;
            match end {
                End::NotYet => {}
                End::Done => {
                    assembly.append(&parsed)?;
                    return assembly.finish();
                }
                End::Failed(error) => {
                    // A fault in the text before comes first.
                    assembly.append(&parsed)?;
                    return Err(error);
                }
            }
        }
    }

    /// The blocks that are there, or the next one. What is `parsed` is joined before waiting, as the reading
    /// thread may be waiting for these blocks.
    fn next(
        &self,
        parsed: &mut Vec<Block>,
        assembly: &mut Assembly<'_>,
    ) -> Result<(Vec<Block>, End), ReadError> {
        let mut wave = Vec::with_capacity(self.wave);
        while wave.len() < self.wave {
            match self.filled.try_recv() {
                Ok(Ok(block)) => wave.push(block),
                Ok(Err(error)) => return Ok((wave, End::Failed(error))),
                Err(TryRecvError::Disconnected) => return Ok((wave, End::Done)),
                Err(TryRecvError::Empty) if !wave.is_empty() => break,
                Err(TryRecvError::Empty) => {
                    assembly.append(parsed)?;
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

    fn recycle(&self, blocks: &mut Vec<Block>) {
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
