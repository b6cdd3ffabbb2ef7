//! The header of a .npy file: magic, version, and a Python dictionary of three keys. Only what NumPy writes is
//! understood, and nothing is evaluated.

use super::dtype::Dtype;
use crate::quote::quoted;

/// The longest dictionary that is read. NumPy itself stops at 10,000 bytes.
pub(crate) const MOST_BYTES: usize = 1 << 16;

/// What an array is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    pub(crate) dtype: Dtype,
    /// Columns one after the other, not rows.
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<u64>,
}

impl Header {
    /// Understands the dictionary.
    pub(crate) fn new(text: &[u8]) -> Result<Self, String> {
        let mut scan = Scan { text, at: 0 };
        scan.dictionary().map_err(|what| match what {
            Some(what) => what,
            None => {
                let here = quoted(text.get(scan.at..).unwrap_or_default());
                format!("its header cannot be understood at {here}: save it again with numpy.save")
            }
        })
    }

    /// How many elements there are, if that is a number at all.
    pub(crate) fn count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |count, &side| count.checked_mul(side))
    }

    /// The shape as Python writes it.
    pub(crate) fn shape_text(&self) -> String {
        let sides: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("({}{})", sides.join(", "), if sides.len() == 1 { "," } else { "" })
    }
}

/// A text, and how far it is understood. Faults are told in words, or are those of the grammar.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

type Scanned<T> = Result<T, Option<String>>;

impl<'a> Scan<'a> {
    fn dictionary(&mut self) -> Scanned<Header> {
        let (mut dtype, mut fortran, mut shape) = (None, None, None);
        self.must(b'{')?;
        while !self.has(b'}') {
            let key = self.string()?;
            self.must(b':')?;
            let fresh = match key {
                "descr" => dtype.replace(self.dtype()?).is_none(),
                "fortran_order" => fortran.replace(self.boolean()?).is_none(),
                "shape" => shape.replace(self.shape()?).is_none(),
                _ => false,
            };
            if !fresh {
                return Err(None);
            }
            if !self.has(b',') {
                self.must(b'}')?;
                break;
            }
        }
        self.blanks();
        match (dtype, fortran, shape) {
            (Some(dtype), Some(fortran), Some(shape)) if self.at == self.text.len() => {
                Ok(Header { dtype, fortran, shape })
            }
            _ => Err(None),
        }
    }

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Takes a byte if it comes next.
    fn has(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn must(&mut self, byte: u8) -> Scanned<()> {
        if self.has(byte) { Ok(()) } else { Err(None) }
    }

    /// A string in quotes of one kind or the other, without escapes.
    fn string(&mut self) -> Scanned<&'a str> {
        let quote = if self.has(b'\'') { b'\'' } else { b'"' };
        if quote == b'"' {
            self.must(quote)?;
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| byte == quote || byte == b'\\').ok_or(None)?;
        if rest[len] != quote {
            return Err(None);
        }
        self.at += len + 1;
        std::str::from_utf8(&rest[..len]).map_err(|_| None)
    }

    fn dtype(&mut self) -> Scanned<Dtype> {
        if self.has(b'[') {
            let what = "it is a structured array, whose elements are records: save its columns as numbers, \
                        such as with numpy.lib.recfunctions.structured_to_unstructured, or write a csv file";
            return Err(Some(what.into()));
        }
        Dtype::new(self.string()?).map_err(Some)
    }

    fn boolean(&mut self) -> Scanned<bool> {
        self.blanks();
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(None)
    }

    fn shape(&mut self) -> Scanned<Vec<u64>> {
        self.must(b'(')?;
        let mut sides = Vec::new();
        while !self.has(b')') {
            sides.push(self.side()?);
            if !self.has(b',') {
                self.must(b')')?;
                break;
            }
        }
        Ok(sides)
    }

    /// Digits, behind which Python 2 wrote an L.
    fn side(&mut self) -> Scanned<u64> {
        self.blanks();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let digits = std::str::from_utf8(&rest[..len]).map_err(|_| None)?;
        if digits.is_empty() {
            return Err(None);
        }
        let side = digits.parse().map_err(|_| {
            let side = quoted(digits.as_bytes());
            Some(format!("its shape has a side of {side}, which is no size of an array: save it again"))
        })?;
        self.at += len;
        self.has(b'L');
        Ok(side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numpy_writes() {
        for text in [
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n",
            "{'shape': (3L, 4L), 'fortran_order': False, 'descr': '<f8'}",
            "{\"descr\":\"<f8\",\"fortran_order\":False,\"shape\":(3,4,)}",
        ] {
            let header = Header::new(text.as_bytes()).unwrap();
            assert_eq!((header.fortran, &header.shape[..], header.count()), (false, &[3, 4][..], Some(12)));
            assert_eq!(header.dtype, Dtype::new("<f8").unwrap());
        }
        let of = |shape: &str| {
            Header::new(format!("{{'descr': '|b1', 'fortran_order': True, 'shape': {shape}}}").as_bytes())
        };
        assert_eq!(of("()").unwrap().count(), Some(1));
        assert_eq!(of("(5,)").unwrap().shape_text(), "(5,)");
        assert_eq!(of("(5)").unwrap().shape, [5]);
        assert_eq!(of("(4294967296, 4294967296)").unwrap().count(), None);
        assert!(of("(99999999999999999999,)").unwrap_err().contains("99999999999999999999"));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "{}",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3.0,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': [3]}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} x",
            "{'descr': '<\\x66', 'fortran_order': False, 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order: False, 'shape': (3,)}",
            "__import__('os')",
        ] {
            let told = Header::new(text.as_bytes()).unwrap_err();
            assert!(told.contains("numpy.save"), "{text}: {told}");
        }
        for (descr, word) in [
            ("'|O'", "save_npz"),
            ("'<c16'", "complex"),
            ("'<f16'", "astype(float)"),
            ("'<M8[ns]'", "astype"),
            ("'|V8'", "records"),
            ("[('a', '<f8')]", "structured"),
            ("'<U0'", "not read"),
            ("'<U99999999999'", "too long"),
            ("'f8'", "not read"),
            ("''", "not read"),
        ] {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,)}}");
            let told = Header::new(text.as_bytes()).unwrap_err();
            assert!(told.contains(word), "{descr}: {told}");
        }
    }
}
