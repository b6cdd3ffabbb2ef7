//! What the file is: its mark, its versions, how it is laid out, and why a text is not one.

use std::io::Write;

use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;

use crate::Goal;

/// Marks our files.
pub(super) const FORMAT: &str = "sparsvm-model";
/// The newest version that this code reads. A file has the least version that knows what is in it: 1 a
/// classifier of two classes, 2 a ranking, 3 probabilities, more than two classes, or what others trained.
pub(super) const VERSION: u32 = 3;

/// Longer faults are cut in the middle.
const SHOWN_CHARS: usize = 240;

/// The least version that knows a model of one machine.
pub(super) fn version_of(goal: Goal, calibrated_or_imported: bool) -> u32 {
    match goal {
        _ if calibrated_or_imported => 3,
        Goal::Classify => 1,
        Goal::Rank => 2,
    }
}

/// What is wrong with a file's mark or version, if anything.
pub(super) fn fault_of_head(format: &str, version: u32) -> Option<String> {
    if format != FORMAT {
        return Some(format!("its format is {format:?}, not {FORMAT:?}"));
    }
    (!(1..=VERSION).contains(&version)).then(|| newer(version))
}

/// Why a text is not a model, in words that help.
pub(super) fn explain(text: &[u8], error: &serde_json::Error) -> String {
    #[derive(Deserialize)]
    struct Head {
        format: String,
        version: u32,
    }
    match serde_json::from_slice::<Head>(text) {
        Ok(head) if head.format == FORMAT && !(1..=VERSION).contains(&head.version) => newer(head.version),
        _ if text.starts_with(b"solver_type") => {
            "it is a LIBLINEAR model: `sparsvm import --from liblinear` makes one of ours from it".into()
        }
        _ if error.is_eof() => format!("it ends too early (line {}): the file was cut off", error.line()),
        _ => in_words(&error.to_string()),
    }
}

/// What the JSON reader says quotes the file: made short, and without what could garble a terminal.
fn in_words(fault: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().collect() } else { vec![c] };
    let clean: Vec<char> = fault.chars().flat_map(escaped).collect();
    if clean.len() <= SHOWN_CHARS {
        return clean.into_iter().collect();
    }
    // What was expected, and the place, stand at the end.
    let (start, end) = (&clean[..SHOWN_CHARS / 2], &clean[clean.len() - SHOWN_CHARS / 2..]);
    start.iter().chain(&['…']).chain(end).collect()
}

fn newer(version: u32) -> String {
    format!(
        "it has version {version}, and this program reads versions up to {VERSION}: use the sparsvm that wrote it, or train anew"
    )
}

/// Writes a model.
pub(super) fn write(model: &impl Serialize, mut to: impl Write) -> std::io::Result<()> {
    model.serialize(&mut serde_json::Serializer::with_formatter(&mut to, LineAField::default()))?;
    to.write_all(b"\n")?;
    to.flush()
}

/// JSON with a line for each field and arrays in one line: readable, and small with a million weights.
#[derive(Default)]
struct LineAField {
    depth: usize,
}

impl LineAField {
    fn new_line<W: ?Sized + Write>(&self, to: &mut W) -> std::io::Result<()> {
        to.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| to.write_all(b"  "))
    }
}

impl Formatter for LineAField {
    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> std::io::Result<()> {
        self.depth += 1;
        to.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> std::io::Result<()> {
        self.depth -= 1;
        self.new_line(to)?;
        to.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> std::io::Result<()> {
        if !first {
            to.write_all(b",")?;
        }
        self.new_line(to)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> std::io::Result<()> {
        to.write_all(b": ")
    }
}
