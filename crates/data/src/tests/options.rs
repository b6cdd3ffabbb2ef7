//! What the options change, and where data comes from.

use std::io::Write;
use std::path::PathBuf;

use super::{fault_in, read_in, seen};
use crate::{ReadError, ReadOptions, Source, read, read_from};

#[test]
fn counting_from_zero() {
    let options = ReadOptions { zero_based: true, ..ReadOptions::default() };
    let data = read_in(b"1 0:5 2:1\n", &options, 64).unwrap();
    assert_eq!(data.design().cols(), 3);
    assert_eq!(seen(&data).rows[0].2, [(0, 5.0), (2, 1.0)]);
    let (_, column, text) = fault_in(b"1 4294967295:1\n", &options, 64);
    assert_eq!(column, 3, "{text}");
    assert!(read_in(b"1 4294967294:1\n", &options, 64).is_ok());
}

#[test]
fn a_fixed_number_of_features() {
    let options = ReadOptions { features: Some(5), ..ReadOptions::default() };
    assert_eq!(read_in(b"1 2:1\n", &options, 64).unwrap().design().cols(), 5);
    assert_eq!(read_in(b"1 5:1\n", &options, 64).unwrap().design().cols(), 5);
    assert_eq!(read_in(b"1\n", &options, 64).unwrap().design().cols(), 5);
    let (line, column, text) = fault_in(b"1 5:1\n1 1:1 6:1\n", &options, 64);
    assert_eq!((line, column), (2, 7));
    assert!(text.contains("index 6 is outside the 5 features"), "{text}");
    assert!(text.contains("--features"), "{text}");
    let options = ReadOptions { zero_based: true, ..options };
    assert!(read_in(b"1 4:1\n", &options, 64).is_ok());
    let (_, _, text) = fault_in(b"1 5:1\n", &options, 64);
    assert!(text.contains("an index below 5"), "{text}");
}

#[test]
fn impossible_numbers_of_features() {
    for features in [0, u32::MAX as usize + 1] {
        let options = ReadOptions { features: Some(features), ..ReadOptions::default() };
        let error = read_in(b"1\n", &options, 64).unwrap_err();
        assert!(matches!(error, ReadError::Data { .. }), "{error}");
    }
    let options = ReadOptions { features: Some(0), ..ReadOptions::default() };
    let (_, _, text) = fault_in(b"1 1:1\n", &options, 64);
    assert!(text.contains("outside the 0 features"), "{text}");
}

#[test]
fn a_limit_on_memory() {
    let limited = |bytes| ReadOptions { memory_limit: Some(bytes), ..ReadOptions::default() };
    let text = "1 1:1 2:2 3:3\n".repeat(100_000);
    assert!(read_in(text.as_bytes(), &limited(8 << 20), 4096).is_ok());
    let error = read_in(text.as_bytes(), &limited(2 << 20), 4096).unwrap_err();
    assert!(matches!(error, ReadError::Memory { limit_mib: 2, .. }), "{error}");
    assert!(error.to_string().contains("--memory-limit"), "{error}");
    // A single index can ask for gigabytes as well,
    let error = read_in(b"1 4000000000:1\n", &limited(1 << 30), 4096).unwrap_err();
    assert!(error.to_string().contains("4000000000 features"), "{error}");
    // and so can a single line.
    let line = "x".repeat(3 << 20);
    let error = read_in(line.as_bytes(), &limited(1 << 20), 4096).unwrap_err();
    assert!(error.to_string().contains("a single line takes"), "{error}");
}

#[test]
fn files() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let text = "1 1:1 7:2\n-1 3:0.25\n".repeat(50_000);
    file.write_all(text.as_bytes()).unwrap();
    let from_file = read(&Source::from(file.path().to_owned()), &ReadOptions::default()).unwrap();
    let from_memory = read_from(text.as_bytes(), "memory", &ReadOptions::default()).unwrap();
    assert_eq!(seen(&from_file), seen(&from_memory));
    assert_eq!(from_file.design().rows(), 100_000);
}

#[test]
fn what_is_no_file() {
    let error = read(&Source::from("no such file"), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot open no such file: "), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let error = read(&Source::Path(folder.path().to_owned()), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Io { .. } | ReadError::Open { .. }), "{error}");
}

#[test]
fn names_of_sources() {
    assert_eq!(Source::from("-"), Source::Stdin);
    assert_eq!("-".parse(), Ok(Source::Stdin));
    assert_eq!(Source::from("a-"), Source::Path(PathBuf::from("a-")));
    assert_eq!(Source::Stdin.to_string(), "standard input");
    assert_eq!(Source::from("x/y").to_string(), "x/y");
}

#[test]
fn any_number_of_features_can_be_asked_for() {
    for features in [1 << 61, usize::MAX] {
        let options =
            ReadOptions { features: Some(features), memory_limit: Some(1 << 20), ..ReadOptions::default() };
        let fault = read_from(&b"1 1:1\n"[..], "x", &options).unwrap_err().to_string();
        assert!(fault.contains(&format!("a matrix with {features} features")), "{fault}");
    }
}
