//! The same numbers in any format, on any number of threads, give the same bits.

use std::fmt::Write as _;

use sparsvm_core::design::Width;
use sparsvm_data::{ReadOptions, Source, read, spv};

use crate::nasty::rows;
use crate::room::Room;

/// Writes data as a mapped file.
pub(crate) fn map(room: &Room, from: &str, to: &str) {
    let data = read(&Source::from(room.path(from)), &ReadOptions::default()).unwrap();
    let mut bytes = Vec::new();
    spv::write(&data, Width::F64, &mut bytes).unwrap();
    room.write(to, bytes);
}

/// LIBSVM text with every feature in every row, as a table without names.
fn table(text: &str) -> String {
    let mut table = String::new();
    for line in text.lines() {
        let fields = line.split(' ').map(|field| field.rsplit(':').next().unwrap());
        writeln!(table, "{}", fields.collect::<Vec<_>>().join(",")).unwrap();
    }
    table
}

/// A table without names must be told where its label is.
fn told(name: &str) -> String {
    if name.ends_with(".csv") { format!("--label 1 {name}") } else { name.to_owned() }
}

/// Large enough for the parallel code to run.
fn room() -> Room {
    let text = rows(3_400, &[1.0; 20]);
    let room = Room::with("data", &text);
    room.write("data.csv", table(&text));
    map(&room, "data", "data.spv");
    room
}

#[test]
fn a_model_is_the_same_in_every_format_and_on_any_number_of_threads() {
    let room = room();
    for options in [
        "--penalty mcp --starts 2",
        "--penalty l1 --loss squared-hinge",
        "--penalty scad --starts 2 --scale standard",
    ] {
        let mut expected = None;
        for name in ["data", "data.csv", "data.spv"] {
            for threads in [1, 2, 3] {
                let train =
                    format!("train --quiet --lambda 0.01 {options} --threads {threads} {} model", told(name));
                room.line(&train).ok();
                // The name of the data is told, and of a table how its label's column is called.
                let text = String::from_utf8(room.bytes("model")).unwrap().replace(name, "data");
                let text: String = text.lines().filter(|line| !line.contains("\"label\"")).collect();
                let expected = expected.get_or_insert_with(|| text.clone());
                assert!(*expected == text, "{train}\n{expected}\n{text}");
            }
        }
        assert!(!room.model("model")["indices"].as_array().unwrap().is_empty(), "{options}");
    }
}

#[test]
fn a_path_is_the_same_in_every_format_and_on_any_number_of_threads() {
    let room = room();
    let mut expected = None;
    for name in ["data", "data.csv", "data.spv"] {
        for threads in [1, 2, 3] {
            let line =
                format!("path --quiet --n-lambda 12 --threads {threads} --out path.json {}", told(name));
            room.line(&line).ok();
            let mut path = room.model("path.json");
            // Times differ, and the report names the data.
            let differs = |key: &str| key.ends_with("seconds") || ["report", "data"].contains(&key);
            path.as_object_mut().unwrap().retain(|key, _| !differs(key));
            assert!(path["coefficients"].as_array().unwrap().len() == 12);
            assert_eq!(*expected.get_or_insert_with(|| path.clone()), path, "{line}");
        }
    }
}
