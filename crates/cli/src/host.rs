//! What surrounds a choice of model: a bar over folds × λ, Ctrl-C, and the folder of `--resume`.

use std::hash::Hasher;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use serde_json::{Map, Value};
use sparsvm_core::select::Host;
use sparsvm_core::{Dataset, Error};

use crate::folder::Folder;
use crate::interrupt;

const SETTINGS: &str = "settings.json";

/// Watches a run for a person.
pub(crate) struct Watched {
    bar: Option<ProgressBar>,
    cells: Option<Folder>,
}

impl Watched {
    /// Shows a bar on standard error, if a person looks at it; `unit` is what it counts.
    pub(crate) fn new(quiet: bool, unit: &str, cells: Option<Folder>) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        let bar = visible.then(|| {
            let bar = ProgressBar::new(1).with_finish(ProgressFinish::AndClear);
            let template = format!("[{{bar:24}}] {{pos}} of {{len}} {unit}, {{elapsed}}, {{eta}} left");
            // A template that indicatif does not know leaves the bar as it was.
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar, cells }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Host for Watched {
    fn on_progress(&self, done: usize, all: usize) {
        if let Some(bar) = &self.bar {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
    }

    fn wants_stop(&self) -> bool {
        interrupt::asked()
    }

    fn find(&self, name: &str) -> Option<String> {
        let cell: Value = self.cells.as_ref()?.read_json(&format!("cells/{name}.json"))?;
        Some(cell.to_string())
    }

    fn keep(&self, name: &str, text: &str) -> sparsvm_core::Result<()> {
        let Some(cells) = &self.cells else { return Ok(()) };
        let written = cells.write(&format!("cells/{name}.json"), text.as_bytes());
        written.map_err(|error| Error::Keeping(crate::output::one_line(&error)))
    }
}

/// Opens the folder of `--resume`: empty, or with cells of the same data and settings.
pub(crate) fn resume(path: &Path, settings: &Map<String, Value>) -> Result<Folder> {
    let folder = Folder::new(path)?;
    match folder.read_json::<Map<String, Value>>(SETTINGS) {
        None => {
            let old = std::fs::read_dir(path.join("cells")).is_ok_and(|mut cells| cells.next().is_some());
            if old || path.join(SETTINGS).exists() {
                bail!(
                    "--resume {}: it holds cells, but no {SETTINGS} that says of what: give another folder",
                    path.display()
                );
            }
            folder.write_json(SETTINGS, settings)?;
        }
        Some(kept) => {
            let other = settings.keys().chain(kept.keys()).find(|key| kept.get(*key) != settings.get(*key));
            if let Some(key) = other {
                let told = |map: &Map<String, Value>| map.get(key).map_or("nothing".into(), Value::to_string);
                bail!(
                    "--resume {}: its cells were made with {key} {}, but this run has {}: run it as before, or \
                     give another folder",
                    path.display(),
                    told(&kept),
                    told(settings)
                );
            }
        }
    }
    Ok(folder)
}

/// A number that another data set has only by an accident of one in 2⁶⁴ (FNV-1a over labels and entries).
pub(crate) fn fingerprint(data: &Dataset) -> String {
    let mut hash = Fnv::default();
    let design = data.design();
    data.labels().classes().iter().for_each(|class| hash.write(class.as_bytes()));
    for (i, code) in data.labels().codes().iter().enumerate() {
        hash.write_u32(*code);
        design.row(i).for_each(|j, value| {
            hash.write_u64(j as u64);
            hash.write_u64(value.to_bits());
        });
    }
    format!("{} x {}, {:016x}", design.rows(), design.cols(), hash.finish())
}

/// Published, and the same on every machine and in every version, unlike the standard library's.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_hash_is_the_published_one() {
        let mut hash = Fnv::default();
        hash.write(b"foobar");
        assert_eq!(hash.finish(), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_folder_of_another_run_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run");
        let settings = |seed: u64| json!({"folds": 5, "seed": seed}).as_object().unwrap().clone();
        resume(&path, &settings(1)).unwrap();
        let folder = resume(&path, &settings(1)).unwrap();
        let error = resume(&path, &settings(2)).unwrap_err().to_string();
        assert!(error.contains("seed 1") && error.contains("has 2"), "{error}");
        let host = Watched::new(true, "", Some(folder));
        host.keep("a", "[0.1,1e-300]").unwrap();
        assert_eq!(host.find("a").as_deref(), Some("[0.1,1e-300]"));
        std::fs::remove_file(path.join(SETTINGS)).unwrap();
        assert!(resume(&path, &settings(1)).is_err());
    }
}
