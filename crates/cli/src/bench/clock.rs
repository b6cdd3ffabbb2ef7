//! CPU seconds of this process, which other programs on the machine do not lengthen as they do wall time.

/// Seconds so far, of all threads together.
#[cfg(unix)]
pub(super) fn cpu_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// Seconds so far: wall time, where there is no such clock.
#[cfg(not(unix))]
pub(super) fn cpu_seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let before = cpu_seconds();
        let sum: f64 = (0..3_000_000).map(|k| f64::from(k).sqrt()).sum();
        assert!(sum > 0.0 && cpu_seconds() > before);
    }
}
