//! The .spv seeds are what is written of these data, byte for byte; `BLESS=1` writes them anew.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test says what it expects"
)]

use std::fs;
use std::path::Path;

use sparsvm_core::design::{Compressed, Dense, Sparse, Width};
use sparsvm_core::{Dataset, Labels};
use sparsvm_data::spv;

/// Everything that a file can hold.
fn full() -> Dataset {
    let rows = Compressed::new(vec![0, 2, 2, 5], vec![0, 2, 0, 1, 3], vec![1.5, -2.125, 0.5, 1e-3, 7.0], 4);
    let labels = Labels::from_texts(&["spam", "ham", "spam"]);
    let names = ["a", "b", "", "längst"].map(String::from).to_vec();
    let data = Dataset::new(Sparse::from_rows(rows.unwrap()), labels).unwrap();
    data.with_names(names).unwrap().with_queries(vec![3, 3, u64::MAX]).unwrap()
}

/// As little as a file can hold.
fn bare() -> Dataset {
    let x = Dense::from_rows(3, 2, &[1.0, 0.0, 0.0, 0.0, -1.0, 2.5][..]).unwrap();
    Dataset::new(x, Labels::from_numbers(&[1.0, -1.0, 1.0])).unwrap()
}

#[test]
fn spv_seeds_are_what_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/spv");
    for (name, data, width) in [
        ("full", full(), Width::F64),
        ("full-f32", full(), Width::F32),
        ("bare", bare(), Width::F64),
        ("bare-f32", bare(), Width::F32),
    ] {
        let mut bytes = Vec::new();
        spv::write(&data, width, &mut bytes).unwrap();
        if std::env::var_os("BLESS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), &bytes).unwrap();
        }
        assert!(fs::read(folder.join(name)).unwrap() == bytes, "{name}");
    }
}
