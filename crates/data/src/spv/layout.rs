//! The header: what is where. docs/format.md has it to the byte.
//!
//! All offsets follow from a few numbers, so a header is read by computing the one that these numbers make
//! and comparing every byte.

use sparsvm_core::design::Width;
use twox_hash::XxHash3_64;

use super::Damage;

/// The first bytes. The high bit, CR LF and ^Z show damage by a transfer as text.
pub(crate) const MAGIC: [u8; 8] = *b"\x89SPV\r\n\x1a\n";

/// The version written and read.
pub(super) const VERSION: u32 = 1;

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 512;

/// Bytes of a section under one checksum.
pub(super) const BLOCK_BYTES: u64 = 1 << 20;

/// Sections begin at multiples of this.
const ALIGN: u64 = 64;

/// Where the table of sections begins, and the bytes of an entry.
const TABLE: usize = 96;
const ENTRY_BYTES: usize = 32;

/// Where the header's checksum stands.
pub(super) const HEADER_SUM: usize = HEADER_BYTES - 8;

/// The sections, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Classes = 1,
    Codes,
    Queries,
    Names,
    RowStarts,
    RowPositions,
    RowValues,
    ColumnStarts,
    ColumnPositions,
    ColumnValues,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Classes => "classes",
            Self::Codes => "class codes",
            Self::Queries => "query numbers",
            Self::Names => "feature names",
            Self::RowStarts => "row pointers",
            Self::RowPositions => "row positions",
            Self::RowValues => "row values",
            Self::ColumnStarts => "column pointers",
            Self::ColumnPositions => "column positions",
            Self::ColumnValues => "column values",
        }
    }
}

/// The numbers from which all else follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) rows: u64,
    pub(super) columns: u64,
    pub(super) entries: u64,
    pub(super) width: Width,
    pub(super) classes: u64,
    /// Bytes of the section of classes.
    pub(super) class_bytes: u64,
    pub(super) has_queries: bool,
    /// Bytes of the section of names, if there is one.
    pub(super) name_bytes: Option<u64>,
}

impl Shape {
    pub(super) fn value_bytes(&self) -> u64 {
        match self.width {
            Width::F64 => 8,
            Width::F32 => 4,
        }
    }
}

/// One section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) kind: Kind,
    pub(super) offset: u64,
    /// Without what fills it up to a multiple of 64 bytes.
    pub(super) bytes: u64,
    /// The place of its first block in the index.
    pub(super) first_block: u64,
}

impl Section {
    /// With what fills it up: this is what the checksums cover.
    pub(super) fn padded(&self) -> u64 {
        self.bytes.next_multiple_of(ALIGN)
    }

    pub(super) fn blocks(&self) -> u64 {
        self.padded().div_ceil(BLOCK_BYTES)
    }
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) shape: Shape,
    pub(super) sections: Vec<Section>,
    /// Where the index begins: one checksum a block, and its own.
    pub(super) index: u64,
    /// Bytes of the whole file.
    pub(super) bytes: u64,
}

impl Layout {
    /// The layout of a file; nothing if it has no row or column, or is too large for its own fields.
    pub(super) fn of(shape: Shape) -> Option<Self> {
        let Shape { rows, columns, entries, .. } = shape;
        let most = u64::from(u32::MAX);
        // 2^56 entries: no sum below can overflow.
        if !(1..=most).contains(&rows) || !(1..=most).contains(&columns) || entries > 1 << 56 {
            return None;
        }
        if shape.classes > most || shape.class_bytes > 1 << 56 || shape.name_bytes > Some(1 << 56) {
            return None;
        }
        let lengths = [
            (Kind::Classes, Some(shape.class_bytes)),
            (Kind::Codes, Some(4 * rows)),
            (Kind::Queries, shape.has_queries.then_some(8 * rows)),
            (Kind::Names, shape.name_bytes),
            (Kind::RowStarts, Some(8 * (rows + 1))),
            (Kind::RowPositions, Some(4 * entries)),
            (Kind::RowValues, Some(shape.value_bytes() * entries)),
            (Kind::ColumnStarts, Some(8 * (columns + 1))),
            (Kind::ColumnPositions, Some(4 * entries)),
            (Kind::ColumnValues, Some(shape.value_bytes() * entries)),
        ];
        let mut sections = Vec::new();
        let (mut offset, mut first_block) = (HEADER_BYTES as u64, 0);
        for (kind, bytes) in lengths {
            let Some(bytes) = bytes else { continue };
            let section = Section { kind, offset, bytes, first_block };
            offset += section.padded();
            first_block += section.blocks();
            sections.push(section);
        }
        Some(Self { shape, sections, index: offset, bytes: offset + 8 * (first_block + 1) })
    }

    pub(super) fn section(&self, kind: Kind) -> Option<&Section> {
        self.sections.iter().find(|section| section.kind == kind)
    }

    /// The header.
    pub(super) fn header(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        let shape = &self.shape;
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &(HEADER_BYTES as u32).to_le_bytes());
        put(16, &self.bytes.to_le_bytes());
        put(24, &shape.rows.to_le_bytes());
        put(32, &shape.columns.to_le_bytes());
        put(40, &shape.entries.to_le_bytes());
        put(48, &(shape.value_bytes() as u32).to_le_bytes());
        put(52, &(BLOCK_BYTES as u32).to_le_bytes());
        put(56, &shape.classes.to_le_bytes());
        put(64, &self.index.to_le_bytes());
        put(72, &(self.sections.len() as u32).to_le_bytes());
        for (k, section) in self.sections.iter().enumerate() {
            let at = TABLE + k * ENTRY_BYTES;
            put(at, &(section.kind as u32).to_le_bytes());
            put(at + 8, &section.offset.to_le_bytes());
            put(at + 16, &section.bytes.to_le_bytes());
            put(at + 24, &section.first_block.to_le_bytes());
        }
        let sum = XxHash3_64::oneshot(&header[..HEADER_SUM]);
        header[HEADER_SUM..].copy_from_slice(&sum.to_le_bytes());
        header
    }

    /// Reads the header of a file, of which `file` is all.
    pub(super) fn read(file: &[u8]) -> Result<Self, Damage> {
        let damage = |found: &str| Damage { section: "header", found: found.into() };
        let Some(header) = file.get(..HEADER_BYTES) else {
            return Err(Damage {
                section: "header",
                found: format!("the file has {} bytes, but its header alone has {HEADER_BYTES}", file.len()),
            });
        };
        if number(header, HEADER_SUM) != XxHash3_64::oneshot(&header[..HEADER_SUM]) {
            return Err(damage("its checksum is wrong"));
        }
        let expected = number(header, 16);
        if file.len() as u64 != expected {
            let found = format!("the file has {} bytes, but its header says {expected}", file.len());
            return Err(Damage { section: "end of the file", found });
        }
        let sections = (header[72] as usize).min((HEADER_SUM - TABLE) / ENTRY_BYTES);
        let entry = |kind: Kind| {
            let mut places = (0..sections).map(|k| TABLE + k * ENTRY_BYTES);
            places.find(|&at| u32_at(header, at) == kind as u32).map(|at| number(header, at + 16))
        };
        let width = match u32_at(header, 48) {
            8 => Width::F64,
            4 => Width::F32,
            _ => return Err(damage("values have neither 4 nor 8 bytes")),
        };
        let shape = Shape {
            rows: number(header, 24),
            columns: number(header, 32),
            entries: number(header, 40),
            width,
            classes: number(header, 56),
            class_bytes: entry(Kind::Classes).unwrap_or(0),
            has_queries: entry(Kind::Queries).is_some(),
            name_bytes: entry(Kind::Names),
        };
        match Self::of(shape) {
            Some(layout) if layout.header() == header => Ok(layout),
            _ => Err(damage("its fields contradict each other")),
        }
    }
}

/// The 64-bit number at a place; 0 past the end.
pub(super) fn number(bytes: &[u8], at: usize) -> u64 {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.map_or(0, |eight| u64::from_le_bytes(*eight))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.map_or(0, |four| u32::from_le_bytes(*four))
}

/// The version that a file says it has, if it begins as one of ours.
pub(super) fn version(file: &[u8]) -> Option<u32> {
    (file.starts_with(&MAGIC) && file.len() >= 12).then(|| u32_at(file, 8))
}
