//! How much memory there is: the machine's, or less if a container or a batch system says so.

use std::fs;
use std::path::{Path, PathBuf};

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
