//! Disks that are full, folders that are locked or gone, pipes that close, files that are none.
#![cfg(unix)]

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::nasty::{ordinary, rows};
use crate::room::{Room, SPACE_MIB, run, wait};

/// Every command that prints, on `data`, `model` and `run.json`.
const PRINTING: [&str; 13] = [
    "train --no-model --lambda 0.01 data",
    "train --no-model --json --lambda 0.01 data",
    "path --n-lambda 5 data",
    "cv --quiet --json --n-lambda 5 --folds 3 data",
    "select --quiet --json --pairs 2 data",
    "predict data model",
    "predict --decision data model -",
    "inspect model",
    "export --to c model -",
    "export --to liblinear model -",
    "completions bash",
    "demo --json",
    "--help",
];

fn room() -> Room {
    let room = Room::with("data", ordinary());
    room.line("train --quiet --lambda 0.01 data model").ok();
    room
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let room = room();
    for line in PRINTING.iter().filter(|line| **line != "--help") {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sparsvm"));
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let done = command.args(line.split(' ')).current_dir(room.path(".")).stdout(full).output().unwrap();
        let told = String::from_utf8(done.stderr).unwrap();
        let last = told.lines().last().unwrap_or_default();
        assert!(done.status.code() == Some(1) && last.starts_with("sparsvm: cannot write"), "{line}: {told}");
    }
    for line in [
        "train --json --lambda 0.01 data /dev/full",
        "train --json --lambda 0.01 --trace /dev/full data new",
        "predict --json data model /dev/full",
        "export --to c model /dev/full",
    ] {
        room.line(line).refused("cannot write /dev/full");
    }
    // The demonstration has written its files by then.
    let ours = |name: &String| !name.starts_with("breast-cancer.");
    assert_eq!(room.files().into_iter().filter(ours).collect::<Vec<_>>(), ["data", "model"]);
}

/// A file that may grow to so many blocks of 512 bytes and no further, as on a disk that fills up meanwhile.
#[test]
fn a_disk_that_fills_up_leaves_the_old_file() {
    let room = room();
    room.write("big", rows(20_000, &[1.0; 3]));
    room.write("old", "old");
    for line in ["predict --quiet --decision big model old", "export --quiet --to c model old"] {
        let mut command = Command::new("sh");
        let limited = "trap '' XFSZ; ulimit -f 1 && exec \"$@\"";
        command.args(["-c", limited, "sh", env!("CARGO_BIN_EXE_sparsvm")]).args(line.split(' '));
        let ran = run_in(&room, command, line);
        ran.refused("cannot write old");
        assert_eq!(room.bytes("old"), b"old", "{line}");
    }
    assert_eq!(room.files(), ["big", "data", "model", "old"]);
}

fn run_in(room: &Room, mut command: Command, line: &str) -> crate::room::Ran {
    command.current_dir(room.path(".")).stdin(Stdio::null());
    run(command, line)
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let room = room();
    room.write("data", rows(2_000, &[1.0; 4]));
    for line in PRINTING {
        let mut command = room.command(line, SPACE_MIB);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // One byte, as `head -c 1` takes it.
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        assert_eq!(wait(&mut child, line), Some(0), "{line}");
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert!(!told.contains("panicked") && !told.contains("sparsvm: "), "{line}: {told}");
    }
}

#[test]
fn what_is_no_file_is_refused_by_every_command() {
    let room = room();
    std::fs::create_dir(room.path("folder")).unwrap();
    room.write("locked", ordinary());
    std::fs::set_permissions(room.path("locked"), std::fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read anything.
    let bound = std::fs::read(room.path("locked")).is_err();
    for command in ["train --no-model", "path", "cv", "select", "predict"] {
        for name in ["folder", "locked", "nowhere", "data/below"] {
            if name == "locked" && !bound {
                continue;
            }
            let model = if command == "predict" { " model" } else { "" };
            room.line(&format!("{command} --quiet {name}{model}")).refused(name);
        }
    }
    for line in [
        "predict --quiet data folder",
        "inspect folder",
        "export --to c folder out",
        "report folder --out x.html",
        "import --from liblinear folder out",
        "train --quiet --weights folder --lambda 1 data out",
        "train --quiet --lambda 1 --penalty-factors folder data out",
    ] {
        room.line(line).refused("folder");
    }
    assert_eq!(room.files(), ["data", "folder", "locked", "model"]);
}

#[test]
fn endless_files_are_no_models() {
    let room = room();
    for line in [
        "predict data /dev/zero",
        "inspect /dev/zero",
        "export --to c /dev/zero out",
        "report /dev/zero --out x.html",
        "train --quiet --lambda 0.01 --weights /dev/zero data new",
        "train --quiet --lambda 0.01 --penalty-factors /dev/zero data new",
        "cv --quiet --groups /dev/zero data",
    ] {
        room.line(line).refused("/dev/zero");
    }
    for line in
        ["train --no-model --memory-limit 64M /dev/zero", "predict --memory-limit 64M /dev/zero model"]
    {
        room.line(line).refused("/dev/zero");
    }
}

#[test]
fn a_fifo_is_data_like_any_other() {
    let room = room();
    let made = Command::new("mkfifo").arg(room.path("fifo")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    for line in ["train --json --quiet --lambda 0.01 fifo from-fifo", "predict --quiet fifo model"] {
        let mut writer = Command::new("sh");
        let mut writer = writer.args(["-c", "cat data > fifo"]).current_dir(room.path(".")).spawn().unwrap();
        room.line(line).ok();
        assert_eq!(wait(&mut writer, line), Some(0));
    }
    let told = |name: &str| {
        let mut model = room.model(name);
        model["provenance"]["data"].take();
        model
    };
    assert_eq!(told("from-fifo"), told("model"));
}

#[test]
fn a_folder_that_vanishes_meanwhile_is_told() {
    let room = room();
    std::fs::create_dir(room.path("gone")).unwrap();
    let line =
        "train --quiet --json --solver feadmm --tol 0 --max-iter 100000000 --max-time 4 data gone/model";
    let mut command = room.command(line, SPACE_MIB);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    std::fs::remove_dir(room.path("gone")).unwrap();
    assert_eq!(wait(&mut child, line), Some(1));
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(told.starts_with("sparsvm: cannot write gone/model") && told.lines().count() == 1, "{told}");
    assert_eq!(room.files(), ["data", "model"]);
}

#[test]
fn without_threads_to_be_had_there_is_a_clear_line() {
    let room = room();
    // From too little for the program's own code to enough for all of it.
    for mib in [24, 32, 40, 64, 96, 128, 256] {
        let limited = format!("ulimit -v {} && exec \"$@\"", mib << 10);
        let mut command = Command::new("sh");
        command.args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_sparsvm"), "train", "--no-model", "--quiet"]);
        command.args(["--lambda", "0.01", "data"]);
        let ran = run_in(&room, command, &limited);
        // Below what its code takes, the system does not start it at all.
        assert!(!ran.err.contains("panicked"), "{mib} MiB: {ran:#?}");
    }
}
