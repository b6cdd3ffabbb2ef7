//! More than two classes.

use std::fmt::Write as _;

use serde_json::json;

use crate::folder::{Folder, number, numbers};

/// So many rows of each label, around centres that the first features tell apart.
pub(crate) fn classes(labels: &[&str], rows: usize) -> String {
    let mut state = 7u32;
    let mut uniform = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 24) * 2.0 - 1.0
    };
    let mut text = String::new();
    for i in 0..rows * labels.len() {
        let k = i % labels.len();
        write!(text, "{}", labels[k]).unwrap();
        for j in 0..6 {
            let x = uniform() + if j == k { 1.2 } else { 0.0 };
            write!(text, " {}:{x:.4}", j + 1).unwrap();
        }
        text.push('\n');
    }
    text
}

fn three() -> Folder {
    let folder = Folder::new();
    folder.write("data", classes(&["0", "1", "2"], 30));
    folder
}

#[test]
fn three_classes_are_fitted_one_against_the_rest() {
    let folder = three();
    let report = folder.train("--test data");
    assert_eq!(report["classes"], json!(["0", "1", "2"]));
    assert_eq!(report["status"], "converged");
    let machines = report["machines"].as_array().unwrap();
    assert_eq!(machines.len(), 3);
    for (k, machine) in machines.iter().enumerate() {
        // Each machine is the binary problem of its class.
        let line = format!("train --json --lambda 0.015625 --positive {k} data one.model");
        let alone = folder.line(&line).ok().json();
        assert_eq!(machine["class"], json!(k.to_string()));
        assert_eq!((machine["rows"].as_u64(), number(machine, "lambda")), (Some(30), 0.015625));
        assert_eq!(machine["objective"], alone["objective"]);
        assert_eq!(machine["nonzeros"], alone["nonzeros"]);
        assert_eq!(folder.model("one.model")["classes"], json!([format!("not {k}"), k.to_string()]));
        assert_eq!(
            folder.model("one.model")["weights"],
            folder.model("data.model")["machines"][k]["weights"]
        );
    }
    let gaps: Vec<f64> = machines.iter().map(|machine| number(machine, "gap")).collect();
    assert_eq!(number(&report, "gap"), gaps.into_iter().fold(0.0, f64::max));
    assert!(report["nonzeros"].as_u64() >= machines[0]["nonzeros"].as_u64());

    let accuracy = number(&report, "test_accuracy");
    assert!(accuracy > 0.7, "{accuracy}");
    assert_eq!(number(&folder.line("predict --json data data.model").ok().json(), "accuracy"), accuracy);
    let table = folder.line("train --lambda 0.015625 data").ok().out;
    assert!(table.contains("3 classes") && table.contains("\n  2        30"), "{table}");
}

#[test]
fn the_largest_decision_value_is_the_label() {
    let folder = three();
    folder.train("--scale standard");
    folder.line("predict --quiet data data.model labels").ok();
    folder.line("predict --quiet --decision data data.model values").ok();
    let (labels, values) = (folder.read("labels"), folder.read("values"));
    assert_eq!((labels.lines().count(), values.lines().count()), (90, 90));
    for (label, line) in labels.lines().zip(values.lines()) {
        let values: Vec<f64> = line.split(' ').map(|value| value.parse().unwrap()).collect();
        let best = (0..3).max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a))).unwrap();
        assert_eq!((values.len(), label.to_owned()), (3, best.to_string()));
    }
    folder.line("predict --probability data data.model").refused("--probability");
}

#[test]
fn lambda_is_chosen_for_all_classes_together() {
    let folder = three();
    let report = folder.line("train --json --penalty l1 --probability data").ok().json();
    let lambdas: Vec<f64> =
        report["machines"].as_array().unwrap().iter().map(|machine| number(machine, "lambda")).collect();
    assert!(lambdas.iter().all(|lambda| *lambda == lambdas[0]), "{lambdas:?}");
    assert_eq!(
        (report["cv"]["folds"].as_u64(), report["cv"]["measure"].as_str()),
        (Some(5), Some("accuracy"))
    );
    assert!(number(&report["cv"], "score") > 0.7 && number(&report["cv"], "lambda_max") > lambdas[0]);
    // The choice is a matter of the seed alone, not of threads.
    let model = folder.read("data.model");
    folder.line("train --quiet --penalty l1 --probability --threads 1 data again").ok();
    assert_eq!(folder.read("again"), model);
    for (option, value) in [("--score", "mcc"), ("--score", "auc"), ("--rule", "bic"), ("--rule", "min")] {
        folder.run(&["train", "--quiet", "--penalty", "l1", option, value, "--no-model", "data"]).ok();
    }
}

#[test]
fn probabilities_are_written_as_liblinear_does() {
    let folder = three();
    for options in ["--lambda 0.02", "--penalty l1"] {
        folder.line(&format!("train --quiet --probability {options} data")).ok();
        assert_eq!(folder.model("data.model")["version"], 3);
        folder.line("predict --quiet --probability data data.model out").ok();
        let labels = folder.line("predict --quiet data data.model").ok().out;
        let out = folder.read("out");
        let mut lines = out.lines();
        assert_eq!(lines.next(), Some("labels 0 1 2"));
        let mut likely = 0;
        for (line, label) in lines.zip(labels.lines()) {
            let words: Vec<&str> = line.split(' ').collect();
            let p: Vec<f64> = words[1..].iter().map(|word| word.parse().unwrap()).collect();
            assert_eq!((words[0], p.len()), (label, 3));
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.iter().all(|p| (0.0..=1.0).contains(p)));
            let best = (0..3).max_by(|&a, &b| p[a].total_cmp(&p[b])).unwrap();
            likely += usize::from(best.to_string() == label);
        }
        assert!(likely > 70, "{likely}");
    }
    folder.line("predict --probability --decision data data.model").misused("--decision");
}

#[test]
fn two_classes_have_probabilities_too() {
    let folder = Folder::with_data();
    for options in ["--lambda 0.02", "--penalty l1", "--max-features 2", "--solver gist --loss squared-hinge"]
    {
        let report = folder.line(&format!("train --json --probability {options} data")).ok().json();
        assert!(number(&report["sigmoid"], "a") < 0.0, "{report}");
        let out = folder.line("predict --quiet --probability data data.model").ok().out;
        let mut lines = out.lines();
        assert_eq!(lines.next(), Some("labels -1 1"));
        let values = folder.line("predict --quiet --decision data data.model").ok().out;
        for (line, value) in lines.zip(values.lines()) {
            let words: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let (a, c) = (number(&report["sigmoid"], "a"), number(&report["sigmoid"], "c"));
            let s: f64 = value.parse().unwrap();
            assert!((words[2] - 1.0 / (1.0 + (a * s + c).exp())).abs() < 1e-12);
            assert!((words[1] + words[2] - 1.0).abs() < 1e-15);
        }
        let told = folder.line("inspect data.model").ok().out;
        assert!(told.contains("probability") && told.contains("of 1: 1/(1 + exp(-"), "{told}");
    }
    folder.line("train --quiet --lambda 0.02 data").ok();
    assert_eq!(folder.model("data.model")["version"], 1);
    folder.line("predict --probability data data.model").refused("train it with --probability");
}

#[test]
fn one_label_against_all_others() {
    let folder = three();
    for command in ["path", "cv", "select"] {
        folder.line(&format!("{command} data")).refused("--positive LABEL");
        folder.line(&format!("{command} data")).refused("(0, 1, 2)");
    }
    let path = folder.line("path --json --n-lambda 5 --positive 1 data").ok().json();
    assert_eq!(path["classes"], json!(["not 1", "1"]));
    folder.line("cv --json --penalty l1 --n-lambda 4 --positive +1.0 data").ok();
    folder.line("select --json --pairs 3 --positive 1 data").ok();
    folder.line("train --positive 7 data").refused("the labels in data are 0, 1, 2");
    folder
        .line("train --quiet --lambda 0.02 --positive 1 --class-weight 1=2,2=0.5 --report page.html data")
        .ok();
    // Every other label is of the rest.
    let report = folder.line("predict --json data data.model out").ok().json();
    assert!(number(&report, "accuracy") > 0.7, "{report}");
    let predicted = folder.read("out");
    assert!(predicted.lines().all(|label| label == "1" || label == "not 1"));
    folder.line("train --quiet --lambda 0.02 --positive 1 --probability data").ok();
    let out = folder.line("predict --quiet --probability data data.model").ok().out;
    assert!(out.starts_with("labels\tnot 1\t1\n") && out.lines().all(|line| line.split('\t').count() == 3));

    // Of two labels it says which one is positive.
    let two = Folder::with_data();
    let report = two.train("--positive -1");
    assert_eq!(two.model("data.model")["classes"], json!(["1", "-1"]));
    let usual = two.train("");
    assert!((number(&report, "objective") - number(&usual, "objective")).abs() < 1e-6);
    assert!(number(&two.line("predict --json data data.model").ok().json(), "accuracy") > 0.8);
}

#[test]
fn features_by_classes_are_shown() {
    let folder = three();
    folder.train("--scale standard --penalty l1");
    let told = folder.line("inspect data.model").ok().out;
    for part in ["3 classes", "per standard deviation", "feature  ", "largest x·w + b"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let json = folder.line("inspect --json data.model").ok().json();
    let model = folder.model("data.model");
    assert_eq!(json["machines"].as_array().unwrap().len(), 3);
    let kept = json["weights"].as_array().unwrap();
    assert_eq!(json["nonzeros"], kept.len());
    let sizes: Vec<f64> = kept
        .iter()
        .map(|kept| numbers(kept, "scaled_weights").into_iter().fold(0.0, |a: f64, w| a.max(w.abs())))
        .collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    for feature in kept {
        let j = feature["index"].as_u64().unwrap() - 1;
        for (k, weight) in numbers(feature, "weights").into_iter().enumerate() {
            let machine = &model["machines"][k];
            let at = machine["indices"].as_array().unwrap().iter().position(|i| i.as_u64() == Some(j));
            assert_eq!(weight, at.map_or(0.0, |at| machine["weights"][at].as_f64().unwrap()));
        }
    }
    assert_eq!(
        folder.line("inspect --json --top 1 data.model").ok().json()["weights"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn labels_are_as_they_stood_and_need_not_begin_at_0() {
    let mut objectives = Vec::new();
    for labels in [["0", "1", "2"], ["1.0", "2.0", "3.0"], ["-1", "+4", "1e1"]] {
        let folder = Folder::new();
        folder.write("data", classes(&labels, 20));
        let report = folder.train("");
        let known: Vec<f64> = labels.iter().map(|label| label.parse().unwrap()).collect();
        let told: Vec<f64> = report["classes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c.as_str().unwrap().parse().unwrap())
            .collect();
        assert_eq!(told, known);
        objectives.push(report["machines"][1]["objective"].clone());
        assert!(number(&folder.line("predict --json data data.model").ok().json(), "accuracy") > 0.7);
    }
    assert!(objectives.windows(2).all(|pair| pair[0] == pair[1]), "{objectives:?}");
}

#[test]
fn a_class_of_one_row_is_an_answer_or_a_clear_refusal() {
    let folder = Folder::new();
    folder.write("data", classes(&["0", "1"], 20) + "2 1:-3 2:-3 5:4\n");
    let report = folder.line("train --json --penalty l1 data").ok().json();
    assert_eq!(report["machines"][2]["rows"], 1);
    let failures = report["cv"]["failures"].as_array().unwrap();
    // The fold that holds it out, in each repeat.
    let is_told = |why: &serde_json::Value| why.as_str().unwrap().contains("no row of class 2");
    let repeats = report["cv"]["repeats"].as_u64().unwrap() as usize;
    assert!(failures.len() == repeats && failures.iter().all(is_told), "{failures:?}");
    folder.train("");
    for options in ["--lambda 0.02", "--penalty l1"] {
        folder.line(&format!("train --probability {options} data")).refused("class 2 has only one");
    }
}

#[test]
fn what_cannot_be_done_with_several_classes_is_said() {
    let folder = three();
    folder.line("train --report page.html data").refused("--positive LABEL");
    folder.line("train --trace trace.csv --lambda 0.1 data").refused("--positive LABEL");
    folder.line("train --class-weight 5=2 data").refused("the labels in the data are 0, 1, 2");
    folder.line("train --task rank --positive 1 data").refused("--task rank");
    folder.line("train --task rank --probability data").refused("--task rank");
    let mut targets = String::new();
    (0..200).for_each(|i| writeln!(targets, "{}.5 1:{i}", i * 3).unwrap());
    folder.write("targets", targets);
    folder.line("train targets").refused("200 different values");
    assert_eq!(folder.files(), ["data", "targets"]);
    // A model of other classes is no start.
    let two = Folder::with_data();
    two.train("");
    std::fs::copy(two.path("data.model"), folder.path("start")).unwrap();
    folder.line("train --lambda 0.02 --start start data").refused("1 machine");
    folder.train("");
    let warm = folder
        .line("train --json --lambda 0.015625 --solver gist --loss squared-hinge --start data.model data w");
    assert_eq!(warm.ok().json()["machines"].as_array().unwrap().len(), 3);
}

#[test]
fn classes_can_be_weighted() {
    let folder = three();
    let plain = folder.train("");
    let balanced = folder.train("--class-weight balanced");
    // As many rows of each: the weights are all 1.
    assert_eq!(plain["machines"][0]["objective"], balanced["machines"][0]["objective"]);
    let heavier = folder.train("--class-weight 0=3");
    assert!(number(&heavier["machines"][0], "objective") > number(&plain["machines"][0], "objective"));
    folder.line("train --quiet --penalty l1 --class-weight balanced --no-model data").ok();
}

#[test]
fn every_machine_keeps_so_many_features() {
    let folder = three();
    let report = folder.train("--max-features 1");
    for machine in report["machines"].as_array().unwrap() {
        assert!(machine["nonzeros"].as_u64().unwrap() <= 1);
    }
    assert!(report["nonzeros"].as_u64().unwrap() <= 3);
}

#[test]
fn a_choice_goes_on_from_what_is_finished() {
    let folder = three();
    folder.line("train --quiet --folds 8 data whole.model").ok();
    folder.kill_and_resume("train --quiet --folds 8 --resume run data data.model");
    assert_eq!(folder.read("data.model"), folder.read("whole.model"));
}
