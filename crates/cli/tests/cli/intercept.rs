//! `--intercept`: free, penalised or none, given or chosen.

use serde_json::Value;

use crate::folder::{Folder, number, rows, wide_rows};

/// `data`, 80 rows of 6 features, and `wide`, the same with a seventh that is 1 in every row.
fn data_and_wide() -> Folder {
    let folder = Folder::with_data();
    let wide: String = folder.read("data").lines().map(|line| format!("{line} 7:1\n")).collect();
    folder.write("wide", wide);
    folder
}

fn weights(model: &Value) -> Vec<(u64, f64)> {
    let all = |key: &str| model[key].as_array().unwrap().clone();
    let indices = all("indices").into_iter().map(|j| j.as_u64().unwrap());
    indices.zip(all("weights").into_iter().map(|w| w.as_f64().unwrap())).collect()
}

#[test]
fn a_penalised_intercept_is_the_weight_of_a_feature_that_is_one_everywhere() {
    let folder = data_and_wide();
    folder.write("factors", "1\n2\n0.5\n1\n1\n0\n");
    folder.write("wide_factors", "1\n2\n0.5\n1\n1\n0\n1\n");
    for options in [
        "--penalty l1",
        "--penalty mcp",
        "--penalty l1 --scale standard",
        "--penalty l1 --loss squared-hinge",
        "--penalty l1 --solver gist --loss squared-hinge",
        "--penalty l1 --penalty-factors factors",
    ] {
        let penalised = format!("train --json --lambda 0.02 --intercept penalised {options} data a.model");
        let ours = folder.line(&penalised).ok().json();
        // The constant itself is not scaled.
        let plain = options.replace("factors factors", "factors wide_factors").replace("standard", "none");
        let plain = format!("train --json --lambda 0.02 --no-intercept {plain} wide b.model");
        let plain = folder.line(&plain).ok().json();
        assert_eq!((&ours["intercept_is"], &plain["intercept_is"]), (&"penalised".into(), &"none".into()));
        assert_eq!((number(&ours, "features"), number(&plain, "intercept")), (6.0, 0.0));
        if options.contains("--scale") {
            continue;
        }
        assert_eq!(ours["objective"], plain["objective"], "{options}");
        let (a, mut b) = (folder.model("a.model"), weights(&folder.model("b.model")));
        let constant = b.pop_if(|(j, _)| *j == 6).map_or(0.0, |(_, w)| w);
        assert_eq!((weights(&a), number(&a, "intercept")), (b, constant), "{options}");
        assert_eq!(number(&ours, "nonzeros") as usize, weights(&a).len());
    }
    // What it says of rows is the same too.
    folder.line("predict --quiet data a.model a").ok();
    folder.line("predict --quiet wide b.model b").ok();
    assert_eq!(folder.read("a"), folder.read("b"));
}

#[test]
fn paths_selection_and_starts_take_it() {
    let folder = data_and_wide();
    let path =
        |options: &str| folder.line(&format!("path --json --penalty l1 --n-lambda 10 {options}")).ok().json();
    let (ours, plain) = (path("--intercept penalised data"), path("--no-intercept wide"));
    assert_eq!((&ours["lambda"], &ours["objective"]), (&plain["lambda"], &plain["objective"]));
    assert!(ours["intercept"].as_array().unwrap().iter().any(|b| b.as_f64() != Some(0.0)));
    folder.line("select --quiet --intercept penalised --pairs 5 data").ok();
    let first = folder.line("train --json --intercept penalised --lambda 0.02 data first.model").ok().json();
    let line = "train --json --no-model --intercept penalised --lambda 0.02 --start first.model data";
    let again = folder.line(line).ok().json();
    assert!(number(&again, "objective") <= number(&first, "objective") * (1.0 + 1e-4));
    let said = folder.line("train --no-model --intercept penalised --lambda 0.02 data").ok().out;
    assert!(said.contains("theta 3), penalised intercept"), "{said}");
    let few = folder.train("--intercept penalised --penalty l1 --max-features 3");
    assert!((1.0..=3.0).contains(&number(&few, "nonzeros")) && number(&few, "features") == 6.0, "{few}");
}

/// With more features than rows, and few rows.
#[test]
fn cross_validation_compares_it_where_rows_are_few() {
    let folder = Folder::new();
    folder.write("data", wide_rows(30, 60, ["-1", "+1"]));
    let report = folder.line("train --json data").ok().json();
    let cv = &report["cv"];
    assert_eq!((&cv["variants"], &cv["repeats"], &cv["folds"]), (&4.into(), &5.into(), &5.into()));
    assert_eq!(cv["intercept"], report["intercept_is"]);
    let said = folder.line("train --no-model data").ok().out;
    assert!(said.contains("4 penalties and intercepts") && said.contains("(5 times, seed 0)"), "{said}");
    // `cv` compares and takes the same.
    let same = folder.line("cv --json data").ok().json();
    let chosen = &same["chosen"];
    assert_eq!((&chosen["lambda"], &chosen["intercept"]), (&report["lambda"], &report["intercept_is"]));
    let intercepts = same["candidates"].as_array().unwrap().iter().map(|tried| tried["intercept"].clone());
    assert_eq!(intercepts.collect::<Vec<_>>(), ["free", "penalised", "free", "penalised"]);
    // The model is the path's point, whichever was taken: a fit there is as low.
    for intercept in ["free", "penalised"] {
        let line = format!("train --json --penalty l1 --intercept {intercept} data");
        let report = folder.line(&line).ok().json();
        assert_eq!((&report["cv"]["variants"], &report["intercept_is"]), (&1.into(), &intercept.into()));
        let lambda = number(&report, "lambda");
        let line =
            format!("train --json --no-model --penalty l1 --intercept {intercept} --lambda {lambda} data");
        let alone = number(&folder.line(&line).ok().json(), "objective");
        assert!((number(&report, "objective") / alone - 1.0).abs() < 1e-3, "{intercept}");
    }
    // With fewer features than rows a free one does no harm.
    folder.write("tall", rows(40, ["-1", "+1"]));
    let tall = folder.line("train --json --no-model tall").ok().json();
    assert_eq!((&tall["cv"]["variants"], &tall["cv"]["repeats"]), (&2.into(), &5.into()));
}

#[test]
fn several_classes_share_it() {
    let folder = Folder::new();
    let three: String = wide_rows(36, 50, ["1", "2"])
        .lines()
        .enumerate()
        .map(|(i, line)| if i % 3 == 2 { format!("3{}\n", &line[1..]) } else { format!("{line}\n") })
        .collect();
    folder.write("data", three);
    let report = folder.line("train --json --penalty l1 data").ok().json();
    assert_eq!((&report["cv"]["variants"], &report["cv"]["repeats"]), (&2.into(), &5.into()));
    assert_eq!(report["cv"]["intercept"], report["intercept_is"]);
    let given = folder.line("train --json --no-model --lambda 0.05 --intercept penalised data").ok().json();
    assert_eq!(given["intercept_is"], "penalised");
}

#[test]
fn what_means_nothing_is_refused() {
    let folder = Folder::with_data();
    for (line, part) in [
        ("train --intercept free,penalised --lambda 0.1 data", "only be told apart by cross-validation"),
        ("path --intercept free,none data", "only be told apart by cross-validation"),
        ("train --intercept free,free data", "twice"),
        ("train --task rank --intercept penalised data", "means nothing to --task rank"),
    ] {
        folder.line(line).refused(part);
    }
    folder.line("train --intercept none --no-intercept data").misused("--no-intercept");
    folder.line("train --intercept some data").misused("penalised");
}
