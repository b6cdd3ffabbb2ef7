//! Cross-validation, and training that chooses λ by it.

use crate::folder::{Folder, number, numbers, rows, wide_rows};

fn wide() -> Folder {
    let folder = Folder::new();
    folder.write("data", wide_rows(80, 30, ["-1", "+1"]));
    folder
}

#[test]
fn training_without_lambda_chooses_it() {
    let folder = wide();
    folder.write("test", wide_rows(200, 30, ["-1", "+1"]));
    let report = folder.line("train --json --test test data").ok().json();
    let cv = &report["cv"];
    assert_eq!((&cv["rule"], &cv["folds"], &cv["measure"]), (&"1se".into(), &5.into(), &"accuracy".into()));
    assert!(number(cv, "score") > 0.7 && number(cv, "se") < 0.2, "{cv}");
    assert!(number(cv, "best_score") - number(cv, "score") <= number(cv, "se").max(0.1));
    assert!(number(&report, "nonzeros") <= number(cv, "best_features"));
    assert!(number(&report, "test_accuracy") > 0.8, "{report}");
    assert_eq!(report["status"], "converged");
    // The model is the one of the path; at its λ it is stationary.
    assert!(number(&report, "gap") <= 1e-4 && number(&report, "violation") <= 1e-4);
    let model = folder.model("data.model");
    assert_eq!(model["penalty"]["lambda"], report["lambda"]);
    // `cv` says the same.
    let same = folder.line("cv --json data").ok().json();
    assert_eq!(same["chosen"]["lambda"], report["lambda"]);
    assert_eq!((&same["chosen"]["score"], &same["chosen"]["se"]), (&cv["score"], &cv["se"]));
    assert_eq!(same["chosen"]["nonzeros"], report["nonzeros"]);
    // A search from there is never worse.
    let searched = folder.line("train --json --no-model --starts 5 data").ok().json();
    assert!(number(&searched, "objective") <= number(&report, "objective"));
    let said = folder.line("train data").ok().out;
    for part in ["cv accuracy", "±", "5-fold cross-validation (3 times, seed 0)", "within one standard error"]
    {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn options_reach_the_choice_and_others_refuse_them() {
    let folder = wide();
    let base = folder.line("train --json --no-model data").ok().json();
    let other =
        folder.line("train --json --no-model --folds 10 --rule min --score auc --seed 7 data").ok().json();
    let cv = &other["cv"];
    assert_eq!((&cv["rule"], &cv["folds"], &cv["measure"]), (&"min".into(), &10.into(), &"auc".into()));
    assert_ne!(cv["score"], base["cv"]["score"]);
    let several = folder.line("train --json --no-model --penalty scad,l1 --theta 3,5 data").ok().json();
    assert_eq!(several["cv"]["variants"], 3);
    for (options, part) in [
        ("--folds 3 --lambda 0.1", "--folds is about choosing lambda, but --lambda says it"),
        ("--rule min --max-features 3", "--rule is about choosing lambda"),
        ("--score auc --solver gist", "--score is about choosing lambda"),
        ("--penalty mcp,l1 --lambda 0.1", "only be told apart by cross-validation"),
        ("--penalty mcp,mcp", "twice"),
        ("--folds 1", "folds"),
        ("--folds 81", "the most is 80"),
    ] {
        folder.line(&format!("train {options} data")).refused(part);
    }
    // What cannot follow a path keeps the paper's λ.
    let feadmm = folder.line("train --json --no-model --solver feadmm --max-iter 5 data").ok().json();
    assert!(feadmm["cv"].is_null() && number(&feadmm, "lambda") == 0.015625);
}

#[test]
fn the_table_and_the_files_tell_the_same() {
    let folder = wide();
    let line = "cv --penalty mcp,l1 --repeats 2 --outer 3 --folds 4 --n-lambda 12";
    let said = folder.line(&format!("{line} --out cv.json --plot cv.svg data")).ok().out;
    for part in ["lambda", "features", "accuracy", "se", "best", "chosen", "nested", "cv.json, cv.svg"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let mut file = folder.model("cv.json");
    // What a page shows is in the file alone.
    assert_eq!(file.as_object_mut().unwrap().remove("report").unwrap()["format"], "sparsvm-run");
    assert_eq!(file, folder.line(&format!("{line} --json --threads 1 data")).ok().json());
    for candidate in file["candidates"].as_array().unwrap() {
        assert_eq!(numbers(candidate, "lambda").len(), 12);
        assert_eq!(candidate["mean"].as_array().unwrap().len(), 12);
        assert_eq!((&candidate["nonzeros"][0], &candidate["folds_scored"][0]), (&0.into(), &8.into()));
    }
    assert_eq!(file["held_out"].as_array().unwrap().len(), 80);
    assert_eq!(file["nested"]["scores"].as_array().unwrap().len(), 3);
    assert!(number(&file["nested"], "score") > 0.6);
    let top = &file["selected"][0];
    assert!(number(top, "frequency") > 0.5 && number(top, "sign_stability") > 0.5, "{top}");
    folder.line(&format!("{line} --quiet --out cv.csv data")).ok();
    let table = folder.read("cv.csv");
    assert_eq!(table.lines().count(), 1 + 2 * 12);
    assert_eq!(table.lines().filter(|line| line.contains("chosen")).count(), 1);
    assert!(folder.read("cv.svg").contains("accuracy"));
}

#[test]
fn bic_looks_at_no_fold() {
    let folder = wide();
    let [a, b] =
        [1, 2].map(|seed| folder.line(&format!("cv --json --rule bic --seed {seed} data")).ok().json());
    assert_eq!(a["chosen"]["lambda"], b["chosen"]["lambda"]);
    assert_ne!(a["candidates"][0]["mean"], b["candidates"][0]["mean"]);
    assert!(folder.line("cv --rule bic data").ok().out.contains("SVMIC_H"));
}

#[test]
fn groups_and_folds_come_from_files() {
    let folder = wide();
    let names = |of: usize| (0..80).map(|i| format!("p{}\n", i / of)).collect::<String>();
    folder.write("patients", names(4));
    folder.write("parts", names(20));
    let grouped = folder.line("cv --json --groups patients --outer 4 data").ok().json();
    assert_eq!(grouped["folds"], 5);
    assert_eq!(folder.line("cv --json --folds-file parts data").ok().json()["folds"], 4);
    folder.write("short", "a\nb\n");
    folder.line("cv --groups short data").refused("2 names for 80 rows");
    folder.line("cv --folds-file short data").refused("2 names for 80 rows");
    folder.line("cv --groups patients --folds 21 data").refused("the most is 20");
    folder.line("cv --groups patients --folds-file parts data").misused("--folds-file");
}

#[test]
fn bad_input_is_refused() {
    let folder = wide();
    folder.write("three", "1 1:1\n2 1:2\n3 1:3\n");
    for (line, part) in [
        ("cv nowhere", "cannot open nowhere"),
        ("cv three", "3 classes"),
        ("cv --test data data", "--test means nothing"),
        ("cv --n-lambda 0 data", "--n-lambda 0"),
        ("cv --lambda-min-ratio 2 data", "--lambda-min-ratio 2"),
        ("cv --repeats 0 data", "repeats"),
        ("cv --out cv.txt data", "must end in .json or .csv"),
        ("cv --plot cv.json data", "must end in .svg or .png"),
        ("cv --theta 3 --penalty l1 data", "--theta means nothing"),
    ] {
        folder.line(line).refused(part);
    }
    folder.line("cv --rule best data").misused("1se");
    folder.line("cv --score recall data").misused("balanced");
}

#[test]
fn a_killed_run_goes_on_to_the_same_bits() {
    let folder = Folder::new();
    folder.write("data", wide_rows(300, 60, ["-1", "+1"]));
    let line = "cv --json --repeats 8 --n-lambda 40 --resume run data";
    let whole = folder.line("cv --json --repeats 8 --n-lambda 40 data").ok().out;
    assert_eq!(folder.kill_and_resume(line).out, whole);
    assert_eq!(folder.line(line).ok().out, whole);
    // Score and rule may change; data and settings may not.
    folder.line("cv --json --repeats 8 --n-lambda 40 --score auc --rule min --resume run data").ok();
    folder.line("cv --repeats 8 --n-lambda 41 --resume run data").refused("n_lambda 40, but this run has 41");
    folder.write("data", rows(80, ["-1", "+1"]));
    folder.line("cv --repeats 8 --n-lambda 40 --resume run data").refused("data \"300 x 60");
}

#[test]
fn training_goes_on_too_and_finds_what_cross_validation_kept() {
    let folder = Folder::new();
    folder.write("data", wide_rows(300, 60, ["-1", "+1"]));
    folder.line("train --quiet --folds 10 data whole.model").ok();
    folder.kill_and_resume("train --quiet --folds 10 --resume run data data.model");
    assert_eq!(folder.read("data.model"), folder.read("whole.model"));

    folder.line("cv --quiet --folds 10 --resume both data").ok();
    let kept = folder.cells("both");
    folder.line("train --quiet --folds 10 --resume both data again.model").ok();
    assert_eq!((folder.cells("both"), folder.read("again.model")), (kept, folder.read("whole.model")));
    folder.line("train --folds 9 --resume both data").refused("folds 10, but this run has 9");
    folder.line("train --lambda 0.1 --resume both data").refused("--resume is about choosing lambda");
    folder.line("select --resume both data").refused("command \"cv or train\"");
}
