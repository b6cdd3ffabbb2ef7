//! Any text inside C: as a comment or as a string, without a way out of either.

/// For a comment. `*` could end it, `?` begin a trigraph, `\` splice lines; other signs, such as those that turn
/// the direction of writing, are written as their number too. `@` stands for the name elsewhere.
pub(super) fn in_comment(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || (c.is_ascii_graphic() && !"*?\\@".contains(c)) || c == ' ';
    let mut safe = String::new();
    for c in text.chars() {
        match plain(c) {
            true => safe.push(c),
            false => safe += &format!("\\u{{{:x}}}", u32::from(c)),
        }
    }
    safe
}

/// As a string: UTF-8, with three octal digits for every byte that is no plain letter, digit or sign.
pub(super) fn literal(text: &str) -> String {
    let mut all = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' | b'@' => all += &format!("\\{byte:03o}"),
            b' '..=b'~' => all.push(char::from(byte)),
            _ => all += &format!("\\{byte:03o}"),
        }
    }
    all + "\""
}
