//! Labels from a file of their own.

use std::io::Write;

use super::numpy::npy;
use crate::{Missing, ReadOptions, TableOptions, read_from};

const MATRIX: &str = "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 5\n3 2 7\n";

fn with(labels: &[u8], data: &str, table: TableOptions) -> Result<Vec<String>, String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(labels).unwrap();
    let options = ReadOptions { labels: Some(file.path().to_owned()), table, ..ReadOptions::default() };
    let data = read_from(data.as_bytes(), "data", &options).map_err(|error| error.to_string())?;
    let labels = data.labels();
    Ok(labels.codes().iter().map(|&code| labels.classes()[code as usize].clone()).collect())
}

fn matrix(labels: &[u8]) -> Result<Vec<String>, String> {
    with(labels, MATRIX, TableOptions::default())
}

#[test]
fn lines_and_arrays() {
    assert_eq!(matrix(b"1\n-1\n+1\n").unwrap(), ["1", "-1", "1"]);
    assert_eq!(
        matrix("\u{feff}yes\r\nno way\r\n yes \r\n\r\n".as_bytes()).unwrap(),
        ["yes", "no way", "yes"]
    );
    let numbers: Vec<u8> = [1.0f32, 0.5, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(matrix(&npy(1, "<f4", false, "(3,)", &numbers)).unwrap(), ["1", "0.5", "1"]);
    assert_eq!(matrix(&npy(1, "|b1", false, "(3, 1)", &[1, 0, 1])).unwrap(), ["1", "0", "1"]);
    assert_eq!(matrix(&npy(1, "|S2", false, "(3,)", b"a\0bcd\0")).unwrap(), ["a", "bc", "d"]);
    let texts: Vec<u8> = ['é', 'b', 'é'].iter().flat_map(|&c| u32::from(c).to_be_bytes()).collect();
    assert_eq!(matrix(&npy(1, ">U1", false, "(3,)", &texts)).unwrap(), ["é", "b", "é"]);
    let table = "a,b\n1,2\n3,4\n";
    assert_eq!(with(b"x\ny\n", table, TableOptions::default()).unwrap(), ["x", "y"]);
}

#[test]
fn one_a_row_and_no_others() {
    for (labels, words) in [
        (&b"1\n-1\n"[..], &["2 labels", "data has 3 rows"][..]),
        (b"1\n-1\n1\n1\n", &["4 labels"]),
        (b"1\n\n1\n", &["line 2 is blank"]),
        (b"", &["no rows"]),
        (b"1\n\xff\n", &["line 2 is not UTF-8"]),
        (&npy(1, "<f4", false, "(3, 2)", &[0; 24]), &["(3, 2)"]),
        (&npy(1, "<f4", false, "(3,)", &[0, 0, 0xc0, 0x7f].repeat(3)), &["element 0"]),
        (&npy(1, "<f4", false, "(3,)", &[0; 11]), &["truncated"]),
    ] {
        let told = matrix(labels).unwrap_err();
        words.iter().for_each(|word| assert!(told.contains(word), "no {word:?} in {told}"));
    }
    let told = with(b"1\n", "1 1:1\n", TableOptions::default()).unwrap_err();
    assert!(told.contains("labels of its own") && told.contains("leave --labels out"), "{told}");
    let told = with(b"1\n", "y,a\n0,1\n", TableOptions::default()).unwrap_err();
    assert!(told.contains("--drop y"), "{told}");
    let drop = TableOptions { drop: vec!["y".into()], ..TableOptions::default() };
    assert_eq!(with(b"7\n", "y,a\n0,1\n", drop).unwrap(), ["7"]);
    let label = TableOptions { label: Some("a".into()), ..TableOptions::default() };
    assert!(with(b"1\n", "b,a\n0,1\n", label).unwrap_err().contains("or --label"));
    let missing = TableOptions { missing: Missing::DropRows, ..TableOptions::default() };
    let told = with(b"1\n2\n", "b,a\n0,1\n1,\n", missing).unwrap_err();
    assert!(told.contains("1 were left out"), "{told}");
}
