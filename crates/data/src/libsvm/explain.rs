//! Faults in the text, put into words. Nothing here is on the fast path: a fault is looked at again from
//! the start of its token, to say what is wrong with it and what to do.

use std::collections::HashSet;

use super::parse::{FirstRow, Rules, ends_token, is_blank};
use crate::quote::quoted;
use crate::text::number::number;

/// What is wrong, and where in its block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, counting from 1 at the start of the block.
    pub(crate) line: u64,
    /// The byte in the line, counting from 1.
    pub(crate) column: u64,
    pub(crate) found: String,
    pub(crate) expected: String,
}

impl Fault {
    /// A row with a query number where the rows before have none, or the other way round.
    pub(crate) fn mixed_queries(row: FirstRow) -> Self {
        let (found, expected) = if row.has_query {
            ("a qid", "none, as the rows before have none: give every row a qid, or none")
        } else {
            (
                "a row without qid",
                "qid: after the label, as in the rows before: give every row a qid, or none",
            )
        };
        Self { line: row.line, column: row.column, found: found.into(), expected: expected.into() }
    }
}

/// A place in a block of text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) text: &'a [u8],
    /// The line, counting from 1.
    pub(crate) line: u64,
    /// Where the line starts.
    pub(crate) start: usize,
    /// The place.
    pub(crate) at: usize,
}

impl<'a> Place<'a> {
    /// The column, counting from 1.
    pub(crate) fn column(&self) -> u64 {
        (self.at - self.start) as u64 + 1
    }

    fn moved(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// The token here.
    fn token(&self) -> &'a [u8] {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| ends_token(byte)).unwrap_or(rest.len());
        &rest[..len]
    }

    fn fault(&self, found: String, expected: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { line: self.line, column: self.column(), found, expected: expected.into() })
    }

    /// A fault that shows the token here.
    fn unexpected(&self, expected: impl Into<String>) -> Box<Fault> {
        let token = self.token();
        let found = if token.is_empty() { "nothing".into() } else { quoted(token) };
        self.fault(found, expected)
    }

    /// Why there is no label here.
    #[cold]
    pub(crate) fn label(&self) -> Box<Fault> {
        let token = self.token();
        if token.contains(&b':') {
            return self.unexpected("the row's label first, such as 1 or -1, and then index:value pairs");
        }
        if token.contains(&b',') && token.split(|&b| b == b',').all(is_number) {
            return self.unexpected(
                "one number as label: rows with several labels are not supported; keep one label a row",
            );
        }
        if token.contains(&0) {
            return self.unexpected(
                "text: this looks like a binary file or UTF-16; convert it to plain LIBSVM text",
            );
        }
        self.unexpected("a finite number as label, such as 1 or -1; replace names of classes by numbers")
    }

    /// The query number here, where `qid:` stands, and where it ends.
    #[cold]
    pub(crate) fn query(&self) -> Result<(u64, usize), Box<Fault>> {
        let token = self.token();
        let number = token.get(4..).and_then(|digits| std::str::from_utf8(digits).ok());
        // `parse` would take a plus sign.
        match number.filter(|digits| !digits.starts_with('+')).and_then(|digits| digits.parse().ok()) {
            Some(query) => Ok((query, self.at + token.len())),
            None => {
                Err(self.unexpected("qid: and a whole number from 0 to 18446744073709551615, such as qid:3"))
            }
        }
    }

    /// Why there is no feature here.
    #[cold]
    pub(crate) fn feature(&self, rules: Rules) -> Box<Fault> {
        let token = self.token();
        if token.starts_with(b"qid:") {
            return self.unexpected("index:value: qid must come right after the label, once");
        }
        let Some(colon) = token.iter().position(|&byte| byte == b':') else {
            return self.unexpected("index:value, such as 3:0.5");
        };
        let (index, value) = (&token[..colon], &token[colon + 1..]);
        if index.is_empty() || !index.iter().all(u8::is_ascii_digit) {
            return self.unexpected("index:value with a whole number as index, such as 3:0.5");
        }
        let index = std::str::from_utf8(index).unwrap_or_default().trim_start_matches('0');
        let column = index.parse().unwrap_or(if index.is_empty() { 0 } else { u64::MAX });
        if column < rules.base {
            return self.unexpected(
                "an index of at least 1: indices start at 1; pass --zero-based if this file counts from 0",
            );
        }
        if column - rules.base >= rules.bound {
            let last = rules.bound + rules.base;
            return self.unexpected(if rules.fixed {
                format!(
                    "an index below {last}: index {column} is outside the {} features that were asked for \
                     (--features, or the model's); raise that number or remove the feature",
                    rules.bound
                )
            } else {
                format!("an index below {last}, the largest that is supported")
            });
        }
        self.moved(self.at + colon + 1).value(value)
    }

    /// Why there is no value here.
    fn value(&self, value: &[u8]) -> Box<Fault> {
        let text = String::from_utf8_lossy(value).to_ascii_lowercase();
        if value.is_empty() {
            self.fault("nothing after the colon".into(), "a value, such as 0.5, without a space before it")
        } else if matches!(text.trim_start_matches(['+', '-']), "nan" | "inf" | "infinity") {
            self.unexpected("a finite number: replace the value, or leave the feature out of this row")
        } else if is_number(value) {
            self.unexpected("a number that fits into 64 bits, at most 1.8e308 in size")
        } else {
            self.unexpected("a decimal number as value, such as 0.5 or -2e-3, and then a space")
        }
    }

    /// The first index in the row that has come before, given the columns from the row's tokens up to here.
    #[cold]
    pub(crate) fn duplicate(&self, columns: &[u32], rules: Rules) -> Option<Box<Fault>> {
        let mut seen = HashSet::new();
        let nth = columns.iter().position(|column| !seen.insert(column))?;
        // Walk to that token: the features are the tokens with a colon that are not the query number.
        let mut at = self.start;
        let mut feature = 0;
        loop {
            while is_blank(*self.text.get(at)?) {
                at += 1;
            }
            let place = self.moved(at);
            let token = place.token();
            if token.contains(&b':') && !token.starts_with(b"qid:") {
                if feature == nth {
                    let index = u64::from(columns[nth]) + rules.base;
                    return Some(place.fault(
                        format!("index {index} a second time in this row ({})", quoted(token)),
                        "each index once a row: remove one of the two",
                    ));
                }
                feature += 1;
            }
            if token.is_empty() {
                return None;
            }
            at += token.len();
        }
    }
}

/// True if the whole token is a number, finite or not.
fn is_number(token: &[u8]) -> bool {
    let mut text = token.to_vec();
    text.push(b'\n');
    text.extend([0; crate::text::number::PADDING]);
    number(&text, 0).is_some_and(|(_, end)| end == token.len())
}
