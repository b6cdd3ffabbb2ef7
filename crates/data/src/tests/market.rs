//! Matrix Market text.

use std::io::Write;

use proptest::prelude::*;
use sparsvm_core::{Dataset, Labels};

use super::{Entries, seen};
use crate::open::Opened;
use crate::{ReadError, ReadOptions, Source, market, read};

fn in_blocks(text: &str, options: &ReadOptions, block_bytes: usize) -> Result<Dataset, ReadError> {
    let opened = Opened::from_reader(text.as_bytes(), None, "data")?;
    market::read_in(opened.text("data"), options, block_bytes)
}

fn bare() -> ReadOptions {
    ReadOptions { unlabelled: true, ..ReadOptions::default() }
}

fn entries(data: Dataset) -> Vec<Entries> {
    let rows = data.design().rows();
    let data = data.with_labels(Labels::from_numbers(&vec![1.0; rows])).unwrap();
    seen(&data).rows.into_iter().map(|row| row.2).collect()
}

#[track_caller]
fn check(text: &str, rows: &[&[(usize, f64)]]) {
    for block_bytes in [1, 5, 1 << 16] {
        let data = in_blocks(text, &bare(), block_bytes).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(entries(data), rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>(), "{text}");
    }
}

#[track_caller]
fn refused(text: &str, words: &[&str]) {
    for block_bytes in [1, 1 << 16] {
        let told = in_blocks(text, &bare(), block_bytes).unwrap_err().to_string();
        for word in words {
            assert!(told.contains(word), "no {word:?} in {told}");
        }
    }
}

#[test]
fn coordinates() {
    check(
        "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 4\n2 3 1.5\n%x\n1 4 -2e-3\r\n\n 2\t1 7 \n3 3 0\n",
        &[&[(3, -2e-3)], &[(0, 7.0), (2, 1.5)], &[]],
    );
    // Entries of one place are summed, in the order of the file.
    check(
        "%%MATRIXMARKET Matrix Coordinate Integer General\n1 3 5\n1 2 3\n1 1 1\n1 2 4\n1 3 2\n1 3 -2",
        &[&[(0, 1.0), (1, 7.0)]],
    );
    check(
        "%%MatrixMarket matrix coordinate pattern general\n2 123456789 1\n2 123456789\n",
        &[&[], &[(123_456_788, 1.0)]],
    );
}

#[test]
fn symmetry() {
    check(
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n3 1\n3 2\n",
        &[&[(0, 1.0), (2, 1.0)], &[(2, 1.0)], &[(0, 1.0), (1, 1.0)]],
    );
    check(
        "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n",
        &[&[(1, -5.0)], &[(0, 5.0)]],
    );
    check(
        "%%MatrixMarket matrix array real general\n2 3\n1\n0\n3\n4\n5\n6\n",
        &[&[(0, 1.0), (1, 3.0), (2, 5.0)], &[(1, 4.0), (2, 6.0)]],
    );
    check(
        "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
        &[&[(0, 1.0), (1, 2.0), (2, 3.0)], &[(0, 2.0), (1, 4.0), (2, 5.0)], &[(0, 3.0), (1, 5.0), (2, 6.0)]],
    );
    check(
        "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
        &[&[(1, -1.0), (2, -2.0)], &[(0, 1.0), (2, -3.0)], &[(0, 2.0), (1, 3.0)]],
    );
    let upper = "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n";
    refused(upper, &["line 3, column 1", "on or below the diagonal"]);
    refused(
        &upper.replace("symmetric", "skew-symmetric").replace("1 2 1\n", "2 2 1\n"),
        &["below the diagonal"],
    );
    refused(&upper.replace("2 2 1\n", "2 3 1\n"), &["line 2", "as many rows as columns"]);
}

#[test]
fn faults_have_their_lines() {
    let with =
        |line: &str| format!("%%MatrixMarket matrix coordinate real general\n%\n2 2 2\n1 1 1\n{line}\n");
    for (line, column, words) in [
        ("3 1 1", 1, "row from 1 to 2"),
        ("0 1 1", 1, "row from 1 to 2"),
        ("1 99999999999999999999999 1", 3, "column from 1 to 2"),
        ("-1 1 1", 1, "`-1`"),
        ("1 1.5 1", 3, "`1.5`"),
        ("1 2", 4, "the end of the line"),
        ("1 2 x", 5, "`x`"),
        ("1 2 nan", 5, "finite"),
        ("1 2 1e999", 5, "1.8e308"),
        ("  1 2 1 7", 9, "nothing behind it"),
        ("1 2 1D+01", 5, "decimal"),
    ] {
        refused(&with(line), &[&format!("line 5, column {column}: found"), words]);
    }
    refused(&with("1 2 1\n1 2 1"), &["line 3 promises 2 entries", "has more"]);
    refused(&with(""), &["line 3 promises 2 entries, but the file has 1"]);
    refused(&with("1 2 1.5").replace("real", "integer"), &["whole number"]);
    refused(
        "%%MatrixMarket matrix array real general\n2 2\n1 2\n",
        &["line 3, column 3", "nothing behind it"],
    );
    refused(
        "%%MatrixMarket matrix array real general\n2 2\n1\n",
        &["promises 4 entries, but the file has 1"],
    );
}

#[test]
fn headers() {
    let with = |banner: &str| format!("%%MatrixMarket {banner}\n1 1 1\n1 1 1\n");
    refused(&with("matrix coordinate complex general"), &["line 1", "real and imaginary"]);
    refused(&with("matrix coordinate real hermitian"), &["hermitian"]);
    refused(&with("vector coordinate real general"), &["banner"]);
    refused(&with("matrix array pattern general"), &["fourth word"]);
    refused(&with("matrix coordinate pattern skew-symmetric"), &["fifth word"]);
    refused(&with("matrix coordinate"), &["banner"]);
    refused("%%MatrixMarket matrix coordinate real general\n", &["ends before"]);
    refused(
        "%%MatrixMarket matrix coordinate real general\n% c\n1 1\n",
        &["line 3", "rows, columns and entries"],
    );
    refused("%%MatrixMarket matrix coordinate real general\n0 5 0\n", &["0 rows and 5 columns"]);
    let labelled =
        in_blocks(&with("matrix coordinate real general"), &ReadOptions::default(), 99).unwrap_err();
    assert!(labelled.to_string().contains("--labels"), "{labelled}");
}

#[test]
fn hostile_headers_take_no_memory() {
    let huge = "1000000000000000000";
    let text = |sides: &str| format!("%%MatrixMarket matrix coordinate real general\n{sides}\n1 1 1\n");
    refused(&text(&format!("{huge} 1 1")), &["4294967295"]);
    refused(&text("99999999999999999999999 1 1"), &["line 2"]);
    refused(&text(&format!("1 1 {huge}")), &["promises 1000000000000000000 entries, but the file has 1"]);
    refused("%%MatrixMarket matrix array real general\n4294967295 4294967295\n1\n", &["the file has 1"]);
    refused(&format!("%%MatrixMarket matrix array real general\n{huge} {huge}\n1\n"), &["2^64"]);
    let limited = ReadOptions { memory_limit: Some(1 << 20), ..bare() };
    for sides in ["4000000000 1 1", "1 4000000000 1", "1 1 4000000000"] {
        let told = in_blocks(&text(sides), &limited, 99).unwrap_err().to_string();
        assert!(told.contains("--memory-limit"), "{told}");
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text("1 1 1000").as_bytes()).unwrap();
    let told = read(&Source::from(file.path().to_owned()), &bare()).unwrap_err().to_string();
    assert!(told.contains("promises 1000 entries, more than a file of"), "{told}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// However the text is damaged and cut, the outcome is the same and nothing panics.
    #[test]
    fn any_text_in_any_blocks(
        lines in prop::collection::vec("[0-4]{1,2} [0-4] [-0-9.e]{1,4}|%x|[0-9 .\\-x%]{0,6}", 0..8),
        sides in "[1-5] [1-5] [0-6]|[0-9 ]{0,6}",
        kind in "(coordinate|array) (real|integer|pattern) (general|symmetric|skew-symmetric)",
        block_bytes in 1usize..40,
    ) {
        let text = format!("%%MatrixMarket matrix {kind}\n{sides}\n{}", lines.join("\n"));
        let show = |block_bytes| match in_blocks(&text, &bare(), block_bytes) {
            Ok(data) => format!("{:?}", entries(data)),
            Err(error) => error.to_string(),
        };
        prop_assert_eq!(show(block_bytes), show(1 << 16));
    }
}
