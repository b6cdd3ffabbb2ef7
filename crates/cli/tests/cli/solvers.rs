//! The other methods of the paper's tables: which options are whose, what each refuses, and that they agree.

use crate::folder::{Folder, number, wide_rows};

#[test]
fn their_own_options_choose_them_and_are_reported() {
    let folder = Folder::with_data();
    for (options, solver, setting, value) in [
        ("--nonmonotone 1 --loss squared-hinge", "gist", "nonmonotone", 1.0),
        ("--solver gist --loss huber-hinge", "gist", "nonmonotone", 5.0),
        ("--zero-below 0.01", "sqa", "zero_below", 0.01),
        ("--zero-below 0.01 --linsys cg", "sqa", "zero_below", 0.01),
        ("--solver sqa --linsys woodbury", "sqa", "zero_below", 1e-3),
        ("--rounds 2 --loss squared-hinge", "reweighted", "rounds", 2.0),
        ("--solver reweighted --loss squared-hinge", "reweighted", "rounds", 100.0),
        ("--linsys cg", "feadmm", "rho1", 1.0),
    ] {
        let report = folder.train(options);
        assert_eq!((&report["solver"], number(&report, setting)), (&solver.into(), value), "{options}");
        let model = folder.model("data.model");
        let told = model["provenance"]["solver"].as_str().unwrap();
        assert!(told.starts_with(solver) && told.contains(setting), "{told}");
    }
}

#[test]
fn options_of_others_are_refused_by_name() {
    let folder = Folder::with_data();
    for (options, part) in [
        (
            "--solver gist --loss squared-hinge --rho1 1",
            "--rho1 is an option of --solver feadmm: leave it out",
        ),
        ("--solver exact --nonmonotone 3", "--nonmonotone is an option of --solver gist"),
        ("--solver feadmm --zero-below 0.1", "--zero-below is an option of --solver sqa"),
        ("--solver sqa --rounds 3", "--rounds is an option of --solver reweighted"),
        (
            "--solver reweighted --loss squared-hinge --linsys cg",
            "--linsys is an option of --solver feadmm, sqa",
        ),
        ("--solver feadmm --start m", "--start is an option of --solver exact, gist, sqa, reweighted"),
        ("--rho1 1 --rounds 3", "--rounds is an option of --solver reweighted"),
        ("--nonmonotone 0 --loss squared-hinge", "--nonmonotone 0 is not allowed"),
        ("--rounds 0 --loss squared-hinge", "--rounds 0 is not allowed"),
        ("--zero-below 1", "zero-below = 1"),
        ("--zero-below nan", "zero-below"),
        ("--max-features 2 --solver gist", "--max-features follows a path, which --solver gist does not"),
    ] {
        folder.line(&format!("train {options} data")).refused(part);
    }
    assert_eq!(folder.files(), ["data"]);
}

#[test]
fn what_a_solver_cannot_take_is_refused_before_the_data_is_read() {
    let folder = Folder::new();
    for (options, part) in [
        (
            "--solver gist",
            "solver gist cannot take the hinge loss: it takes squared-hinge and huber-hinge; use exact",
        ),
        ("--solver sqa --loss squared-hinge", "solver sqa cannot take the squared-hinge loss"),
        ("--solver sqa --penalty capped-l1", "cannot take the capped-l1 penalty: it takes scad, mcp and lsp"),
        ("--solver reweighted --loss squared-hinge --penalty scad", "use exact, feadmm or gist"),
        ("--rounds 3", "solver reweighted cannot take the hinge loss"),
    ] {
        folder.line(&format!("train {options} nowhere")).refused(part);
    }
    let help = folder.line("train --help").ok().out.replace('\n', " ");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in
        ["for squared-hinge and huber-hinge", "for hinge with scad, mcp and lsp", "with l1, mcp, lsp and lp"]
    {
        assert!(help.contains(part), "{part} is not in {help}");
    }
}

#[test]
fn all_solvers_agree_on_a_convex_problem() {
    let folder = Folder::new();
    folder.write("data", wide_rows(60, 12, ["-1", "+1"]));
    let common =
        "--penalty l1 --l2 0.05 --loss squared-hinge --class-weight balanced --tol 1e-10 --max-iter 100000";
    let best = number(&folder.train(common), "objective");
    for solver in ["gist", "gist --nonmonotone 1", "reweighted", "feadmm"] {
        let found = number(&folder.train(&format!("{common} --solver {solver}")), "objective");
        assert!((found - best).abs() < 1e-6 * best, "{solver}: {found} {best}");
    }
}

#[test]
fn traces_starts_and_limits_work_for_each() {
    let folder = Folder::new();
    folder.write("data", wide_rows(60, 12, ["-1", "+1"]));
    for solver in ["gist --loss squared-hinge", "reweighted --loss squared-hinge", "sqa"] {
        let report = folder.train(&format!("--solver {solver} --trace trace.csv"));
        let text = folder.read("trace.csv");
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), number(&report, "iterations") as usize);
        let last = rows.last().unwrap();
        let objective = number(&report, "objective");
        assert!((last[3].parse::<f64>().unwrap() - objective).abs() < 1e-9 * objective, "{solver}");
        assert_eq!(last[7].parse::<f64>().unwrap(), number(&report, "nonzeros"));
        assert!(last[2].is_empty() && last[4].is_empty());
        let warm = folder.train(&format!("--solver {solver} --start data.model"));
        assert!(number(&warm, "objective") <= objective * (1.0 + 1e-6), "{solver}");
        let cut = folder.train(&format!("--solver {solver} --tol 0 --max-iter 4"));
        assert_eq!((&cut["iterations"], &cut["status"]), (&4.into(), &"max_iter".into()), "{solver}");
        let said = folder.line(&format!("train --solver {solver} --tol 1e-3 data")).ok().out;
        assert!(said.contains("stalled: its own stop rule fired"), "{said}");
    }
    let endless = "--solver gist --loss squared-hinge --tol 0 --max-iter 1000000000 --max-time 0.3";
    assert_eq!(folder.train(endless)["status"], "max_time");
}
