//! The types that a NumPy array may have, and their bytes as numbers and texts.

use half::f16;

use crate::quote::named;

/// What the bytes of an element are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Signed,
    Unsigned,
    Bool,
    /// Code points of four bytes.
    Unicode,
    /// Bytes, of which those at the end may be 0.
    Bytes,
}

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dtype {
    pub(crate) kind: Kind,
    /// Bytes of an element, at least 1.
    pub(crate) size: usize,
    pub(crate) big_endian: bool,
}

/// The longest text that is read, in bytes.
const MOST_TEXT: usize = 1 << 20;

/// Appends the numbers that `$bytes` hold to `$out`.
macro_rules! numbers {
    ($type:ty, $big:expr, $bytes:expr, $out:expr, $number:expr) => {{
        let (pieces, _) = $bytes.as_chunks::<{ size_of::<$type>() }>();
        match $big {
            true => $out.extend(pieces.iter().map(|b| $number(<$type>::from_be_bytes(*b)))),
            false => $out.extend(pieces.iter().map(|b| $number(<$type>::from_le_bytes(*b)))),
        }
    }};
}

impl Dtype {
    /// The type that `<f8` and the like stand for; or why it is none that is read.
    pub(crate) fn new(descr: &str) -> Result<Self, String> {
        let refused =
            |what: &str, remedy: &str| Err(format!("its type is {}, {what}: {remedy}", named(descr)));
        let unknown = || refused("which is not read", "save it as numbers, such as x.astype(float)");
        let mut letters = descr.chars();
        let (Some(order), Some(letter)) = (letters.next(), letters.next()) else { return unknown() };
        let size = letters.as_str();
        if !matches!(order, '<' | '>' | '|') || !size.bytes().all(|byte| byte.is_ascii_digit()) {
            return unknown();
        }
        let size: usize = match (letter, size.parse()) {
            ('O', _) => {
                return refused(
                    "Python objects",
                    "save a sparse matrix with scipy.sparse.save_npz, and others as numbers or text, such as \
                     x.astype(float) or y.astype(str)",
                );
            }
            (_, Ok(size)) => size,
            _ => return unknown(),
        };
        let kind = match (letter, size) {
            ('f', 2 | 4 | 8) => Kind::Float,
            ('i', 1 | 2 | 4 | 8) => Kind::Signed,
            ('u', 1 | 2 | 4 | 8) => Kind::Unsigned,
            ('b', 1) => Kind::Bool,
            ('U', 1..) => Kind::Unicode,
            ('S', 1..) => Kind::Bytes,
            ('c', _) => return refused("complex numbers", "save real and imaginary parts as columns"),
            ('f', _) => return refused("which is not read", "save it as float64, such as x.astype(float)"),
            ('M' | 'm', _) => return refused("dates or times", "save them as numbers"),
            ('V', _) => return refused("records", "save columns of numbers, such as x.view(float)"),
            _ => return unknown(),
        };
        let size = if kind == Kind::Unicode { size.saturating_mul(4) } else { size };
        if size > MOST_TEXT {
            return refused("too long a text", "save shorter ones");
        }
        Ok(Self { kind, size, big_endian: order == '>' })
    }

    /// True if elements are numbers.
    pub(crate) fn is_number(self) -> bool {
        !matches!(self.kind, Kind::Unicode | Kind::Bytes)
    }

    /// True if elements are whole numbers.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Signed | Kind::Unsigned)
    }

    /// Appends the numbers of whole elements; nothing for texts.
    pub(crate) fn decode(self, bytes: &[u8], out: &mut Vec<f64>) {
        let big = self.big_endian;
        match (self.kind, self.size) {
            (Kind::Float, 2) => numbers!(u16, big, bytes, out, |bits| f16::from_bits(bits).to_f64()),
            (Kind::Float, 4) => numbers!(f32, big, bytes, out, f64::from),
            (Kind::Float, _) => numbers!(f64, big, bytes, out, |x| x),
            (Kind::Signed, 1) => numbers!(i8, big, bytes, out, f64::from),
            (Kind::Signed, 2) => numbers!(i16, big, bytes, out, f64::from),
            (Kind::Signed, 4) => numbers!(i32, big, bytes, out, f64::from),
            (Kind::Signed, _) => numbers!(i64, big, bytes, out, |x| x as f64),
            (Kind::Unsigned, 1) => numbers!(u8, big, bytes, out, f64::from),
            (Kind::Unsigned, 2) => numbers!(u16, big, bytes, out, f64::from),
            (Kind::Unsigned, 4) => numbers!(u32, big, bytes, out, f64::from),
            (Kind::Unsigned, _) => numbers!(u64, big, bytes, out, |x| x as f64),
            (Kind::Bool, _) => out.extend(bytes.iter().map(|&byte| f64::from(u8::from(byte != 0)))),
            (Kind::Unicode | Kind::Bytes, _) => {}
        }
    }

    /// A whole element as an integer from 0; nothing if it is below, or no integer.
    pub(crate) fn integer(self, element: &[u8]) -> Option<u64> {
        if !self.is_integer() || element.len() > 8 {
            return None;
        }
        let mut bytes = [0; 8];
        let first = if self.big_endian { *element.first()? } else { *element.last()? };
        if self.kind == Kind::Signed && first & 0x80 != 0 {
            return None;
        }
        bytes[..element.len()].copy_from_slice(element);
        if self.big_endian {
            bytes[..element.len()].reverse();
        }
        Some(u64::from_le_bytes(bytes))
    }

    /// A text, without the zeros at its end; nothing if it is no Unicode.
    pub(crate) fn text(self, element: &[u8]) -> Option<String> {
        let text = match self.kind {
            Kind::Unicode => {
                let code = |b: &[u8; 4]| match self.big_endian {
                    true => u32::from_be_bytes(*b),
                    false => u32::from_le_bytes(*b),
                };
                element.as_chunks::<4>().0.iter().map(|b| char::from_u32(code(b))).collect::<Option<String>>()
            }
            _ => String::from_utf8(element.to_vec()).ok(),
        };
        text.map(|text| text.trim_end_matches('\0').to_owned())
    }
}
