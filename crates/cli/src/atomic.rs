//! Files appear whole or not at all: written beside their place under a passing name, then renamed.
//!
//! [`Target::new`] finds out before the work whether the file can be written, so that an hour of training
//! is not lost to a misspelt folder.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use sparsvm_data::Source;
use tempfile::NamedTempFile;

/// How the names of passing files begin.
const PREFIX: &str = ".sparsvm-";

/// The passing files that exist now.
static PASSING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn passing() -> MutexGuard<'static, Vec<PathBuf>> {
    PASSING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes files that are being written. As long as the result is held, no other appears: for whoever quits.
pub(crate) fn leave_none_behind() -> MutexGuard<'static, Vec<PathBuf>> {
    let mut files = passing();
    for file in files.drain(..) {
        // What cannot be removed now cannot be removed at all.
        fs::remove_file(file).ok();
    }
    files
}

/// A passing file that nobody has written to for so long was left by a program that was killed.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes what killed programs left in a folder. SIGKILL and power cuts leave no time to clean up; whoever writes
/// there next does.
fn remove_stale(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX);
    for entry in entries.flatten().filter(ours) {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file);
        let age = about.and_then(|about| about.modified().ok()?.elapsed().ok());
        if age.is_some_and(|age| age > STALE) {
            // Another user's file stays.
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// A place for a file, which was seen to be writable.
#[derive(Debug)]
pub(crate) struct Target {
    /// As the user wrote it.
    shown: PathBuf,
    /// With links followed: a link to a file stays a link.
    path: PathBuf,
    /// Something like /dev/null or /dev/stdout, which is written to and never replaced.
    device: bool,
}

impl Target {
    /// Checks that a file can be written at `path`, and that it is none of the `inputs`.
    pub(crate) fn new(path: &Path, inputs: &[Source]) -> Result<Self> {
        let shown = path.to_owned();
        let cannot = || format!("cannot write {}", path.display());
        let target = match fs::canonicalize(path) {
            Ok(real) => {
                let about = fs::metadata(&real).with_context(cannot)?;
                if about.is_dir() {
                    bail!("{}: it is a folder: give the name of a file", cannot());
                }
                let same = |input: &Source| matches!(input, Source::Path(input) if fs::canonicalize(input).is_ok_and(|i| i == real));
                if about.is_file() && inputs.iter().any(same) {
                    bail!("{}: that would overwrite the input: give another name", cannot());
                }
                // /dev/stdout may be a link to a file that others write to as well.
                let device = !about.is_file() || path.starts_with("/dev") || path.starts_with("/proc");
                Self { shown, path: real, device }
            }
            Err(_) => Self { shown, path: path.to_owned(), device: false },
        };
        if target.path.file_name().is_none() || path.as_os_str().to_string_lossy().ends_with('/') {
            bail!("{}: give the name of a file", cannot());
        }
        if !target.device {
            let folder = target.folder();
            if !folder.is_dir() {
                bail!("{}: there is no folder {}: make it first", cannot(), folder.display());
            }
            drop(target.passing_file().with_context(cannot)?);
            remove_stale(folder);
        }
        Ok(target)
    }

    /// A place for a file, and the format that its name asks for.
    pub(crate) fn by_extension<F: Copy>(
        option: &str,
        path: Option<&Path>,
        formats: [(&str, F); 2],
        inputs: &[Source],
    ) -> Result<Option<(Self, F)>> {
        let Some(path) = path else { return Ok(None) };
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let Some((_, format)) = formats.iter().find(|(name, _)| Some(*name) == extension.as_deref()) else {
            let [(a, _), (b, _)] = formats;
            bail!(
                "{option} {}: the name must end in .{a} or .{b}, which says what is written",
                path.display()
            );
        };
        Ok(Some((Self::new(path, inputs)?, *format)))
    }

    /// As the user wrote it.
    pub(crate) fn shown(&self) -> String {
        self.shown.display().to_string()
    }

    /// Writes the file.
    pub(crate) fn write(&self, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<()> {
        self.try_write(fill).with_context(|| format!("cannot write {}", self.shown.display()))
    }

    fn try_write(&self, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
        if self.device {
            let mut to = BufWriter::new(fs::OpenOptions::new().append(true).open(&self.path)?);
            fill(&mut to)?;
            return to.flush();
        }
        let file = self.passing_file()?;
        let mut to = BufWriter::with_capacity(1 << 16, file);
        fill(&mut to)?;
        let file = to.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.0.as_file().sync_all()?;
        if let Ok(about) = fs::metadata(&self.path) {
            file.0.as_file().set_permissions(about.permissions())?;
        }
        file.persist(&self.path)?;
        // The new name lasts through a power cut only once the folder is on the disk too.
        if cfg!(unix) {
            File::open(self.folder())?.sync_all().ok();
        }
        Ok(())
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    /// A file in the same folder, which vanishes unless it is renamed.
    fn passing_file(&self) -> io::Result<Passing> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As other programs make files: the user's umask takes its bits away.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut files = passing();
        let file = builder.tempfile_in(self.folder())?;
        files.push(file.path().to_owned());
        Ok(Passing(file))
    }
}

/// A file under a passing name.
struct Passing(NamedTempFile);

impl Passing {
    /// Gives it its name.
    fn persist(self, path: &Path) -> io::Result<()> {
        // Nobody may remove it by its passing name in between.
        let mut files = passing();
        files.retain(|file| file != self.0.path());
        self.0.persist(path).map(|_| ()).map_err(|error| error.error)
    }
}

impl Write for Passing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "old").unwrap();
        let target = Target::new(&path, &[]).unwrap();
        let fail = |to: &mut (dyn Write + Send)| {
            to.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        };
        assert!(target.write(fail).unwrap_err().to_string().contains("cannot write"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        target.write(|to| to.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_program_left_is_removed_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let yesterday = std::time::SystemTime::now() - 2 * STALE;
        for (name, old) in [(".sparsvm-old", true), (".sparsvm-new", false), (".other-old", true)] {
            let file = File::create(at(name)).unwrap();
            if old {
                file.set_modified(yesterday).unwrap();
            }
        }
        Target::new(&at("x"), &[]).unwrap().write(|to| to.write_all(b"new")).unwrap();
        assert!(!at(".sparsvm-old").exists());
        assert!(at(".sparsvm-new").exists() && at(".other-old").exists() && at("x").exists());
    }

    #[test]
    fn inputs_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "data").unwrap();
        assert!(Target::new(&path, &[Source::from(path.clone())]).is_err());
        assert!(Target::new(folder.path(), &[]).is_err());
        assert!(Target::new(&folder.path().join("no/such"), &[]).is_err());
        assert!(Target::new(&path.join("below-a-file"), &[]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        Target::new(&link, &[]).unwrap().write(|to| to.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let null = Target::new(Path::new("/dev/null"), &[]).unwrap();
        assert!(null.device);
        null.write(|to| to.write_all(b"gone")).unwrap();
    }
}
