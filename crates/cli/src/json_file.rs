//! Files that hold a JSON object. What does not begin as one is not read to its end, which it may not have.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};

/// Bytes that tell whether a file may hold an object.
const HEAD_BYTES: u64 = 4096;

/// The content of a file, or its first bytes if these are not the beginning of an object.
pub(crate) fn open(path: &Path) -> Result<impl Read> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let mut head = Vec::new();
    (&file).take(HEAD_BYTES).read_to_end(&mut head).with_context(|| format!("cannot read {shown}"))?;
    let begins = head.trim_ascii_start().first() == Some(&b'{');
    let rest = if begins { u64::MAX } else { 0 };
    Ok(std::io::Cursor::new(head).chain(file.take(rest)))
}
