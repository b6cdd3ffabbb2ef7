//! Cases from nothing but a number: any bytes, and good files with damage. The generator is a published one, so that
//! a case is the same everywhere.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// No case is longer.
const MOST_BYTES: usize = 1 << 13;

/// Texts that stand where a number should, or do so too large or too small.
pub const NUMBERS: [&str; 28] = [
    "0",
    "-0",
    "1",
    "-1",
    "00",
    "+1",
    "1.",
    ".5",
    "1e5",
    "1e308",
    "1e309",
    "-1e-400",
    "nan",
    "inf",
    "-inf",
    "0x10",
    "255",
    "256",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1_000",
    "",
];

/// Pieces that mean something to one of the parsers.
const TOKENS: [&str; 24] = [
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    ",",
    ";",
    ":",
    "\"",
    "\"\"",
    "#",
    "=",
    "qid:1 ",
    "1:1 ",
    "NA",
    "?",
    "null",
    "{",
    "}",
    "[",
    "]",
    "\u{feff}",
    "\0",
    "\u{1b}[31m",
];

/// Draws that depend on nothing but the seed.
#[derive(Debug)]
pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// The draws of this seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, or 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() >> 11) as usize % bound.max(1)
    }

    /// One of them.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// A range of something so long.
    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let from = self.below(len + 1);
        // Mostly short.
        let most = if self.below(4) == 0 { len } else { 16 };
        from..(from + self.below(most + 1)).min(len)
    }
}

/// The case of this number, made from these good files.
pub fn case(files: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut draw = Draw::new(seed);
    if files.is_empty() || draw.below(16) == 0 {
        return arbitrary(&mut draw);
    }
    let mut bytes = files[draw.below(files.len())].clone();
    let other = &files[draw.below(files.len())];
    // Many have one fault only: with two, the first is all that is seen.
    let damages = [1, 1, 1, 2, 3, 6][draw.below(6)];
    for _ in 0..damages {
        damage(&mut draw, &mut bytes, other);
        bytes.truncate(MOST_BYTES);
    }
    bytes
}

/// Any bytes, or any pieces of text.
fn arbitrary(draw: &mut Draw) -> Vec<u8> {
    let mut bytes = Vec::new();
    let text = draw.below(2) == 0;
    for _ in 0..draw.below(40) {
        match (text, draw.below(2)) {
            (false, _) => bytes.push(draw.number() as u8),
            (true, 0) => bytes.extend(draw.pick(&NUMBERS).bytes()),
            (true, _) => bytes.extend(draw.pick(&TOKENS).bytes()),
        }
    }
    bytes
}

fn damage(draw: &mut Draw, bytes: &mut Vec<u8>, other: &[u8]) {
    let len = bytes.len();
    let at = draw.below(len);
    match draw.below(12) {
        0 if len > 0 => bytes[at] ^= 1 << draw.below(8),
        1 if len > 0 => bytes[at] = draw.number() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(draw.range(len))),
        // A piece twice.
        4 => {
            let piece = bytes[draw.range(len)].to_vec();
            bytes.splice(at..at, piece);
        }
        // A piece of another file, in its place or in another.
        5 => {
            let piece = &other[draw.range(other.len())];
            bytes.splice(draw.range(len), piece.iter().copied());
        }
        6 => {
            let from = draw.below(other.len());
            bytes.truncate(from.min(len));
            bytes.extend_from_slice(&other[from..]);
        }
        7 => {
            let token = draw.pick(&TOKENS);
            bytes.splice(at..at, token.bytes());
        }
        8 | 9 => written_number(draw, bytes),
        _ => stored_number(draw, bytes),
    }
}

/// Puts another number in the place of one that is written in digits.
fn written_number(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let digits = |bytes: &[u8], from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let begins = |k: usize| bytes[k].is_ascii_digit() && (k == 0 || !bytes[k - 1].is_ascii_digit());
    let starts: Vec<usize> = (0..bytes.len()).filter(|&k| begins(k)).collect();
    if let Some(&from) = starts.get(draw.below(starts.len())) {
        let to = from + digits(bytes, from);
        let number = draw.pick(&NUMBERS);
        bytes.splice(from..to, number.bytes());
    }
}

/// Puts another number in the place of 1, 2, 4 or 8 bytes, the last byte first or last.
fn stored_number(draw: &mut Draw, bytes: &mut [u8]) {
    let width = [1, 2, 4, 8][draw.below(4)];
    if bytes.len() < width {
        return;
    }
    let at = draw.below(bytes.len() - width + 1);
    // Numbers mostly stand at multiples of their width.
    let at = if draw.below(2) == 0 { at - at % width } else { at };
    let place = &mut bytes[at..at + width];
    let mut eight = [0; 8];
    eight[..width].copy_from_slice(place);
    let old = u64::from_le_bytes(eight);
    let new = match draw.below(6) {
        0 => 0,
        1 => u64::MAX,
        2 => old.wrapping_add(1),
        3 => old.wrapping_sub(1),
        4 => 1 << draw.below(8 * width),
        _ => 1 << (8 * width - 1),
    };
    place.copy_from_slice(&new.to_le_bytes()[..width]);
    if draw.below(4) == 0 {
        place.reverse();
    }
}
