//! The first record of comma-separated values: read ahead of the others, since the plan needs its names or their
//! number, and since the delimiter is found in it.

use std::io::{ErrorKind, Read};

use crate::ReadError;
use crate::error::mib;
use crate::format::DELIMITERS;
use crate::text::pipeline::Input;
use crate::text::quotes::Quotes;

/// What was read until the first record was whole, and perhaps more.
#[derive(Default)]
pub(super) struct Head {
    bytes: Vec<u8>,
    /// Where the record ends, without a byte-order mark.
    end: usize,
}

impl Head {
    /// What was read, without a byte-order mark.
    pub(super) fn text(&self) -> &[u8] {
        unmarked(&self.bytes)
    }

    /// The first record.
    pub(super) fn record(&self) -> &[u8] {
        &self.text()[..self.end]
    }

    /// Reads on until the first record that is not blank is whole.
    pub(super) fn read_record(
        &mut self,
        input: &mut Input<'_>,
        mut quotes: Quotes,
        most_bytes: u64,
    ) -> Result<(), ReadError> {
        let mut piece = vec![0; 1 << 16];
        let mut any = false;
        self.end = 0;
        loop {
            // A mark may come in parts.
            let text = if self.bytes.len() < 3 { &[][..] } else { unmarked(&self.bytes) };
            while let Some(&byte) = text.get(self.end) {
                quotes.pass(byte);
                self.end += 1;
                if byte == b'\n' && any && !quotes.are_open() {
                    return Ok(());
                }
                any |= !byte.is_ascii_whitespace();
            }
            let bytes = self.bytes.len() as u64;
            if bytes > most_bytes {
                return Err(ReadError::Memory {
                    name: input.name.to_owned(),
                    what: "the first line (perhaps because of a quote that is never closed) takes".into(),
                    needed_mib: mib(bytes),
                    limit_mib: most_bytes >> 20,
                });
            }
            match input.text.read(&mut piece) {
                Ok(0) => {
                    self.end = self.text().len();
                    return Ok(());
                }
                Ok(read) => self.bytes.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(input.compression.error(input.name, error)),
            }
        }
    }
}

/// The delimiter that stands most often in a record, outside quotes.
pub(super) fn delimiter_of(record: &[u8]) -> u8 {
    let mut counts = [0; DELIMITERS.len()];
    let mut quotes = Quotes::any(DELIMITERS);
    for byte in record {
        quotes.pass(*byte);
        if let Some(k) = DELIMITERS.iter().position(|delimiter| delimiter == byte)
            && !quotes.are_open()
        {
            counts[k] += 1;
        }
    }
    let best = (0..DELIMITERS.len()).max_by_key(|&k| (counts[k], DELIMITERS.len() - k)).unwrap_or(0);
    DELIMITERS[best]
}

/// Without the byte-order mark at the start of a file.
fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}
