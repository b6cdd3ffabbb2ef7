//! What is fuzzed: one function for each parser, which takes any bytes and asserts what must hold.
//!
//! The same functions are run for a bounded time on every `make test` (tests/smoke.rs, with cases of
//! [`mutate`]), and for as long as one likes by cargo-fuzz (the folder fuzz, with the same seeds).

pub mod mutate;

mod compressed;
mod holds;
mod matrices;
mod models;
mod spv;
mod stream;
mod tables;
mod texts;

/// A parser under test.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name: that of the cargo-fuzz target, and of the folder with its seeds.
    pub name: &'static str,
    /// True if these bytes were taken. Panics if something is wrong with what comes of them.
    pub run: fn(&[u8]) -> bool,
    /// Cases in `make test`.
    pub cases: u64,
}

/// All of them.
pub const TARGETS: [Target; 13] = [
    Target { name: "libsvm", run: texts::libsvm, cases: 100_000 },
    Target { name: "csv", run: texts::csv, cases: 100_000 },
    Target { name: "csv_options", run: tables::csv_options, cases: 100_000 },
    Target { name: "stream", run: stream::stream, cases: 100_000 },
    Target { name: "compressed", run: compressed::compressed, cases: 100_000 },
    Target { name: "npy", run: matrices::npy, cases: 100_000 },
    Target { name: "npz", run: matrices::npz, cases: 100_000 },
    Target { name: "mtx", run: matrices::mtx, cases: 100_000 },
    Target { name: "parquet", run: matrices::parquet, cases: 100_000 },
    Target { name: "arrow", run: matrices::arrow, cases: 100_000 },
    Target { name: "spv", run: spv::spv, cases: 100_000 },
    Target { name: "model", run: models::model, cases: 100_000 },
    Target { name: "liblinear", run: models::liblinear, cases: 100_000 },
];

/// Runs the target of this name.
///
/// # Panics
/// If there is none, or what it asserts does not hold.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    assert!(target.is_some(), "no target is called {name}");
    if let Some(target) = target {
        (target.run)(bytes);
    }
}
