//! Ctrl-C.
#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::Folder;

/// A run that would take a minute.
const ENDLESS: [&str; 9] =
    ["train", "--json", "--solver", "feadmm", "--tol", "0", "--max-iter", "100000000", "--max-time"];

/// What takes longer hangs, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// Its bit in the masks that Linux shows.
const SIGINT: u64 = 1 << (2 - 1);

/// Ctrl-C for a program that listens for it, and has done so for a while.
fn interrupt(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    let listens = || {
        let Ok(status) = std::fs::read_to_string(&status) else { return true };
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & SIGINT != 0
    };
    // On a busy machine it may take seconds until its first line runs.
    let clock = Instant::now();
    while !listens() && clock.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn wait(child: &mut Child) -> Option<i32> {
    let clock = Instant::now();
    while clock.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("it did not stop");
}

#[test]
fn the_best_so_far_is_written_and_the_code_is_130() {
    let folder = Folder::with_data();
    let args = [&ENDLESS[..], &["60", "--trace", "trace.csv", "data"]].concat();
    let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    interrupt(&child);
    assert_eq!(wait(&mut child), Some(130));
    let output = child.wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "interrupted");
    assert_eq!(folder.model("data.model")["status"], "interrupted");
    let rows = folder.read("trace.csv").lines().count() - 1;
    assert_eq!(report["iterations"], rows);
    assert_eq!(folder.files(), ["data", "data.model", "trace.csv"]);
    folder.line("predict --quiet data data.model").ok();
}

#[test]
fn the_path_so_far_is_written() {
    let folder = Folder::with_data();
    // Smooth and exact, so that every lambda needs an iteration.
    let line = "path --quiet --penalty l1 --loss squared-hinge --tol 1e-9 --n-lambda 1000000 \
                --out path.json --plot path.svg data";
    let args: Vec<&str> = line.split_whitespace().collect();
    let mut child = folder.command(&args).stderr(Stdio::null()).spawn().unwrap();
    interrupt(&child);
    assert_eq!(wait(&mut child), Some(130));
    let written = folder.model("path.json");
    assert_eq!(written["path_status"], "interrupted");
    let made = written["coefficients"].as_array().unwrap().len();
    assert!((1..1_000_000).contains(&made), "{made}");
    assert_eq!(folder.files(), ["data", "path.json", "path.svg"]);
}

#[test]
fn before_the_first_iteration_a_second_one_quits_at_once() {
    let folder = Folder::new();
    // Standard input that never ends: the first Ctrl-C has no iteration to wait for.
    let args = [&ENDLESS[..], &["60", "-"]].concat();
    let mut command = folder.command(&args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    interrupt(&child);
    assert_eq!(wait(&mut child), Some(130));
    assert!(folder.files().is_empty());
}

#[test]
fn several_classes_are_all_written_or_none() {
    let folder = Folder::new();
    folder.write("data", crate::several::classes(&["0", "1", "2"], 20));
    // In turn, and side by side.
    for solver in ["feadmm", "gist"] {
        let mut args = [&ENDLESS[..], &["60", "--loss", "squared-hinge", "data"]].concat();
        args[3] = solver;
        let child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.unwrap();
        interrupt(&child);
        assert_eq!(wait(&mut child), Some(130));
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.stdout.is_empty() && told.contains("needs all of them, so none was written"),
            "{told}"
        );
        assert_eq!(folder.files(), ["data"]);
    }
}
