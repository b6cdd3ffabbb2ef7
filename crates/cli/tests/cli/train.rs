//! Training: what is printed, what is written, what the options change.

use std::io::Write as _;

use crate::folder::{Folder, absent, number, rows};

#[test]
fn json_is_one_object_with_the_named_fields() {
    let folder = Folder::with_data();
    folder.write("test", rows(30, ["-1", "+1"]));
    let report = folder.train("--solver feadmm --test test");
    for key in [
        "objective",
        "loss",
        "penalty_value",
        "nonzeros",
        "features",
        "samples",
        "intercept",
        "iterations",
        "gap",
        "violation",
        "paper_objective",
        "test_accuracy",
        "lambda",
        "theta",
    ] {
        number(&report, key);
    }
    ["load", "setup", "solve"].iter().for_each(|key| assert!(number(&report["seconds"], key) >= 0.0));
    let parts = number(&report, "loss") + number(&report, "penalty_value");
    assert!((number(&report, "objective") - parts).abs() < 1e-12);
    assert_eq!((number(&report, "samples"), number(&report, "features")), (80.0, 6.0));
    assert_eq!((&report["penalty"], &report["model"]), (&"mcp".into(), &"data.model".into()));
    assert_eq!(number(&report, "lambda"), 0.015625);
    assert!(number(&report, "test_accuracy") > 0.8);
    let status = report["status"].as_str().unwrap();
    assert!(["converged", "max_iter", "max_time", "interrupted", "stalled"].contains(&status));
    assert!(folder.train("")["test_accuracy"].is_null());
}

#[test]
fn the_table_tells_what_matters() {
    let folder = Folder::with_data();
    folder.write("test", rows(30, ["-1", "+1"]));
    let ran = folder.line("train --test test data").ok();
    for part in [
        "80 rows, 6 features",
        "of 6",
        "objective",
        "gap",
        "violation",
        "load",
        "test accuracy",
        "data.model",
    ] {
        assert!(ran.out.contains(part), "{part} is not in\n{}", ran.out);
    }
    assert_eq!(folder.line("train --quiet data").ok().out, "");
    let none = folder.line("train --lambda 100 data").ok();
    assert!(none.out.contains("0 of 6: try a smaller --lambda"), "{}", none.out);
}

#[test]
fn the_model_goes_where_it_is_said_or_beside_us() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder.write("sub/heart.txt", rows(40, ["-1", "+1"]));
    folder.line("train --quiet sub/heart.txt").ok();
    folder.line("train --quiet sub/heart.txt sub/mine").ok();
    assert_eq!(folder.files(), ["heart.txt.model", "sub"]);
    assert_eq!(folder.read("heart.txt.model"), folder.read("sub/mine"));
    let model = folder.model("heart.txt.model");
    assert_eq!((&model["classes"], &model["version"]), (&serde_json::json!(["-1", "1"]), &1.into()));
    std::fs::remove_file(folder.path("heart.txt.model")).unwrap();
    folder.line("train --quiet --no-model sub/heart.txt").ok();
    absent(&folder.path("heart.txt.model"));
}

#[test]
fn standard_input_and_compressed_files_give_the_same_model() {
    let folder = Folder::with_data();
    let text = folder.read("data");
    let plain = folder.train("--no-model");
    folder.line_with_input("train --quiet --lambda 0.015625 -", &text).ok();
    let piped = folder.model("stdin.model");
    assert_eq!(piped["certificate"]["objective"], plain["objective"]);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    folder.write("data.gz", gz.finish().unwrap());
    let packed = folder.line("train --json --lambda 0.015625 data.gz").ok().json();
    assert_eq!((&packed["objective"], &packed["model"]), (&plain["objective"], &"data.gz.model".into()));
}

#[test]
fn scaling_is_in_the_model_and_raw_data_is_predicted() {
    let folder = Folder::with_data();
    // One feature in other units: with scaling nothing changes but its raw weight.
    let stretched: String = folder
        .read("data")
        .lines()
        .map(|line| {
            let (rest, last) = line.rsplit_once(':').unwrap();
            format!("{rest}:{:?}\n", last.parse::<f64>().unwrap() * 1024.0)
        })
        .collect();
    folder.write("stretched", stretched);
    for how in ["standard", "max-abs"] {
        let report = folder.train(&format!("--scale {how} --test data"));
        let line = format!("train --json --lambda 0.015625 --scale {how} --test stretched stretched");
        let other = folder.line(&line).ok().json();
        assert!((number(&report, "objective") - number(&other, "objective")).abs() < 1e-9);
        assert_eq!(report["test_accuracy"], other["test_accuracy"]);
        let model = folder.model("stretched.model");
        assert_eq!(model["scaling"], how);
        assert_eq!(
            model["scale_factors"].as_array().unwrap().len(),
            model["weights"].as_array().unwrap().len()
        );
    }
    // l1 sees every unit; MCP is flat for large weights.
    let [plain, scaled] =
        ["none", "standard"].map(|how| folder.train(&format!("--penalty l1 --no-model --scale {how}")));
    assert!((number(&plain, "objective") - number(&scaled, "objective")).abs() > 1e-6);
}

#[test]
fn weights_of_classes_and_rows_are_the_same_thing() {
    let folder = Folder::with_data();
    let weights: String =
        folder.read("data").lines().map(|line| if line.starts_with('+') { "5\n" } else { "1\n" }).collect();
    folder.write("weights", weights);
    let by_row = folder.train("--penalty l1 --weights weights");
    for by_class in ["1=5", "+1=5,-1=1", "-1=1,1.0=5"] {
        let report = folder.train(&format!("--penalty l1 --class-weight {by_class}"));
        assert_eq!(report["objective"], by_row["objective"], "{by_class}");
    }
    let plain = folder.train("--penalty l1");
    assert_ne!(by_row["objective"], plain["objective"]);
    let balanced = folder.train("--penalty l1 --class-weight balanced");
    assert_ne!(balanced["objective"], plain["objective"]);
    folder.line("train --class-weight 7=2 data").refused("the labels in the data are -1 and 1");
    folder.line("train --class-weight 1 data").misused("LABEL=WEIGHT");
}

#[test]
fn penalty_factors_decide_which_features_stay() {
    let folder = Folder::with_data();
    folder.write("all", "1000\n1\n1\n1\n1\n1\n");
    folder.write("some", "# the first feature is too dear\n1 1000\n");
    let all = folder.train("--penalty l1 --penalty-factors all");
    assert_eq!(all["objective"], folder.train("--penalty l1 --penalty-factors some")["objective"]);
    let kept = folder.model("data.model")["indices"].clone();
    assert!(!kept.as_array().unwrap().contains(&0.into()), "{kept}");
    folder.write("free", "5 0\n");
    folder.train("--penalty l1 --lambda 10 --penalty-factors free");
    assert_eq!(folder.model("data.model")["indices"], serde_json::json!([4]));
    folder.write("short", "1\n1\n");
    folder.line("train --penalty-factors short data").refused("2 factors for 6 features");
    folder.write("bad", "1\nx\n");
    folder.line("train --penalty-factors bad data").refused("bad, line 2: found `x`");
    folder.line("train --weights bad data").refused("bad, line 2");
    folder.line("train --weights nowhere data").refused("cannot read nowhere");
}

#[test]
fn losses_penalties_and_the_intercept_reach_the_solver() {
    let folder = Folder::with_data();
    let mut seen = std::collections::BTreeSet::new();
    for options in [
        "",
        "--no-intercept",
        "--l2 0.1",
        "--loss squared-hinge",
        "--loss huber-hinge",
        "--loss huber-hinge --delta 0.5",
        "--penalty l1",
        "--penalty scad",
        "--penalty scad --theta 10",
        "--penalty lsp",
        "--penalty capped-l1",
        "--penalty lp",
        "--penalty lp --theta 0.9",
        "--lambda 0.1",
    ] {
        let report = folder.train(options);
        assert!(seen.insert(report["objective"].to_string()), "{options} changes nothing");
        assert_eq!(report["intercept"] == 0.0, options == "--no-intercept", "{options}");
    }
}

#[test]
fn dimensions_can_be_fixed_and_counted_from_zero() {
    let folder = Folder::with_data();
    assert_eq!(folder.train("--features 9")["features"], 9);
    folder.line("train --features 5 data").refused("data, line 1");
    let zero: String = folder
        .read("data")
        .lines()
        .map(|line| {
            format!(
                "{}\n",
                (1..=6).fold(line.to_owned(), |l, j| l.replace(&format!(" {j}:"), &format!(" {}:", j - 1)))
            )
        })
        .collect();
    folder.write("zero", zero);
    let report = folder.line("train --json --lambda 0.015625 --zero-based zero").ok().json();
    assert_eq!(report["objective"], folder.train("")["objective"]);
    folder.line("train zero").refused("zero, line 1");
}

#[test]
fn threads_do_not_change_the_model() {
    let folder = Folder::with_data();
    // Where λ is given, a seed draws nothing.
    for [one, three] in [["", ""], ["--lambda 0.02 ", "--lambda 0.02 --seed 7 "]] {
        folder.line(&format!("train --quiet --threads 1 {one}data one")).ok();
        folder.line(&format!("train --quiet --threads 3 {three}data three")).ok();
        assert_eq!(folder.read("one"), folder.read("three"));
    }
    folder.line("train --threads 0 data").misused("--threads");
}

#[test]
fn test_rows_with_unknown_labels_are_wrong() {
    let folder = Folder::with_data();
    folder.write("test", "+1 1:0.9 2:-0.9\n7 1:0.9 2:-0.9 12:3\n");
    assert_eq!(folder.train("--test test")["test_accuracy"], 0.5);
    let said = folder.line("train --test test data").ok().out;
    assert!(
        said.contains("50 % (1 of 2 rows); the model knows the labels -1 and 1, but the data has 7"),
        "{said}"
    );
}
