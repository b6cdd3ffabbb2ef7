//! Labels of any two values come back as they were.

use crate::folder::{Folder, rows};

#[test]
fn any_two_labels_make_the_same_model() {
    let mut objectives = Vec::new();
    for (labels, predicted) in [
        (["-1", "+1"], ["-1", "1"]),
        (["0", "1"], ["0", "1"]),
        (["1", "2"], ["1", "2"]),
        (["-2.5", "7"], ["-2.5", "7"]),
    ] {
        let folder = Folder::new();
        folder.write("data", rows(60, labels));
        objectives.push(folder.train("")["objective"].clone());
        assert_eq!(folder.model("data.model")["classes"], serde_json::json!(predicted));
        folder.line("predict --quiet data data.model out").ok();
        let mut seen: Vec<String> = folder.read("out").lines().map(str::to_owned).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen, predicted);
        assert!(folder.line("predict --json data data.model").json()["accuracy"].as_f64().unwrap() > 0.8);
    }
    assert!(objectives.windows(2).all(|pair| pair[0] == pair[1]), "{objectives:?}");
}

#[test]
fn one_class_is_refused_by_name() {
    let folder = Folder::new();
    folder.write("one", "1 1:1\n1 1:2\n");
    folder.line("train one").refused("one: ");
    folder.line("train --positive 1 one").refused("every row has the label 1");
    assert_eq!(folder.files(), ["one"]);
}
