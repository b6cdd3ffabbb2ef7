//! Mapped files, wherever data is taken.

use std::fs::File;

use sparsvm_core::design::Width;
use sparsvm_data::{ReadOptions, Source, read, spv};

use crate::folder::Folder;

/// A folder with `data`, and the same as `data.spv`.
fn folder() -> Folder {
    let folder = Folder::with_data();
    let data = read(&Source::from(folder.path("data")), &ReadOptions::default()).unwrap();
    let mut bytes = Vec::new();
    spv::write(&data, Width::F64, &mut bytes).unwrap();
    folder.write("data.spv", bytes);
    folder
}

#[test]
fn a_mapped_file_makes_the_same_model() {
    let folder = folder();
    for scale in ["none", "standard"] {
        folder.line(&format!("train --quiet --lambda 0.05 --scale {scale} data text.model")).ok();
        folder.line(&format!("train --quiet --lambda 0.05 --scale {scale} data.spv spv.model")).ok();
        let [text, mapped] = ["text.model", "spv.model"].map(|name| folder.model(name));
        for field in ["weights", "indices", "intercept", "classes", "certificate"] {
            assert_eq!(text[field], mapped[field], "{scale} {field}");
        }
    }
    let accuracy = |data: &str| folder.line(&format!("predict --json {data} text.model")).json();
    assert_eq!(accuracy("data")["accuracy"], accuracy("data.spv")["accuracy"]);
}

#[test]
fn damage_pipes_and_wrong_features_are_told() {
    let folder = folder();
    let bytes = std::fs::read(folder.path("data.spv")).unwrap();
    folder.line("train --lambda 0.1 --features 9 data.spv").refused("leave --features out");
    folder.write("cut.spv", &bytes[..bytes.len() - 1]);
    folder.line("train --lambda 0.1 cut.spv").refused("cut.spv, end of the file: ");
    let mut changed = bytes;
    changed[2000] ^= 4;
    folder.write("changed.spv", changed);
    folder.line("train --lambda 0.1 changed.spv").refused("convert the original data again");
    let mut piped = folder.command(&["train", "--lambda", "0.1", "--no-model", "-"]);
    let output = piped.stdin(File::open(folder.path("data.spv")).unwrap()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        told.contains("standard input: this is an .spv file") && told.contains("give the file itself"),
        "{told}"
    );
}
