//! Lists of texts in the file: where each ends, then all of them, one after the other.

use super::layout::number;

/// Bytes of a list.
pub(super) fn bytes_of<'a>(texts: impl Iterator<Item = &'a String>) -> u64 {
    texts.map(|text| 8 + text.len() as u64).sum()
}

/// Reads `count` texts; else what is wrong.
pub(super) fn read(bytes: &[u8], count: usize) -> Result<Vec<String>, String> {
    let ends = count.checked_mul(8).filter(|&ends| ends <= bytes.len());
    let Some(ends) = ends else {
        return Err(format!("{count} texts do not fit in {} bytes", bytes.len()));
    };
    let (ends, all) = bytes.split_at(ends);
    let mut texts = Vec::with_capacity(count);
    let mut from = 0usize;
    for k in 0..count {
        let to = usize::try_from(number(ends, 8 * k)).unwrap_or(usize::MAX);
        let Some(text) = all.get(from..to) else {
            return Err(format!("text {k}, counting from 0, has no place"));
        };
        match std::str::from_utf8(text) {
            Ok(text) => texts.push(text.to_owned()),
            Err(_) => return Err(format!("text {k}, counting from 0, is not UTF-8")),
        }
        from = to;
    }
    if from != all.len() {
        return Err("there is more than its texts".into());
    }
    Ok(texts)
}
