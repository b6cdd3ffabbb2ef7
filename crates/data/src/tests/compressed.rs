//! Compressed data, written by this crate's own dependencies and by the usual tools.

use std::io::Write;

use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{read, seen};
use crate::ReadError;

const TEXT: &[u8] = b"+1 1:0.5 3:2\n-1 2:1e-3\n";

/// [`TEXT`] as gzip, bzip2, xz and zstd write it.
const BY_TOOLS: [(&str, &[u8]); 4] = [
    ("gzip", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xd3\x36\x54\x30\xb4\x32\xd0\x33\x55\x30\xb6\x32\xe2\xd2\x35\x54\x30\xb2\x32\x4c\xd5\x35\xe6\x02\x00\x84\xae\xc5\xcb\x17\x00\x00\x00"),
    ("bzip2", b"\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xd8\xee\xeb\x8c\x00\x00\x02\xd9\x00\x00\x10\x40\x0b\x7a\x10\x02\x00\x20\x00\x21\xa9\x91\xa3\xc2\x84\x0d\x03\x40\x92\x17\x04\x71\x37\xb1\x57\x51\x39\x7f\x17\x72\x45\x38\x50\x90\xd8\xee\xeb\x8c"),
    ("xz", b"\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\x00\x16\x2b\x31\x20\x31\x3a\x30\x2e\x35\x20\x33\x3a\x32\x0a\x2d\x31\x20\x32\x3a\x31\x65\x2d\x33\x0a\x00\x00\xe3\x7e\xd4\x83\x04\x2f\x82\x6e\x00\x01\x2f\x17\x81\x08\x49\xb1\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a"),
    ("zstd", b"\x28\xb5\x2f\xfd\x04\x58\xb9\x00\x00\x2b\x31\x20\x31\x3a\x30\x2e\x35\x20\x33\x3a\x32\x0a\x2d\x31\x20\x32\x3a\x31\x65\x2d\x33\x0a\xbe\x3b\xa2\x80"),
];

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

type Compress = fn(&[u8]) -> Vec<u8>;
const OURS: [(&str, Compress); 4] = [("gzip", gzip), ("bzip2", bzip2), ("xz", xz), ("zstd", zstd)];

/// Text that does not shrink to nothing: 20,000 rows, about 800 kB.
fn large() -> Vec<u8> {
    let mut state = 1u64;
    let mut text = String::new();
    for _ in 0..20_000 {
        text.push_str(if state & 64 == 0 { "1" } else { "-1" });
        for j in 0..4u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(&format!(
                " {}:{}",
                j * 1000 + (state >> 40) % 1000 + 1,
                (state >> 33) as f64 / 1e6
            ));
        }
        text.push('\n');
    }
    text.into_bytes()
}

#[test]
fn what_the_usual_tools_write() {
    let expected = seen(&read(TEXT).unwrap());
    for (name, bytes) in BY_TOOLS {
        let data = read(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(seen(&data), expected, "{name}");
    }
}

#[test]
fn large_files_in_several_parts() {
    let text = large();
    let expected = seen(&read(&text).unwrap());
    let cut = text.len() / 3;
    for (name, compress) in OURS {
        let data = read(&compress(&text)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(seen(&data), expected, "{name}");
        let parts = [compress(&text[..cut]), compress(b""), compress(&text[cut..])].concat();
        let data = read(&parts).unwrap_or_else(|error| panic!("{name} in parts: {error}"));
        assert_eq!(seen(&data), expected, "{name} in parts");
    }
}

#[test]
fn truncated_anywhere() {
    for (name, bytes) in BY_TOOLS {
        for len in 6..bytes.len() {
            let error = read(&bytes[..len]).err().unwrap_or_else(|| panic!("{name} cut at {len} was read"));
            assert!(
                matches!(error, ReadError::Truncated { format, .. } if format == name),
                "{name} at {len}: {error}"
            );
            assert!(error.to_string().contains("truncated"), "{error}");
        }
    }
    let text = large();
    for (name, compress) in OURS {
        let bytes = compress(&text);
        for len in [bytes.len() / 2, bytes.len() - 1] {
            let error = read(&bytes[..len]).unwrap_err();
            assert!(matches!(error, ReadError::Truncated { .. }), "{name} at {len}: {error}");
        }
    }
}

#[test]
fn damaged() {
    for (name, compress) in OURS {
        let mut bytes = compress(&large());
        let middle = bytes.len() / 2;
        for byte in &mut bytes[middle..middle + 50] {
            *byte ^= 0x55;
        }
        // Damage may show as bad text before the decompressor sees it; it must never pass.
        assert!(read(&bytes).is_err(), "{name}");
    }
    // The last bytes of a zstd frame are its checksum, and those of the others are checked too.
    for (name, bytes) in BY_TOOLS {
        let mut bytes = bytes.to_vec();
        let at = if name == "gzip" { bytes.len() - 8 } else { bytes.len() - 1 };
        bytes[at] ^= 1;
        let error = read(&bytes).err().unwrap_or_else(|| panic!("{name} with a wrong checksum was read"));
        assert!(matches!(error, ReadError::Damaged { .. } | ReadError::Truncated { .. }), "{name}: {error}");
    }
}

#[test]
fn skippable_zstd_frames() {
    let skippable = b"\x53\x2a\x4d\x18\x05\x00\x00\x00abcde";
    let frame = BY_TOOLS[3].1;
    let data = read(&[&skippable[..], frame, skippable, skippable].concat()).unwrap();
    assert_eq!(seen(&data), seen(&read(TEXT).unwrap()));
    let error = read(&[frame, &skippable[..10]].concat()).unwrap_err();
    assert!(matches!(error, ReadError::Truncated { .. }), "{error}");
}

#[test]
fn strangers() {
    for (bytes, words) in [
        (&b"PK\x05\x06abcdef"[..], "an empty zip archive"),
        (b"\xff\xfe1\0 \0", "UTF-16"),
        (b"\x04\x22\x4d\x18xyz", "lz4"),
    ] {
        let text = read(bytes).unwrap_err().to_string();
        assert!(text.contains(words), "{text}");
    }
}
