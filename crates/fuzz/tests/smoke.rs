//! A bounded run of every target on cases that are the same each time: good files of fuzz/seeds with damage, and any
//! bytes. `SPARSVM_SMOKE=TARGET:CASE cargo test -p sparsvm-fuzz` runs one case again; `SPARSVM_SMOKE=TARGET:FROM-TO`
//! runs more of them than `make test` does.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test says what it expects"
)]

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sparsvm_fuzz::{TARGETS, Target, mutate};

/// A case takes microseconds; one that takes so long hangs, also on a busy machine.
const SLOW: Duration = Duration::from_secs(120);

/// What the whole run may take at most, in KiB: no case gets more than a few MiB of data, whatever it announces.
const MEMORY_KIB: u64 = 1 << 20;

macro_rules! smoke {
    ($($name:ident)*) => {
        $(#[test] fn $name() { smoke(stringify!($name)); })*

        #[test]
        fn every_target_is_run() {
            let run: &[&str] = &[$(stringify!($name)),*];
            assert!(TARGETS.iter().map(|target| target.name).eq(run.iter().copied()));
        }
    };
}

smoke!(libsvm csv csv_options stream compressed npy npz mtx parquet arrow spv model liblinear);

fn smoke(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let Some(cases) = asked_for(target) else { return };
    // One thread, and that is this one: waking others would take longer than a case.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    let files = seeds(name);
    let (begin, count) = (Instant::now(), cases.end - cases.start);
    let taken = cases.filter(|&case| one(target, case, &mutate::case(&files, case))).count();
    drop(pool);
    println!("{name}: {count} cases in {:.1} s, of which {taken} were taken", begin.elapsed().as_secs_f64());
    if let Some(kib) = most_memory_kib() {
        assert!(
            kib < MEMORY_KIB,
            "{name}: {kib} KiB were used at some time, by this target or one beside it"
        );
    }
}

fn one(target: &Target, case: u64, bytes: &[u8]) -> bool {
    let begin = Instant::now();
    let done = catch_unwind(AssertUnwindSafe(|| (target.run)(bytes)));
    let slow = begin.elapsed() > SLOW;
    if done.is_err() || slow {
        let why = if slow { "slow" } else { "failed" };
        let name = target.name;
        eprintln!("{why}: SPARSVM_SMOKE={name}:{case}, {} bytes: {}", bytes.len(), hex(bytes));
    }
    assert!(!slow, "one case took {:.0} s", begin.elapsed().as_secs_f64());
    done.unwrap_or_else(|panic| resume_unwind(panic))
}

/// The cases of a target: the usual ones, or those of SPARSVM_SMOKE.
fn asked_for(target: &Target) -> Option<Range<u64>> {
    let Ok(asked) = std::env::var("SPARSVM_SMOKE") else { return Some(0..target.cases) };
    let (name, cases) = asked.split_once(':').expect("SPARSVM_SMOKE is TARGET:CASE or TARGET:FROM-TO");
    let number = |text: &str| text.parse::<u64>().expect("a case is a number");
    let cases = match cases.split_once('-') {
        Some((from, to)) => number(from)..number(to),
        None => number(cases)..number(cases) + 1,
    };
    (name == target.name).then_some(cases)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds")
}

/// The good files of a target, in the order of their names.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    paths(name).iter().map(|path| fs::read(path).unwrap()).collect()
}

fn paths(name: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder().join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name} has no seeds");
    paths
}

/// Every seed as it is is taken, but those that begin with `bad-`: what once did harm, or should be refused.
#[test]
fn seeds_are_good_files() {
    let mut bytes = 0;
    for target in TARGETS {
        for path in paths(target.name) {
            let file = fs::read(&path).unwrap();
            bytes += file.len();
            let bad = path.file_name().unwrap().to_string_lossy().starts_with("bad-");
            println!("{}", path.display());
            let taken = (target.run)(&file);
            assert!(taken != bad, "{} was taken: {taken}", path.display());
        }
    }
    assert!(bytes < 300_000, "the seeds have {bytes} bytes: keep them small");
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(400) {
        write!(text, "{byte:02x}").unwrap();
    }
    text + if bytes.len() > 400 { "…" } else { "" }
}

/// The most memory that this process ever had, where the system tells.
fn most_memory_kib() -> Option<u64> {
    let about = fs::read_to_string("/proc/self/status").ok()?;
    let line = about.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
