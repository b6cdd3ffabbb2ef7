//! Learning to rank, from the file to the measures.

use std::fmt::Write as _;

use serde_json::json;

use crate::folder::{Folder, number, numbers, parsed};

/// SVMrank rows: grades 0 to 2 that the first two of 6 features tell, in 5 queries whose rows alternate.
fn ranked_rows(n: usize) -> String {
    let mut text = String::new();
    let plain = crate::folder::rows(n, ["-1", "+1"]);
    for (i, (label, x)) in parsed(&plain).into_iter().enumerate() {
        let grade = 1.0 + label * f64::from(u8::from((x[0] - 0.7 * x[1]).abs() > 0.4));
        write!(text, "{grade} qid:{}", 10 + i % 5).unwrap();
        x.iter().enumerate().for_each(|(j, x)| write!(text, " {}:{x}", j + 1).unwrap());
        text.push('\n');
    }
    text
}

fn with_queries() -> Folder {
    let folder = Folder::new();
    folder.write("data", ranked_rows(100));
    folder.write("test", ranked_rows(60));
    folder
}

/// (pairs, share of them in the right order), by brute force.
fn pairwise(text: &str, scores: &[f64]) -> (f64, f64) {
    let head = |line: &str| {
        let mut words = line.split(' ');
        let grade: f64 = words.next().unwrap().parse().unwrap();
        (grade, words.next().unwrap().to_owned())
    };
    let rows: Vec<(f64, String)> = text.lines().map(head).collect();
    let (mut all, mut right) = (0.0, 0.0);
    for (i, a) in rows.iter().enumerate() {
        for (k, b) in rows.iter().enumerate() {
            if a.1 == b.1 && a.0 > b.0 {
                all += 1.0;
                right += f64::from(u8::from(scores[i] > scores[k]));
            }
        }
    }
    (all, right / all)
}

#[test]
fn from_training_to_measures() {
    let folder = with_queries();
    for solver in ["exact", "reweighted", "gist"] {
        let report = folder.train(&format!("--task rank --solver {solver} --lambda 0.05 --test test"));
        assert_eq!((&report["task"], &report["loss_function"]), (&json!("rank"), &json!("squared-hinge")));
        assert_eq!((&report["queries"], &report["intercept"]), (&json!(5), &json!(0.0)));
        assert!(number(&report, "ndcg10") > 0.8 && number(&report, "gap") < 0.01, "{report}");

        let predicted = folder.line("predict --json test data.model scores").ok().json();
        let scores: Vec<f64> = folder.read("scores").lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(scores.len(), 60);
        let (pairs, share) = pairwise(&folder.read("test"), &scores);
        assert_eq!(number(&predicted, "pairs"), pairs);
        assert!((number(&predicted, "pairwise_accuracy") - share).abs() < 1e-12);
        assert_eq!(predicted["pairwise_accuracy"], report["test_pairwise_accuracy"]);
        assert_eq!(predicted["ndcg10"], report["test_ndcg10"]);
        assert!(predicted.get("accuracy").is_none() && report.get("test_accuracy").is_none());
    }
}

#[test]
fn solvers_agree_and_scaling_is_undone() {
    let folder = with_queries();
    let objective = |options: &str| {
        number(
            &folder.train(&format!("--task rank --penalty l1 --tol 1e-7 --max-iter 100000 {options}")),
            "objective",
        )
    };
    let exact = objective("--solver exact");
    for solver in ["reweighted", "gist"] {
        let other = objective(&format!("--solver {solver}"));
        assert!((other - exact).abs() < 1e-6 * exact, "{solver}: {other}, {exact}");
    }
    let scaled = folder.train("--task rank --scale standard");
    let judged = folder.line("predict --json data data.model").ok().json();
    assert_eq!(judged["pairwise_accuracy"], scaled["pairwise_accuracy"]);
}

#[test]
fn the_model_knows_its_task() {
    let folder = with_queries();
    let text = folder.line("train --task rank --test test data").ok().out;
    for part in
        ["squared-hinge loss of pairs", "ranking        NDCG@10 ", "test ranking   NDCG@10 ", "5 queries"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let model = folder.model("data.model");
    assert_eq!(
        (&model["version"], &model["task"], &model["classes"]),
        (&json!(2), &json!("rank"), &json!([]))
    );
    let shown = folder.line("inspect data.model").ok().out;
    assert!(shown.contains("task           rank") && shown.contains("within a query"), "{shown}");
    assert_eq!(folder.line("inspect --json data.model").ok().json()["task"], "rank");

    let ran = folder.line("predict test data.model");
    assert_eq!(ran.out.lines().count(), 60);
    assert!(ran.err.starts_with("NDCG@10 "), "{ran:?}");
    folder.write("plain", "1 1:1\n0 2:1\n");
    assert_eq!(folder.line("predict --json plain data.model").ok().json(), json!({"samples": 2}));
    assert!(folder.line("predict plain data.model out").ok().out.contains("has no query numbers"));

    folder.line("train --task rank --quiet --start data.model data second.model").ok();
    folder.write("classes", crate::folder::rows(40, ["0", "1"]));
    folder.line("train --start data.model classes third.model").refused("--task rank");
}

#[test]
fn a_path_and_other_solvers_rank_too() {
    let folder = with_queries();
    let few = folder.train("--task rank --max-features 2");
    assert!(number(&few, "nonzeros") <= 2.0 && number(&few, "pairwise_accuracy") > 0.8, "{few}");
    for solver in ["feadmm", "sqa"] {
        let report = folder.train(&format!("--task rank --loss hinge --solver {solver}"));
        assert!(number(&report, "pairwise_accuracy") > 0.8, "{solver}: {report}");
    }
    assert_eq!(
        numbers(&folder.model("data.model"), "weights").len(),
        folder.model("data.model")["indices"].as_array().unwrap().len()
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = with_queries();
    for (options, part) in [
        ("--class-weight balanced", "--class-weight means nothing to --task rank"),
        ("--weights w", "--weights means nothing to --task rank"),
        ("--solver reweighted --loss hinge", "cannot take the hinge loss"),
        ("--memory-limit 100K", "--solver reweighted"),
        ("--delta 1", "--delta means nothing to --loss squared-hinge"),
        ("--test plain", "plain has no query numbers"),
    ] {
        folder.write("plain", "1 1:1\n0 2:1\n");
        folder.line(&format!("train --task rank {options} data")).refused(part);
    }
    folder.line("train --task rank plain").refused("plain has no query numbers");
    folder.write("flat", "1 qid:1 1:1\n1 qid:1 2:1\n0 qid:2 2:1\n");
    folder.line("train --task rank flat").refused("different grades");
    folder.line("train --task sort data").misused("classify");
    assert_eq!(folder.files(), ["data", "flat", "plain", "test"]);
    // Enough for the data, and for a ranking that forms no pairs.
    folder.train("--task rank --solver reweighted --memory-limit 100K");
}

#[test]
fn without_the_task_queries_are_not_used() {
    let folder = Folder::new();
    folder.write("data", "1 qid:1 1:1\n0 qid:1 1:-1\n1 qid:2 1:2\n0 qid:2 1:-1\n");
    let ran = folder.line("train --lambda 0.015625 data");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.lines().count() == 1 && ran.err.contains("add --task rank"), "{ran:?}");
    folder.line("train --quiet --lambda 0.015625 data").ok();
    folder.write("grades", "2 qid:1 1:1\n1 qid:1 1:0\n0 qid:1 1:-1\n");
    let ran = folder.line("train --lambda 0.1 grades");
    assert!(
        ran.code == Some(0) && ran.err.contains("--task rank") && ran.out.contains("3 classes"),
        "{ran:?}"
    );
}
