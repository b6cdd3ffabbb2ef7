//! Decimal numbers out of text, eight digits at a step, correctly rounded.
//!
//! Values in data files are mostly short decimals. If the digits without the point are an integer below 2^53
//! and the power of ten is at most 22, both are exact in an f64 and one division or multiplication rounds
//! once, so the result is the nearest f64 (Clinger 1990). Everything else goes to the standard library.
//!
//! All functions want `text` to go on for [`PADDING`] bytes after the last number, so that eight bytes can
//! be loaded at any digit; what these bytes are does not matter, as some byte that ends a number precedes.

/// Bytes that must follow the text.
pub(crate) const PADDING: usize = 16;

/// Powers of ten that an f64 holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The same as integers, as far as eight digits need them.
const INTEGER: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The integer up to which every integer is an f64.
const EXACT_INTEGER: u64 = 1 << 53;

/// The leading digits at `at`, at most eight: their value and their count.
#[inline(always)]
pub(crate) fn digits(text: &[u8], at: usize) -> (u64, usize) {
    let Some(eight) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) else {
        return (0, 0);
    };
    // A digit becomes 0..=9. Adding 0x76 to a byte sets its top bit if it was above 9; a carry can only
    // disturb bytes behind the first that is no digit.
    let bytes = u64::from_le_bytes(*eight) ^ 0x3030_3030_3030_3030;
    let others = (bytes.wrapping_add(0x7676_7676_7676_7676) | bytes) & 0x8080_8080_8080_8080;
    let count = (others.trailing_zeros() / 8) as usize;
    // Zeros come in as leading digits, and neighbours are joined to pairs, fours and eight.
    let aligned = bytes.checked_shl(64 - 8 * count as u32).unwrap_or(0);
    let pairs = aligned.wrapping_mul(10).wrapping_add(aligned >> 8);
    let upper = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let lower = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (upper.wrapping_add(lower) >> 32, count)
}

/// The number at `at` and where it ends, or nothing if no number starts there. Words such as `nan` and
/// `inf` are no numbers; a number too large for an f64 comes out as infinite.
#[inline(always)]
pub(crate) fn number(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let sign = *text.get(at)?;
    let start = at + usize::from(sign == b'-' || sign == b'+');
    let first = text.get(start)?.wrapping_sub(b'0');
    let (mantissa, places, end, count);
    if first <= 9 && text.get(start + 1) == Some(&b'.') {
        // One digit before the point is so common that it pays to know at once where the others start.
        let (fraction, behind) = digits(text, start + 2);
        mantissa = u64::from(first) * INTEGER[behind] + fraction;
        (places, end, count) = (behind, start + 2 + behind, 1);
    } else {
        let (whole, before) = digits(text, start);
        let point = start + before;
        if text.get(point) == Some(&b'.') {
            let (fraction, behind) = digits(text, point + 1);
            mantissa = whole * INTEGER[behind] + fraction;
            (places, end, count) = (behind, point + 1 + behind, before);
        } else {
            (mantissa, places, end, count) = (whole, 0, point, before);
        }
    }
    let last = *text.get(end)?;
    // More digits, an exponent, no digit at all, or too many digits to be exact.
    let unusual = last.is_ascii_digit() || last | 0x20 == b'e' || count == 0;
    if unusual || mantissa > EXACT_INTEGER {
        return any_number(text, at);
    }
    let size = mantissa as f64 / EXACT[places];
    Some((if sign == b'-' { -size } else { size }, end))
}

/// [`number`] without restrictions.
#[cold]
#[inline(never)]
fn any_number(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let byte = |k: usize| text.get(k).copied().unwrap_or(b'\n');
    let run = |mut k: usize| {
        let from = k;
        while byte(k).is_ascii_digit() {
            k += 1;
        }
        (k, k - from)
    };
    let start = at + usize::from(matches!(byte(at), b'-' | b'+'));
    let (mut end, mut count) = run(start);
    if byte(end) == b'.' {
        let (after, places) = run(end + 1);
        (end, count) = (after, count + places);
    }
    if count == 0 {
        return None;
    }
    if byte(end) | 0x20 == b'e' {
        let signed = matches!(byte(end + 1), b'-' | b'+');
        let (after, count) = run(end + 1 + usize::from(signed));
        if count > 0 {
            end = after;
        }
    }
    let token = std::str::from_utf8(text.get(at..end)?).ok()?;
    Some((token.parse().ok()?, end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(token: &str) -> Option<(f64, usize)> {
        let mut text = token.as_bytes().to_vec();
        text.push(b'\n');
        // Digits behind the end must not leak in.
        text.extend([b'7'; PADDING]);
        number(&text, 0)
    }

    fn same(token: &str) {
        let expected: f64 = token.parse().unwrap();
        let (value, end) = parsed(token).unwrap_or_else(|| panic!("{token} is a number"));
        assert_eq!(value.to_bits(), expected.to_bits(), "{token}");
        assert_eq!(end, token.len(), "{token}");
    }

    #[test]
    fn numbers_of_every_shape() {
        for token in [
            "0",
            "-0",
            "+1",
            "1",
            "0.0642824",
            ".5",
            "-.5",
            "5.",
            "1e5",
            "1E-5",
            "1.5e+3",
            "12345678",
            "123456789",
            "0.12345678",
            "0.123456789",
            "12345678.12345678",
            "9007199254740992",
            "9007199254740993",
            "9007199254740993.0",
            "0.1",
            "0.3",
            "123456.789",
            "1e22",
            "1e23",
            "1e308",
            "1e309",
            "-1e999",
            "1e-400",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623157e308",
            "0.000000000000000000000000000000000000000001",
            "100000000000000000000000000000000000000000000",
            "8.5",
            "00000000000000000001.5",
            "0.30000000000000004",
            "2.2250738585072011e-308",
        ] {
            same(token);
        }
    }

    #[test]
    fn what_is_no_number() {
        for token in
            ["", "nan", "inf", "-inf", "infinity", "-", "+", ".", "-.", "e5", "x1", ":", "--1", "+-1"]
        {
            assert_eq!(parsed(token), None, "{token}");
        }
    }

    #[test]
    fn ends_where_the_number_ends() {
        assert_eq!(parsed("1e"), Some((1.0, 1)));
        assert_eq!(parsed("1e+"), Some((1.0, 1)));
        assert_eq!(parsed("1.2.3"), Some((1.2, 3)));
        assert_eq!(parsed("12345678x"), Some((12_345_678.0, 8)));
        assert_eq!(parsed("0x10"), Some((0.0, 1)));
    }

    #[test]
    fn digits_in_any_company() {
        for count in 0..=8usize {
            for next in 0..=255u8 {
                if next.is_ascii_digit() {
                    continue;
                }
                let mut text = b"98765432"[..count].to_vec();
                text.extend([next; 1]);
                text.extend([0xff; PADDING]);
                let expected: u64 = if count == 0 { 0 } else { "98765432"[..count].parse().unwrap() };
                assert_eq!(digits(&text, 0), (expected, count));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn agrees_with_the_standard_library(token in "[-+]?[0-9]{1,12}(\\.[0-9]{0,12})?([eE][-+]?[0-9]{1,3})?") {
            same(&token);
        }

        #[test]
        fn agrees_on_many_digits(token in "[-+]?[0-9]{0,25}\\.[0-9]{1,25}") {
            same(&token);
        }

        #[test]
        fn agrees_on_every_f64(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                same(&value.to_string());
                same(&format!("{value:e}"));
            }
        }

        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..40), at in 0usize..50) {
            let _ = number(&bytes, at);
        }
    }
}
