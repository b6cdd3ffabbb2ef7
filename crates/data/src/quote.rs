//! Pieces of files in messages.

/// Longer texts are cut in messages: as they stand there, escapes included, so that a message of several stays a line.
const SHOWN_CHARS: usize = 40;

/// A text for a message: in quotes, cut if long, and without bytes that could garble a terminal.
pub(crate) fn quoted(text: &[u8]) -> String {
    let cut = text.len() > SHOWN_CHARS;
    let start = String::from_utf8_lossy(if cut { &text[..SHOWN_CHARS] } else { text });
    let (shown, whole) = clean(&start);
    format!("`{shown}{}`", if cut || !whole { "…" } else { "" })
}

/// A column's name for a message: as [`quoted`], without the quotes.
pub(crate) fn named(name: &str) -> String {
    let (shown, whole) = clean(name);
    if whole { shown } else { shown + "…" }
}

/// The start of the text with control characters escaped, and whether it is all of it.
fn clean(text: &str) -> (String, bool) {
    let (mut shown, mut room) = (String::new(), SHOWN_CHARS);
    for c in text.chars() {
        let escaped: String = if c.is_control() { c.escape_default().collect() } else { c.into() };
        let Some(left) = room.checked_sub(escaped.chars().count()) else { return (shown, false) };
        shown += &escaped;
        room = left;
    }
    (shown, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_count_towards_the_length() {
        assert_eq!(named(&"a".repeat(40)), "a".repeat(40));
        assert_eq!(named(&"a".repeat(41)), "a".repeat(40) + "…");
        assert_eq!(named(&"\u{1f}".repeat(40)), "\\u{1f}".repeat(6) + "…");
        assert_eq!(quoted(&[0; 20]), format!("`{}…`", "\\u{0}".repeat(8)));
        assert_eq!(quoted(b"a\nb"), "`a\\nb`");
    }
}
