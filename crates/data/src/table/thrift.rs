//! A look at Thrift, in which Parquet keeps its metadata, before the decoder sees it. Booleans in a list take no bytes
//! where the decoder passes over a field that it does not know, so that a few bytes can keep it busy for hours. Parquet
//! has no such lists in the places that are looked at; all else takes a byte at least, so that it ends soon.
//!
//! That the decoder sees the same fields as this look is sure only if those that it knows are of their
//! kinds ([`parquet_kinds`](super::parquet_kinds)).

/// A list of booleans this long is no attack.
const HARMLESS: u64 = 1 << 10;

/// The decoder goes no deeper.
const DEPTH: usize = 64;

/// Of which kind a value is.
#[derive(Debug)]
pub(super) enum Kind {
    Boolean,
    Byte,
    /// Of 16, 32 or 64 bits.
    Number,
    Double,
    Bytes,
    List(&'static Kind),
    Struct(Fields),
}

/// The fields of a struct by their numbers.
pub(super) type Fields = &'static [(i16, Kind)];

impl Kind {
    /// True if values of this kind are written so.
    fn is_written(&self, code: u8) -> bool {
        match self {
            Self::Boolean => matches!(code, 1 | 2),
            Self::Byte => code == 3,
            Self::Number => matches!(code, 4..=6),
            Self::Double => code == 7,
            Self::Bytes => code == 8,
            Self::List(_) => matches!(code, LIST | SET),
            Self::Struct(_) => code == STRUCT,
        }
    }
}

/// What a look at a struct found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The decoder may have it, whether it is right or not.
    Finite,
    /// It goes on past the bytes that are here, as far as which it is finite.
    Cut,
    /// The decoder would not come to an end.
    Endless,
    /// A field is of another kind than the format says.
    Strange,
}

/// Looks at the struct that begins here.
pub(super) fn look(bytes: &[u8], fields: Fields) -> Look {
    match (Walk { rest: bytes }).value(STRUCT, Some(&Kind::Struct(fields)), DEPTH) {
        Ok(()) => Look::Finite,
        Err(end) => end,
    }
}

const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

struct Walk<'a> {
    rest: &'a [u8],
}

impl Walk<'_> {
    /// Passes over a value, of a known kind or of any.
    fn value(&mut self, code: u8, kind: Option<&Kind>, depth: usize) -> Result<(), Look> {
        if depth == 0 {
            return Err(Look::Finite);
        }
        if kind.is_some_and(|kind| !kind.is_written(code)) {
            return Err(Look::Strange);
        }
        match code {
            1 | 2 => Ok(()),
            3 => self.pass(1),
            4..=6 => self.number().map(|_| ()),
            7 => self.pass(8),
            8 => {
                let length = self.number()?;
                self.pass(length)
            }
            LIST | SET => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
                let each = if let Some(Kind::List(each)) = kind { Some(*each) } else { None };
                self.values(count, &[head & 15], each, depth)
            }
            11 => match self.number()? {
                0 => Ok(()),
                count => {
                    let codes = self.byte()?;
                    self.values(count, &[codes >> 4, codes & 15], None, depth)
                }
            },
            STRUCT => self.fields(if let Some(Kind::Struct(fields)) = kind { fields } else { &[] }, depth),
            13 => self.pass(16),
            // The decoder knows no such kind.
            _ => Err(Look::Finite),
        }
    }

    fn fields(&mut self, fields: Fields, depth: usize) -> Result<(), Look> {
        let mut number = 0i16;
        loop {
            let head = self.byte()?;
            if head & 15 == 0 {
                return Ok(());
            }
            number = match head >> 4 {
                0 => unfolded(self.number()?),
                more => number.wrapping_add(i16::from(more)),
            };
            let known = fields.iter().find(|(known, _)| *known == number);
            self.value(head & 15, known.map(|(_, kind)| kind), depth - 1)?;
        }
    }

    fn values(&mut self, count: u64, codes: &[u8], kind: Option<&Kind>, depth: usize) -> Result<(), Look> {
        if codes.iter().all(|code| matches!(code, 1 | 2)) {
            return if count > HARMLESS { Err(Look::Endless) } else { Ok(()) };
        }
        for _ in 0..count {
            for &code in codes {
                self.value(code, kind, depth - 1)?;
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

/// The decoder's way from unsigned to signed: it keeps the last 16 bits.
fn unfolded(number: u64) -> i16 {
    ((number >> 1) as i64 ^ -((number & 1) as i64)) as i16
}

#[cfg(test)]
mod tests {
    use super::super::parquet_kinds::{METADATA, PAGE};
    use super::*;

    /// Lists of 2^31 - 1 booleans in a field, in a list, and in a map of them.
    #[test]
    fn lists_that_take_no_bytes_are_seen() {
        let most = [0xff, 0xff, 0xff, 0xff, 0x07];
        assert_eq!(look(&[&[0x19, 0xf1], &most[..], &[0]].concat(), &[]), Look::Endless);
        assert_eq!(look(&[&[0x19, 0x19, 0xf2], &most[..], &[0]].concat(), &[]), Look::Endless);
        assert_eq!(look(&[&[0x1b], &most[..], &[0x11, 0]].concat(), &[]), Look::Endless);
        // Of strings it is merely cut, and a few booleans are fine.
        assert_eq!(look(&[&[0x19, 0xf8], &most[..], &[0]].concat(), &[]), Look::Cut);
        assert_eq!(look(&[0x19, 0x31, 0x15, 2, 0], &[]), Look::Finite);
        assert_eq!(look(&[0x15], &[]), Look::Cut);
        assert_eq!(look(&[0x1c].repeat(1000), &[]), Look::Finite);
    }
    /// A decoder that takes a byte for the first of a number, whatever its kind, sees a list where there is a string.
    #[test]
    fn fields_of_another_kind_are_seen() {
        let hidden = [0x19, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0];
        let string = |field: u8| [&[field << 4 | 8, 8][..], &hidden, &[0]].concat();
        assert_eq!(look(&string(6), METADATA), Look::Finite);
        for field in [1, 2, 3, 4, 5, 7, 8] {
            assert_eq!(look(&string(field), METADATA), Look::Strange, "{field}");
            assert_eq!(look(&string(field), PAGE), Look::Strange, "{field}");
        }
        // Numbers that are written in full, as 6 and as 1 + 2^16, and one that is not known.
        assert_eq!(look(&[&[0x08, 12, 8][..], &hidden, &[0]].concat(), METADATA), Look::Finite);
        assert_eq!(
            look(&[&[0x08, 0x82, 0x80, 0x08, 8][..], &hidden, &[0]].concat(), METADATA),
            Look::Strange
        );
        assert_eq!(look(&[&[0x08, 80, 8][..], &hidden, &[0]].concat(), METADATA), Look::Finite);
        // In a list: the name of a column that is a number, and a list of numbers for one of structs.
        assert_eq!(look(&[0x29, 0x1c, 0x48, 1, b'a', 0, 0], METADATA), Look::Finite);
        assert_eq!(look(&[0x29, 0x1c, 0x45, 2, 0, 0], METADATA), Look::Strange);
        assert_eq!(look(&[0x29, 0x15, 2, 0], METADATA), Look::Strange);
        assert_eq!(look(&[0x29, 0x05, 0], METADATA), Look::Finite, "an empty one");
    }
}
