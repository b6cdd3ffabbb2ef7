//! Broken files: each fault with its line, its column and words that help.

use super::{fault_in, read, read_in};
use crate::{ReadError, ReadOptions};

#[track_caller]
fn check(text: &str, line: u64, column: u64, words: &[&str]) {
    for block_bytes in [1, 7, 1 << 20] {
        let found = fault_in(text.as_bytes(), &ReadOptions::default(), block_bytes);
        assert_eq!((found.0, found.1), (line, column), "{text:?}: {}", found.2);
        for word in words {
            assert!(found.2.contains(word), "no {word:?} in {}", found.2);
        }
    }
}

#[test]
fn labels() {
    check("1 1:1\nyes 1:1\n", 2, 1, &["found `yes`", "a finite number as label"]);
    check("1 1:1\n  nan 1:1\n", 2, 3, &["`nan`", "finite"]);
    check("inf 1:1", 1, 1, &["`inf`", "finite"]);
    check("1e999 1:1", 1, 1, &["`1e999`", "finite"]);
    check("1,2 3:4\n", 1, 1, &["`1,2`", "several labels are not supported"]);
    check("1x 3:4\n", 1, 1, &["`1x`"]);
    check("3:4 5:6\n", 1, 1, &["`3:4`", "label first"]);
    check("1 1:1\nqid:3 1:1", 2, 1, &["label first"]);
    check("1;2 3:4\n", 1, 1, &["`1;2`", "number as label"]);
    check("\u{feff}x 1:1", 1, 1, &["`x`"]);
    check("1 1:1\n\u{feff}1 1:1", 2, 1, &["number as label"]);
    check("a\0b\0\n", 1, 1, &["binary file", "\\u{0}"]);
}

#[test]
fn indices() {
    check("1 1:1\n1 2:1 0:1\n", 2, 7, &["`0:1`", "indices start at 1; pass --zero-based"]);
    check("1 -3:1\n", 1, 3, &["`-3:1`", "whole number as index"]);
    check("1 +3:1\n", 1, 3, &["`+3:1`", "whole number as index"]);
    check("1 :1\n", 1, 3, &["`:1`", "whole number as index"]);
    check("1 a:1\n", 1, 3, &["`a:1`", "whole number as index"]);
    check("1 1.5:1\n", 1, 3, &["`1.5:1`", "whole number as index"]);
    check("1 99999999999999:1\n", 1, 3, &["`99999999999999:1`", "below 4294967295"]);
    check("1 4294967295:1\n", 1, 3, &["below 4294967295"]);
    check("1 99999999999999999999999999999:1\n", 1, 3, &["below 4294967295"]);
    check("1 5\n", 1, 3, &["`5`", "index:value"]);
    check("1 1:1 word\n", 1, 7, &["`word`", "index:value"]);
    check("1 123456789\n", 1, 3, &["`123456789`", "index:value"]);
    check("1 12345678 1:1\n", 1, 3, &["`12345678`", "index:value"]);
}

#[test]
fn values() {
    check("1 1:1 2:nan\n", 1, 9, &["found `nan`", "finite"]);
    check("1 1:-Inf\n", 1, 5, &["`-Inf`", "finite"]);
    check("1 1:+infinity\n", 1, 5, &["finite"]);
    check("1 1:1e999\n", 1, 5, &["`1e999`", "1.8e308"]);
    check("1 1:\n", 1, 5, &["nothing after the colon"]);
    check("1 1: 5\n", 1, 5, &["nothing after the colon", "without a space"]);
    check("1 1:0,5\n", 1, 5, &["`0,5`", "decimal number"]);
    check("1 1:1:2\n", 1, 5, &["`1:2`", "decimal number"]);
    check("1 1:0x10\n", 1, 5, &["`0x10`"]);
    check("1 1:1e\n", 1, 5, &["`1e`"]);
    check("1 12345678:x\n", 1, 12, &["`x`"]);
    check("1 1:1\u{a0}2:2\n", 1, 5, &["decimal number"]);
    check("1 1:1\x1b[31m\n", 1, 5, &["\\u{1b}"]);
}

#[test]
fn duplicates() {
    check("1 1:1\n1 2:1 3:1 2:5 9:9\n", 2, 11, &["index 2 a second time", "`2:5`"]);
    check("1 2:1 2:1\n", 1, 7, &["index 2 a second time"]);
    check("1 2:0 1:1 2:1 # x\n", 1, 11, &["index 2 a second time"]);
    check("1 qid:7 5:0 4:1 4:0", 1, 17, &["index 4 a second time"]);
    // The first in the row counts, whichever kind it is.
    check("1 2:1 2:1 x\n", 1, 7, &["index 2 a second time"]);
    check("1 2:1 x 2:1\n", 1, 7, &["`x`"]);
}

#[test]
fn query_numbers() {
    check("1 qid:1 1:1\n1 1:1\n", 2, 3, &["a row without qid", "every row"]);
    check("1 qid:1 1:1\n# c\n1\n", 3, 2, &["a row without qid"]);
    check("1 1:1\n\n1 qid:1 1:1\n", 3, 3, &["a qid", "every row"]);
    check("1 qid:x 1:1\n", 1, 3, &["`qid:x`", "whole number"]);
    check("1 qid: 1:1\n", 1, 3, &["`qid:`"]);
    check("1 qid:-1 1:1\n", 1, 3, &["`qid:-1`"]);
    check("1 qid:+1 1:1\n", 1, 3, &["`qid:+1`"]);
    check("1 qid:18446744073709551616 1:1\n", 1, 3, &["whole number"]);
    check("1 1:1 qid:1\n", 1, 7, &["right after the label"]);
    check("1 qid:1 qid:1\n", 1, 9, &["right after the label"]);
    // A row's missing query number comes before its other faults, and after its label's.
    check("1 qid:1 1:1\n1 x\n", 2, 3, &["a row without qid"]);
    check("1 qid:1 1:1\ny 1:1\n", 2, 1, &["label"]);
}

#[test]
fn lines_and_columns_count_all_that_is_there() {
    check("# one\r\n\r\n1 1:1 # c\r\n  \t1 1:1  x:1\r\n", 4, 11, &["`x:1`"]);
    check("1 é:1\n", 1, 3, &["`é:1`"]);
    let long = format!("1 {}\n", "y".repeat(1000));
    check(&long, 1, 3, &["yyy…`"]);
}

#[test]
fn the_first_fault_is_reported() {
    let mut text = "1 1:1 2:2\n".repeat(500);
    text.push_str("1 1:first\n");
    text.push_str(&"bad\n1 0:1\n".repeat(500));
    check(&text, 501, 5, &["`first`"]);
}

#[test]
fn nothing_to_read() {
    for text in ["", "\n\n", "# only\n\n#comments", "\u{feff}", "  \r\n"] {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(matches!(error, ReadError::Empty { .. }), "{error}");
        assert!(error.to_string().contains("no rows found"), "{error}");
    }
    // Rows, but no feature anywhere.
    let error = read_in(b"1\n-1\n", &ReadOptions::default(), 64).unwrap_err();
    assert!(error.to_string().contains("2 rows and 0 features"), "{error}");
}
