//! Paths: the files, the table, and that they say the same.

use serde_json::Value;

use crate::folder::{Folder, numbers, parsed, rows, wide_rows};

const ARRAYS: [&str; 8] =
    ["lambda", "nonzeros", "objective", "loss", "gap", "violation", "seconds", "intercept"];

fn wide() -> Folder {
    let folder = Folder::new();
    folder.write("data", wide_rows(60, 30, ["-1", "+1"]));
    folder
}

/// (1/n) Σ max(0, 1 - y(x·w + b)) and Σ|w|, from the coefficients in path.json.
fn recomputed(path: &Value, k: usize, data: &[(f64, Vec<f64>)]) -> (f64, f64) {
    let pairs = path["coefficients"][k].as_array().unwrap();
    let w: Vec<(usize, f64)> =
        pairs.iter().map(|p| (p[0].as_u64().unwrap() as usize, p[1].as_f64().unwrap())).collect();
    let b = numbers(path, "intercept")[k];
    let slack =
        |(y, x): &(f64, Vec<f64>)| (1.0 - y * (w.iter().map(|(j, w)| x[*j] * w).sum::<f64>() + b)).max(0.0);
    let loss = data.iter().map(slack).sum::<f64>() / data.len() as f64;
    (loss, w.iter().map(|(_, w)| w.abs()).sum())
}

#[test]
fn the_json_file_is_consistent() {
    let folder = wide();
    let printed = folder
        .line(
            "path --json --penalty l1 --tol 1e-6 --n-lambda 40 --lambda-min-ratio 0.05 --out path.json data",
        )
        .ok()
        .json();
    let path = folder.model("path.json");
    let data = parsed(&folder.read("data"));
    for key in ARRAYS {
        assert_eq!(numbers(&path, key).len(), 40, "{key}");
        assert_eq!(path[key], printed[key]);
    }
    let lambdas = numbers(&path, "lambda");
    assert!(lambdas.windows(2).all(|pair| pair[0] > pair[1]));
    assert_eq!(path["lambda_max"], path["lambda"][0]);
    assert!((lambdas[39] / lambdas[0] - 0.05).abs() < 1e-12);
    let nonzeros = numbers(&path, "nonzeros");
    assert!(nonzeros[0] == 0.0 && nonzeros[39] > 5.0, "{nonzeros:?}");
    for k in 0..40 {
        assert!(numbers(&path, "gap")[k] <= 1e-6 && numbers(&path, "violation")[k] <= 1e-6, "{k}");
        assert_eq!(path["status"][k], "converged");
        let (loss, size) = recomputed(&path, k, &data);
        assert!((loss - numbers(&path, "loss")[k]).abs() < 1e-12, "{k}");
        assert!((loss + lambdas[k] * size - numbers(&path, "objective")[k]).abs() < 1e-12, "{k}");
        assert_eq!(path["coefficients"][k].as_array().unwrap().len(), nonzeros[k] as usize);
    }
    assert_eq!((&path["index_base"], &path["penalty"]), (&0.into(), &"l1".into()));
    assert_eq!((&path["features"], &path["samples"]), (&30.into(), &60.into()));
    let entered = numbers(&path, "entered");
    assert!(entered.windows(2).all(|pair| pair[0] < pair[1]) && entered.contains(&0.0));
    assert!(path["names"].is_null() && path["test_accuracy"].is_null());
    assert!(printed["coefficients"].is_null() && printed["report"].is_null());
    assert_eq!(path.as_object().unwrap().len(), printed.as_object().unwrap().len() + 2);
}

#[test]
fn coefficients_are_for_the_raw_data() {
    let folder = wide();
    folder.line("path --quiet --scale standard --n-lambda 15 --out path.json data").ok();
    let (path, data) = (folder.model("path.json"), parsed(&folder.read("data")));
    for (k, loss) in numbers(&path, "loss").iter().enumerate() {
        assert!((recomputed(&path, k, &data).0 - loss).abs() < 1e-12, "{k}");
    }
    assert_eq!((&path["scale"], &path["theta"]), (&"standard".into(), &3.0.into()));
}

#[test]
fn a_fit_at_a_lambda_of_the_path_agrees_with_it() {
    let folder = wide();
    let path = folder.line("path --json --penalty l1 --tol 1e-7 --n-lambda 10 data").ok().json();
    let (lambda, objective) = (numbers(&path, "lambda")[6], numbers(&path, "objective")[6]);
    let fit = folder.train(&format!("--penalty l1 --tol 1e-7 --lambda {lambda:?}"));
    assert!((crate::folder::number(&fit, "objective") - objective).abs() < 1e-6 * objective);
}

#[test]
fn the_csv_file_says_the_same_as_json() {
    let folder = wide();
    folder.write("test", wide_rows(25, 30, ["-1", "+1"]));
    let line = "path --json --n-lambda 12 --test test --out path.CSV data";
    let report = folder.line(line).ok().json();
    let text = folder.read("path.CSV");
    assert_eq!(text.matches("\r\n").count(), text.matches('\n').count());
    let mut lines = text.lines();
    let heading: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(heading.join(","), format!("{},status,test_accuracy", ARRAYS.join(",")));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 12);
    for (column, name) in heading.iter().enumerate() {
        for (k, row) in rows.iter().enumerate() {
            match report[*name][k].as_f64() {
                Some(number) => assert_eq!(row[column].parse::<f64>().unwrap(), number, "{name}"),
                None => assert_eq!(row[column], report[*name][k].as_str().unwrap()),
            }
        }
    }
    folder.line("path --quiet --n-lambda 3 --out plain.csv data").ok();
    assert!(!folder.read("plain.csv").contains("test_accuracy"));
}

#[test]
fn the_path_ends_before_too_many_features() {
    let folder = wide();
    let whole = numbers(&folder.line("path --json data").ok().json(), "nonzeros");
    assert!(whole.iter().any(|kept| *kept > 5.0), "{whole:?}");
    let short = folder.line("path --json --max-features 5 data").ok().json();
    let kept = numbers(&short, "nonzeros");
    assert!(kept.len() < 100 && kept.iter().all(|kept| *kept <= 5.0), "{kept:?}");
    assert_eq!(kept, whole[..kept.len()]);
    assert!(whole[kept.len()] > 5.0);
    let said = folder.line("path --max-features 5 data").ok().out;
    assert!(said.contains(&format!("{} of 100 lambdas", kept.len())), "{said}");
    assert!(said.contains("the next one keeps more than 5"), "{said}");
}

#[test]
fn the_table_has_a_line_for_each_lambda_and_a_summary() {
    let folder = Folder::with_data();
    folder.write("test", rows(30, ["-1", "+1"]));
    let text = folder.line("path --penalty l1 --test test --out p.json --plot p.png data").ok().out;
    let report = folder.model("p.json");
    let table: Vec<&str> = text.lines().take(101).collect();
    assert_eq!(
        table[0].split_whitespace().collect::<Vec<_>>().join(" "),
        "lambda features F loss gap seconds test accuracy"
    );
    assert!(table[1..].iter().all(|line| line.chars().count() == table[1].chars().count()), "{text}");
    let last: Vec<&str> = table[100].split_whitespace().collect();
    assert_eq!(last[1], report["nonzeros"][99].to_string());
    let accuracy: f64 = last[6].parse().unwrap();
    assert!((accuracy - 100.0 * numbers(&report, "test_accuracy")[99]).abs() < 0.006);
    for part in [
        "80 rows, 6 features",
        "hinge loss + l1\n",
        "lambda_max",
        "100 of 100 lambdas",
        "worst gap",
        "converged",
        "load",
        "p.json, p.png",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!(folder.line("path --quiet --n-lambda 5 data").ok().out, "");
    assert_eq!(folder.files(), ["data", "p.json", "p.png", "test"]);
}

#[test]
fn objectives_reach_the_path() {
    let folder = Folder::with_data();
    let mut seen = std::collections::BTreeSet::new();
    for options in [
        "",
        "--penalty l1",
        "--penalty scad",
        "--penalty lsp",
        "--penalty capped-l1",
        "--penalty lp",
        "--theta 5",
        "--l2 0.1",
        "--loss squared-hinge",
        "--loss huber-hinge --delta 0.5",
        "--penalty l1 --class-weight 1=3",
        "--penalty l1 --no-intercept",
        "--penalty l1 --scale max-abs",
    ] {
        let mut args = vec!["path", "--json", "--n-lambda", "12"];
        args.extend(options.split_whitespace());
        args.push("data");
        let report = folder.run(&args).ok().json();
        assert!(seen.insert(report["objective"].to_string()), "{options} changes nothing");
    }
    let one = folder.line("path --json --threads 1 --n-lambda 12 data").ok().json();
    let two = folder.line("path --json --threads 2 --n-lambda 12 data").ok().json();
    assert_eq!((&one["objective"], &one["intercept"]), (&two["objective"], &two["intercept"]));
}

#[test]
fn limits_end_the_path() {
    let folder = Folder::with_data();
    let report = folder.line("path --json --max-iter 40 --out path.json data").ok().json();
    assert_eq!(report["path_status"], "max_iter");
    assert!(numbers(&report, "lambda").len() < 100);
    let said = folder.line("path --max-iter 40 data").ok().out;
    assert!(said.contains("the iterations ran out before the path's end"), "{said}");
}

#[test]
fn what_cannot_be_is_refused_before_the_work() {
    let folder = Folder::with_data();
    for (options, part) in [
        ("--out path.txt", "--out path.txt: the name must end in .json or .csv"),
        ("--out path", "the name must end in .json or .csv"),
        ("--out path.json.gz", "the name must end in .json or .csv"),
        ("--plot path.pdf", "--plot path.pdf: the name must end in .svg or .png"),
        ("--plot path.json", "the name must end in .svg or .png"),
        ("--out no/path.json", "there is no folder no"),
        ("--n-lambda 0", "--n-lambda 0 is not allowed"),
        ("--lambda-min-ratio 0", "--lambda-min-ratio 0 is not allowed"),
        ("--lambda-min-ratio 1", "--lambda-min-ratio 1 is not allowed"),
        ("--lambda-min-ratio nan", "--lambda-min-ratio NaN is not allowed"),
        ("--max-features 0", "--max-features 0 is not allowed"),
        ("--penalty scad --theta 2", "theta"),
        ("--delta 1", "--delta means nothing"),
        ("--tol -1", "tol"),
    ] {
        // Nobody reads `nowhere`.
        folder.line(&format!("path {options} nowhere")).refused(part);
    }
    folder.write("data.csv", "1 1:1\n");
    folder.line("path --out data.csv data.csv").refused("overwrite the input");
    folder.write("flat", "1 1:1\n-1 1:1\n");
    folder.line("path --out flat.json flat").refused("no path");
    assert_eq!(folder.files(), ["data", "data.csv", "flat"]);
}
