//! Some rows of a table, cell by cell: what every format of tables fills, and what is joined to a data set.

use std::collections::HashMap;

use super::plan::{Plan, Role};

/// The code of a category that is missing.
pub(crate) const ABSENT: u32 = u32::MAX;

/// Texts, each once, and the code of each row.
#[derive(Debug, Default, Clone)]
pub(crate) struct Coded {
    pub(crate) texts: Vec<Box<str>>,
    lookup: HashMap<Box<str>, u32>,
    pub(crate) codes: Vec<u32>,
}

impl Coded {
    /// The code of a text.
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.lookup.get(text) {
            return code;
        }
        let code = self.texts.len() as u32;
        self.texts.push(text.into());
        self.lookup.insert(text.into(), code);
        code
    }

    /// The next row's text.
    pub(crate) fn push(&mut self, text: Option<&str>) {
        let code = text.map_or(ABSENT, |text| self.code(text));
        self.codes.push(code);
    }

    /// Appends another's rows.
    pub(crate) fn append(&mut self, other: &Self) {
        let codes: Vec<u32> = other.texts.iter().map(|text| self.code(text)).collect();
        self.codes
            .extend(other.codes.iter().map(|&code| codes.get(code as usize).copied().unwrap_or(ABSENT)));
    }

    /// Keeps these rows only.
    pub(crate) fn keep(&mut self, rows: &[usize]) {
        // Without a label there are no codes.
        if !self.codes.is_empty() {
            self.codes = rows.iter().map(|&row| self.codes[row]).collect();
        }
    }

    fn clear(&mut self) {
        self.codes.clear();
        // Texts are kept for the next rows, unless there are many: then most of them are seen once.
        if self.texts.len() > 1000 {
            *self = Self::default();
        }
    }
}

/// A cell that is no number, where one must be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Misfit {
    /// The row, from 0, and the line, from 1, if there are lines.
    pub(crate) row: usize,
    pub(crate) line: Option<u64>,
    pub(crate) text: String,
}

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    Missing,
    Number(f64),
    /// Something else.
    Text(&'a str),
}

/// Rows of a table. Missing numbers are NaN.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    /// Where each row ends in `columns` and `values`.
    pub(crate) ends: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
    pub(crate) labels: Coded,
    pub(crate) categories: Vec<Coded>,
    /// The first misfit of each column of the table that has one.
    pub(crate) misfits: HashMap<usize, Misfit>,
    /// The line of the row that is being filled, if there are lines.
    pub(crate) line: Option<u64>,
}

impl Piece {
    /// Forgets the rows.
    pub(crate) fn clear(&mut self, plan: &Plan) {
        self.ends.clear();
        self.columns.clear();
        self.values.clear();
        self.labels.clear();
        self.categories.resize_with(plan.categories, Coded::default);
        self.categories.iter_mut().for_each(Coded::clear);
        self.misfits.clear();
        self.line = None;
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> usize {
        self.ends.len()
    }

    /// A number in column `at` of the table, for column `column` of the matrix.
    #[inline]
    pub(crate) fn number(&mut self, at: usize, column: u32, cell: Cell<'_>) {
        match cell {
            Cell::Number(value) if value.is_finite() => {
                if value != 0.0 {
                    self.columns.push(column);
                    self.values.push(value);
                }
            }
            Cell::Missing => {
                self.columns.push(column);
                self.values.push(f64::NAN);
            }
            Cell::Number(value) => self.misfit(at, &value.to_string()),
            Cell::Text(text) => self.misfit(at, text),
        }
    }

    #[cold]
    fn misfit(&mut self, at: usize, text: &str) {
        let (row, line) = (self.rows(), self.line);
        self.misfits.entry(at).or_insert_with(|| Misfit { row, line, text: text.to_owned() });
    }

    /// A text in column `at` of the table, whose role is none of a number's.
    pub(crate) fn text(&mut self, role: &Role, text: Option<&str>) {
        match role {
            Role::Label => self.labels.push(text),
            Role::Categories(k) => self.categories[*k].push(text),
            Role::Known(features) => {
                if let Some(&column) = text.and_then(|text| features.get(text)) {
                    self.columns.push(column);
                    self.values.push(1.0);
                }
            }
            Role::Dropped | Role::Number(_) => {}
        }
    }

    /// The row is complete.
    pub(crate) fn end_row(&mut self) {
        let begin = self.ends.last().copied().unwrap_or(0);
        let row = &self.columns[begin..];
        if row.windows(2).any(|pair| pair[0] > pair[1]) {
            let mut entries: Vec<(u32, f64)> =
                row.iter().copied().zip(self.values[begin..].iter().copied()).collect();
            entries.sort_unstable_by_key(|entry| entry.0);
            for (k, (column, value)) in entries.into_iter().enumerate() {
                self.columns[begin + k] = column;
                self.values[begin + k] = value;
            }
        }
        self.ends.push(self.columns.len());
    }
}
