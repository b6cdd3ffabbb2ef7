//! The same files through [`read`](crate::read).

use std::fs::File;

use sparsvm_core::design::Width;

use super::super::Map;
use super::{Place, bytes_of, small};
use crate::tests::seen;
use crate::{ReadError, ReadOptions, Source, read, read_from};

#[test]
fn a_file_is_recognised_by_its_content() {
    let place = Place::new();
    let path = place.path().with_extension("data");
    std::fs::write(&path, bytes_of(&small(), Width::F64)).unwrap();
    let source = Source::from(path);
    let data = read(&source, &ReadOptions::default()).unwrap();
    assert_eq!(seen(&data), seen(&small()));
    // The map outlives the file's name.
    let Source::Path(path) = &source else { panic!() };
    std::fs::remove_file(path).unwrap();
    assert_eq!(seen(&data), seen(&small()));
}

#[test]
fn features_and_memory_are_checked() {
    let place = Place::new();
    place.read(&bytes_of(&small(), Width::F64)).unwrap();
    let source = Source::from(place.path().to_owned());
    let with = |features, memory_limit| {
        read(&source, &ReadOptions { features, memory_limit, ..ReadOptions::default() })
    };
    assert!(with(Some(4), Some(1 << 20)).is_ok());
    let fault = with(Some(5), None).unwrap_err().to_string();
    assert!(fault.contains("of 4 features, but 5 were asked for: leave --features out"), "{fault}");
    assert!(matches!(with(None, Some(50)), Err(ReadError::Memory { .. })));
    // The matrix does not count: codes, query numbers and names take less than 200 bytes.
    assert!(with(None, Some(200)).is_ok());
}

#[test]
fn a_pipe_gets_a_remedy() {
    let bytes = bytes_of(&small(), Width::F64);
    let fault = read_from(&bytes[..], "standard input", &ReadOptions::default()).unwrap_err().to_string();
    assert!(fault.starts_with("standard input: this is an .spv file"), "{fault}");
    assert!(fault.contains("give the file itself"), "{fault}");
}

#[test]
fn a_damaged_file_is_refused_and_named() {
    let place = Place::new();
    let mut bytes = bytes_of(&small(), Width::F64);
    let last = bytes.len() - 1;
    bytes[last] ^= 128;
    place.fault(&bytes);
    let fault =
        read(&Source::from(place.path().to_owned()), &ReadOptions::default()).unwrap_err().to_string();
    assert!(fault.contains("x.spv, index: its checksum is wrong"), "{fault}");
}

#[test]
fn a_file_that_changes_before_it_is_verified_is_refused() {
    let place = Place::new();
    place.read(&bytes_of(&small(), Width::F64)).unwrap();
    let map = Map::open(place.path()).unwrap();
    let earlier = std::time::SystemTime::UNIX_EPOCH;
    File::options().write(true).open(place.path()).unwrap().set_modified(earlier).unwrap();
    let fault = map.into_dataset().unwrap_err().to_string();
    assert!(fault.contains("changed while it was read"), "{fault}");
}
