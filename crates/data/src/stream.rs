//! Data in pieces, in constant memory: each block of lines becomes a small data set, which the pool's threads
//! work on; what comes out is taken in the order of the file.

use std::io::{self, Read};

use sparsvm_core::design::{Compressed, Sparse};
use sparsvm_core::{Dataset, Labels};
use thiserror::Error;

use crate::libsvm::{self, assemble::Order, parse::Rules};
use crate::open::Opened;
use crate::table::csv;
use crate::table::join::{Before, Join};
use crate::text::blocks::{BLOCK_BYTES, Block};
use crate::text::pipeline::{self, Input};
use crate::text::{Grammar, Sink};
use crate::{Format, ReadError, ReadOptions, Source};

/// What ended a stream.
#[derive(Debug, Error)]
pub enum StreamError {
    /// The data.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Whoever took the results.
    #[error(transparent)]
    Taken(#[from] io::Error),
}

/// Reads `source` in pieces. `work` is called for each of them, in parallel; `take` gets the results in order.
/// LIBSVM text and CSV are cut into pieces; other formats, and data with labels from a file of their own, are one
/// piece. A piece knows only its own rows' labels, and its matrix is as wide as its rows need.
///
/// # Errors
/// The first fault in the order of the file, or what `take` said.
pub fn stream<T: Send>(
    source: &Source,
    options: &ReadOptions,
    work: impl Fn(&Dataset) -> T + Sync,
    take: impl FnMut(T) -> io::Result<()> + Send,
) -> Result<(), StreamError> {
    let name = source.to_string();
    pieces(Opened::new(source)?, (&name, BLOCK_BYTES), options, work, take)
}

/// [`stream`] from anything, called `name` in errors, in blocks of about so many bytes. For tests, as
/// [`read_in_blocks`](crate::read_in_blocks) is.
///
/// # Errors
/// As [`stream`].
#[doc(hidden)]
pub fn stream_in_blocks<T: Send>(
    input: impl Read + Send,
    (name, block_bytes): (&str, usize),
    options: &ReadOptions,
    work: impl Fn(&Dataset) -> T + Sync,
    take: impl FnMut(T) -> io::Result<()> + Send,
) -> Result<(), StreamError> {
    pieces(Opened::from_reader(input, None, name)?, (name, block_bytes), options, work, take)
}

fn pieces<T: Send>(
    opened: Opened<'_>,
    (name, block_bytes): (&str, usize),
    options: &ReadOptions,
    work: impl Fn(&Dataset) -> T + Sync,
    take: impl FnMut(T) -> io::Result<()> + Send,
) -> Result<(), StreamError> {
    match opened.format(options) {
        Format::Libsvm if options.labels.is_none() => {
            let grammar = Working {
                grammar: Rules::new(options),
                data: |_: &Rules, rows: &mut libsvm::parse::Rows| libsvm_data(rows),
                work,
            };
            let mut order = Order::default();
            let pass = |rows: &libsvm::parse::Rows, _| order.pass(name, rows);
            run(opened.eager_text(name), &grammar, pass, take, (block_bytes, libsvm::most_bytes(options)))
        }
        Format::Csv if options.labels.is_none() => {
            let mut input = opened.eager_text(name);
            let lines = csv::Lines::begin(&mut input, options)?;
            let mut before = Before { lines: lines.header_lines, rows: 0 };
            let join = |lines: &csv::Lines, rows: &csv::Rows, before| {
                let mut join = Join::new(name, &lines.plan, options.table.missing, (None, None), before);
                join.append(&rows.piece, 0)?;
                rows.fault.map_or(Ok(()), |fault| Err(join.fault(fault)))?;
                join.finish()
            };
            let data = |lines: &csv::Lines, rows: &mut csv::Rows| join(lines, rows, Before::default()).ok();
            let grammar = Working { grammar: lines, data, work };
            let pass = |rows: &csv::Rows, well: bool| {
                if !well && (rows.piece.rows() > 0 || rows.fault.is_some()) {
                    // What is wrong is found out again, now that its line is known.
                    join(&grammar.grammar, rows, before)?;
                }
                before.lines += rows.lines;
                before.rows += rows.piece.rows();
                Ok(())
            };
            run(input, &grammar, pass, take, (block_bytes, csv::most_bytes(options)))
        }
        _ => {
            let data = crate::dispatch(opened, name, options)?;
            let (mut take, work) = (take, work);
            Ok(take(work(&data))?)
        }
    }
}

/// The rows of a block of LIBSVM text, unless something is wrong with them.
fn libsvm_data(rows: &mut libsvm::parse::Rows) -> Option<Dataset> {
    if rows.fault.is_some() || rows.labels.is_empty() {
        return None;
    }
    let mut starts = Vec::with_capacity(rows.ends.len() + 1);
    starts.push(0);
    starts.append(&mut rows.ends);
    let (columns, values) = (std::mem::take(&mut rows.columns), std::mem::take(&mut rows.values));
    let matrix = Compressed::new(starts, columns, values, (rows.width as usize).max(1)).ok()?;
    let data = Dataset::new(Sparse::from_rows(matrix), Labels::from_numbers(&rows.labels)).ok()?;
    match rows.queries.is_empty() {
        true => Some(data),
        false => data.with_queries(std::mem::take(&mut rows.queries)).ok(),
    }
}

/// A grammar whose rows are worked on at once.
struct Working<G, D, W> {
    grammar: G,
    data: D,
    work: W,
}

/// Rows, and what came of them.
struct Worked<R, T> {
    rows: R,
    result: Option<T>,
}

impl<R: Default, T> Default for Worked<R, T> {
    fn default() -> Self {
        Self { rows: R::default(), result: None }
    }
}

impl<G, D, W, T> Grammar for Working<G, D, W>
where
    G: Grammar,
    D: Fn(&G, &mut G::Rows) -> Option<Dataset> + Sync,
    W: Fn(&Dataset) -> T + Sync,
    T: Send,
{
    type Rows = Worked<G::Rows, T>;

    fn parse(&self, text: &[u8], len: usize, rows: &mut Self::Rows) {
        self.grammar.parse(text, len, &mut rows.rows);
        rows.result = (self.data)(&self.grammar, &mut rows.rows).map(|data| (self.work)(&data));
    }

    fn quoting(&self) -> Option<u8> {
        self.grammar.quoting()
    }
}

/// Takes results in order; `pass` sees the rows, and whether anything came of them.
struct Taking<'a, P, F> {
    name: &'a str,
    pass: P,
    take: F,
    failed: Option<io::Error>,
}

impl<R, T, P, F> Sink<Worked<R, T>> for Taking<'_, P, F>
where
    P: FnMut(&R, bool) -> Result<(), ReadError> + Send,
    F: FnMut(T) -> io::Result<()> + Send,
{
    fn append(&mut self, blocks: &mut [Block<Worked<R, T>>]) -> Result<(), ReadError> {
        for block in blocks {
            (self.pass)(&block.rows.rows, block.rows.result.is_some())?;
            if let Some(result) = block.rows.result.take()
                && let Err(error) = (self.take)(result)
            {
                let source = io::Error::from(error.kind());
                self.failed = Some(error);
                return Err(ReadError::Io { name: self.name.to_owned(), source });
            }
        }
        Ok(())
    }
}

fn run<G, D, W, T>(
    input: Input<'_>,
    grammar: &Working<G, D, W>,
    pass: impl FnMut(&G::Rows, bool) -> Result<(), ReadError> + Send,
    take: impl FnMut(T) -> io::Result<()> + Send,
    sizes: (usize, u64),
) -> Result<(), StreamError>
where
    G: Grammar,
    D: Fn(&G, &mut G::Rows) -> Option<Dataset> + Sync,
    W: Fn(&Dataset) -> T + Sync,
    T: Send,
{
    let mut sink = Taking { name: input.name, pass, take, failed: None };
    let read = pipeline::run(input, grammar, &mut sink, sizes);
    match sink.failed {
        Some(error) => Err(StreamError::Taken(error)),
        None => Ok(read?),
    }
}
