//! Reads one file and prints how long that took, as JSON. `bench/reader.py` runs this against scikit-learn.

use std::io::{self, Write};
use std::time::Instant;

use sparsvm_data::{ReadOptions, Source, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: read_speed FILE")?;
    let bytes = std::fs::metadata(&path)?.len();
    let source = Source::from(path.as_str());
    let start = Instant::now();
    let data = read(&source, &ReadOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let (rows, cols, nnz) = (data.design().rows(), data.design().cols(), data.design().stored());
    let csr_bytes = 12 * nnz + 8 * (rows + 1);
    let peak = peak_bytes().map_or_else(|| "null".into(), |peak| peak.to_string());
    writeln!(
        io::stdout(),
        "{{\"seconds\": {seconds:.6}, \"bytes\": {bytes}, \"rows\": {rows}, \"cols\": {cols}, \"nnz\": {nnz}, \
         \"csr_bytes\": {csr_bytes}, \"peak_bytes\": {peak}}}"
    )?;
    Ok(())
}

/// The most memory that this process has held, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
