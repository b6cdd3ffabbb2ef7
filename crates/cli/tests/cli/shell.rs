//! Completions and manual pages: complete, and readable by those who read them.

use std::collections::BTreeSet;
use std::process::Command;

use crate::folder::{Folder, absent};

const COMMANDS: [&str; 14] = [
    "convert",
    "train",
    "path",
    "cv",
    "select",
    "report",
    "predict",
    "inspect",
    "export",
    "import",
    "demo",
    "bench",
    "completions",
    "man",
];

/// The long options of a command, from its help: words that stand where options stand.
fn options(folder: &Folder, command: &str) -> BTreeSet<String> {
    let help = folder.line(&format!("{command} --help")).ok().out;
    let of_line = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("-q, ").or(line.strip_prefix("-h, ")).unwrap_or(line);
        let option = line.strip_prefix("--")?.split([' ', '[', '=']).next()?;
        Some(format!("--{option}"))
    };
    let section = help.split("Options:").nth(1).unwrap_or("").split("Examples:").next().unwrap_or("");
    section.lines().filter(|line| line.trim_start().starts_with('-')).filter_map(of_line).collect()
}

fn there_is(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn completions_know_every_command_and_option() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.line(&format!("completions {shell}")).ok().out;
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
            for option in options(&folder, command) {
                let known = script.contains(&option) || script.contains(option.trim_start_matches('-'));
                assert!(known, "{shell}: {command} {option}");
            }
        }
        if shell == "bash" && there_is("bash") {
            folder.write("script", &script);
            let read = Command::new("bash").arg("-n").arg(folder.path("script")).output().unwrap();
            assert!(read.status.success() && read.stderr.is_empty(), "{read:?}");
        }
    }
    assert!(options(&folder, "train").len() > 30 && options(&folder, "export").contains("--to"));
    folder.line("completions tcsh").misused("possible values");
}

#[test]
fn there_is_a_page_for_every_command() {
    let folder = Folder::new();
    let said = folder.line("man --out-dir deep/man1").ok().out;
    assert!(said.contains("written  deep/man1: "), "{said}");
    for command in COMMANDS {
        let page = folder.read(&format!("deep/man1/sparsvm-{command}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
        for option in options(&folder, command) {
            let escaped = option.replace('-', "\\-");
            assert!(page.contains(&escaped), "{command} {option}");
        }
        if there_is("groff") {
            let mut groff = Command::new("groff");
            groff
                .args(["-man", "-Tutf8", "-Kutf8", "-ww", "-z"])
                .arg(folder.path(&format!("deep/man1/sparsvm-{command}.1")));
            let done = groff.output().unwrap();
            assert!(done.status.success() && done.stderr.is_empty(), "{command}: {done:?}");
        }
    }
    assert!(folder.read("deep/man1/sparsvm-bench-paper.1").contains("\\-\\-quick"));
    let page = folder.line("man").ok().out;
    assert_eq!(page, folder.read("deep/man1/sparsvm.1"));
    for command in COMMANDS {
        assert!(page.contains(&format!("sparsvm\\-{command}(1)")), "{command}");
    }
    folder.write("file", "");
    folder.line("man --out-dir file/below").refused("cannot make the folder");
    absent(&folder.path("file/below"));
}
