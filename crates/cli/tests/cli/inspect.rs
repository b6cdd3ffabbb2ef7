//! What a model is made of.

use crate::folder::{Folder, number};

#[test]
fn features_come_by_weight() {
    let folder = Folder::with_data();
    let trained = folder.train("--lambda 0.001");
    let report = folder.line("inspect --json data.model").ok().json();
    let weights: Vec<f64> =
        report["weights"].as_array().unwrap().iter().map(|feature| number(feature, "weight").abs()).collect();
    assert_eq!(weights.len(), number(&trained, "nonzeros") as usize);
    assert!(weights.windows(2).all(|pair| pair[0] >= pair[1]));
    assert_eq!(report["certificate"]["objective"], trained["objective"]);
    assert_eq!(report["weights"][0]["index"], 1, "the first feature tells the label");
    assert_eq!(
        folder.line("inspect --json --top 2 data.model").ok().json()["weights"].as_array().unwrap().len(),
        2
    );

    let text = folder.line("inspect --top 2 data.model").ok().out;
    for part in ["80 rows, 6 features", "mcp (lambda 0.001, theta 3)", "certificate", "--top 0"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!folder.line("inspect data.model").ok().out.contains("--top 0"));
}

#[test]
fn scaled_models_show_both_weights() {
    let folder = Folder::with_data();
    folder.train("--scale standard");
    let text = folder.line("inspect data.model").ok().out;
    assert!(text.contains("per standard deviation") && text.contains("per raw unit"), "{text}");
    folder.train("--lambda 1000");
    assert!(folder.line("inspect data.model").ok().out.contains("0 of 6"));
}
