//! Prediction.

use std::io::Read;
use std::process::Stdio;

use crate::folder::{Folder, rows};

fn trained() -> Folder {
    let folder = Folder::with_data();
    folder.line("train --quiet data").ok();
    folder
}

#[test]
fn labels_and_decisions_agree_and_the_accuracy_is_theirs() {
    let folder = trained();
    let said = folder.line("predict data data.model out").ok().out;
    folder.line("predict --decision --quiet data data.model values").ok();
    let data = folder.read("data");
    let (labels, values) = (folder.read("out"), folder.read("values"));
    assert_eq!((labels.lines().count(), values.lines().count()), (80, 80));
    let mut right = 0;
    for ((label, value), row) in labels.lines().zip(values.lines()).zip(data.lines()) {
        let decision: f64 = value.parse().unwrap();
        assert_eq!(label, if decision > 0.0 { "1" } else { "-1" });
        right += usize::from(row.starts_with('+') == (decision > 0.0));
    }
    assert!(said.contains(&format!("({right} of 80 rows)")), "{said}");
    let report = folder.line("predict --json data data.model out2").ok().json();
    assert_eq!(report, serde_json::json!({"accuracy": right as f64 / 80.0, "samples": 80}));
    assert_eq!(folder.read("out2"), labels);
    // Without OUT: --json keeps standard output for itself.
    assert_eq!(folder.line("predict --json data data.model").ok().json(), report);
}

#[test]
fn standard_output_has_predictions_and_standard_error_the_accuracy() {
    let folder = trained();
    for line in ["predict data data.model", "predict data data.model -"] {
        let ran = folder.line(line);
        assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 80));
        assert!(ran.err.starts_with("accuracy ") && ran.err.lines().count() == 1, "{ran:?}");
    }
    assert_eq!(folder.line("predict --quiet data data.model").ok().out.lines().count(), 80);
    let piped = folder.line_with_input("predict --quiet - data.model", &folder.read("data")).ok();
    assert_eq!(piped.out, folder.line("predict --quiet data data.model").out);
    folder.line("predict --json data data.model -").refused("standard output");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = trained();
    folder.write("many", rows(20_000, ["-1", "+1"]));
    let mut command = folder.command(&["predict", "--quiet", "--decision", "many", "data.model"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut some = [0u8; 10];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn other_dimensions_are_no_trouble() {
    let folder = trained();
    folder.write("wide", "+1 1:1 900000:5\n-1 3:1\n");
    assert_eq!(folder.line("predict --json wide data.model").ok().json()["samples"], 2);
    folder.write("narrow", "1 1:1\n");
    assert_eq!(folder.line("predict --json narrow data.model").ok().json()["samples"], 1);
}

#[test]
fn three_kinds_of_labels_are_data_too() {
    // Prediction judges whatever labels there are; only training needs two.
    let folder = trained();
    folder.write("odd", "1 1:1 2:-1\n2 1:1 2:-1\n3 1:1 2:-1\n");
    let said = folder.line("predict odd data.model out").ok().out;
    assert!(said.contains("(1 of 3 rows)") && said.contains("the data has 2, 3"), "{said}");
}
