//! Parquet and Arrow files that were cut or changed: nothing panics, and nothing asks for much memory.

use arrow_ipc::writer::IpcWriteOptions;
use parquet::basic::{Compression, ZstdLevel};

use super::columnar::{ipc_file, ipc_stream, large, parquet};
use crate::{Missing, ReadOptions, TableOptions, read_from};

fn options() -> ReadOptions {
    let table = TableOptions { label: Some("y".into()), missing: Missing::Zero, ..TableOptions::default() };
    ReadOptions { table, memory_limit: Some(64 << 20), ..ReadOptions::default() }
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let batch = large(40, 3);
    let lz4 = IpcWriteOptions::default().try_with_compression(Some(arrow_ipc::CompressionType::LZ4_FRAME));
    vec![
        ("plain parquet", parquet(&batch, Compression::UNCOMPRESSED, 25)),
        ("snappy parquet", parquet(&batch, Compression::SNAPPY, 25)),
        ("zstd parquet", parquet(&batch, Compression::ZSTD(ZstdLevel::default()), 25)),
        ("arrow file", ipc_file(&batch, IpcWriteOptions::default(), 25)),
        ("lz4 arrow file", ipc_file(&batch, lz4.unwrap(), 25)),
        ("arrow stream", ipc_stream(&batch, 25)),
    ]
}

#[test]
fn cut_anywhere() {
    for (form, bytes) in files() {
        let whole = read_from(&bytes[..], "t", &options()).unwrap_or_else(|error| panic!("{form}: {error}"));
        assert_eq!(whole.design().rows(), 40);
        let mut read = 0;
        for len in 0..bytes.len() {
            match read_from(&bytes[..len], "t", &options()) {
                Err(error) => assert!(!error.to_string().contains('\n'), "{form} cut at {len}: {error}"),
                Ok(data) => {
                    read += 1;
                    let rows = data.design().rows();
                    assert!(rows == 25 || rows == 40, "{form} cut at {len}: {rows} rows");
                }
            }
        }
        // A stream may end after any of its parts.
        assert_eq!(read, if form == "arrow stream" { 2 } else { 0 }, "{form}");
    }
}

/// The most memory that this process has had, in MiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib >> 10)
}

#[test]
fn changed_anywhere() {
    let mut state = 7u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let before = peak();
    for (form, bytes) in files() {
        let mut refused = 0;
        for _ in 0..700 {
            let mut changed = bytes.clone();
            for _ in 0..1 + next(3) {
                let at = next(changed.len());
                match next(4) {
                    0 => changed[at] ^= 1 << next(8),
                    1 => changed[at] = [0, 0xff, 0x7f, 0x80][next(4)],
                    2 => {
                        let end = (at + 1 + next(8)).min(changed.len());
                        changed[at..end].fill([0, 0xff][next(2)]);
                    }
                    _ => drop(changed.remove(at)),
                }
            }
            if let Err(error) = read_from(&changed[..], "t", &options()) {
                refused += 1;
                let text = error.to_string();
                assert!(!text.contains('\n') && text.len() < 600, "{form}: {text}");
            }
        }
        // Some changes touch only what is a value, or nothing at all.
        assert!(refused > 100, "{form}: {refused}");
    }
    if let (Some(before), Some(after)) = (before, peak()) {
        assert!(after < before + 1024, "{before} MiB grew to {after} MiB");
    }
}
