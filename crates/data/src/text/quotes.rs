//! Where a record of comma-separated values ends. A quote opens a value only where the value begins, so that the
//! inches in `5"` open nothing; the states are those of the parser.

/// What separates values; as many as a table may be asked for before its delimiter is known.
pub(crate) type Delimiters = [u8; 4];

/// Goes through text byte by byte.
#[derive(Debug, Clone)]
pub(crate) struct Quotes {
    delimiters: Delimiters,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A value begins here.
    Start,
    /// Inside a value without quotes, or behind one with quotes.
    Value,
    Quoted,
    /// Behind a quote inside quotes: it ends the value, or is the first of two that stand for one.
    Closed,
}

impl Quotes {
    /// At the start of a record, whose values one of these separates.
    pub(crate) fn any(delimiters: Delimiters) -> Self {
        Self { delimiters, state: State::Start }
    }

    /// The same with one delimiter.
    pub(crate) fn of(delimiter: u8) -> Self {
        Self::any([delimiter; 4])
    }

    /// Goes past a byte.
    #[inline]
    pub(crate) fn pass(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::Start | State::Closed, b'"') => State::Quoted,
            (State::Quoted, b'"') => State::Closed,
            (State::Quoted, _) => State::Quoted,
            (_, b'\n' | b'\r') => State::Start,
            (_, byte) if self.delimiters.contains(&byte) => State::Start,
            _ => State::Value,
        };
    }

    /// True if the bytes so far end inside quotes, where neither newlines nor delimiters mean anything.
    #[inline]
    pub(crate) fn are_open(&self) -> bool {
        self.state == State::Quoted
    }

    /// True if all of `text`, which begins with a record, ends inside quotes.
    pub(crate) fn end_open(mut self, text: &[u8]) -> bool {
        text.iter().for_each(|&byte| self.pass(byte));
        self.are_open()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_opens_only_where_a_value_begins() {
        let open = |text: &str| Quotes::of(b',').end_open(text.as_bytes());
        for text in ["a,\"b", "\"", "a\n\"", "\"a\"\"", "a,\"\"\"", "a\r\""] {
            assert!(open(text), "{text:?}");
        }
        for text in ["a,5\"", "5\" x,\n", "\"a\"", "\"a\"b\"", "a;\"b", "", " \"a", "\"a\"\"b\""] {
            assert!(!open(text), "{text:?}");
        }
        assert!(Quotes::any(*b",;\t|").end_open(b"a;\"b"));
    }
}
