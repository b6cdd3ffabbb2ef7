//! The global solver on the command line: what it proves, and what it refuses.

use crate::folder::{Folder, number, wide_rows};

#[test]
fn it_proves_a_bound_that_no_other_solver_is_below() {
    let folder = Folder::with_data();
    for options in ["--penalty scad --lambda 0.05", "--penalty capped-l1 --lambda 0.1 --no-intercept"] {
        let report = folder.train(&format!("--solver global --tol 1e-6 {options}"));
        assert_eq!((&report["solver"], &report["status"]), (&"global".into(), &"converged".into()));
        let (objective, bound) = (number(&report, "objective"), number(&report, "global_bound"));
        assert!(number(&report, "global_gap") <= 1e-6 && bound <= objective, "{report}");
        assert!(report["global_everywhere"].is_boolean(), "{report}");
        let exact = folder.train(&format!("--starts 50 {options}"));
        assert!(number(&exact, "objective") >= bound, "{bound} {exact}");
        assert_eq!(exact.get("global_bound"), None);
    }
    let table = folder.line("train --solver global --start data.model data").ok().out;
    assert!(table.contains("global bound") && table.contains("better by more than"), "{table}");
    assert!(table.contains("global gap, gap and violation are within tol 0.0001"), "{table}");
}

#[test]
fn out_of_time_it_tells_the_bound_so_far() {
    let folder = Folder::new();
    folder.write("data", wide_rows(60, 60, ["-1", "+1"]));
    let report = folder.train("--solver global --penalty mcp --lambda 0.02 --max-iter 5");
    assert_eq!((&report["status"], number(&report, "iterations")), (&"max_iter".into(), 5.0));
    let gap = 1.0 - number(&report, "global_bound") / number(&report, "objective");
    assert!((number(&report, "global_gap") - gap).abs() < 1e-12 && gap > 1e-4, "{report}");
}

#[test]
fn what_it_cannot_take_is_refused_before_any_work() {
    let folder = Folder::with_data();
    for (options, part) in [
        ("--loss squared-hinge", "solver global cannot take the squared-hinge loss"),
        ("--l2 0.1", "solver global cannot take a ridge part (l2 = 0.1)"),
        ("--size-limit 100", "80 rows x 6 features = 480 entries, more than its limit of 100: use exact"),
        ("--size-limit 0", "--size-limit 0 is not allowed"),
        ("--starts 5", "--starts is an option of --solver exact"),
        ("--rho1 1", "--rho1 is an option of --solver feadmm"),
        ("--max-features 2", "--max-features follows a path, which --solver global does not"),
    ] {
        folder.line(&format!("train --solver global {options} data")).refused(part);
        assert_eq!(folder.files(), ["data"], "{options}");
    }
    let other = folder.line("train --solver exact --size-limit 100 data");
    other.refused("--size-limit is an option of --solver global");
}
