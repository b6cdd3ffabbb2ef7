//! The text cut into blocks of whole lines, so that the file is never held as a whole and blocks can be
//! parsed apart from each other.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Grammar;
use super::number::PADDING;
use super::quotes::Quotes;

/// Text in a block: small enough that a block and its rows stay in a core's cache, large enough that handing
/// blocks around costs nothing.
pub(crate) const BLOCK_BYTES: usize = 256 << 10;

/// Lines of text, and the rows that come out of them. Blocks go round between the thread that fills them and
/// those that empty them, so that memory is asked for only once.
#[derive(Debug, Default)]
pub(crate) struct Block<R> {
    text: Vec<u8>,
    len: usize,
    /// Bytes of the file, compressed or not, that had been read when this block was full.
    pub(crate) read_so_far: u64,
    pub(crate) rows: R,
}

impl<R: Default> Block<R> {
    /// Parses the text into rows.
    pub(crate) fn parse<G: Grammar<Rows = R>>(&mut self, grammar: &G) {
        grammar.parse(&self.text, self.len, &mut self.rows);
    }

    /// Bytes of text.
    pub(crate) fn bytes(&self) -> u64 {
        self.len as u64
    }

    /// Gives back what a very long line took.
    pub(crate) fn trim(&mut self, block_bytes: usize) {
        if self.text.capacity() > 2 * (block_bytes + PADDING) {
            *self = Self::default();
        }
    }
}

/// Why a block could not be filled.
#[derive(Debug)]
pub(crate) enum FillError {
    /// The source failed.
    Io(io::Error),
    /// A line of more bytes than allowed; so many had been read.
    LongLine(u64),
}

/// Fills blocks from a source of plain text.
#[derive(Debug)]
pub(crate) struct Cutter<R> {
    source: R,
    counter: Counter,
    /// The start of a line whose end has not been read yet.
    rest: Vec<u8>,
    block_bytes: usize,
    most_bytes: u64,
    /// What separates values that may stand in quotes.
    quoting: Option<u8>,
    eager: bool,
    at_start: bool,
    is_over: bool,
}

impl<R: Read> Cutter<R> {
    /// Cuts `source` into blocks of about `block_bytes`; a line of more than `most_bytes` is an error. Where
    /// values may stand in quotes, a newline there does not end a line. An `eager` cutter waits for nothing
    /// once it has a line.
    pub(crate) fn new(
        source: R,
        counter: Counter,
        (block_bytes, most_bytes): (usize, u64),
        quoting: Option<u8>,
        eager: bool,
    ) -> Self {
        Self {
            source,
            counter,
            rest: Vec::new(),
            block_bytes: block_bytes.max(1),
            most_bytes,
            quoting,
            eager,
            // Where there are quotes, who asked for the blocks has seen to the mark.
            at_start: quoting.is_none(),
            is_over: false,
        }
    }

    /// The usual size of a block.
    pub(crate) fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    /// True if the end of the text has been seen.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// True if newlines in quotes end no line.
    pub(crate) fn has_quotes(&self) -> bool {
        self.quoting.is_some()
    }

    /// Fills `block` with lines, and says whether there were any left.
    pub(crate) fn fill<T>(&mut self, block: &mut Block<T>) -> Result<bool, FillError> {
        let text = &mut block.text;
        let mut room = self.block_bytes.max(self.rest.len());
        // One byte more for a last newline that the file has not.
        if text.len() != room + 1 + PADDING {
            text.resize(room + 1 + PADDING, 0);
        }
        text[..self.rest.len()].copy_from_slice(&self.rest);
        let mut filled = self.rest.len();
        self.rest.clear();
        let mut search = Search::new(self.quoting);
        loop {
            let read = self.read(&mut text[filled..room])?;
            filled += read;
            if read == 0 && filled < room {
                self.is_over = true;
                if filled > 0 && text[filled - 1] != b'\n' {
                    text[filled] = b'\n';
                    filled += 1;
                }
                block.len = filled;
                break;
            }
            if filled < room && !self.eager {
                continue;
            }
            if let Some(end) = search.last_line_end(&text[..filled]) {
                block.len = end;
                self.rest.extend_from_slice(&text[block.len..filled]);
                break;
            }
            if filled < room {
                continue;
            }
            if filled as u64 > self.most_bytes {
                return Err(FillError::LongLine(filled as u64));
            }
            // A byte more than is allowed shows that the line is too long.
            room = (2 * room)
                .min(usize::try_from(self.most_bytes).unwrap_or(usize::MAX).saturating_add(1))
                .max(room + 1);
            let more = (room + 1 + PADDING).saturating_sub(text.len());
            // Memory may end before the limit does.
            text.try_reserve(more).map_err(|_| FillError::LongLine(room as u64))?;
            text.resize(room + 1 + PADDING, 0);
        }
        block.read_so_far = self.counter.get();
        self.skip_mark(block);
        Ok(block.len > 0)
    }

    /// [`Read::read`] that tries again when it was interrupted.
    fn read(&mut self, into: &mut [u8]) -> Result<usize, FillError> {
        loop {
            match self.source.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(FillError::Io),
            }
        }
    }

    /// Removes the byte-order mark at the start of the file.
    fn skip_mark<T>(&mut self, block: &mut Block<T>) {
        if self.at_start && block.text[..block.len].starts_with(b"\xef\xbb\xbf") {
            block.text.copy_within(3..block.len, 0);
            block.len -= 3;
        }
        self.at_start = false;
    }
}

/// Looks for the end of the last whole line in text that grows.
#[derive(Debug)]
struct Search {
    searched: usize,
    quotes: Option<Quotes>,
}

impl Search {
    /// In a block, which begins where a line does.
    fn new(quoting: Option<u8>) -> Self {
        Self { searched: 0, quotes: quoting.map(Quotes::of) }
    }

    /// Behind the last newline that ends a line.
    fn last_line_end(&mut self, text: &[u8]) -> Option<usize> {
        let from = std::mem::replace(&mut self.searched, text.len());
        let Some(quotes) = &mut self.quotes else {
            return text[from..].iter().rposition(|&byte| byte == b'\n').map(|last| from + last + 1);
        };
        let mut end = None;
        for (at, &byte) in (from..).zip(&text[from..]) {
            quotes.pass(byte);
            if byte == b'\n' && !quotes.are_open() {
                end = Some(at + 1);
            }
        }
        end
    }
}

/// Counts bytes as they are read, for whoever wants to know how far the reading is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counter(Arc<AtomicU64>);

impl Counter {
    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A source whose bytes are counted.
#[derive(Debug)]
pub(crate) struct Counted<R> {
    pub(crate) source: R,
    pub(crate) counter: Counter,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(into)?;
        self.counter.0.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
