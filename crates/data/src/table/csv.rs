//! Comma-separated values (RFC 4180), with any delimiter, with or without a header, quoted or not.
//!
//! Blocks end where a record ends, which is not at every newline (see [`quotes`](crate::text::quotes)). The first
//! record is read before, as the plan needs its names or their number.

use std::io::{Chain, Cursor, Read};

use csv::ByteRecord;
use sparsvm_core::Dataset;

use super::head::{Head, delimiter_of};
use super::join::{Before, Join};
use super::piece::{Cell, Piece};
use super::plan::{Names, Plan, Role};
use crate::format::DELIMITERS;
use crate::quote::quoted;
use crate::text::blocks::{BLOCK_BYTES, Block};
use crate::text::number::{PADDING, number};
use crate::text::pipeline::{self, Input};
use crate::text::quotes::Quotes;
use crate::text::{Grammar, Sink};
use crate::{ReadError, ReadOptions};

/// The longest record. A quote that is never closed makes one of the whole file.
const MOST_BYTES: u64 = 1 << 30;

/// Longer numbers are left to the standard library.
const USUAL_BYTES: usize = 32;

/// Texts that stand for nothing, besides the empty one, as pandas and the UCI repository have them.
const MISSING: [&str; 12] =
    ["?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-nan", "NULL", "null", "None", "<NA>"];

/// Reads a data set.
pub(crate) fn read(input: Input<'_>, options: &ReadOptions) -> Result<Dataset, ReadError> {
    read_in(input, options, BLOCK_BYTES)
}

/// [`read`] in blocks of this size.
pub(crate) fn read_in(
    mut input: Input<'_>,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<Dataset, ReadError> {
    let (name, size) = (input.name, input.size);
    let lines = Lines::begin(&mut input, options)?;
    let before = Before { lines: lines.header_lines, rows: 0 };
    let mut join = Join::new(name, &lines.plan, options.table.missing, (options.memory_limit, size), before);
    pipeline::run(input, &lines, &mut join, (block_bytes, most_bytes(options)))?;
    join.finish()
}

pub(crate) fn most_bytes(options: &ReadOptions) -> u64 {
    options.memory_limit.unwrap_or(u64::MAX).min(MOST_BYTES)
}

/// The grammar of one file.
pub(crate) struct Lines {
    pub(crate) plan: Plan,
    delimiter: u8,
    /// Lines of the file before the first block.
    pub(crate) header_lines: u64,
}

/// The rows of a block.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) piece: Piece,
    /// Lines of the block.
    pub(crate) lines: u64,
    /// What ended the parsing, and in which line, counting from the block's first.
    pub(crate) fault: Option<(u64, Fault)>,
    record: ByteRecord,
}

/// A record that is none of the table's.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// It has so many cells.
    Ragged(usize),
    /// It ends inside quotes.
    OpenQuote,
}

impl Lines {
    /// Reads the first record of `input`, and takes it away if it is a header.
    pub(crate) fn begin(input: &mut Input<'_>, options: &ReadOptions) -> Result<Self, ReadError> {
        let name = input.name;
        let mut head = Head::default();
        let delimiter = match options.table.delimiter {
            Some(delimiter) => delimiter,
            None => {
                head.read_record(input, Quotes::any(DELIMITERS), most_bytes(options))?;
                delimiter_of(head.record())
            }
        };
        head.read_record(input, Quotes::of(delimiter), most_bytes(options))?;
        let text = head.text();
        let mut record = ByteRecord::new();
        let mut reader = reader(text, delimiter);
        let any = reader
            .read_byte_record(&mut record)
            .map_err(|error| ReadError::Table { name: name.to_owned(), what: error.to_string() })?;
        if !any {
            return Err(ReadError::Empty { name: name.to_owned() });
        }
        let has_header = options.table.header.unwrap_or_else(|| is_header(&record));
        let names = match has_header {
            true => Names { texts: names(name, &record)?, named: true },
            false => Names::numbered(record.len()),
        };
        let plan = match &options.expected {
            Some(expected) if has_header => Plan::expecting(name, names, expected, &options.table)?,
            _ => Plan::new(name, names, &options.table, !options.unlabelled)?,
        };
        let (rest, header_lines) = match has_header {
            true => {
                let end = reader.position().byte() as usize;
                (text[end.min(text.len())..].to_vec(), reader.position().line() - 1)
            }
            false => (text.to_vec(), 0),
        };
        let behind = std::mem::replace(&mut input.text, Box::new(std::io::empty()));
        input.text = Box::new(Cursor::new(rest).chain(behind));
        Ok(Self { plan, delimiter, header_lines })
    }
}

impl Grammar for Lines {
    type Rows = Rows;

    fn parse(&self, text: &[u8], len: usize, rows: &mut Rows) {
        let Rows { piece, lines, fault, record } = rows;
        piece.clear(&self.plan);
        *fault = None;
        let mut reader = reader(&text[..len], self.delimiter);
        let mut last = 0;
        // Reading from memory fails only if a record is not UTF-8, and bytes are never that.
        while reader.read_byte_record(record).unwrap_or(false) {
            let line = record.position().map_or(1, |at| line_of(&text[..len], at));
            last = record.position().map_or(last, |at| (at.byte() as usize).min(len));
            if record.len() != self.plan.roles.len() {
                *fault = Some((line, Fault::Ragged(record.len())));
                break;
            }
            piece.line = Some(line);
            for (at, (role, cell)) in self.plan.roles.iter().zip(record.iter()).enumerate() {
                match role {
                    Role::Dropped => {}
                    Role::Number(column) => {
                        let text;
                        let cell = match plain_number(cell) {
                            Some(value) => Cell::Number(value),
                            None => {
                                text = String::from_utf8_lossy(cell);
                                other_cell(&text)
                            }
                        };
                        piece.number(at, *column, cell);
                    }
                    role => {
                        let text = String::from_utf8_lossy(cell);
                        let text = trimmed(&text);
                        piece.text(role, Some(text).filter(|text| !is_missing(text)));
                    }
                }
            }
            piece.end_row();
        }
        *lines = reader.position().line() - 1;
        // Blocks end outside quotes, but for the file's last one.
        if Quotes::of(self.delimiter).end_open(&text[last..len]) {
            *fault = Some((piece.line.unwrap_or(1), Fault::OpenQuote));
        }
    }

    fn quoting(&self) -> Option<u8> {
        Some(self.delimiter)
    }
}

impl Sink<Rows> for Join<'_> {
    fn append(&mut self, blocks: &mut [Block<Rows>]) -> Result<(), ReadError> {
        for block in blocks {
            let rows = &block.rows;
            let appended = Join::append(self, &rows.piece, block.read_so_far);
            // A quote that is left open spoils what stands before it.
            if let Some(fault @ (_, Fault::OpenQuote)) = rows.fault {
                return Err(self.fault(fault));
            }
            appended?;
            rows.fault.map_or(Ok(()), |fault| Err(self.fault(fault)))?;
            self.pass_lines(rows.lines);
        }
        Ok(())
    }
}

/// The line that a record begins in. The reader's position is before the line feed of a CR LF, and before blank lines.
fn line_of(text: &[u8], at: &csv::Position) -> u64 {
    let ends = text[(at.byte() as usize).min(text.len())..].iter().take_while(|byte| b"\r\n".contains(byte));
    at.line() + ends.filter(|byte| **byte == b'\n').count() as u64
}

/// The parser passes over a byte-order mark at the start of what it is given, if it gets all of it at once. A block may
/// begin with a mark that stands inside the file, where it belongs to a value: so the first byte comes alone.
fn reader(text: &[u8], delimiter: u8) -> csv::Reader<Chain<&[u8], &[u8]>> {
    let (first, rest) = text.split_at(text.len().min(1));
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(text.len().clamp(1, 1 << 16))
        .from_reader(first.chain(rest))
}

/// The usual number, quickly.
#[inline]
fn plain_number(cell: &[u8]) -> Option<f64> {
    if cell.len() > USUAL_BYTES {
        return None;
    }
    let mut text = [b'\n'; USUAL_BYTES + 1 + PADDING];
    text[..cell.len()].copy_from_slice(cell);
    let (value, end) = number(&text, 0)?;
    (end == cell.len()).then_some(value)
}

/// A cell that is not the usual number.
#[cold]
fn other_cell(text: &str) -> Cell<'_> {
    let trimmed = trimmed(text);
    if is_missing(trimmed) {
        Cell::Missing
    } else if let Some(value) = plain_number(trimmed.as_bytes()) {
        Cell::Number(value)
    } else if trimmed.eq_ignore_ascii_case("true") {
        Cell::Number(1.0)
    } else if trimmed.eq_ignore_ascii_case("false") {
        Cell::Number(0.0)
    } else {
        // `inf` is a number to the standard library, and then refused as not finite.
        trimmed.parse().map_or(Cell::Text(trimmed), Cell::Number)
    }
}

/// Without what nobody sees: blanks, and byte-order marks, which files that were joined have inside.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

fn is_missing(text: &str) -> bool {
    text.is_empty() || MISSING.contains(&text)
}

/// A header holds no number, and no empty name but the first.
fn is_header(record: &ByteRecord) -> bool {
    record.iter().enumerate().all(|(at, cell)| {
        let text = String::from_utf8_lossy(cell);
        match other_cell(&text) {
            Cell::Text(_) => true,
            Cell::Missing => !text.trim().is_empty() || (at == 0 && record.len() > 1),
            Cell::Number(_) => false,
        }
    })
}

fn names(file: &str, record: &ByteRecord) -> Result<Vec<String>, ReadError> {
    let one = |(at, cell): (usize, &[u8])| match std::str::from_utf8(cell) {
        Ok(text) => Ok(trimmed(text).to_owned()),
        Err(_) => Err(ReadError::Table {
            name: file.to_owned(),
            what: format!("the name of column {}, {}, is not UTF-8: convert the file", at + 1, quoted(cell)),
        }),
    };
    record.iter().enumerate().map(one).collect()
}
