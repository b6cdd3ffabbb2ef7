//! Pieces of a file are the file, in order, and faults have its lines.

use std::io::Write;

use super::seen;
use crate::{ReadOptions, Source, StreamError, TableOptions, read, stream};

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

fn streamed(text: &str, options: &ReadOptions) -> Result<Vec<super::Entries>, String> {
    let file = file(text);
    let mut all = Vec::new();
    let rows =
        |data: &sparsvm_core::Dataset| seen(data).rows.into_iter().map(|row| row.2).collect::<Vec<_>>();
    stream(&Source::from(file.path().to_owned()), options, rows, |rows| {
        all.extend(rows);
        Ok(())
    })
    .map_err(|error| error.to_string())?;
    Ok(all)
}

fn long(lines: usize, line: impl Fn(usize) -> String) -> String {
    (0..lines).map(line).collect()
}

#[test]
fn pieces_are_the_whole() {
    let libsvm = long(40_000, |i| format!("{} {}:{i} {}:0.5\n", i % 2, i % 7 + 1, i % 11 + 9));
    let csv = String::from("a,y,b\n") + &long(40_000, |i| format!("{i},{},{}\n", i % 2, i % 5));
    let table = TableOptions { label: Some("y".into()), ..TableOptions::default() };
    for (text, options) in
        [(libsvm, ReadOptions::default()), (csv, ReadOptions { table, ..ReadOptions::default() })]
    {
        let file = file(&text);
        let whole = read(&Source::from(file.path().to_owned()), &options).unwrap();
        let rows: Vec<super::Entries> = seen(&whole).rows.into_iter().map(|row| row.2).collect();
        assert_eq!(streamed(&text, &options).unwrap(), rows);
    }
}

#[test]
fn faults_have_the_files_lines() {
    let libsvm = long(50_000, |i| format!("1 {}:{i}\n", i + 1)) + "1 x\n";
    let told = streamed(&libsvm, &ReadOptions::default()).unwrap_err();
    assert!(told.contains("line 50001, column 3"), "{told}");
    let table = TableOptions { label: Some("y".into()), ..TableOptions::default() };
    let options = ReadOptions { table, ..ReadOptions::default() };
    let csv = String::from("y,a\n") + &long(90_000, |i| format!("1,{i}\n"));
    let told = |last: &str| streamed(&format!("{csv}{last}"), &options).unwrap_err();
    assert!(told("1,word\n").contains("column a holds `word` in line 90002"), "{}", told("1,word\n"));
    assert!(told("1,2,3\n").contains("line 90002"), "{}", told("1,2,3\n"));
    assert!(told("1,\n").contains("the first in row 90001"), "{}", told("1,\n"));
}

#[test]
fn whoever_takes_may_stop() {
    let file = file("1 1:1\n0 1:2\n");
    let stopped = stream(
        &Source::from(file.path().to_owned()),
        &ReadOptions::default(),
        |_| (),
        |()| Err(std::io::ErrorKind::BrokenPipe.into()),
    );
    assert!(
        matches!(stopped, Err(StreamError::Taken(error)) if error.kind() == std::io::ErrorKind::BrokenPipe)
    );
}
