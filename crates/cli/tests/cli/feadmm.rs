//! The paper's solver and its options.

use crate::folder::{Folder, number};

#[test]
fn its_own_options_choose_it_and_settings_are_reported() {
    let folder = Folder::with_data();
    let (auto, named) =
        (folder.train("--rho1 1 --max-iter 20"), folder.train("--solver feadmm --max-iter 20"));
    assert_eq!((&auto["solver"], &auto["objective"]), (&"feadmm".into(), &named["objective"]));
    assert_eq!((number(&named, "rho1"), number(&named, "rho2")), (1.0, 0.1));
    folder.line("train --solver exact --rho1 1 data").refused("--rho1 is an option of --solver feadmm");
    folder.line("train --solver feadmm --starts 3 data").refused("--starts is an option of --solver exact");
    let other = folder.train("--rho1 0.5 --rho2 0.05 --beta 0.2 --max-iter 20");
    assert_eq!((number(&other, "rho1"), number(&other, "rho2"), number(&other, "beta")), (0.5, 0.05, 0.2));
}

#[test]
fn the_three_linear_systems_agree() {
    let folder = Folder::with_data();
    let run = |linsys: &str| {
        number(
            &folder.train(&format!("--solver feadmm --linsys {linsys} --tol 0 --max-iter 50")),
            "objective",
        )
    };
    let expected = run("cholesky");
    for linsys in ["woodbury", "cg", "auto"] {
        assert!((run(linsys) - expected).abs() < 1e-8 * expected, "{linsys}");
    }
}

#[test]
fn a_factor_over_the_memory_limit_is_refused_with_a_remedy() {
    let folder = Folder::new();
    folder.write("data", crate::folder::rows(600, ["0", "1"]));
    folder.line("train --linsys woodbury --memory-limit 1M data").refused("--linsys cg");
    folder.line("train --quiet --linsys cg --memory-limit 1M data").ok();
}

#[test]
fn limits_end_the_run_and_say_so() {
    let folder = Folder::with_data();
    let counted = folder.train("--solver feadmm --tol 0 --max-iter 7");
    assert_eq!((&counted["iterations"], &counted["status"]), (&7.into(), &"max_iter".into()));
    let clock = std::time::Instant::now();
    let timed = folder.train("--solver feadmm --tol 0 --max-iter 1000000000 --max-time 0.3");
    assert_eq!(timed["status"], "max_time");
    let seconds = number(&timed["seconds"], "solve");
    assert!((0.3..5.0).contains(&seconds) && clock.elapsed().as_secs_f64() < 20.0, "{seconds}");
    assert_eq!(folder.model("data.model")["status"], "max_time");
}

#[test]
fn the_grid_is_no_worse_than_any_of_its_pairs() {
    let folder = Folder::with_data();
    let best = folder.train("--rho-grid --max-iter 60");
    let grid = [0.01, 0.1, 1.0, 1.5, 5.0, 10.0];
    assert!(grid.contains(&number(&best, "rho1")) && grid.contains(&number(&best, "rho2")));
    for pair in ["--rho1 1 --rho2 0.1", "--rho1 0.1 --rho2 0.01", "--rho1 10 --rho2 10"] {
        let single = folder.train(&format!("{pair} --max-iter 60"));
        assert!(number(&best, "objective") <= number(&single, "objective"), "{pair}");
    }
    let again = format!("--max-iter 60 --rho1 {} --rho2 {}", best["rho1"], best["rho2"]);
    assert_eq!(folder.train(&again)["objective"], best["objective"]);
}

#[test]
fn the_trace_has_a_line_for_each_iteration() {
    let folder = Folder::with_data();
    let report = folder.train("--solver feadmm --tol 0 --max-iter 25 --trace trace.csv");
    let text = folder.read("trace.csv");
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "iteration,seconds,paper_objective,true_objective,primal_residual,dual_residual,movement,nonzeros"
    );
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 25);
    for (k, row) in rows.iter().enumerate() {
        assert_eq!((row.len(), row[0]), (8, (k + 1) as f64));
    }
    let last = &rows[24];
    assert_eq!(last[2], number(&report, "paper_objective"));
    assert!((last[3] - number(&report, "objective")).abs() < 1e-12);
    assert_eq!(last[7], number(&report, "nonzeros"));
    assert_eq!(folder.files(), ["data", "data.model", "trace.csv"]);
}
