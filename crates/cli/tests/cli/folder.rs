//! A temporary folder to run the program in, and data to run it on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

/// What a run left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Standard output as one JSON object.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"));
        assert!(value.is_object(), "{self:?}");
        value
    }

    /// It worked, and said nothing on standard error.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(self.code == Some(0) && self.err.is_empty(), "{self:?}");
        self
    }

    /// Exit code 1, nothing on standard output, and one line on standard error with this in it.
    #[track_caller]
    pub(crate) fn refused(&self, part: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(1), ""), "{self:?}");
        assert!(self.err.starts_with("sparsvm: ") && self.err.lines().count() == 1, "{self:?}");
        assert!(self.err.contains(part), "{part:?} is not in {:?}", self.err);
    }

    /// Exit code 2, as clap's usage errors have.
    #[track_caller]
    pub(crate) fn misused(&self, part: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{self:?}");
        assert!(self.err.contains(part), "{part:?} is not in {:?}", self.err);
    }
}

/// A folder of its own.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With `data`: 80 rows and 6 features, labels -1 and +1.
    pub(crate) fn with_data() -> Self {
        let folder = Self::new();
        folder.write("data", rows(80, ["-1", "+1"]));
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// What is in the folder, sorted; also files whose names begin with a dot.
    pub(crate) fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sparsvm"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs `sparsvm ARGS` here.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args))
    }

    /// Runs a line, split at spaces.
    pub(crate) fn line(&self, line: &str) -> Ran {
        self.run(&line.split(' ').collect::<Vec<_>>())
    }

    /// The same with something on standard input.
    pub(crate) fn line_with_input(&self, line: &str, input: &str) -> Ran {
        let args: Vec<&str> = line.split(' ').collect();
        let mut command = self.command(&args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        done(child.wait_with_output().unwrap())
    }

    /// `train --json` on `data`, with the paper's λ unless the options say which one or how many features.
    #[track_caller]
    pub(crate) fn train(&self, options: &str) -> Value {
        let mut args = vec!["train", "--json"];
        args.extend(options.split_whitespace());
        if !["--lambda", "--max-features"].iter().any(|option| args.contains(option)) {
            args.extend(["--lambda", "0.015625"]);
        }
        args.push("data");
        self.run(&args).ok().json()
    }

    pub(crate) fn model(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Starts a line with `--resume run`, kills it once `run` has some cells, and lets it go on. Some of the cells are taken
    /// away in between, so that there is something left to do even if it was finished before anybody looked; the others must
    /// not be made again.
    #[track_caller]
    pub(crate) fn kill_and_resume(&self, line: &str) -> Ran {
        let args: Vec<&str> = line.split(' ').collect();
        let mut child = self.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while self.cells("run").len() < 10 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let cells = self.cells("run");
        assert!(cells.len() > 3, "{cells:?}");
        cells.keys().step_by(3).for_each(|cell| std::fs::remove_file(cell).unwrap());
        let kept = self.cells("run");
        let ran = self.line(line).ok();
        let all = self.cells("run");
        assert!(all.len() > kept.len(), "{all:?}");
        assert!(
            kept.iter().all(|(cell, written)| all.get(cell) == Some(written)),
            "made again: {kept:?} {all:?}"
        );
        ran
    }

    /// The finished cells of a run, and when they were written; what is being written has a name that begins with a dot.
    pub(crate) fn cells(&self, run: &str) -> BTreeMap<PathBuf, SystemTime> {
        let Ok(entries) = std::fs::read_dir(self.path(run).join("cells")) else { return BTreeMap::new() };
        let entries = entries.map(|entry| entry.unwrap());
        let finished = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
        // One that is taken away meanwhile is none.
        finished
            .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?.modified().unwrap())))
            .collect()
    }
}

fn ran(mut command: Command) -> Ran {
    done(command.output().unwrap())
}

fn done(output: std::process::Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// LIBSVM rows with 6 features; see [`wide_rows`].
pub(crate) fn rows(n: usize, labels: [&str; 2]) -> String {
    wide_rows(n, 6, labels)
}

/// LIBSVM rows with so many features, of which the first two tell the label, with a few labels flipped.
pub(crate) fn wide_rows(n: usize, features: usize, labels: [&str; 2]) -> String {
    let mut state = 12345u32;
    let mut uniform = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 24) * 2.0 - 1.0
    };
    let mut text = String::new();
    for i in 0..n {
        let x: Vec<f64> = (0..features).map(|_| uniform()).collect();
        let positive = (x[0] - 0.7 * x[1] + 0.1 > 0.0) != (i % 17 == 16);
        write!(text, "{}", labels[usize::from(positive)]).unwrap();
        x.iter().enumerate().for_each(|(j, x)| write!(text, " {}:{x:.4}", j + 1).unwrap());
        text.push('\n');
    }
    text
}

/// The rows of a LIBSVM text: the sign of the label, and the features from the first on.
pub(crate) fn parsed(text: &str) -> Vec<(f64, Vec<f64>)> {
    let value = |pair: &str| pair.split_once(':').unwrap().1.parse().unwrap();
    let row = |line: &str| {
        let mut words = line.split(' ');
        let label: f64 = words.next().unwrap().parse().unwrap();
        (label, words.map(value).collect())
    };
    text.lines().map(row).collect()
}

/// The numbers of a JSON array.
#[track_caller]
pub(crate) fn numbers(value: &Value, key: &str) -> Vec<f64> {
    let array = value[key].as_array().unwrap_or_else(|| panic!("{key} in {value}"));
    array.iter().map(|number| number.as_f64().unwrap()).collect()
}

/// A number of a JSON object.
#[track_caller]
pub(crate) fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// Asserts that something is not there.
#[track_caller]
pub(crate) fn absent(path: &Path) {
    assert!(!path.exists(), "{} exists", path.display());
}
