//! The banner and the sides of a Matrix Market file.

use std::io::{Cursor, ErrorKind, Read};

use crate::ReadError;
use crate::quote::quoted;
use crate::text::pipeline::Input;

/// Comments before the sides may be so long.
const MOST_BYTES: usize = 16 << 20;

/// What the values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Real,
    Integer,
    /// There are none: an entry that is there is 1.
    Pattern,
}

/// What stands on the other side of the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symmetry {
    General,
    /// The same.
    Symmetric,
    /// The same with the other sign.
    Skew,
}

/// What the file says of itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    /// Entries with their places; otherwise every value, down the columns.
    pub(crate) coordinate: bool,
    pub(crate) field: Field,
    pub(crate) symmetry: Symmetry,
    pub(crate) rows: u64,
    pub(crate) cols: u64,
    /// Entries that the file has.
    pub(crate) entries: u64,
    /// Lines up to here.
    pub(crate) lines: u64,
}

impl Header {
    /// Reads the header, and takes it away from the text.
    pub(crate) fn begin(input: &mut Input<'_>) -> Result<Self, ReadError> {
        let name = input.name;
        let mut text = Vec::new();
        let mut piece = vec![0; 1 << 16];
        let (mut at, mut lines, mut banner) = (0, 0, None);
        loop {
            while let Some(len) = text[at..].iter().position(|&byte| byte == b'\n') {
                lines += 1;
                let line = &text[at..at + len];
                at += len + 1;
                if banner.is_none() {
                    banner = Some(Self::banner(name, line)?);
                } else if let Some(banner) = banner.filter(|_| !is_idle(line)) {
                    let header = banner.sides(name, line, lines)?;
                    let behind = std::mem::replace(&mut input.text, Box::new(std::io::empty()));
                    text.drain(..at);
                    input.text = Box::new(Cursor::new(text).chain(behind));
                    return Ok(header);
                }
            }
            let fault = |what: &str| ReadError::Table { name: name.to_owned(), what: what.into() };
            if text.len() > MOST_BYTES {
                return Err(fault("no sides of a matrix in the first 16 MiB: the file is damaged"));
            }
            match input.text.read(&mut piece) {
                // A last line may lack its end.
                Ok(0) if at < text.len() => text.push(b'\n'),
                Ok(0) if lines == 0 => return Err(ReadError::Empty { name: name.to_owned() }),
                Ok(0) => {
                    return Err(fault(
                        "the file ends before the line with the sides of the matrix: it is truncated, so fetch \
                         or write it again",
                    ));
                }
                Ok(read) => text.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(input.compression.error(name, error)),
            }
        }
    }

    fn banner(name: &str, line: &[u8]) -> Result<Self, ReadError> {
        let text = String::from_utf8_lossy(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line));
        let words: Vec<String> = text.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let fault = |expected: &str| syntax(name, 1, line, expected);
        let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
            return Err(fault("a banner such as %%MatrixMarket matrix coordinate real general"));
        };
        let coordinate = match format {
            "coordinate" => true,
            "array" => false,
            _ => return Err(fault("coordinate or array as the third word")),
        };
        let field = match field {
            "real" | "double" => Field::Real,
            "integer" => Field::Integer,
            "pattern" if coordinate => Field::Pattern,
            "complex" => return Err(fault("real numbers: write real and imaginary parts as columns")),
            _ => return Err(fault("real, integer or, with coordinate, pattern as the fourth word")),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" if field != Field::Pattern => Symmetry::Skew,
            "hermitian" => return Err(fault("real numbers: a real hermitian matrix is called symmetric")),
            _ => return Err(fault("general, symmetric or, with numbers, skew-symmetric as the fifth word")),
        };
        Ok(Self { coordinate, field, symmetry, rows: 0, cols: 0, entries: 0, lines: 1 })
    }

    fn sides(self, name: &str, line: &[u8], lines: u64) -> Result<Self, ReadError> {
        let text = String::from_utf8_lossy(line);
        let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let number = |word: &str| word.parse::<u64>().ok().filter(|_| digits(word));
        let numbers: Option<Vec<u64>> = text.split_ascii_whitespace().map(number).collect();
        let fault = |expected: &str| Err(syntax(name, lines, line, expected));
        let (rows, cols, entries) = match (numbers.as_deref(), self.coordinate) {
            (Some(&[rows, cols, entries]), true) => (rows, cols, Some(entries)),
            (Some(&[rows, cols]), false) => (rows, cols, None),
            (_, true) => return fault("the numbers of rows, columns and entries"),
            (_, false) => return fault("the numbers of rows and columns"),
        };
        if self.symmetry != Symmetry::General && rows != cols {
            return fault("as many rows as columns, as the banner says that the matrix is symmetric");
        }
        let entries = entries.or_else(|| match self.symmetry {
            Symmetry::General => rows.checked_mul(cols),
            Symmetry::Symmetric => rows.checked_add(1).and_then(|more| more.checked_mul(rows)).map(|n| n / 2),
            Symmetry::Skew => rows.checked_mul(rows.saturating_sub(1)).map(|n| n / 2),
        });
        match entries {
            Some(entries) => Ok(Self { rows, cols, entries, lines, ..self }),
            None => fault("sides whose product is below 2^64"),
        }
    }

    /// How many entries of the matrix one of the file makes, at most.
    pub(crate) fn copies(&self) -> u64 {
        if self.symmetry == Symmetry::General { 1 } else { 2 }
    }

    /// Refuses to expect more entries than a file of so many bytes can have.
    pub(crate) fn check_size(&self, name: &str, size: Option<u64>) -> Result<(), ReadError> {
        let shortest = match (self.coordinate, self.field) {
            (false, _) => "1\n",
            (true, Field::Pattern) => "1 1\n",
            (true, _) => "1 1 1\n",
        };
        let least = self.entries.saturating_mul(shortest.len() as u64);
        match size {
            // The last line may lack its end.
            Some(size) if least > size.saturating_add(1) => Err(ReadError::Table {
                name: name.to_owned(),
                what: format!(
                    "line {} promises {} entries, more than a file of {size} bytes can have: it is truncated or \
                     damaged, so fetch or write it again",
                    self.lines, self.entries
                ),
            }),
            _ => Ok(()),
        }
    }
}

/// True if a line holds nothing.
fn is_idle(line: &[u8]) -> bool {
    line.iter().find(|byte| !byte.is_ascii_whitespace()).is_none_or(|&byte| byte == b'%')
}

fn syntax(name: &str, line: u64, found: &[u8], expected: &str) -> ReadError {
    ReadError::Syntax {
        name: name.to_owned(),
        line,
        column: 1,
        found: quoted(found.trim_ascii()),
        expected: expected.into(),
    }
}
