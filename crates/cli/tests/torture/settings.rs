//! Settings at, next to and far beyond their bounds.

use std::fmt::Write as _;

use crate::nasty::{ordinary, readable};
use crate::room::Room;

/// Options of `train`, and a part of the refusal; nothing if it must converge, or be honest.
const TABLE: [(&str, Expected); 44] = [
    ("--lambda 0", Honest),
    ("--lambda 0 --penalty l1", Honest),
    ("--lambda 1e300", Converges),
    ("--lambda 1e300 --penalty l1", Converges),
    ("--lambda 1e-300", Honest),
    ("--lambda 1e-300 --penalty lp", Honest),
    ("--lambda -0", Honest),
    ("--lambda inf", Refused("lambda")),
    ("--lambda 0.01 --penalty scad --theta 2", Refused("theta")),
    ("--lambda 0.01 --penalty scad --theta 2.0000000000000004", Honest),
    ("--lambda 0.01 --penalty scad --theta 1e300", Converges),
    ("--lambda 0.01 --penalty mcp --theta 0", Refused("theta")),
    ("--lambda 0.01 --penalty mcp --theta 5e-324", Honest),
    ("--lambda 0.01 --penalty mcp --theta 1e300", Converges),
    ("--lambda 0.01 --penalty lsp --theta 0", Refused("theta")),
    ("--lambda 0.01 --penalty lsp --theta 1e-300", Honest),
    ("--lambda 0.01 --penalty lsp --theta 1e300", Honest),
    ("--lambda 0.01 --penalty capped-l1 --theta 0", Refused("theta")),
    ("--lambda 0.01 --penalty capped-l1 --theta 1e-300", Honest),
    ("--lambda 0.01 --penalty capped-l1 --theta 1e300", Converges),
    ("--lambda 0.01 --penalty lp --theta 0", Refused("lp")),
    ("--lambda 0.01 --penalty lp --theta 1e-300", Honest),
    ("--lambda 0.01 --penalty lp --theta 0.9999999999999999", Honest),
    ("--lambda 0.01 --penalty lp --theta 1", Refused("lp")),
    ("--lambda 0.01 --theta nan", Refused("theta")),
    ("--lambda 0.01 --loss huber-hinge --delta 1e-300", Honest),
    ("--lambda 0.01 --loss huber-hinge --delta 1e300", Honest),
    ("--lambda 0.01 --l2 1e300", Honest),
    ("--lambda 0.01 --l2 1e-300 --max-time 1", Honest),
    ("--lambda 0.01 --tol 0", Honest),
    ("--lambda 0.01 --tol 1e-300", Honest),
    ("--lambda 0.01 --tol 1", Converges),
    ("--lambda 0.01 --tol 1e300", Converges),
    ("--lambda 0.01 --max-iter 0", Refused("max-iter")),
    ("--lambda 0.01 --max-iter 1", Honest),
    ("--lambda 0.01 --max-time 1e-9", Honest),
    ("--max-features 0", Refused("--max-features 0")),
    ("--max-features 18446744073709551615", Converges),
    ("--folds 1000000", Honest),
    ("--folds 1", Refused("folds")),
    ("--lambda 0.01 --threads 1000", Honest),
    ("--lambda 0.01 --features 18446744073709551615", Refused("features")),
    ("--lambda 0.01 --weights none", Refused("weights")),
    ("--lambda 0.01 --memory-limit 0", Refused("memory-limit")),
];

enum Expected {
    Converges,
    /// A certificate that is true, or one clear line.
    Honest,
    Refused(&'static str),
}
use Expected::{Converges, Honest, Refused};

#[test]
fn every_setting_at_its_bounds() {
    let room = Room::with("data", ordinary());
    room.write("none", "0\n".repeat(60));
    for (options, expected) in TABLE {
        // What cannot converge need not take long to say so.
        let limited = if options.contains("--max-time") { "" } else { " --max-time 0.5" };
        match expected {
            Converges => {
                assert_eq!(room.train(options, "data").expect(options)["status"], "converged", "{options}");
            }
            Honest => drop(room.train(&format!("{options}{limited}"), "data")),
            Refused(part) => room.line(&format!("train --json --quiet {options} data model")).refused(part),
        }
    }
}

#[test]
fn weights_of_many_magnitudes() {
    let room = Room::with("data", ordinary());
    let names = ["ones-and-zeros", "far", "huge", "one"];
    for (name, weights) in names.iter().zip([[0.0, 1.0], [0.0, 1e12], [1e-300, 1e300], [0.0, 0.0]]) {
        let mut text = String::new();
        (0..60).for_each(|i| writeln!(text, "{}", weights[usize::from(i % 3 == 0)]).unwrap());
        if *name == "one" {
            text = text.replacen('0', "1", 1);
        }
        room.write(name, text);
        for penalty in ["l1", "mcp"] {
            for command in ["train --lambda 0.01", "train --folds 2", "path --n-lambda 5", "select --pairs 2"]
            {
                room.line(&format!("{command} --json --quiet --penalty {penalty} --weights {name} data"))
                    .sane();
            }
            room.train(&format!("--lambda 0.01 --penalty {penalty} --weights {name}"), "data");
            room.train(&format!("--lambda 0.01 --loss squared-hinge --weights {name}"), "data");
        }
    }
    room.write("factors", "0\n1e12\n1e-300\n1\n1e300\n0\n");
    room.train("--lambda 0.01 --penalty-factors factors", "data");
}

#[test]
fn paths_folds_and_halves_at_their_bounds() {
    let room = Room::with("data", ordinary());
    let (_, pair) = readable().into_iter().find(|(name, _)| *name == "two-rows").unwrap();
    room.write("pair", pair);
    for data in ["data", "pair"] {
        for line in [
            "path --n-lambda 1",
            "path --n-lambda 0",
            "path --n-lambda 5 --lambda-min-ratio 1e-300",
            "path --n-lambda 5 --lambda-min-ratio 1",
            "path --n-lambda 5 --max-features 0",
            "path --n-lambda 5 --tol 0 --max-iter 50",
            "path --max-time 1e-9",
            "cv --n-lambda 5 --folds 1000",
            "cv --n-lambda 5 --folds 0",
            "cv --n-lambda 5 --folds 2 --repeats 0",
            "cv --n-lambda 1 --folds 2",
            "cv --n-lambda 3 --folds 3 --outer 1000",
            "select --pairs 0",
            "select --pairs 2 --expect 0",
            "select --pairs 2 --expect 1000000",
            "select --pairs 2 --threshold 0.5",
            "select --pairs 2 --lambda 1e-300",
        ] {
            room.line(&format!("{line} --json --quiet {data}")).sane();
        }
    }
}
