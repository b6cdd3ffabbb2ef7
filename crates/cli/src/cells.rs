//! The folder of `--resume`: what is finished of a run, and of which data and settings it is.

use std::hash::Hasher;
use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use sparsvm_core::Dataset;
use sparsvm_core::path::Grid;
use sparsvm_core::select::CvSettings;

use crate::args::{ChoiceArgs, StoppingArgs};
use crate::fnv::Fnv;
use crate::folder::Folder;
use crate::load::Loaded;
use crate::words;

const SETTINGS: &str = "settings.json";

/// What is said when Ctrl-C came before there was an answer.
pub(crate) fn kept(resume: Option<&Path>) -> &'static str {
    match resume {
        Some(_) => "the same command goes on from what is finished",
        None => "nothing was written; with --resume DIR it would go on from what is finished",
    }
}

/// Opens the folder of `--resume`: empty, or with cells of the same data and settings.
pub(crate) fn open(path: &Path, settings: &Map<String, Value>) -> Result<Folder> {
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

/// What must be the same for the cells of one run to serve another: of every command.
pub(crate) fn settings(loaded: &Loaded, stopping: &StoppingArgs, own: Value) -> Map<String, Value> {
    let task = &loaded.task;
    let common = json!({
        "program": concat!("sparsvm ", env!("CARGO_PKG_VERSION")),
        "data": fingerprint(&loaded.data),
        "loss": task.loss.to_string(),
        "l2": task.l2,
        "penalty_factors": task.factors,
        "weights": task.weights,
        "scale": task.scaling.name(),
        "tol": stopping.tol,
        "max_iter": stopping.max_iter,
        "max_time": stopping.max_time,
    });
    [common, own].iter().filter_map(Value::as_object).flatten().map(|(k, v)| (k.clone(), v.clone())).collect()
}

/// Those of a choice of λ. `train` takes the cells of `cv`, if that did the same.
pub(crate) fn of_choice((settings, choice, seed): (&CvSettings, &ChoiceArgs, u64), draws: &Draws) -> Value {
    let (count, min_ratio) = match settings.grid {
        Grid::Spaced { count, min_ratio } => (Some(count), Some(min_ratio)),
        _ => (None, None),
    };
    json!({
        "command": "cv or train",
        "variants": settings.variants.iter().map(words::variant).collect::<Vec<_>>(),
        "n_lambda": count,
        "lambda_min_ratio": min_ratio,
        "max_features": settings.max_features,
        "folds": choice.count(),
        "seed": seed,
        "repeats": draws.repeats,
        "outer": draws.outer,
        "groups": draws.groups,
        "folds_file": draws.folds_file,
    })
}

/// How often and by what folds are drawn.
pub(crate) struct Draws {
    pub(crate) repeats: usize,
    pub(crate) outer: Option<usize>,
    /// The texts of these files.
    pub(crate) groups: Option<String>,
    pub(crate) folds_file: Option<String>,
}

impl Draws {
    /// So often, and of all rows.
    pub(crate) fn times(repeats: usize) -> Self {
        Self { repeats, outer: None, groups: None, folds_file: None }
    }
}

/// A number that another data set has only by an accident of one in 2⁶⁴ (FNV-1a over labels and entries).
fn fingerprint(data: &Dataset) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Watched;
    use sparsvm_core::select::Host;

    #[test]
    fn a_folder_of_another_run_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run");
        let settings = |seed: u64| json!({"folds": 5, "seed": seed}).as_object().unwrap().clone();
        open(&path, &settings(1)).unwrap();
        let folder = open(&path, &settings(1)).unwrap();
        let error = open(&path, &settings(2)).unwrap_err().to_string();
        assert!(error.contains("seed 1") && error.contains("has 2"), "{error}");
        let host = Watched::new(true, "", Some(folder));
        host.keep("a", "[0.1,1e-300]").unwrap();
        assert_eq!(host.find("a").as_deref(), Some("[0.1,1e-300]"));
        std::fs::remove_file(path.join(SETTINGS)).unwrap();
        assert!(open(&path, &settings(1)).is_err());
    }
}
