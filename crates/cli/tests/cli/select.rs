//! Stability selection.

use crate::folder::{Folder, number, wide_rows};

fn wide() -> Folder {
    let folder = Folder::new();
    folder.write("data", wide_rows(120, 40, ["-1", "+1"]));
    folder
}

#[test]
fn planted_features_are_stable_and_the_bound_is_told() {
    let folder = wide();
    let report = folder.line("select --json --out s.csv data").ok().json();
    let features = report["selected"].as_array().unwrap();
    let mut stable: Vec<_> =
        features.iter().filter(|f| f["stable"] == true).map(|f| f["index"].clone()).collect();
    stable.sort_by_key(|index| index.as_u64());
    assert_eq!(stable, [1, 2]);
    assert_eq!((&report["halves"], &report["q"], &report["stable"]), (&100.into(), &4.0.into(), &2.into()));
    assert!((number(&report, "bound") - 16.0 / (0.5 * 40.0)).abs() < 1e-12);
    assert_eq!(folder.read("s.csv").lines().count(), 1 + features.len());
    let said = folder.line("select --top 3 data").ok().out;
    for part in ["stable", "100 %", "at most 0.8 are expected", "and ", "more that some half selected"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let one = folder.line("select --json --threads 1 --expect 3 --pairs 10 --scale standard data").ok().out;
    let two = folder.line("select --json --threads 2 --expect 3 --pairs 10 --scale standard data").ok().out;
    assert_eq!(one, two);
    let at = folder.line("select --json --lambda 0.1 --pairs 5 --penalty mcp data").ok().json();
    assert_eq!(at["q"], at["mean_selected"]);
}

#[test]
fn bad_settings_are_refused() {
    let folder = wide();
    for (options, part) in [
        ("--threshold 0.5", "--threshold 0.5"),
        ("--threshold 1.1", "--threshold 1.1"),
        ("--pairs 0", "pairs"),
        ("--expect 0", "expect"),
        ("--lambda 0", "--lambda 0"),
        ("--penalty mcp,l1", "one --penalty"),
        ("--out s.txt", "must end in .json or .csv"),
        ("--test data", "--test means nothing"),
    ] {
        folder.line(&format!("select {options} data")).refused(part);
    }
    folder.line("select --expect 3 --lambda 1 data").misused("--lambda");
}

#[test]
fn a_killed_run_goes_on_to_the_same_bits() {
    let folder = wide();
    let line = "select --json --pairs 300 --resume run data";
    let whole = folder.line("select --json --pairs 300 data").ok().out;
    assert_eq!(folder.kill_and_resume(line).out, whole);
    folder.line("select --pairs 300 --seed 2 --resume run data").refused("seed 0, but this run has 2");
}
