//! Comma-separated values: what is read, and what is refused and how.

use proptest::prelude::*;
use sparsvm_core::Dataset;

use super::seen;
use crate::open::Opened;
use crate::{Expected, Missing, ReadError, ReadOptions, TableOptions, table};

fn read_in(text: &str, options: &ReadOptions, block_bytes: usize) -> Result<Dataset, ReadError> {
    let opened = Opened::from_reader(text.as_bytes(), None, "t.csv")?;
    table::csv::read_in(opened.text("t.csv"), options, block_bytes)
}

fn read(text: &str, table: TableOptions) -> Result<Dataset, ReadError> {
    read_in(text, &ReadOptions { table, ..ReadOptions::default() }, 1 << 16)
}

fn label(column: &str) -> TableOptions {
    TableOptions { label: Some(column.into()), ..TableOptions::default() }
}

fn refused(text: &str, table: TableOptions) -> String {
    read(text, table).unwrap_err().to_string()
}

/// Rows as label and all values.
fn rows(data: &Dataset) -> Vec<(String, Vec<f64>)> {
    let seen = seen(data);
    let dense = |entries: Vec<(usize, f64)>| {
        let mut row = vec![0.0; seen.cols];
        entries.into_iter().for_each(|(j, x)| row[j] = x);
        row
    };
    seen.rows.into_iter().map(|(label, _, entries)| (label, dense(entries))).collect()
}

fn names(data: &Dataset) -> Vec<&str> {
    data.names().unwrap().iter().map(String::as_str).collect()
}

#[test]
fn a_table_with_a_header() {
    let data = read("age,class,dose\n31,yes,0.5\n 7 ,no,0\n1e2,yes,-2\n", label("class")).unwrap();
    assert_eq!(names(&data), ["age", "dose"]);
    let expected = [("yes", vec![31.0, 0.5]), ("no", vec![7.0, 0.0]), ("yes", vec![100.0, -2.0])]
        .map(|(l, r)| (l.to_owned(), r));
    assert_eq!(rows(&data), expected);
    assert_eq!(data.labels().classes(), ["no", "yes"]);
    assert_eq!(data.design().stored(), 5);
    assert_eq!(data.table().unwrap().label.as_deref(), Some("class"));
}

#[test]
fn delimiters_and_headers_are_told_by_the_first_line() {
    for text in ["y;a\n1;2\n0;3\n", "y\ta\n1\t2\n0\t3\n", "y|a\r\n1|2\r\n0|3", "\u{feff}y,a\n1,2\n\n0,3\n"] {
        let data = read(text, TableOptions::default()).unwrap();
        assert_eq!(
            (names(&data), rows(&data)),
            (vec!["a"], vec![("1".into(), vec![2.0]), ("0".into(), vec![3.0])])
        );
    }
    let bare = read("1,2,3\n0,4,5\n", label("1")).unwrap();
    assert_eq!(bare.names(), None);
    assert_eq!(rows(&bare)[1], ("0".into(), vec![4.0, 5.0]));
    // Texts only, and said to be no header.
    let texts = TableOptions { header: Some(false), one_hot: vec!["2".into()], ..label("1") };
    let data = read("yes,red\nno,blue\n", texts).unwrap();
    assert_eq!((names(&data), data.design().rows()), (vec!["2=blue", "2=red"], 2));
}

#[test]
fn quotes_hold_delimiters_newlines_and_quotes() {
    let text = "\"the\nlabel\",\"a \"\"b\"\", c\"\n\"x\ny\",\"1\"\n\"z, w\",2\n";
    for block_bytes in [1, 7, 1000] {
        let options = ReadOptions { table: label("1"), ..ReadOptions::default() };
        let data = read_in(text, &options, block_bytes).unwrap();
        assert_eq!(names(&data), ["a \"b\", c"]);
        assert_eq!(rows(&data), [("x\ny".into(), vec![1.0]), ("z, w".into(), vec![2.0])]);
    }
}

#[test]
fn a_quote_inside_a_value_opens_nothing() {
    let many: String = (0..300).map(|i| format!("{},{i},5\"\n", i % 2)).collect();
    let text = format!("y,a,size\n{many}1,7,\"6\"\"\n tall\"\n");
    for block_bytes in [1, 40, 1 << 16] {
        let table = TableOptions { one_hot: vec!["size".into()], ..label("y") };
        let data = read_in(&text, &ReadOptions { table, ..ReadOptions::default() }, block_bytes).unwrap();
        assert_eq!(data.design().rows(), 301);
        assert_eq!(names(&data), ["a", "size=5\"", "size=6\"\n tall"]);
    }
}

#[test]
fn categories_stand_in_their_columns_place() {
    let text = "y,a,color,b\n1,5,red,6\n0,0,blue,7\n1,8,red,0\n";
    let data = read(text, TableOptions { one_hot: vec!["color".into()], ..label("y") }).unwrap();
    assert_eq!(names(&data), ["a", "color=blue", "color=red", "b"]);
    assert_eq!(rows(&data)[0].1, [5.0, 0.0, 1.0, 6.0]);
    assert_eq!(rows(&data)[1].1, [0.0, 1.0, 0.0, 7.0]);
    let mixed = refused(text, label("y"));
    assert!(mixed.contains("column color holds `red` in line 2"), "{mixed}");
    assert!(mixed.contains("--one-hot color") && mixed.contains("--drop color"), "{mixed}");
    let dropped = read(text, TableOptions { drop: vec!["color".into(), "-1".into()], ..label("y") }).unwrap();
    assert_eq!(names(&dropped), ["a"]);
}

#[test]
fn missing_values_are_refused_by_name_or_treated() {
    let text = "y,a,b,c\n1,1,,x\n0,3,4,?\n1,NA,6,z\n0,5,0,x\n";
    let with = |missing| TableOptions { missing, one_hot: vec!["c".into()], ..label("y") };
    let told = refused(text, with(Missing::Refuse));
    for part in
        ["column a has 1 missing values, the first in row 3", "column b", "column c", "--missing mean"]
    {
        assert!(told.contains(part), "{told}");
    }
    let mean = read(text, with(Missing::Mean)).unwrap();
    assert_eq!(names(&mean), ["a", "b", "c=x", "c=z"]);
    let third = (4.0 / 3.0) + (6.0 / 3.0);
    assert_eq!(rows(&mean)[0].1, [1.0, third, 1.0, 0.0]);
    assert_eq!(rows(&mean)[1].1, [3.0, 4.0, 0.0, 0.0]);
    assert_eq!(rows(&mean)[2].1, [3.0, 6.0, 0.0, 1.0]);
    let table = mean.table().unwrap();
    assert_eq!(table.fills, Some(vec![3.0, third, 0.0, 0.0]));
    assert_eq!(table.missing, [(0, 1), (1, 1)]);
    let zero = read(text, with(Missing::Zero)).unwrap();
    assert_eq!(rows(&zero)[0].1[1], 0.0);
    let dropped = read(text, with(Missing::DropRows)).unwrap();
    assert_eq!(rows(&dropped), [("0".into(), vec![5.0, 0.0, 1.0, 0.0])]);
    assert_eq!(dropped.table().unwrap().dropped_rows, 3);
}

#[test]
fn a_missing_label_and_a_column_without_values() {
    let text = "y,a\n1,2\n,3\n0,4\n";
    assert!(refused(text, label("y")).contains("1 rows have no label, the first is row 2"));
    assert_eq!(
        read(text, TableOptions { missing: Missing::DropRows, ..label("y") }).unwrap().design().rows(),
        2
    );
    let empty = "y,a,b\n1,2,\n0,3,\n";
    assert!(refused(empty, TableOptions { missing: Missing::Mean, ..label("y") }).contains("--drop b"));
    assert!(
        refused(empty, TableOptions { missing: Missing::DropRows, ..label("y") }).contains("none is left")
    );
}

#[test]
fn faults_name_the_line() {
    let many: String = (0..1000).map(|i| format!("{},{i}\n", i % 2)).collect();
    let ragged = format!("y,a\n{many}1,2,3\n");
    let bad = format!("y,a\n{many}1,2.3.4\n");
    for block_bytes in [16, 1 << 16] {
        let told = |text: &str| {
            let options = ReadOptions { table: label("y"), ..ReadOptions::default() };
            read_in(text, &options, block_bytes).unwrap_err().to_string()
        };
        assert!(
            told(&ragged).contains("t.csv: line 1002: it has 3 values, but the header has 2"),
            "{}",
            told(&ragged)
        );
        assert!(told(&bad).contains("column a holds `2.3.4` in line 1002"), "{}", told(&bad));
    }
    assert!(refused("y,a\n1,inf\n", label("y")).contains("not a finite number"));
    assert!(refused("y,a\n1,1e999\n", label("y")).contains("not a finite number"));
    assert!(refused("a,b\nr1,1,2\n", label("b")).contains("row names"));
    assert!(refused("y,a\n", label("y")).contains("no rows"));
    assert!(refused("", label("y")).contains("no rows"));
    assert!(refused("y,a\n1,2\n0,\"2\n3", label("y")).contains("line 3: a value begins with a quote"));
}

#[test]
fn a_model_takes_what_it_wants() {
    let expected = Expected {
        label: Some("y".into()),
        names: vec!["a".into(), "c=x".into()],
        columns: vec![4, 1],
        width: 6,
        fills: None,
    };
    let options = |fills| ReadOptions {
        expected: Some(Expected { fills, ..expected.clone() }),
        unlabelled: true,
        ..ReadOptions::default()
    };
    let text = "c,note,a\nx,hello,2\nz,,3\n";
    let data = read_in(text, &options(None), 1 << 16).unwrap();
    assert_eq!(seen_entries(&data), [vec![(1, 1.0), (4, 2.0)], vec![(4, 3.0)]]);
    assert!(!data.labels().are_known());
    let gap = "y,c,a\n1,x,\n0,?,3\n";
    let told = read_in(gap, &options(None), 1 << 16).unwrap_err().to_string();
    assert!(told.contains("column a has 1 missing"), "{told}");
    let filled = read_in(gap, &options(Some(vec![9.0, 0.0])), 1 << 16).unwrap();
    assert_eq!(seen_entries(&filled), [vec![(1, 1.0), (4, 9.0)], vec![(4, 3.0)]]);
    assert_eq!(filled.labels().classes(), ["0", "1"]);
}

fn seen_entries(data: &Dataset) -> Vec<Vec<(usize, f64)>> {
    let entries = |i| {
        let mut entries = Vec::new();
        data.design().row(i).for_each(|j, x| entries.push((j, x)));
        entries
    };
    (0..data.design().rows()).map(entries).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        table in prop::collection::vec((any::<bool>(), prop::collection::vec(prop_oneof![Just(0.0), -1e300..1e300f64], 3)), 1..30),
        block_bytes in 1usize..200,
        quoted in any::<bool>(),
    ) {
        let cell = |x: f64| if quoted { format!("\"{x:?}\"") } else { format!("{x:?}") };
        let lines = table.iter().map(|(label, row)| {
            let cells: Vec<String> = row.iter().map(|&x| cell(x)).collect();
            format!("{},{}\n", if *label { "up" } else { "down" }, cells.join(","))
        });
        let text = String::from("way,a,b,c\n") + &lines.collect::<String>();
        let options = ReadOptions { table: label("way"), ..ReadOptions::default() };
        let data = read_in(&text, &options, block_bytes).unwrap();
        let found = rows(&data);
        for ((label, row), (found_label, found_row)) in table.iter().zip(&found) {
            prop_assert_eq!(if *label { "up" } else { "down" }, found_label);
            prop_assert_eq!(row, found_row);
        }
        prop_assert_eq!(found.len(), table.len());
    }

    #[test]
    fn nothing_panics_and_blocks_do_not_matter(text in "[a-c0-2,;\"\n. ]{0,60}", block_bytes in 1usize..20) {
        let options = ReadOptions { table: label("1"), ..ReadOptions::default() };
        let (one, other) = (read_in(&text, &options, block_bytes), read_in(&text, &options, 1 << 16));
        match (one, other) {
            (Ok(one), Ok(other)) => prop_assert_eq!(seen(&one), seen(&other)),
            (one, other) => prop_assert_eq!(one.is_err(), other.is_err()),
        }
    }
}

#[test]
fn lines_are_counted_also_with_carriage_returns_and_blank_lines() {
    for text in ["label,a\r\nx,1\r\ny,two\r\n", "label,a\n\nx,1\ny\n", "label,a\r\n\r\nx,1\r\ny\r\n"] {
        let line = text.lines().position(|line| line.starts_with('y')).unwrap() + 1;
        let fault = refused(text, TableOptions::default());
        assert!(fault.contains(&format!("line {line}")), "{text:?}: {fault}");
    }
}

#[test]
fn names_garble_no_message() {
    let long = "n".repeat(3000);
    for text in ["a,\"b\u{1b}[31m\nc\"\n1,2\n", &format!("a,{long}\n1,2\n")] {
        let asked = refused(text, TableOptions::default());
        let absent = refused(text, label("z\n"));
        for fault in [asked, absent] {
            assert!(!fault.contains(char::is_control) && fault.len() < 300, "{fault:?}");
        }
    }
}

#[test]
fn byte_order_marks_inside_are_not_seen() {
    let text = "\u{feff}label,a\n\u{feff}x,1\nx,2\n\u{feff}y,\u{feff}3\n";
    for block_bytes in [4, 1 << 10] {
        let data = read_in(text, &ReadOptions::default(), block_bytes).unwrap();
        assert_eq!(rows(&data), [("x".into(), vec![1.0]), ("x".into(), vec![2.0]), ("y".into(), vec![3.0])]);
    }
}
