//! A block of lines into entries.

use super::header::{Field, Header, Symmetry};
use crate::quote::quoted;
use crate::text::Grammar;
use crate::text::number::{digits, number};

/// The grammar of the lines behind the header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body {
    header: Header,
}

/// The entries of a block; places are there if the file has them.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
    /// Entries of the file, of which one may make two of the matrix.
    pub(crate) count: u64,
    pub(crate) lines: u64,
    /// What ended the parsing; lines count from the block's first, which is 1.
    pub(crate) fault: Option<Fault>,
}

/// What is wrong, and where in its block.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) found: String,
    pub(crate) expected: String,
}

/// Where a line goes wrong, and what was expected there.
type Wrong = (usize, String);

impl Body {
    pub(crate) fn new(header: &Header) -> Self {
        Self { header: *header }
    }

    /// The entry of a line that begins at `at`, and where its text ends.
    fn entry(&self, text: &[u8], at: usize, rows: &mut Rows) -> Result<usize, Wrong> {
        let Header { coordinate, field, symmetry, rows: height, cols: width, .. } = self.header;
        let (i, j, at) = match coordinate {
            true => {
                let (i, behind) = index(text, at, height, "row")?;
                let from = skip_blanks(text, behind);
                let (j, behind) = index(text, from, width, "column")?;
                if symmetry != Symmetry::General && (j > i || (j == i && symmetry == Symmetry::Skew)) {
                    let place = if symmetry == Symmetry::Skew { "below" } else { "on or below" };
                    return Err((at, format!("a place {place} the diagonal, as the banner says symmetric")));
                }
                (i, j, behind)
            }
            false => (0, 0, at),
        };
        let (value, end) = match field {
            Field::Pattern => (1.0, at),
            Field::Real | Field::Integer => self.value(text, skip_blanks(text, at))?,
        };
        rows.count += 1;
        rows.values.push(value);
        if coordinate {
            rows.rows.push(i);
            rows.columns.push(j);
            if symmetry != Symmetry::General && i != j {
                rows.rows.push(j);
                rows.columns.push(i);
                rows.values.push(if symmetry == Symmetry::Skew { -value } else { value });
            }
        }
        Ok(end)
    }

    fn value(&self, text: &[u8], at: usize) -> Result<(f64, usize), Wrong> {
        let wrong = |expected: &str| Err((at, expected.to_owned()));
        match number(text, at) {
            Some((value, end)) if ends(text, end) => {
                if !value.is_finite() {
                    return wrong("a number that fits into 64 bits, at most 1.8e308 in size");
                }
                if self.header.field == Field::Integer && value.fract() != 0.0 {
                    return wrong("a whole number, as the banner says integer: write real there");
                }
                Ok((value, end))
            }
            _ => wrong("a finite decimal number, such as 0.5 or -2e-3"),
        }
    }
}

impl Grammar for Body {
    type Rows = Rows;

    fn parse(&self, text: &[u8], len: usize, rows: &mut Rows) {
        rows.rows.clear();
        rows.columns.clear();
        rows.values.clear();
        (rows.count, rows.lines, rows.fault) = (0, 0, None);
        let mut start = 0;
        while start < len {
            rows.lines += 1;
            let at = skip_blanks(text, start);
            let parsed = match byte(text, at) {
                b'\n' => Ok(at),
                b'%' => Ok(line_end(text, at)),
                _ => self.entry(text, at, rows).map(|end| skip_blanks(text, end)),
            };
            let wrong = match parsed {
                Ok(end) if byte(text, end) == b'\n' => {
                    start = end + 1;
                    continue;
                }
                Ok(end) => (end, "the end of the line: one entry a line, with nothing behind it".to_owned()),
                Err(wrong) => wrong,
            };
            let (at, expected) = wrong;
            let token: &[u8] = text[at..].split(|&b| ends_token(b)).next().unwrap_or_default();
            let found = if token.is_empty() { "the end of the line".into() } else { quoted(token) };
            let column = (at - start) as u64 + 1;
            rows.fault = Some(Fault { line: rows.lines, column, found, expected });
            return;
        }
    }
}

/// An index from 1, as one from 0.
fn index(text: &[u8], at: usize, bound: u64, what: &str) -> Result<(u32, usize), Wrong> {
    let (mut index, count) = digits(text, at);
    let mut end = at + count;
    while byte(text, end).is_ascii_digit() {
        index = index.saturating_mul(10).saturating_add(u64::from(byte(text, end) - b'0'));
        end += 1;
    }
    let inside =
        index.checked_sub(1).filter(|&index| index < bound).and_then(|index| u32::try_from(index).ok());
    match inside {
        Some(index) if count > 0 && ends(text, end) => Ok((index, end)),
        _ => Err((at, format!("the number of a {what} from 1 to {bound}"))),
    }
}

/// The byte at `at`. Blocks end with a newline that stops every loop, so the default is never used.
#[inline(always)]
fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(b'\n')
}

fn ends_token(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[inline(always)]
fn ends(text: &[u8], at: usize) -> bool {
    ends_token(byte(text, at))
}

#[inline(always)]
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(byte(text, at), b' ' | b'\t' | b'\r') {
        at += 1;
    }
    at
}

fn line_end(text: &[u8], at: usize) -> usize {
    text.iter().skip(at).position(|&byte| byte == b'\n').map_or(text.len(), |k| at + k)
}
