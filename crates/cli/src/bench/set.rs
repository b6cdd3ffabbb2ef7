//! Which data sets a run takes: the paper's, as far as the folder has them, or those that are built in.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use super::built_in::BuiltIn;
use super::catalogue::{COLLECTION, ENTRIES, Entry};

/// The endings of compressed files.
const ENDINGS: [&str; 5] = ["", ".xz", ".bz2", ".gz", ".zst"];

/// A data set that will be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Set {
    pub(super) title: Title,
    pub(super) origin: Origin,
}

/// What a data set is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Title {
    pub(super) name: String,
    /// The paper's name for it, or for what it stands in for.
    pub(super) published: Option<String>,
    /// The published figures are those of another set.
    pub(super) stand_in: bool,
}

/// Where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Origin {
    Files { train: PathBuf, test: Option<PathBuf> },
    BuiltIn(BuiltIn),
}

/// Sets, and notes about those that are not there.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) sets: Vec<Set>,
    pub(super) notes: Vec<String>,
}

/// Looks for the sets that are asked for; with no names, for all of the paper's.
pub(super) fn find(folder: Option<&Path>, names: &[String]) -> Result<Found> {
    if let Some(folder) = folder
        && !folder.is_dir()
    {
        bail!("--data {}: there is no such folder: give the folder with the LIBSVM files", folder.display());
    }
    let mut found = Found::default();
    match (names.is_empty(), folder) {
        (true, None) => {
            found.sets.extend(BuiltIn::ALL.map(built_in));
            found.notes.push(format!(
                "the paper's own data sets are left out: give --data FOLDER with files from {COLLECTION}"
            ));
        }
        (true, Some(folder)) => {
            for entry in ENTRIES.iter().filter(|entry| !entry.stand_in) {
                let stand_in =
                    || ENTRIES.iter().find(|other| other.stand_in && other.published == entry.published);
                let own = look(folder, entry);
                let set = own.or_else(|| look(folder, stand_in()?));
                found.take(set, || missing(entry));
            }
        }
        (false, _) => {
            for name in names {
                found.take(by_name(folder, name), || {
                    ENTRIES.iter().find(|entry| entry.is_called(name)).map_or_else(
                        || format!("{name} is left out: it is neither in the folder nor built in"),
                        missing,
                    )
                });
            }
        }
    }
    if found.sets.is_empty() {
        bail!("there is no data set to run on: {}", found.notes.join("; "));
    }
    Ok(found)
}

impl Found {
    fn take(&mut self, set: Option<Set>, note: impl FnOnce() -> String) {
        match set {
            Some(set) if self.sets.contains(&set) => {}
            Some(set) => self.sets.push(set),
            None => self.notes.push(note()),
        }
    }
}

fn missing(entry: &Entry) -> String {
    if entry.stand_in {
        return format!("{} is left out: it is not in the folder", entry.files());
    }
    format!("{} is left out: not in the folder; get {} from {COLLECTION}", entry.published, entry.files())
}

fn by_name(folder: Option<&Path>, name: &str) -> Option<Set> {
    if let Some(known) = BuiltIn::ALL.into_iter().find(|known| known.name() == name) {
        return Some(built_in(known));
    }
    let folder = folder?;
    if let Some(entry) = ENTRIES.iter().find(|entry| entry.is_called(name)) {
        return look(folder, entry);
    }
    // A name, not a way out of the folder.
    let train = file(folder, name).filter(|_| !name.contains(['/', '\\']) && !name.is_empty())?;
    let test = file(folder, &format!("{name}.t"));
    let title = Title { name: name.to_owned(), published: None, stand_in: false };
    Some(Set { title, origin: Origin::Files { train, test } })
}

fn built_in(known: BuiltIn) -> Set {
    let title = Title { name: known.name().to_owned(), published: None, stand_in: false };
    Set { title, origin: Origin::BuiltIn(known) }
}

fn look(folder: &Path, entry: &Entry) -> Option<Set> {
    let train = file(folder, entry.file)?;
    let test = match entry.test {
        Some(test) => Some(file(folder, test)?),
        None => None,
    };
    let title = Title {
        name: entry.file.to_owned(),
        published: Some(entry.published.to_owned()),
        stand_in: entry.stand_in,
    };
    Some(Set { title, origin: Origin::Files { train, test } })
}

/// The file of that name, compressed or not.
fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    ENDINGS.iter().map(|ending| folder.join(format!("{name}{ending}"))).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        names.iter().for_each(|name| std::fs::write(folder.path().join(name), "").unwrap());
        folder
    }

    fn names(found: &Found) -> Vec<&str> {
        found.sets.iter().map(|set| set.title.name.as_str()).collect()
    }

    #[test]
    fn files_are_found_compressed_or_not_and_stand_ins_only_where_needed() {
        let here = folder(&["heart_scale", "mushrooms.xz", "imdb.bz2", "real-sim.gz", "rcv1sub.binary.xz"]);
        let found = find(Some(here.path()), &[]).unwrap();
        // rcv1sub lacks its test file.
        assert_eq!(names(&found), ["heart_scale", "mushrooms", "real-sim"]);
        assert_eq!(found.notes.len(), 2);
        assert!(found.notes[0].contains("rcv1_train.binary and rcv1_test.binary from https://www.csie"));

        let here = folder(&["imdb", "rcv1sub.binary.xz", "rcv1sub.binary.t.xz", "news20.bz2"]);
        let found = find(Some(here.path()), &[]).unwrap();
        assert_eq!(names(&found), ["imdb", "rcv1sub.binary"]);
        assert!(found.sets[0].title.stand_in && found.sets[0].title.published.as_deref() == Some("real_sim"));
    }

    #[test]
    fn names_choose() {
        let here = folder(&["heart_scale", "leu.xz", "leu.t.xz", "rcv1sub.binary", "rcv1sub.binary.t"]);
        let find =
            |names: &str| find(Some(here.path()), &names.split(',').map(str::to_owned).collect::<Vec<_>>());
        let found = find("leu,heart_scale,rcv1sub,text-like,leu").unwrap();
        assert_eq!(names(&found), ["leu", "heart_scale", "rcv1sub.binary", "text-like"]);
        assert!(matches!(&found.sets[0].origin, Origin::Files { test: Some(_), .. }));
        assert!(find("real-sim").unwrap_err().to_string().contains(COLLECTION));
        assert!(find("../leu").is_err());
        assert_eq!(find("heart_scale,nothing").unwrap().notes.len(), 1);
        assert!(super::find(Some(Path::new("no/such")), &[]).is_err());
        assert_eq!(super::find(None, &[]).unwrap().sets.len(), BuiltIn::ALL.len());
    }
}
