//! Nothing takes more memory than `--memory-limit` and a fixed amount for the program itself.

use std::fs::File;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::nasty::{ordinary, rows};
use crate::room::{Room, run};

/// Address space for a limit of 64 MiB: that, and what code, stacks, heaps and buffers of two threads take.
const CAP_MIB: u64 = 420;

/// So many bytes of a pattern, compressed to a few of them.
fn bomb(room: &Room, name: &str, head: &str, pattern: &str, mib: usize) {
    let mut to = GzEncoder::new(File::create(room.path(name)).unwrap(), Compression::fast());
    to.write_all(head.as_bytes()).unwrap();
    let piece = pattern.repeat((1 << 20) / pattern.len());
    (0..mib).for_each(|_| to.write_all(piece.as_bytes()).unwrap());
    to.finish().unwrap();
}

#[test]
fn compressed_bombs_stop_at_the_limit() {
    let room = Room::with("data", ordinary());
    room.line("train --quiet --lambda 0.01 data model").ok();
    // What would be gigabytes if it went on: zeros, one long line, rows without end, and a quote that never closes.
    bomb(&room, "zeros", "", "\0", 200);
    bomb(&room, "line", "+1 ", "1:1 ", 200);
    bomb(&room, "rows", "", "1\n0\n", 30);
    bomb(&room, "entries", "", "1 1:1 2:1 3:1\n0 2:1 4:1 5:1\n", 30);
    bomb(&room, "quote.csv", "y,a\n1,\"", "abcdefg\n", 200);
    bomb(&room, "names.csv", "y", ",a", 200);
    for name in ["zeros", "line", "rows", "entries", "quote.csv", "names.csv"] {
        for command in ["train --no-model --lambda 0.01", "cv", "predict"] {
            let model = if command == "predict" { " model" } else { "" };
            let line = format!("{command} --quiet --threads 2 --memory-limit 64M {name}{model}");
            let ran = run(room.command(&line, CAP_MIB), &line);
            // Rows that are sound are predicted one after the other, in constant memory.
            match command == "predict" && ["rows", "entries"].contains(&name) {
                true => drop(ran.ok()),
                false => ran.refused(name),
            }
        }
    }
}

#[test]
fn blank_lines_take_no_memory() {
    let room = Room::new();
    bomb(&room, "blank", "+1 1:1\n-1 1:2\n", "\n", 300);
    let line = "train --no-model --quiet --threads 2 --memory-limit 64M --lambda 0.01 blank";
    run(room.command(line, CAP_MIB), line).ok();
}

#[test]
fn a_small_model_file_with_large_claims_takes_no_memory() {
    let room = Room::with("data", ordinary());
    room.line("train --quiet --lambda 0.01 data model").ok();
    let text = String::from_utf8(room.bytes("model")).unwrap();
    room.write("wide", text.replace("\"features\": 6", "\"features\": 4000000000"));
    assert_ne!(room.bytes("wide"), text.as_bytes());
    let mut far: serde_json::Value = room.model("wide");
    far["indices"] = serde_json::json!([0, 3_999_999_999u32]);
    far["weights"] = serde_json::json!([1.0, 2.0]);
    room.write("far", far.to_string());
    room.write("far.data", "+1 1:1 3999999999:2\n-1 4000000000:-2 4294967294:1\n");
    // All that the model says is in its first six features.
    let expected = room.line("predict --decision data model").ok().out;
    let on = |line: &str| run(room.command(line, CAP_MIB), line);
    assert_eq!(on("predict --threads 2 --decision data wide").ok().out, expected);
    on("predict --threads 2 --json far.data model").ok();
    on("predict --threads 2 --json far.data wide").ok();
    for data in ["data", "far.data"] {
        on(&format!("predict --threads 2 --memory-limit 64M {data} far")).refused("memory-limit");
    }
    for model in ["wide", "far"] {
        on(&format!("inspect --json {model}")).ok();
        for format in ["onnx", "c", "csv"] {
            on(&format!("export --quiet --to {format} {model} out")).ok();
        }
        on(&format!(
            "train --no-model --quiet --threads 2 --start {model} --solver gist --loss squared-hinge data"
        ))
        .refused("features");
    }
}

#[test]
fn wide_data_is_refused_before_its_vectors_are_made() {
    let room = Room::with("far", "+1 1:1\n-1 4294967294:1\n");
    for command in ["train --no-model --lambda 0.01", "path", "cv", "select"] {
        let line = format!("{command} --quiet --threads 2 --memory-limit 64M far");
        run(room.command(&line, CAP_MIB), &line).refused("memory-limit");
    }
}

/// What commands make of the data is counted too: both axes, folds, and copies of mapped values.
#[test]
fn copies_are_counted_before_they_are_made() {
    let full = rows(20_000, &[1.0; 10]);
    let room = Room::with("data", format!("{full}+1 1:1\n"));
    // 200,000 entries: 2.4 MB by rows, twice that with columns, and as much again for each fold at a time.
    let at = |line: &str, limit: &str| {
        room.line(&format!("{line} --quiet --threads 2 --memory-limit {limit} data"))
    };
    let train = "train --no-model --penalty l1 --tol 0.1 --lambda 0.01";
    at(train, "3M").refused("by rows and by columns");
    at(train, "8M").ok();
    at("path --n-lambda 2 --tol 0.1", "3M").refused("by rows and by columns");
    for folds in ["cv --n-lambda 2 --folds 2 --tol 0.1", "select --pairs 1 --tol 0.1"] {
        at(folds, "8M").refused("--threads");
    }
    at("train --no-model --penalty l1 --folds 2 --tol 0.1", "8M").refused("--threads");
    at("cv --penalty l1 --n-lambda 2 --folds 2 --tol 0.1", "24M").ok();
    at("train --no-model --solver feadmm --linsys woodbury", "1G").refused("factor");

    // Without a gap a third of that, if there is room for rows and dense columns at first.
    room.write("full", full);
    let full = |limit: &str| {
        room.line(&format!(
            "cv --penalty l1 --n-lambda 2 --folds 2 --tol 0.1 --quiet --threads 2 --memory-limit {limit} full"
        ))
    };
    full("3M").refused("by rows and by columns");
    full("8M").ok();

    crate::bits::map(&room, "data", "mapped.spv");
    let on = |options: &str| room.line(&format!("{train} --quiet --memory-limit 1M {options}mapped.spv"));
    on("").ok();
    on("--scale max-abs ").refused("memory-limit");
}
