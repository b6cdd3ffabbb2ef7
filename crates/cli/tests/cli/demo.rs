//! The demo, and the commands that it tells to try next.

use std::process::Command;
use std::time::Instant;

use crate::folder::{Folder, number};

#[test]
fn the_demo_and_its_next_three_commands_work() {
    let folder = Folder::new();
    let clock = Instant::now();
    let text = folder.line("demo").ok().out;
    assert!(clock.elapsed().as_secs_f64() < 5.0);
    assert_eq!(folder.files(), ["breast-cancer.model", "breast-cancer.test", "breast-cancer.train"]);
    for part in ["malignant", "of 30 features", "worst ", "test accuracy", "objective", "certificate", "gap"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let program = env!("CARGO_BIN_EXE_sparsvm");
    let commands: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with(program)).collect();
    assert_eq!(commands.len(), 3, "{text}");
    for command in commands {
        let output = Command::new("sh").args(["-c", command]).current_dir(folder.path("")).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{command}: {output:?}");
    }
    assert_eq!(folder.read("predictions.txt").lines().count(), 171);
    assert!(folder.read("path.svg").contains("breast-cancer.train"));
}

/// The text is there word for word, and numbers to a part in a thousand, which is more than another processor's rounding
/// changes; how small the gap is differs.
#[test]
fn the_readme_shows_what_the_demo_says() {
    let readme = include_str!("../../../../README.md");
    let shown = readme.split("```").find(|block| block.contains("breast tumours")).unwrap();
    let said = Folder::new().line("demo").ok().out;
    let alike = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-3 * b.abs(),
        _ => a == b,
    };
    let proof = |line: &str| line.contains("gap") || line.contains("violation");
    for line in shown.lines().filter(|line| !line.is_empty() && !proof(line)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_said = said.lines().any(|said| {
            let said: Vec<&str> = said.split_whitespace().collect();
            said.len() == words.len() && said.iter().zip(&words).all(|(a, b)| alike(a, b))
        });
        assert!(is_said, "the README says\n{line}\nand the demo\n{said}");
    }
}

#[cfg(unix)]
#[test]
fn the_commands_name_the_program_as_it_can_be_called() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("bin")).unwrap();
    let program = folder.path("bin/sparsvm");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sparsvm"), &program).unwrap();
    let said = |search: &std::path::Path| {
        let mut command = Command::new(&program);
        let output = command.arg("demo").current_dir(folder.path("")).env("PATH", search).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(said(&folder.path("bin")).contains("\n  sparsvm inspect breast-cancer.model\n"));
    assert!(said(&folder.path("elsewhere")).contains("\n  bin/sparsvm inspect breast-cancer.model\n"));
}

#[test]
fn the_demo_tells_machines_the_same() {
    let folder = Folder::new();
    let report = folder.line("demo --json").ok().json();
    assert_eq!((number(&report, "samples"), number(&report, "features")), (398.0, 30.0));
    let kept = report["kept"].as_array().unwrap();
    assert_eq!(kept.len(), number(&report, "nonzeros") as usize);
    assert!((5..=8).contains(&kept.len()), "{} features", kept.len());
    assert!(kept.iter().all(|feature| feature["name"].is_string()));
    assert!(number(&report, "test_accuracy") > 0.93);
    let same = folder.line("predict --json breast-cancer.test breast-cancer.model").ok().json();
    assert_eq!(same["accuracy"], report["test_accuracy"]);
    assert_ne!(folder.line("demo --json --seed 2").ok().json()["objective"], report["objective"]);
    assert_eq!(folder.line("demo --quiet").ok().out, "");
}
