//! Text and JSON that cannot become markup, whatever the data calls its features.

use anyhow::Result;
use serde::Serialize;

/// For element content and for attributes in double or single quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // No part of a text, and not allowed in HTML.
            c if c.is_control() && !c.is_whitespace() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// JSON for a `<script type="application/json">`: outside of strings JSON has none of these characters, and in
/// strings it may spell them so.
pub(super) fn json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(text.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let bad = "</script><!--<script>alert('1')</script> & \"";
        for safe in [escaped(bad), json(&bad).unwrap()] {
            assert!(!safe.contains('<') && !safe.contains('>'), "{safe}");
        }
        assert_eq!(serde_json::from_str::<String>(&json(&bad).unwrap()).unwrap(), bad);
        assert_eq!(escaped("a\u{0}b\n"), "a\u{fffd}b\n");
    }
}
