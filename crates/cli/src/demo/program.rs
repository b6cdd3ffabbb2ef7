//! What to call this program, so that the commands that are told work where they are read.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const NAME: &str = "sparsvm";

/// `sparsvm` if the shell finds this very program by that name; else as it was called, from here if it lies
/// below the current folder.
pub(super) fn name() -> String {
    let called = env::args_os().next().map_or_else(|| PathBuf::from(NAME), PathBuf::from);
    if on_search_path() {
        return NAME.into();
    }
    let below = env::current_dir().ok().and_then(|here| called.strip_prefix(here).ok().map(Path::to_owned));
    quoted(&below.unwrap_or(called).to_string_lossy())
}

fn on_search_path() -> bool {
    let Ok(this) = env::current_exe().and_then(fs::canonicalize) else { return false };
    let Some(folders) = env::var_os("PATH") else { return false };
    let first = env::split_paths(&folders).map(|folder| folder.join(NAME)).find(|file| file.is_file());
    first.and_then(|file| fs::canonicalize(file).ok()).is_some_and(|file| file == this)
}

/// As a shell reads it.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if name.chars().all(plain) { name.into() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn odd_names_are_quoted() {
        assert_eq!(quoted("target/release/sparsvm"), "target/release/sparsvm");
        assert_eq!(quoted("my bin/it's"), r"'my bin/it'\''s'");
    }
}
