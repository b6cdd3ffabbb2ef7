//! Blocks, threads and short reads change nothing.

use std::io::{self, Read};

use super::{Seen, read_in, seen};
use crate::open::Opened;
use crate::{ReadError, ReadOptions, libsvm};
use sparsvm_core::Dataset;

fn read_from(
    input: impl Read + Send,
    size: Option<u64>,
    name: &str,
    block_bytes: usize,
) -> Result<Dataset, ReadError> {
    let opened = Opened::from_reader(input, size, name)?;
    libsvm::read_in(opened.text(name), &ReadOptions::default(), block_bytes)
}

fn sample() -> String {
    let mut text = String::from("# start\r\n");
    for i in 0..200 {
        text.push_str(if i % 3 == 0 { "+1" } else { "-1" });
        for j in 0..i % 17 {
            text.push_str(&format!(" {}:{}", j * j + i % 5 + 1, f64::from(i * 7 + j) / 8.0));
        }
        text.push_str(if i % 4 == 0 { "\r\n" } else { " # end\n\n" });
    }
    text.push_str("1 5:5");
    text
}

fn whole(text: &str) -> Seen {
    seen(&read_in(text.as_bytes(), &ReadOptions::default(), 1 << 20).unwrap())
}

#[test]
fn blocks_of_any_size() {
    let text = sample();
    let expected = whole(&text);
    assert_eq!(expected.rows.len(), 201);
    for block_bytes in [1, 2, 3, 5, 8, 13, 64, 100, 1000, text.len() - 1, text.len(), text.len() + 1] {
        let data = read_in(text.as_bytes(), &ReadOptions::default(), block_bytes).unwrap();
        assert_eq!(seen(&data), expected, "blocks of {block_bytes}");
    }
}

#[test]
fn a_line_longer_than_many_blocks() {
    let mut text = String::from("1 1:1\n-1");
    for j in 1..=30_000 {
        text.push_str(&format!(" {j}:0.5"));
    }
    text.push_str("\n1 2:2\n");
    let data = read_in(text.as_bytes(), &ReadOptions::default(), 100).unwrap();
    assert_eq!((data.design().rows(), data.design().stored()), (3, 30_002));
    // Many of them at once must not wait for each other for ever.
    let many = text.repeat(40);
    assert_eq!(read_in(many.as_bytes(), &ReadOptions::default(), 64).unwrap().design().rows(), 120);
}

#[test]
fn pools_of_any_size() {
    let text = sample();
    let expected = whole(&text);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // The caller is a thread of the pool here, and the only one in the first case.
        let data = pool.install(|| read_in(text.as_bytes(), &ReadOptions::default(), 50)).unwrap();
        assert_eq!(seen(&data), expected, "{threads} threads");
    }
}

/// Gives few bytes at a time, is interrupted now and then, and may fail in the end.
struct Slow<'a> {
    rest: &'a [u8],
    turn: usize,
    fails: bool,
}

impl Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.turn += 1;
        if self.turn.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.rest.is_empty() && self.fails {
            return Err(io::Error::other("the cable was cut"));
        }
        let len = into.len().min(self.rest.len()).min(self.turn % 4 + 1);
        into[..len].copy_from_slice(&self.rest[..len]);
        self.rest = &self.rest[len..];
        Ok(len)
    }
}

#[test]
fn short_and_interrupted_reads() {
    let text = sample();
    let slow = Slow { rest: text.as_bytes(), turn: 0, fails: false };
    let data = read_from(slow, None, "slow", 77).unwrap();
    assert_eq!(seen(&data), whole(&text));
}

#[test]
fn a_source_that_fails() {
    let text = sample();
    let read = |text: &str| {
        let slow = Slow { rest: text.as_bytes(), turn: 0, fails: true };
        read_from(slow, None, "slow", 77).unwrap_err().to_string()
    };
    assert_eq!(read(&text), "cannot read slow: the cable was cut");
    // What was wrong before comes first.
    let bad = format!("1 x\n{text}");
    assert!(read(&bad).starts_with("slow, line 1, column 3"), "{}", read(&bad));
}

#[test]
fn a_wrong_guess_of_the_size_does_no_harm() {
    let text = sample();
    for size in [1, 100, 10 * text.len() as u64, u64::MAX] {
        let data = read_from(text.as_bytes(), Some(size), "data", 50).unwrap();
        assert_eq!(seen(&data), whole(&text), "size {size}");
    }
}
