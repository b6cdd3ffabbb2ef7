//! Losses × penalties, and solvers, on nasty data: a certificate that is true, or one clear line.

use crate::nasty::{ordinary, readable};
use crate::room::Room;

const LOSSES: [&str; 3] = ["hinge", "squared-hinge", "huber-hinge"];
const PENALTIES: [&str; 6] = ["l1", "scad", "mcp", "lsp", "capped-l1", "lp"];
const SOLVERS: [&str; 6] = ["exact", "feadmm", "gist", "sqa", "reweighted", "global"];

fn room(names: &[&str]) -> Room {
    let room = Room::new();
    for (name, text) in readable().into_iter().filter(|(name, _)| names.contains(name)) {
        room.write(name, text);
    }
    room.write("ordinary", ordinary());
    room
}

/// Where the numbers are not at the edge of what there is, all of it converges.
#[test]
fn every_loss_and_penalty_converges_where_numbers_allow_it() {
    let names = ["opposite", "duplicated", "one-feature", "two-rows"];
    let room = room(&names);
    for loss in LOSSES {
        for penalty in PENALTIES {
            for name in names {
                let options = format!("--loss {loss} --penalty {penalty} --lambda 0.01 --starts 3");
                let report = room.train(&options, name).unwrap();
                assert_eq!(report["status"], "converged", "{options} {name}");
            }
        }
    }
}

#[test]
fn every_loss_and_penalty_is_honest_where_numbers_end() {
    let names = ["small", "large", "mixed", "very-large", "largest", "denormal"];
    let room = room(&names);
    for loss in LOSSES {
        for penalty in PENALTIES {
            for name in names {
                room.train(
                    &format!("--loss {loss} --penalty {penalty} --lambda 0.01 --starts 1 --max-time 0.3"),
                    name,
                );
            }
        }
    }
}

#[test]
fn every_solver_is_honest() {
    let names = [
        "one-row",
        "zero-rows",
        "opposite",
        "one-class",
        "empty-columns",
        "three-classes",
        "small",
        "large",
        "mixed",
        "largest",
        "denormal",
        "ordinary",
    ];
    let room = room(&names);
    for solver in SOLVERS {
        for loss in ["hinge", "squared-hinge"] {
            for name in names {
                let penalty = if solver == "sqa" { "scad" } else { "mcp" };
                room.train(
                    &format!("--solver {solver} --loss {loss} --penalty {penalty} --max-time 1"),
                    name,
                );
            }
        }
    }
}

#[test]
fn the_paper_s_solver_takes_any_rho() {
    let room = room(&["mixed", "opposite"]);
    for rho in ["1e-8", "1e8", "1e-300", "1e300"] {
        for linsys in ["cholesky", "woodbury", "cg"] {
            for name in ["ordinary", "opposite", "mixed"] {
                room.train(&format!("--solver feadmm --rho1 {rho} --linsys {linsys} --max-iter 200"), name);
                room.train(&format!("--solver feadmm --rho2 {rho} --linsys {linsys} --max-iter 200"), name);
            }
        }
    }
}
