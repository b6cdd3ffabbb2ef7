//! What goes wrong is told in one line, with exit code 1 (input, settings) or 2 (usage), and leaves no file.

use crate::folder::Folder;

#[test]
fn settings_out_of_range_are_refused() {
    let folder = Folder::with_data();
    for (options, part) in [
        ("--lambda -1", "lambda = -1"),
        ("--lambda nan", "lambda"),
        ("--penalty scad --theta 2", "theta"),
        ("--penalty lp --theta 1", "lp"),
        ("--penalty l1 --theta 3", "--theta means nothing to --penalty l1"),
        ("--l2 -0.1", "l2"),
        ("--loss huber-hinge --delta 0", "delta"),
        ("--delta 1", "--delta means nothing to --loss hinge"),
        ("--rho1 0", "rho1"),
        ("--rho2 -1", "rho2"),
        ("--beta -1", "beta"),
        ("--tol -1", "tol"),
        ("--tol nan", "tol"),
        ("--max-iter 0", "max-iter"),
        ("--max-time 0", "--max-time 0"),
        ("--max-time -5", "--max-time -5"),
        ("--max-time inf", "--max-time inf"),
        ("--class-weight 1=-1", "--class-weight 1=-1"),
        ("--class-weight 1=0,-1=0", "sample weights"),
        ("--memory-limit 10 --linsys cholesky", "memory-limit"),
        ("--starts 0", "--starts 0 is not allowed"),
        ("--starts 18446744073709551615 --lambda 0.1", "starts = 18446744073709551615"),
        ("--features 18446744073709551615", "18446744073709551615 features"),
        ("--max-features 0", "--max-features 0 is not allowed"),
        ("--max-features 2 --starts 5", "--starts means nothing with --max-features"),
        ("--max-features 2 --start x", "--start means nothing with --max-features"),
        ("--max-features 2 --rho1 1", "--max-features follows a path"),
        ("--max-features 2 --solver feadmm", "--max-features follows a path"),
    ] {
        let ran = folder.line(&format!("train {options} data"));
        ran.refused(part);
        assert_eq!(folder.files(), ["data"], "{options}");
    }
}

#[test]
fn more_lambdas_than_memory_holds_are_refused() {
    let folder = Folder::with_data();
    for command in ["path", "cv"] {
        folder.line(&format!("{command} --n-lambda 18446744073709551615 data")).refused("n-lambda = 1844");
    }
}

#[test]
fn usage_errors_have_code_2() {
    let folder = Folder::with_data();
    for (line, part) in [
        ("train", "<DATA>"),
        ("train --lambda x data", "--lambda"),
        ("train --penalty ridge data", "capped-l1"),
        ("train --loss logistic data", "squared-hinge"),
        ("train --solver magic data", "feadmm"),
        ("train --linsys qr data", "woodbury"),
        ("train --scale log data", "max-abs"),
        ("train --memory-limit lots data", "512M"),
        ("train --rho-grid --rho1 1 data", "--rho1"),
        ("train --rho-grid --trace t.csv data", "--trace"),
        ("train --no-model data model", "--no-model"),
        ("train --max-features 2 --lambda 0.1 data", "--lambda"),
        ("train --starts -1 data", "-1"),
        ("path", "<DATA>"),
        ("path --lambda 0.1 data", "--lambda"),
        ("path --rho1 1 data", "--rho1"),
        ("path --n-lambda x data", "--n-lambda"),
        ("train --nonsense data", "--nonsense"),
        ("predict data", "<MODEL>"),
        ("fly", "fly"),
    ] {
        folder.line(line).misused(part);
    }
    assert_eq!(folder.files(), ["data"]);
    assert!(!folder.line("--version").ok().out.is_empty());
    for command in ["", "train ", "path ", "predict ", "inspect ", "demo "] {
        assert!(!folder.line(&format!("{command}--help")).ok().out.is_empty());
    }
}

#[test]
fn broken_data_is_named_with_its_place() {
    let folder = Folder::new();
    for (text, part) in [
        ("", "no rows"),
        ("+1 1:1\n-1 2:x\n", "data, line 2, column"),
        ("+1 1:1\n-1 99999999999999:1\n", "data, line 2"),
        ("+1 1:1 1:2\n-1 1:1\n", "data, line 1"),
        ("yes 1:1\n", "data, line 1, column 1"),
        ("+1 0:1\n", "data, line 1"),
    ] {
        folder.write("data", text);
        folder.line("train data").refused(part);
    }
    folder.line("train nowhere").refused("cannot open nowhere");
    folder.line("train .").refused("");
    folder.write("cut.gz", [0x1f, 0x8b, 8, 0, 0]);
    folder.line("train cut.gz").refused("cut.gz");
    assert_eq!(folder.files(), ["cut.gz", "data"]);
}

#[test]
fn a_place_that_cannot_be_written_is_found_before_the_work() {
    let folder = Folder::with_data();
    std::fs::create_dir(folder.path("taken")).unwrap();
    folder.line("train data taken").refused("it is a folder");
    folder.line("train data no/such/model").refused("there is no folder no/such");
    folder.line("train data data").refused("overwrite the input");
    folder.line("train --trace taken --no-model data").refused("it is a folder");
    folder.line("train --trace x data x").refused("same file");
    folder.line("train --test - -").refused("standard input");
    assert_eq!(folder.files(), ["data", "taken"]);
    folder.line("train --quiet data model").ok();
    folder.line("predict data model taken").refused("it is a folder");
    folder.line("predict data model data").refused("overwrite the input");
    folder.line("predict data model model").refused("overwrite the input");
    assert_eq!(folder.files(), ["data", "model", "taken"]);
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_keeps_its_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with_data();
    let locked = folder.path("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::write(locked.join("model"), "old").unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write anywhere.
    let bound = std::fs::write(locked.join("probe"), "").is_err();
    if bound {
        folder.line("train data locked/model").refused("cannot write locked/model");
        assert_eq!(folder.read("locked/model"), "old");
    }
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn models_have_the_usual_permissions_and_devices_stay_devices() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    let folder = Folder::with_data();
    folder.line("train --quiet data").ok();
    let mode = |name| std::fs::metadata(folder.path(name)).unwrap().permissions().mode();
    folder.write("plain", "");
    assert_eq!(mode("data.model"), mode("plain"));
    folder.line("train --quiet data /dev/null").ok();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    // Standard output that is a file is added to, not replaced.
    let args = ["train", "--json", "--solver", "feadmm", "--max-iter", "3", "data", "/dev/stdout"];
    let file = std::fs::File::options().append(true).open(folder.path("plain")).unwrap();
    assert!(folder.command(&args).stdout(file).status().unwrap().success());
    let text = folder.read("plain");
    assert!(text.contains("sparsvm-model") && text.contains("\"paper_objective\""), "{text}");
}

#[test]
fn models_that_are_none_are_refused() {
    let folder = Folder::with_data();
    folder.line("train --quiet data good").ok();
    let good = folder.read("good");
    for (text, part) in [
        (good.replace("\"version\": 1", "\"version\": 99"), "it has version 99"),
        (good[..good.len() / 2].to_owned(), "cut off"),
        ("solver_type L2R_LR\n".to_owned(), "LIBLINEAR"),
        ("{}".to_owned(), "not a usable sparsvm model"),
        (String::new(), "not a usable sparsvm model"),
    ] {
        assert_ne!(text, good);
        folder.write("bad", &text);
        for line in ["predict data bad", "inspect bad", "inspect --json bad"] {
            let ran = folder.line(line);
            // What does not begin as a model is data to inspect.
            ran.refused(if text.is_empty() && line.starts_with("inspect") { "no rows found" } else { part });
            assert!(ran.err.contains("bad"), "{}", ran.err);
        }
    }
    folder.line("predict data nowhere").refused("cannot open nowhere");
}
