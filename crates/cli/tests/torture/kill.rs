//! SIGKILL at any moment: what was there stays whole, and the next run works.
#![cfg(unix)]

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::nasty::{Draw, rows};
use crate::room::{Room, SPACE_MIB};

/// Starts the line, kills it after the given share of `whole`, and says whether it was still running.
fn kill_after(room: &Room, line: &str, whole: Duration, share: f64) -> bool {
    let mut command = room.command(line, SPACE_MIB);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(whole.mul_f64(share));
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

/// How long a line takes, and what it writes.
fn measured(room: &Room, line: &str, target: &str) -> (Duration, Vec<u8>) {
    let clock = Instant::now();
    room.line(line).ok();
    (clock.elapsed(), room.bytes(target))
}

/// Kills a line again and again: the target is the old file or the new one, to the last byte.
fn old_or_new(room: &Room, line: &str, target: &str, kills: usize) {
    let (mut whole, new) = measured(room, line, target);
    let old = b"old".to_vec();
    let mut draw = Draw(kills as u64);
    let mut killed = 0;
    for k in 0..kills {
        room.write(target, &old);
        // All through the run, and a little past its end.
        let share = (k as f64 + draw.unit()) / kills as f64 * 1.1;
        if kill_after(room, line, whole, share) {
            killed += 1;
        } else if share < 1.0 {
            // The first run, with other tests beside it, was a slow one.
            whole = whole.mul_f64(share);
        }
        let found = room.bytes(target);
        assert!(found == old || found == new, "{line}: {} bytes after {share}", found.len());
    }
    assert!(killed > kills / 4, "{line}: only {killed} of {kills} were still running");
    // What is left behind has a name that no result has, and disturbs nobody.
    for name in room.files() {
        assert!(!name.starts_with('.') || name.starts_with(".sparsvm-"), "{name}");
    }
    assert!(measured(room, line, target).1 == new, "{line}");
}

#[test]
fn a_model_is_the_old_one_or_the_new_one() {
    let room = Room::with("data", rows(3_000, &[1.0; 12]));
    old_or_new(&room, "train --quiet --lambda 0.003 data model", "model", 40);
}

#[test]
fn predictions_are_the_old_ones_or_the_new_ones() {
    let room = Room::with("data", rows(60_000, &[1.0; 4]));
    room.line("train --quiet --lambda 0.01 --penalty l1 --tol 0.01 data model").ok();
    old_or_new(&room, "predict --quiet --decision data model out", "out", 40);
}

#[test]
fn a_run_that_is_resumed_again_and_again_ends_as_if_nothing_had_been() {
    let room = Room::with("data", rows(300, &[1.0; 8]));
    let line = "cv --quiet --n-lambda 12 --folds 5 --repeats 3 --out cv.json data";
    let (whole, undisturbed) = measured(&room, line, "cv.json");
    std::fs::remove_file(room.path("cv.json")).unwrap();
    let resumed = "cv --quiet --n-lambda 12 --folds 5 --repeats 3 --out cv.json --resume cells data";
    let mut draw = Draw(20);
    for k in 0..20 {
        if k % 7 == 6 {
            std::fs::remove_dir_all(room.path("cells")).ok();
            std::fs::remove_file(room.path("cv.json")).ok();
        }
        kill_after(&room, resumed, whole, draw.unit());
        // Whole, or not there.
        if room.path("cv.json").exists() {
            assert!(room.model("cv.json").is_object());
        }
    }
    room.line(resumed).ok();
    let told = |bytes: &[u8]| -> serde_json::Value {
        let mut value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        // The command is told in the report, and seconds differ.
        value.as_object_mut().unwrap().retain(|key, _| key != "report" && key != "seconds");
        value
    };
    assert_eq!(told(&room.bytes("cv.json")), told(&undisturbed));
}
