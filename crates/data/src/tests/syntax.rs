//! What is accepted.

use super::{read, rows, seen};

fn row(label: &str, entries: &[(usize, f64)]) -> (String, Vec<(usize, f64)>) {
    (label.to_owned(), entries.to_vec())
}

#[test]
fn plain_rows() {
    assert_eq!(
        rows("+1 1:0.5 3:2\n-1 2:1e-3\n"),
        [row("1", &[(0, 0.5), (2, 2.0)]), row("-1", &[(1, 0.001)])]
    );
}

#[test]
fn layout_does_not_matter() {
    let expected = [row("1", &[(0, 0.5), (2, 2.0)]), row("-1", &[(1, 3.0)])];
    for text in [
        "1 1:0.5 3:2\n-1 2:3",
        "1 1:0.5 3:2\r\n-1 2:3\r\n",
        "1\t1:0.5\t\t3:2\t\n-1\t2:3",
        "  1   1:0.5 3:2   \n\n\n  \t \n-1 2:3 \n\n",
        "# head\n1 1:0.5 3:2 # a comment with 9:9\n  # more\n-1 2:3#tight",
        "\u{feff}1 1:0.5 3:2\n-1 2:3\n",
        "\u{feff}# head\r\n1 1:0.5 3:2 #\r\n#\r\n-1 2:3",
        "1.0 3:2.0 1:+.5\n-1e0 2:3.\n",
        "1 2:0 1:5e-1 3:0.2e1\n-1 1:0 2:3 3:-0.0",
        "1 0001:0.5 000000000003:2\n-1 00000002:3\n",
    ] {
        assert_eq!(rows(text), expected, "{text:?}");
    }
}

#[test]
fn rows_without_features() {
    assert_eq!(rows("1\n-1 \n1 2:1\n-1 # none\n1#none").len(), 5);
    assert_eq!(rows("1\n-1 2:1").iter().map(|row| row.1.len()).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn indices_in_any_order() {
    assert_eq!(rows("1 9:9 2:2 5:5 1:1\n"), [row("1", &[(0, 1.0), (1, 2.0), (4, 5.0), (8, 9.0)])]);
    let data = read(b"1 9:9 2:2\n2 3:1\n").unwrap();
    assert_eq!(data.design().cols(), 9);
}

#[test]
fn zeros_are_dropped_but_their_indices_count() {
    let data = read(b"1 1:1 7:0\n2 3:0 2:0.0\n").unwrap();
    assert_eq!((data.design().cols(), data.design().stored()), (7, 1));
}

#[test]
fn large_indices() {
    let data = read(b"1 123456789:1 4294967294:2\n").unwrap();
    assert_eq!(data.design().cols(), 4_294_967_294);
    assert_eq!(seen(&data).rows[0].2, [(123_456_788, 1.0), (4_294_967_293, 2.0)]);
}

#[test]
fn labels_are_numbers_of_any_spelling() {
    let data = read(b"+1 1:1\n1.0 1:1\n1e0 1:1\n-1 1:1\n2.5 1:1\n").unwrap();
    assert_eq!(data.labels().classes(), ["-1", "1", "2.5"]);
    assert_eq!(data.labels().codes(), [1, 1, 1, 0, 2]);
}

#[test]
fn query_numbers() {
    let data = read(b"2 qid:1 1:1\n1 qid:1 2:1 # x\n0 qid:18446744073709551615\r\n").unwrap();
    assert_eq!(data.queries(), Some(&[1, 1, u64::MAX][..]));
    assert_eq!(read(b"1 1:1").unwrap().queries(), None);
}
