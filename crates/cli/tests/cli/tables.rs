//! Tables: trained on by name, predicted with their columns in any order, inspected, converted.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::folder::{Folder, absent};

/// 60 rows: two numbers that tell the classes apart, one that does not, a colour, a note; one value is missing.
fn table() -> String {
    let mut text = String::from("id,sick,age,\"dose, mg\",noise,color,note\n");
    for i in 0..60u32 {
        let sick = i % 2 == 0;
        let age = if i == 7 { String::new() } else { (i * 7 % 13 + if sick { 9 } else { 0 }).to_string() };
        let (dose, noise) = (f64::from(i * 5 % 11) + if sick { 4.5 } else { 0.0 }, i * 37 % 17);
        let color = ["red", "green", "blue"][(i as usize / 2) % 3];
        text +=
            &format!("{i},{},{age},{dose},{noise},{color},\"n\"\"{i}\"\n", if sick { "yes" } else { "no" });
    }
    text
}

const OPTIONS: &str = "--label sick --drop id,note --one-hot color --missing mean";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", table());
    folder
}

#[test]
fn a_table_is_trained_on_by_name() {
    let folder = folder();
    let report =
        folder.line(&format!("train t.csv m --json --penalty l1 --lambda 0.001 {OPTIONS}")).ok().json();
    assert_eq!((&report["samples"], &report["features"]), (&60.into(), &6.into()));
    assert_eq!(report["status"], "converged");
    let model = folder.read("m");
    assert!(model.contains("\"label\": \"sick\"") && model.contains("\"dose, mg\""), "{model}");
    assert!(model.contains("\"classes\": [\"no\",\"yes\"]"), "{model}");
    let said = folder.line("inspect m").ok().out;
    assert!(said.contains("age") && said.contains("color="), "{said}");
}

#[test]
fn predict_finds_the_columns_wherever_they_stand() {
    let folder = folder();
    folder.line(&format!("train t.csv m --quiet --penalty l1 --lambda 0.01 {OPTIONS}")).ok();
    let expected = folder.line("predict t.csv m --decision --quiet").ok().out;
    assert_eq!(expected.lines().count(), 60);
    // The columns turned round, without label and note, one more of text: the mean is that of the training data.
    let table = folder.read("t.csv");
    let mut turned = String::from("color,noise,extra,\"dose, mg\",age\n");
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        turned += &format!("{},{},what,{},{}\n", cells[5], cells[4], cells[3], cells[2]);
    }
    folder.write("turned.csv", &turned);
    let ran = folder.line("predict turned.csv m --decision");
    assert_eq!((ran.code, ran.out), (Some(0), expected.clone()));
    assert_eq!(ran.err, "60 rows; their labels are not known\n");
    let piped = folder.line_with_input("predict - m --decision --quiet", &turned).ok();
    assert_eq!(piped.out, expected);
    let accuracy = folder.line("predict t.csv m --json").ok().json();
    assert!(accuracy["accuracy"].as_f64().unwrap() > 0.8, "{accuracy}");
    folder.write("less.csv", turned.replace("age", "old"));
    folder.line("predict less.csv m").refused("the model uses columns that are not there: age");
    folder.line("predict t.csv m --missing drop-rows").refused("a line for every row");
}

#[test]
fn a_test_table_may_have_its_columns_in_another_order() {
    let folder = folder();
    let table = folder.read("t.csv");
    let swap = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        // The header has a comma inside quotes: its cells 3 and 4 are one.
        if line.starts_with("id") {
            cells = vec!["id", "sick", "age", "\"dose, mg\"", "noise", "color", "note"];
        }
        cells.swap(1, 6);
        cells.swap(2, 4);
        cells.join(",") + "\n"
    };
    folder.write("test.csv", table.lines().map(swap).collect::<String>());
    let line = format!("train t.csv --no-model --json --penalty l1 --lambda 0.01 {OPTIONS} --test");
    let own = folder.line(&format!("{line} t.csv")).ok().json();
    let other = folder.line(&format!("{line} test.csv")).ok().json();
    assert_eq!(own["test_accuracy"], other["test_accuracy"]);
}

#[test]
fn what_is_wrong_with_a_table_is_said_by_name() {
    let folder = folder();
    folder.line("train t.csv m").refused("which column is the label? Say it with --label");
    folder.line("train t.csv m --label nobody").refused("--label nobody: there is no such column");
    let text = folder.line("train t.csv m --label sick");
    text.refused("column color holds `red` in line 2");
    text.refused("--one-hot color");
    folder.line("train t.csv m --label sick --drop note,color").refused("column age has 1 missing values");
    absent(&folder.path("m"));
}

#[test]
fn data_is_inspected_before_training() {
    let folder = folder();
    let said = folder.line("inspect t.csv --label sick --drop note --one-hot color").ok().out;
    for part in ["60 rows, 7 features", "no (30), yes (30)", "age: 1 value", "lambda_max", "--missing mean"] {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
    let report = folder.line("inspect t.csv --label sick --drop note --one-hot color --json").ok().json();
    assert_eq!((&report["samples"], &report["missing"][0]["name"]), (&60.into(), &"age".into()));
    folder.write("wide", "1 1:1 2:1e6 5:3\n-1 1:2 2:2e6 5:3\n1 1:3 2:3e6 3:3e6 5:3\n-1 1:1 2:5 5:3\n");
    let said = folder.line("inspect wide").ok().out;
    for part in ["columns differ by 10^6 in scale", "empty", "constant", "fewer than 10 rows"] {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
    // λ_max is where a path begins.
    let lambda = report["lambda_max"].as_f64().unwrap();
    let fit = |factor: f64| {
        let line = format!(
            "train t.csv --json --no-model --penalty l1 --label sick --drop note --one-hot color --missing zero \
             --lambda {}",
            lambda * factor
        );
        folder.line(&line).ok().json()["nonzeros"].as_u64().unwrap()
    };
    assert_eq!((fit(1.0001), fit(0.99) > 0), (0, true));
}

#[test]
fn every_format_holds_the_same_data() {
    let folder = folder();
    folder.line(&format!("convert t.csv t.spv --quiet {OPTIONS}")).ok();
    let fit = |line: &str| {
        let mut report = folder.line(&format!("train {line} --no-model --json --lambda 0.02")).ok().json();
        ["seconds", "data"].iter().for_each(|key| drop(report[*key].take()));
        report
    };
    folder.line("convert t.spv back.csv --quiet").ok();
    assert!(
        folder.read("back.csv").starts_with("label,age,\"dose, mg\",noise,color=blue,"),
        "{}",
        folder.read("back.csv")
    );
    // The label stands first there.
    assert_eq!(fit("back.csv --label 1"), fit("t.spv"));
    folder.line("convert t.spv out.svm").refused("its labels are numbers");
    folder.line("convert t.spv out.unknown").refused("give --to");
    folder.line("convert t.spv out.csv.xz").refused("use .gz");
    folder.line("convert t.csv t.csv --label sick").refused("overwrite the input");
    absent(&folder.path("out.svm"));
    let brief = folder.line("inspect --brief t.spv").ok().out;
    assert!(brief.contains("60 rows") && brief.contains("yes (30)"), "{brief}");
}

#[test]
fn numbers_go_from_text_to_text_without_a_change() {
    let folder = Folder::with_data();
    folder.line("convert data data.csv --quiet").ok();
    folder.line("convert data.csv data.spv --quiet").ok();
    folder.line("convert data.spv again.svm.gz --quiet").ok();
    folder.line("convert again.svm.gz plain.svm --quiet").ok();
    let fit = |name: &str| {
        folder.line(&format!("train {name} {name}.m --quiet --lambda 0.05")).ok();
        folder
            .read(&format!("{name}.m"))
            .lines()
            .filter(|line| !line.contains("\"data\""))
            .collect::<String>()
    };
    let expected = fit("data");
    // A table has names, and its label has one.
    let unnamed = |model: String| {
        let keep = |field: &&str| !field.starts_with("names\"") && !field.starts_with("label\"");
        model.split("  \"").filter(keep).collect::<Vec<_>>().join("  \"")
    };
    for name in ["again.svm.gz", "plain.svm"] {
        assert_eq!(fit(name), expected, "{name}");
    }
    for name in ["data.csv", "data.spv"] {
        assert_eq!(unnamed(fit(name)), unnamed(expected.clone()), "{name}");
    }
    let piped = folder.line("convert data - --to libsvm").ok().out;
    assert_eq!(piped.lines().count(), 80);
}

#[test]
fn a_slow_pipe_gets_its_answer_line_by_line() {
    let folder = Folder::with_data();
    folder.line("train --quiet data").ok();
    let long = folder.read("data");
    // The shortest rows have no features.
    for lines in [long.lines().take(3).collect::<Vec<_>>(), vec!["1", "7", "-1 1:2"]] {
        let mut child = folder
            .command(&["predict", "--quiet", "-", "data.model"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut answers = BufReader::new(from).lines();
        for line in lines {
            writeln!(to, "{line}").unwrap();
            // The answer comes before there is another line to read.
            assert!(matches!(answers.next().unwrap().unwrap().as_str(), "1" | "-1"));
        }
        drop(to);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_matrix_without_labels_is_converted_and_labels_are_not_lost_silently() {
    let folder = Folder::new();
    folder
        .write("bare.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 0.5\n1 3 -2\n2 2 7\n");
    folder.line("convert bare.mtx bare.npy --quiet").ok();
    folder.line("convert bare.npy again.mtx --quiet").ok();
    assert_eq!(folder.read("again.mtx").lines().last(), Some("2 2 7.0"));
    // Where labels have a place, they are asked for, unless they are not wanted.
    folder.line("convert bare.npy out.csv").refused("there are no labels");
    absent(&folder.path("out.csv"));
    folder.line("convert bare.npy out.csv --matrix-only --quiet").ok();
    assert_eq!(folder.read("out.csv"), "x1,x2,x3\n0.5,0,-2.0\n0,7.0,0\n");

    folder.write("named.csv", "label,a,b,c\n1,0.5,0,-2\n-1,0,7,0\n");
    folder.line("convert named.csv with.npy").refused("there are labels: leave them out with --matrix-only");
    folder.line("convert named.csv with.npy --drop label").refused("there are names of features");
    absent(&folder.path("with.npy"));
    folder.line("convert named.csv with.npy --matrix-only --quiet").ok();
    assert_eq!(std::fs::read(folder.path("with.npy")).ok(), std::fs::read(folder.path("bare.npy")).ok());
}
