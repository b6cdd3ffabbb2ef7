//! Pieces of files in messages.

/// Longer texts are cut in messages.
const SHOWN_BYTES: usize = 40;

/// A text for a message: in quotes, cut if long, and without bytes that could garble a terminal.
pub(crate) fn quoted(text: &[u8]) -> String {
    let cut = text.len() > SHOWN_BYTES;
    let shown = String::from_utf8_lossy(if cut { &text[..SHOWN_BYTES] } else { text });
    format!("`{}{}`", clean(&shown), if cut { "…" } else { "" })
}

/// A column's name for a message: as [`quoted`], without the quotes.
pub(crate) fn named(name: &str) -> String {
    let start: String = name.chars().take(SHOWN_BYTES).collect();
    let cut = if start.len() < name.len() { "…" } else { "" };
    clean(&start) + cut
}

fn clean(text: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().collect() } else { vec![c] };
    text.chars().flat_map(escaped).collect()
}
