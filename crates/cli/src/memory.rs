//! How much memory there is: the machine's, or less if a container or a batch system says so.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sparsvm_core::{Dataset, Error, Intercept};

/// The share of it that data and factors may take if no `--memory-limit` is given.
const SHARE: f64 = 0.6;

/// 60 % of what there is.
pub(crate) fn default_limit() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    // A machine that does not tell gets no limit.
    let machine = Some(system.total_memory()).filter(|bytes| *bytes > 0).unwrap_or(u64::MAX);
    let available = machine.min(cgroup_limit().unwrap_or(u64::MAX));
    (available as f64 * SHARE) as u64
}

/// Refuses what needs more than the limit, before it is made.
pub(crate) fn check(what: &'static str, needed: u64, limit: u64, remedy: &'static str) -> Result<()> {
    if needed > limit {
        let (needed_mib, limit_mib) = (needed.div_ceil(1 << 20), limit >> 20);
        return Err(Error::Memory { what, needed_mib, limit_mib, remedy }.into());
    }
    Ok(())
}

/// Checks that a fit has room for all that it makes of the data besides the data itself: the other axis of a
/// sparse matrix, copies of mapped values that are scaled, and the rows of `at_once` folds that are fitted side
/// by side.
pub(crate) fn check_fit(data: &Dataset, scaled: bool, at_once: usize, limit: u64) -> Result<()> {
    let x = data.design();
    let (n, d, stored) = (x.rows() as u64, x.cols() as u64, x.stored() as u64);
    let to_come = x.bytes_to_come(scaled);
    // What is mapped is the system's to keep or to drop.
    let mapped = x.is_sparse() && x.bytes_to_come(false) == 0;
    let held = match x.is_sparse() {
        _ if mapped => 0,
        true => 12 * stored + 16 * n,
        false => 8 * stored,
    };
    check("the data by rows and by columns", held + to_come, limit, "use fewer rows or features")?;
    // Its rows become columns piece by piece.
    let copy = if x.is_sparse() { 16 * stored + 8 * (n + d) } else { 8 * stored };
    let folds = copy.saturating_mul(at_once as u64);
    let needed = (held + to_come).saturating_add(folds);
    check("the data and the folds that are fitted at a time", needed, limit, "give fewer --threads")
}

/// How many copies of its rows a fold holds.
pub(crate) fn copies_for(intercepts: &[Intercept]) -> usize {
    if intercepts.contains(&Intercept::Penalised) { 2 } else { 1 }
}

/// The least limit of this process's control group and the groups around it (Linux).
fn cgroup_limit() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(|line| limit_of(line, Path::new("/sys/fs/cgroup"))).min()
}

/// For a line `ID:CONTROLLERS:PATH` of /proc/self/cgroup.
fn limit_of(line: &str, root: &Path) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, group) = (fields.next()?, fields.next()?.trim_start_matches('/'));
    let (root, file): (PathBuf, &str) = match controllers {
        "" => (root.to_owned(), "memory.max"),
        "memory" => (root.join("memory"), "memory.limit_in_bytes"),
        _ => return None,
    };
    let own = root.join(group);
    let around = own.ancestors().take_while(|folder| folder.starts_with(&root));
    around.filter_map(|folder| fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("job/step")).unwrap();
        fs::write(root.join("job/memory.max"), "1000\n").unwrap();
        fs::write(root.join("job/step/memory.max"), "max\n").unwrap();
        assert_eq!(limit_of("0::/job/step", root), Some(1000));
        assert_eq!(limit_of("0::/", root), None);
        fs::create_dir_all(root.join("memory/old")).unwrap();
        fs::write(root.join("memory/old/memory.limit_in_bytes"), "77").unwrap();
        assert_eq!(limit_of("5:memory:/old", root), Some(77));
        assert_eq!(limit_of("6:cpu:/old", root), None);
    }

    #[test]
    fn there_is_some_memory() {
        assert!(default_limit() > 1 << 20);
    }
}
