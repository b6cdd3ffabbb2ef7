//! Sizes as people write them: 512M, 4G, 1.5GiB.

/// Bytes. K, M, G, T are powers of 1024, with or without an `iB` or `B` after them.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let fault =
        || format!("`{text}` is no size: write bytes, or a number with K, M, G or T, such as 512M or 4G");
    let upper = text.trim().to_ascii_uppercase();
    let number_end = upper.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(upper.len());
    let (number, unit) = upper.split_at(number_end);
    let power = match unit.trim() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(fault()),
    };
    let size = number.parse::<f64>().map_err(|_| fault())? * (1u64 << power) as f64;
    if size >= 1.0 && size < u64::MAX as f64 { Ok(size as u64) } else { Err(fault()) }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, expected) in [("4096", 4096), ("512M", 512 << 20), ("4g", 4 << 30), ("1.5GiB", 3 << 29)] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "G", "-1G", "4X", "1e3", "0", "nan", "99999999999T", "4 G G"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
