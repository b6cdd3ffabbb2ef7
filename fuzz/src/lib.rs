//! What all targets of cargo-fuzz share.

pub use libfuzzer_sys::fuzz_target;

/// Makes libFuzzer's own thread the only one of the pool: waking others takes longer than a case.
pub fn one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    if let Err(fault) = pool.build_global() {
        eprintln!("the pool of threads is not ours: {fault}");
    }
}

/// The program that fuzzes the target of this name.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        $crate::fuzz_target!(init: $crate::one_thread(), |bytes: &[u8]| {
            $crate::run($name, bytes);
        });
    };
}

/// Runs one case.
pub fn run(name: &str, bytes: &[u8]) {
    sparsvm_fuzz::run(name, bytes);
}
