//! A block of lines into rows. This is the loop that the time goes to: the usual token (digits, colon, short
//! decimal, space) is taken without a call or an allocation, and all else goes to [`explain`](super::explain).

use super::explain::{Fault, Place};
use crate::ReadOptions;
use crate::text::Grammar;
use crate::text::number::{digits, number};

/// Which indices are allowed, and what they mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// The index of the first column: 0 or 1.
    pub(crate) base: u64,
    /// Columns must be below this.
    pub(crate) bound: u64,
    /// The bound is the caller's number of features, not that of 32-bit columns.
    pub(crate) fixed: bool,
}

impl Rules {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let base = u64::from(!options.zero_based);
        // Indices stay below 2^32 - 1, so that columns and their number are 32-bit integers.
        let largest = u64::from(u32::MAX) - base;
        let asked = options.features.map(|features| features as u64);
        Self {
            base,
            bound: asked.unwrap_or(largest).min(largest),
            fixed: asked.is_some_and(|asked| asked <= largest),
        }
    }
}

impl Grammar for Rules {
    type Rows = Rows;

    fn parse(&self, text: &[u8], len: usize, rows: &mut Rows) {
        rows.parse(text, len, *self);
    }
}

/// Where the first row of a block says whether rows have query numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstRow {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) has_query: bool,
}

/// The rows of a block. The buffers are used again for other blocks.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) labels: Vec<f64>,
    pub(crate) queries: Vec<u64>,
    /// Where each row ends in `columns` and `values`.
    pub(crate) ends: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
    /// One more than the largest column.
    pub(crate) width: u64,
    /// Lines, with those that hold no row.
    pub(crate) lines: u64,
    pub(crate) first: Option<FirstRow>,
    /// What ended the parsing; lines count from the block's first, which is 1.
    pub(crate) fault: Option<Fault>,
}

/// Spaces between tokens; a carriage return before the newline is one.
#[inline(always)]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// What may follow a number.
#[inline(always)]
pub(crate) fn ends_token(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'\n' | b'#')
}

/// The byte at `at`. Blocks end with a newline that stops every loop, so the default is never used.
#[inline(always)]
fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(b'\n')
}

impl Rows {
    /// Parses the first `len` bytes of `text`, which are whole lines each ended by a newline; at least
    /// [`PADDING`](crate::text::number::PADDING) bytes must follow. Stops at the first fault.
    pub(crate) fn parse(&mut self, text: &[u8], len: usize, rules: Rules) {
        self.clear();
        let mut at = 0;
        while at < len {
            self.lines += 1;
            match self.line(text, at, rules) {
                Ok(next) => at = next,
                Err(fault) => {
                    self.fault = Some(*fault);
                    return;
                }
            }
        }
    }

    fn clear(&mut self) {
        self.labels.clear();
        self.queries.clear();
        self.ends.clear();
        self.columns.clear();
        self.values.clear();
        (self.width, self.lines) = (0, 0);
        (self.first, self.fault) = (None, None);
    }

    /// One line, of which the next one's start is returned.
    fn line(&mut self, text: &[u8], start: usize, rules: Rules) -> Result<usize, Box<Fault>> {
        let mut at = skip_blanks(text, start);
        match byte(text, at) {
            b'\n' => return Ok(at + 1),
            b'#' => return Ok(skip_comment(text, at)),
            _ => {}
        }
        let label = match number(text, at) {
            Some((label, end)) if label.is_finite() && ends_token(byte(text, end)) => {
                at = end;
                label
            }
            _ => return Err(Place { text, line: self.lines, start, at }.label()),
        };
        at = self.query(text, start, skip_blanks(text, at))?;
        let next = match self.features(text, at, rules) {
            Ok(next) => next,
            Err(at) => {
                let begin = self.ends.last().copied().unwrap_or(0);
                let place = Place { text, line: self.lines, start, at };
                // An index given twice further left is the earlier fault.
                let twice = place.duplicate(&self.columns[begin..], rules);
                return Err(twice.unwrap_or_else(|| place.feature(rules)));
            }
        };
        self.labels.push(label);
        Ok(next)
    }

    /// The query number, if there is one at `at`: all rows have one, or none has.
    fn query(&mut self, text: &[u8], start: usize, mut at: usize) -> Result<usize, Box<Fault>> {
        let has_query = text.get(at..).is_some_and(|rest| rest.starts_with(b"qid:"));
        let place = Place { text, line: self.lines, start, at };
        let row = FirstRow { line: self.lines, column: place.column(), has_query };
        if self.first.get_or_insert(row).has_query != has_query {
            return Err(Box::new(Fault::mixed_queries(row)));
        }
        if has_query {
            let (query, end) = place.query()?;
            self.queries.push(query);
            at = end;
        }
        Ok(at)
    }

    /// The features of one row up to the end of its line, of which the next one's start is returned; or
    /// where the token stands that is none.
    #[inline]
    fn features(&mut self, text: &[u8], mut at: usize, rules: Rules) -> Result<usize, usize> {
        let begin = self.columns.len();
        let mut least = 0; // what the next column must be at least for the row to ascend
        let (mut ascending, mut zeros) = (true, false);
        let next = loop {
            let (mut index, count) = digits(text, at);
            let mut colon = at + count;
            if count == 0 || byte(text, colon) != b':' {
                match byte(text, at) {
                    b'\n' => break at + 1,
                    b'#' => break skip_comment(text, at),
                    blank if is_blank(blank) => {
                        at += 1;
                        continue;
                    }
                    _ => {}
                }
                (index, colon) = long_index(text, at).ok_or(at)?;
            }
            let column = index.wrapping_sub(rules.base);
            let Some((value, end)) = number(text, colon + 1) else { return Err(at) };
            let after = byte(text, end);
            if column >= rules.bound || !value.is_finite() || !ends_token(after) {
                return Err(at);
            }
            ascending &= column >= least;
            least = column + 1;
            zeros |= value == 0.0;
            self.columns.push(column as u32);
            self.values.push(value);
            at = end + usize::from(after == b' ');
        };
        if !ascending {
            self.sort_row(begin).ok_or(next - 1)?;
            least = self.columns.last().map_or(0, |&last| u64::from(last) + 1);
        }
        // An explicit zero is not held, but its index counts for the width.
        self.width = self.width.max(least);
        if zeros {
            self.drop_zeros(begin);
        }
        self.ends.push(self.columns.len());
        Ok(next)
    }

    /// Sorts the entries from `begin` on by column; nothing if a column comes twice (the row is then left
    /// as it was, for the fault to be found in it).
    #[cold]
    fn sort_row(&mut self, begin: usize) -> Option<()> {
        let mut entries: Vec<(u32, f64)> =
            self.columns[begin..].iter().copied().zip(self.values[begin..].iter().copied()).collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        if entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        for (k, (column, value)) in entries.into_iter().enumerate() {
            self.columns[begin + k] = column;
            self.values[begin + k] = value;
        }
        Some(())
    }

    /// Drops the entries from `begin` on that are zero.
    #[cold]
    fn drop_zeros(&mut self, begin: usize) {
        let mut kept = begin;
        for k in begin..self.values.len() {
            if self.values[k] != 0.0 {
                self.columns[kept] = self.columns[k];
                self.values[kept] = self.values[k];
                kept += 1;
            }
        }
        self.columns.truncate(kept);
        self.values.truncate(kept);
    }
}

#[inline(always)]
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while is_blank(byte(text, at)) {
        at += 1;
    }
    at
}

/// The start of the line after the comment at `at`.
fn skip_comment(text: &[u8], at: usize) -> usize {
    text.iter().skip(at).position(|&byte| byte == b'\n').map_or(text.len(), |k| at + k + 1)
}

/// An index of more than eight digits before a colon, and where the colon is. Too large ones become the
/// largest there is, which is above every bound.
#[cold]
fn long_index(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut colon = at;
    let mut index = 0u64;
    while byte(text, colon).is_ascii_digit() {
        index = index.saturating_mul(10).saturating_add(u64::from(byte(text, colon) - b'0'));
        colon += 1;
    }
    (colon > at && byte(text, colon) == b':').then_some((index, colon))
}
