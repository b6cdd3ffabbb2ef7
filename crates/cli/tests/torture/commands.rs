//! Every command that takes data, on all of the nasty data.

use crate::nasty::{REFUSED, ordinary, readable};
use crate::room::Room;

/// Every command that reads DATA; `okay` is a model of ordinary data, and `DATA` is replaced.
const COMMANDS: [&str; 9] = [
    "train --json --quiet --max-time 0.5 --lambda 0.01 DATA model",
    "train --json --quiet --max-time 0.5 --folds 2 --penalty l1 DATA model",
    "train --json --quiet --max-time 0.5 --max-features 2 DATA model",
    "path --json --quiet --max-time 0.5 --n-lambda 10 --out path.json DATA",
    "cv --json --quiet --max-time 0.5 --n-lambda 10 --folds 3 --out cv.json DATA",
    "select --json --quiet --max-time 0.5 --pairs 3 --out select.json DATA",
    "predict --json DATA okay",
    "predict --quiet --decision DATA okay predictions",
    "train --json --quiet --lambda 0.01 --test DATA okay.data model",
];

fn room() -> Room {
    let room = Room::with("okay.data", ordinary());
    room.line("train --quiet --lambda 0.02 okay.data okay").ok();
    room
}

/// On data that is read, a command ends well or in one clear line.
fn every_command(part: usize, of: usize) {
    let room = room();
    for (name, text) in readable().into_iter().skip(part).step_by(of) {
        room.write(name, text);
        for command in COMMANDS {
            let ran = room.line(&command.replace("DATA", name)).sane();
            let trained = command.starts_with("train --json") && !command.contains("--test");
            if !ran.is_refused() && trained {
                room.judged(&ran, name);
            }
        }
    }
    assert!(!room.files().iter().any(|name| name.starts_with('.')), "{:?}", room.files());
}

// In parts, for the test runner's threads.
#[test]
fn every_command_on_the_first_third() {
    every_command(0, 3);
}

#[test]
fn every_command_on_the_second_third() {
    every_command(1, 3);
}

#[test]
fn every_command_on_the_last_third() {
    every_command(2, 3);
}

#[test]
fn data_that_is_none_is_refused_by_every_command_with_its_place() {
    let room = room();
    for (name, text, part) in REFUSED {
        room.write(name, text);
        for command in COMMANDS {
            let ran = room.line(&command.replace("DATA", name));
            ran.refused(part);
            assert!(ran.err.contains(name), "{ran:#?}");
        }
    }
    let made = ["model", "path.json", "cv.json", "select.json", "predictions"];
    assert!(!room.files().iter().any(|name| made.contains(&name.as_str())), "{:?}", room.files());
}

#[test]
fn words_are_labels_in_a_table() {
    let room =
        Room::with("words.csv", readable().into_iter().find(|(name, _)| *name == "words.csv").unwrap().1);
    let report = room.train("--lambda 0.01", "words.csv").unwrap();
    assert_eq!(report["status"], "converged");
    assert_eq!(room.model("model")["classes"], serde_json::json!(["no", "yes"]));
}

#[test]
fn ten_million_features_of_which_few_are_there() {
    let mut draw = crate::nasty::Draw(3);
    let mut text = String::new();
    for i in 0..1000 {
        let mut at = [0; 3].map(|_| 1 + draw.bits() % 10_000_000);
        at.sort_unstable();
        text += &format!(
            "{} {}:1 {}:2 {}:3 10000001:{}\n",
            ["-1", "+1"][i % 2],
            at[0],
            at[1] + 1,
            at[2] + 2,
            i % 2
        );
    }
    let room = Room::with("wide", text);
    let report = room.train("--penalty l1 --lambda 0.01", "wide").unwrap();
    assert_eq!((&report["status"], &report["features"]), (&"converged".into(), &10_000_001.into()));
}

#[test]
fn models_that_keep_nothing_work_everywhere() {
    let room = Room::with("data", ordinary());
    room.line("train --quiet --lambda 1e6 data empty").ok();
    assert!(room.model("empty")["indices"].as_array().unwrap().is_empty());
    room.write("wide", "+1 1:1 4000000:2\n-1 9:1\n");
    room.write("narrow", "+1\n-1 1:0\n");
    for data in ["data", "wide", "narrow"] {
        for options in ["", "--decision ", "--json "] {
            room.line(&format!("predict {options}{data} empty")).ok();
        }
    }
    room.line("inspect empty").ok();
    for (format, out) in [("liblinear", "l"), ("onnx", "o"), ("c", "h"), ("csv", "t")] {
        room.line(&format!("export --quiet --to {format} empty {out}")).ok();
    }
    room.line("import --quiet --from liblinear l back").ok();
    room.line("predict --json data back").ok();
    room.line("train --quiet --solver gist --loss squared-hinge --start empty data again").ok();
}
