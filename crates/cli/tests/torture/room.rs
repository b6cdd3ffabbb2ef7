//! A folder to run the program in, with a limit of time and of address space.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A run that takes longer hangs. Quiet machines need a second or two, but a busy one took 16 times as long.
pub(crate) const TIME: Duration = Duration::from_secs(240);
/// Address space, on Linux. It counts what is reserved too: threads' stacks and heaps above all.
pub(crate) const SPACE_MIB: u64 = 3 << 10;

/// What a run left.
#[derive(Debug)]
pub(crate) struct Ran {
    #[expect(dead_code, reason = "it is told when a test fails")]
    line: String,
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// It worked.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(self.code == Some(0) && !self.err.contains("panicked"), "{self:#?}");
        self
    }

    /// One clear line, on standard error, and nothing else.
    #[track_caller]
    pub(crate) fn refused(&self, part: &str) {
        let usage = self.code == Some(2) && self.err.starts_with("error: ") && !self.err.contains("panicked");
        assert!((usage || self.is_refused()) && self.out.is_empty(), "{self:#?}");
        assert!(self.err.contains(part), "{part:?} is not in {self:#?}");
    }

    /// It worked, or was refused in one clear line.
    #[track_caller]
    pub(crate) fn sane(self) -> Self {
        assert!(self.code == Some(0) && !self.err.contains("panicked") || self.is_refused(), "{self:#?}");
        self
    }

    /// Exit code 1: usage errors do not count, which would hide a misspelt option of a test.
    pub(crate) fn is_refused(&self) -> bool {
        let clear = self.err.starts_with("sparsvm: ") && self.err.lines().count() == 1;
        self.code == Some(1) && clear && !self.err.contains("panicked")
    }

    /// Standard output as one JSON object, whose numbers are all finite.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:#?}"));
        assert!(value.is_object(), "{self:#?}");
        value
    }
}

/// A folder of its own.
pub(crate) struct Room(TempDir);

impl Room {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn with(name: &str, text: impl AsRef<[u8]>) -> Self {
        let room = Self::new();
        room.write(name, text);
        room
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn model(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap()
    }

    /// What is in the folder, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// `sparsvm LINE`, split at spaces, in at most so much address space.
    pub(crate) fn command(&self, line: &str, space_mib: u64) -> Command {
        let program = env!("CARGO_BIN_EXE_sparsvm");
        let mut command = if cfg!(target_os = "linux") {
            let mut shell = Command::new("sh");
            shell.args(["-c", "ulimit -v $0 && exec \"$@\"", &(space_mib << 10).to_string(), program]);
            shell
        } else {
            Command::new(program)
        };
        // A backtrace takes a second and says nothing here.
        command.args(line.split(' ')).current_dir(self.0.path()).env("RUST_BACKTRACE", "0");
        // The products of matrices reserve room for each thread, as much as the machine has cache.
        command.env("RAYON_NUM_THREADS", "2");
        command.stdin(Stdio::null());
        command
    }

    /// Runs a line.
    #[track_caller]
    pub(crate) fn line(&self, line: &str) -> Ran {
        run(self.command(line, SPACE_MIB), line)
    }

    /// `train --json` with a model, whose claims are checked: see [`judged`](Self::judged).
    #[track_caller]
    pub(crate) fn train(&self, options: &str, data: &str) -> Option<Value> {
        let ran = self.line(&format!("train --json --quiet {options} {data} model")).sane();
        if ran.is_refused() {
            return None;
        }
        Some(self.judged(&ran, data))
    }

    /// Numbers are finite, `converged` means what it says, and the model file is whole and usable.
    #[track_caller]
    pub(crate) fn judged(&self, ran: &Ran, data: &str) -> Value {
        let report = ran.json();
        let tol = report["tol"].as_f64().unwrap();
        for key in ["gap", "violation"] {
            let found = report[key].as_f64();
            assert!(found.is_some_and(|x| x >= 0.0), "{key} in {ran:#?}");
            assert!(report["status"] != "converged" || found.unwrap() <= tol, "{key} in {ran:#?}");
        }
        let model = self.model("model");
        let machines = model["machines"].as_array().cloned().unwrap_or_else(|| vec![model.clone()]);
        for machine in machines {
            let weights = machine["weights"].as_array().unwrap();
            assert!(weights.iter().chain([&machine["intercept"]]).all(Value::is_f64), "{machine}");
            assert!(machine["certificate"].as_object().unwrap().values().all(Value::is_f64), "{machine}");
        }
        self.line(&format!("predict --json {data} model")).ok();
        self.line("inspect --json model").ok();
        report
    }
}

/// Runs a command to its end, which must come in time.
#[track_caller]
pub(crate) fn run(mut command: Command, line: &str) -> Ran {
    let (mut out, mut err) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    command.stdout(out.try_clone().unwrap()).stderr(err.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    let code = wait(&mut child, line);
    Ran { line: line.to_owned(), code, out: text(&mut out), err: text(&mut err) }
}

#[track_caller]
pub(crate) fn wait(child: &mut Child, line: &str) -> Option<i32> {
    let clock = Instant::now();
    while clock.elapsed() < TIME {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("it took more than {TIME:?}: {line}");
}

fn text(file: &mut File) -> String {
    let mut text = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut text).unwrap();
    text
}
