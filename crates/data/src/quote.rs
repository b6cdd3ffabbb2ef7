//! Pieces of files in messages.

/// Longer texts are cut in messages.
const SHOWN_BYTES: usize = 40;

/// A text for a message: in quotes, cut if long, and without bytes that could garble a terminal.
pub(crate) fn quoted(text: &[u8]) -> String {
    let cut = text.len() > SHOWN_BYTES;
    let shown = String::from_utf8_lossy(if cut { &text[..SHOWN_BYTES] } else { text });
    let clean: String = shown
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect();
    format!("`{clean}{}`", if cut { "…" } else { "" })
}
