//! A look at Thrift, in which Parquet keeps its metadata, before the decoder sees it. Booleans in a list take no bytes
//! where the decoder passes over a field that it does not know, so that a few bytes can keep it busy for hours. Parquet
//! has no such lists in the places that are looked at; all else takes a byte at least, so that it ends soon.

/// A list of booleans this long is no attack.
const HARMLESS: u64 = 1 << 10;

/// The decoder goes no deeper.
const DEPTH: usize = 64;

/// What a look at a struct found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The decoder may have it, whether it is right or not.
    Finite,
    /// It goes on past the bytes that are here, as far as which it is finite.
    Cut,
    /// The decoder would not come to an end.
    Endless,
}

/// Looks at the struct that begins here.
pub(super) fn look(bytes: &[u8]) -> Look {
    match (Walk { rest: bytes }).value(STRUCT, DEPTH) {
        Ok(()) => Look::Finite,
        Err(end) => end,
    }
}

const STRUCT: u8 = 12;

struct Walk<'a> {
    rest: &'a [u8],
}

impl Walk<'_> {
    fn value(&mut self, kind: u8, depth: usize) -> Result<(), Look> {
        if depth == 0 {
            return Err(Look::Finite);
        }
        match kind {
            1 | 2 => Ok(()),
            3 => self.pass(1),
            4..=6 => self.number().map(|_| ()),
            7 => self.pass(8),
            8 => {
                let length = self.number()?;
                self.pass(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
                self.values(count, &[head & 15], depth)
            }
            11 => match self.number()? {
                0 => Ok(()),
                count => {
                    let kinds = self.byte()?;
                    self.values(count, &[kinds >> 4, kinds & 15], depth)
                }
            },
            STRUCT => loop {
                let head = self.byte()?;
                if head & 15 == 0 {
                    return Ok(());
                }
                if head >> 4 == 0 {
                    self.number()?;
                }
                self.value(head & 15, depth - 1)?;
            },
            13 => self.pass(16),
            // The decoder knows no such kind.
            _ => Err(Look::Finite),
        }
    }

    fn values(&mut self, count: u64, kinds: &[u8], depth: usize) -> Result<(), Look> {
        if kinds.iter().all(|kind| matches!(kind, 1 | 2)) {
            return if count > HARMLESS { Err(Look::Endless) } else { Ok(()) };
        }
        for _ in 0..count {
            for &kind in kinds {
                self.value(kind, depth - 1)?;
            }
        }
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, Look> {
        let (&byte, rest) = self.rest.split_first().ok_or(Look::Cut)?;
        self.rest = rest;
        Ok(byte)
    }

    fn pass(&mut self, bytes: u64) -> Result<(), Look> {
        let rest = usize::try_from(bytes).ok().and_then(|bytes| self.rest.get(bytes..));
        self.rest = rest.ok_or(Look::Cut)?;
        Ok(())
    }

    /// Seven bits a byte.
    fn number(&mut self) -> Result<u64, Look> {
        let (mut number, mut shift) = (0u64, 0u32);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).wrapping_shl(shift);
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of 2^31 - 1 booleans in a field, in a list, and in a map of them.
    #[test]
    fn lists_that_take_no_bytes_are_seen() {
        let most = [0xff, 0xff, 0xff, 0xff, 0x07];
        assert_eq!(look(&[&[0x19, 0xf1], &most[..], &[0]].concat()), Look::Endless);
        assert_eq!(look(&[&[0x19, 0x19, 0xf2], &most[..], &[0]].concat()), Look::Endless);
        assert_eq!(look(&[&[0x1b], &most[..], &[0x11, 0]].concat()), Look::Endless);
        // Of strings it is merely cut, and a few booleans are fine.
        assert_eq!(look(&[&[0x19, 0xf8], &most[..], &[0]].concat()), Look::Cut);
        assert_eq!(look(&[0x19, 0x31, 0x15, 2, 0]), Look::Finite);
        assert_eq!(look(&[0x15]), Look::Cut);
        assert_eq!(look(&[0x1c].repeat(1000)), Look::Finite);
    }
}
