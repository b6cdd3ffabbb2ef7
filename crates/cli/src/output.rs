//! What goes to the terminal: tables for people, JSON for machines. Nothing else in this program writes to
//! standard output or standard error. Writing to a closed pipe is an error, never a panic.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::ser::Formatter;
use sparsvm_data::Source;

use crate::atomic::Target;

/// Something for standard output.
pub(crate) fn print(fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<()> {
    let mut to = BufWriter::new(io::stdout());
    fill(&mut to).and_then(|()| to.flush()).context("cannot write to standard output")
}

/// How results are written to a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OutFormat {
    Json,
    Csv,
}

impl OutFormat {
    /// Where `--out` goes.
    pub(crate) fn target(path: Option<&Path>, inputs: &[Source]) -> Result<Option<(Target, Self)>> {
        Target::by_extension("--out", path, [("json", Self::Json), ("csv", Self::Csv)], inputs)
    }
}

/// One JSON object on a line of its own.
pub(crate) fn json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(value)?;
    print(|to| writeln!(to, "{text}"))
}

/// A JSON object for a file: a line for each field, and for each list in a list.
pub(crate) fn write_json(to: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut *to, Lines::default()))?;
    to.write_all(b"\n")
}

#[derive(Default)]
struct Lines {
    arrays: usize,
}

impl Formatter for Lines {
    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        to.write_all(if first { b"\n  " } else { b",\n  " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b"\n}")
    }

    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.arrays += 1;
        to.write_all(if self.arrays == 2 { b"\n    [" } else { b"[" })
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.arrays -= 1;
        to.write_all(b"]")
    }
}

/// A line for the person at the terminal, on standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, there is nobody to tell.
    writeln!(io::stderr(), "{text}").ok();
}

/// Why it did not work, in one line.
pub(crate) fn complain(error: &anyhow::Error) {
    let text = one_line(error);
    note(&format!("sparsvm: {text}"));
}

/// An error and its causes. Some errors tell their cause themselves; it is not told twice.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text += &format!(": {cause}");
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if the reader of our output went away.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(closed))
}

/// Lines `name  value`, with the values below each other.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    lines: Vec<(String, String)>,
}

impl Facts {
    pub(crate) fn add(&mut self, name: &str, value: impl Into<String>) {
        self.lines.push((name.into(), value.into()));
    }

    /// If there is something to tell.
    pub(crate) fn extend(&mut self, name: &str, value: Option<String>) {
        self.lines.extend(value.map(|value| (name.into(), value)));
    }

    pub(crate) fn render(&self) -> String {
        let width = self.lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        self.lines.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
    }
}

/// A table with a heading; the first column is flush left, the others are numbers, flush right.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(heading: &[&str]) -> Self {
        Self { rows: vec![heading.iter().map(|&text| text.to_owned()).collect()] }
    }

    pub(crate) fn add(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &Vec<String>, k: usize| row.get(k).map_or(0, |text| text.chars().count());
        let widths: Vec<usize> =
            (0..columns).map(|k| self.rows.iter().map(|row| cell(row, k)).max().unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::from("  ");
            for (k, value) in row.iter().enumerate() {
                let width = widths[k];
                line += &if k == 0 { format!("{value:width$}") } else { format!("  {value:>width$}") };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_and_names_each_cause_once() {
        let cause = io::Error::other("disk\nfull");
        let error = anyhow::Error::new(cause).context("cannot write x");
        assert_eq!(one_line(&error), "cannot write x: disk full");
        assert_eq!(one_line(&error.context("cannot write x: disk\nfull")), "cannot write x: disk full");
    }

    #[test]
    fn tables_line_up() {
        let mut table = Table::new(&["feature", "weight"]);
        table.add(vec!["a".into(), "-1.5".into()]);
        assert_eq!(table.render(), "  feature  weight\n  a          -1.5\n");
        let mut facts = Facts::default();
        facts.add("a", "1");
        facts.add("bcd", "2");
        assert_eq!(facts.render(), "a    1\nbcd  2\n");
    }
}
