//! Writes a data set in one pass over the file: sizes are known before, and the index of checksums comes last.

use std::io::{self, Write};

use sparsvm_core::design::{Design, Slice, Width};
use sparsvm_core::{Dataset, Labels};
use thiserror::Error;
use twox_hash::XxHash3_64;

use super::layout::{BLOCK_BYTES, HEADER_SUM, Kind, Layout, Shape, number};
use super::texts;

/// Why a data set could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system refused a write.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A value above what 32 bits can hold.
    #[error(
        "row {row}, feature {column}: {value} does not fit in 32 bits, which hold up to {most:e}: \
         store values in 64 bits, or scale the feature",
        most = f32::MAX
    )]
    Overflow {
        /// The row, counting from 1.
        row: usize,
        /// The feature, counting from 1.
        column: usize,
        /// The value.
        value: f64,
    },
    /// Rows whose labels nobody knows.
    #[error("the data has no labels, and an .spv file must have them: convert data with labels")]
    Unlabelled,
    /// More data than the format holds.
    #[error("{rows} rows, {columns} features: an .spv file holds up to {most} of each", most = u32::MAX)]
    TooLarge {
        /// n.
        rows: usize,
        /// d.
        columns: usize,
    },
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => error,
            other => Self::other(other),
        }
    }
}

/// Writes a data set as an .spv file. Values are stored as they are, or rounded to the nearest of 32 bits.
/// A sparse design is written with all that it stores; of a dense one zeros are left out. Beside the data set
/// this takes about a megabyte, and what its design takes to look at rows and columns.
///
/// # Errors
/// Before the first byte is written, if a value does not fit in 32 bits, there are too many rows or
/// features, or no labels. Later only if a write fails.
pub fn write(data: &Dataset, width: Width, to: &mut dyn Write) -> Result<(), WriteError> {
    let x = data.design();
    let entries = count(x, width)?;
    let classes = data.labels().classes();
    if classes.is_empty() {
        return Err(WriteError::Unlabelled);
    }
    let shape = Shape {
        rows: x.rows() as u64,
        columns: x.cols() as u64,
        entries,
        width,
        classes: classes.len() as u64,
        class_bytes: 8 * classes.len() as u64 + texts::bytes_of(classes.iter()),
        has_queries: data.queries().is_some(),
        name_bytes: data.names().map(|names| texts::bytes_of(names.iter())),
    };
    let Some(layout) = Layout::of(shape) else {
        return Err(WriteError::TooLarge { rows: x.rows(), columns: x.cols() });
    };
    let header = layout.header();
    to.write_all(&header)?;
    let mut sink = Sink::new(to);
    for section in &layout.sections {
        match section.kind {
            Kind::Classes => put_classes(&mut sink, data.labels()),
            Kind::Codes => data.labels().codes().iter().for_each(|code| sink.put(&code.to_le_bytes())),
            Kind::Queries => {
                data.queries().into_iter().flatten().for_each(|query| sink.put(&query.to_le_bytes()));
            }
            Kind::Names => put_texts(&mut sink, data.names().unwrap_or_default()),
            Kind::RowStarts => put_starts(&mut sink, x, x.rows(), |i| x.row(i)),
            Kind::ColumnStarts => put_starts(&mut sink, x, x.cols(), |j| x.column(j)),
            Kind::RowPositions => put_positions(&mut sink, x, x.rows(), |i| x.row(i)),
            Kind::ColumnPositions => put_positions(&mut sink, x, x.cols(), |j| x.column(j)),
            Kind::RowValues => put_values(&mut sink, x, width, x.rows(), |i| x.row(i)),
            Kind::ColumnValues => put_values(&mut sink, x, width, x.cols(), |j| x.column(j)),
        }
        sink.end_section((section.padded() - section.bytes) as usize)?;
    }
    let mut index: Vec<u8> = sink.sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    index.extend(index_sum(&index, &header).to_le_bytes());
    to.write_all(&index)?;
    Ok(())
}

/// The index's own checksum. The header's is its seed, so that an index belongs to one header.
pub(super) fn index_sum(index: &[u8], header: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(number(header, HEADER_SUM), index)
}

/// Entries to write, all of which can be written.
fn count(x: &dyn Design, width: Width) -> Result<u64, WriteError> {
    let mut entries = 0;
    let mut overflow = None;
    for i in 0..x.rows() {
        each(x, x.row(i), |j, value| {
            entries += 1;
            if width == Width::F32 && !(value as f32).is_finite() && overflow.is_none() {
                overflow = Some(WriteError::Overflow { row: i + 1, column: j + 1, value });
            }
        });
        if let Some(overflow) = overflow {
            return Err(overflow);
        }
    }
    Ok(entries)
}

/// The entries of a row or column that are written.
fn each(x: &dyn Design, vector: Slice<'_>, mut f: impl FnMut(usize, f64)) {
    let all = x.is_sparse();
    vector.for_each(|k, value| {
        if all || value != 0.0 {
            f(k, value);
        }
    });
}

fn put_classes(sink: &mut Sink<'_>, labels: &Labels) {
    let mut counts = vec![0u64; labels.classes().len()];
    labels.codes().iter().for_each(|&code| counts[code as usize] += 1);
    counts.iter().for_each(|count| sink.put(&count.to_le_bytes()));
    put_texts(sink, labels.classes());
}

fn put_texts(sink: &mut Sink<'_>, texts: &[String]) {
    let mut end = 0;
    for text in texts {
        end += text.len() as u64;
        sink.put(&end.to_le_bytes());
    }
    texts.iter().for_each(|text| sink.put(text.as_bytes()));
}

fn put_starts<'x>(sink: &mut Sink<'_>, x: &dyn Design, len: usize, vector: impl Fn(usize) -> Slice<'x>) {
    let mut start = 0u64;
    sink.put(&start.to_le_bytes());
    for k in 0..len {
        each(x, vector(k), |_, _| start += 1);
        sink.put(&start.to_le_bytes());
    }
}

fn put_positions<'x>(sink: &mut Sink<'_>, x: &dyn Design, len: usize, vector: impl Fn(usize) -> Slice<'x>) {
    for k in 0..len {
        each(x, vector(k), |at, _| sink.put(&(at as u32).to_le_bytes()));
    }
}

fn put_values<'x>(
    sink: &mut Sink<'_>,
    x: &dyn Design,
    width: Width,
    len: usize,
    vector: impl Fn(usize) -> Slice<'x>,
) {
    for k in 0..len {
        match width {
            Width::F64 => each(x, vector(k), |_, value| sink.put(&value.to_le_bytes())),
            Width::F32 => each(x, vector(k), |_, value| sink.put(&(value as f32).to_le_bytes())),
        }
    }
}

/// Bytes on their way, a block at a time, each with its checksum.
struct Sink<'w> {
    to: &'w mut dyn Write,
    block: Vec<u8>,
    sums: Vec<u64>,
    /// The first write that failed; it is reported at the end of the section.
    failed: Option<io::Error>,
}

impl<'w> Sink<'w> {
    fn new(to: &'w mut dyn Write) -> Self {
        Self { to, block: Vec::with_capacity(BLOCK_BYTES as usize), sums: Vec::new(), failed: None }
    }

    #[inline]
    fn put(&mut self, mut bytes: &[u8]) {
        while self.block.len() + bytes.len() >= BLOCK_BYTES as usize {
            let (now, later) = bytes.split_at(BLOCK_BYTES as usize - self.block.len());
            self.block.extend_from_slice(now);
            self.end_block();
            bytes = later;
        }
        self.block.extend_from_slice(bytes);
    }

    fn end_block(&mut self) {
        self.sums.push(XxHash3_64::oneshot(&self.block));
        if self.failed.is_none() {
            self.failed = self.to.write_all(&self.block).err();
        }
        self.block.clear();
    }

    fn end_section(&mut self, padding: usize) -> io::Result<()> {
        for _ in 0..padding {
            self.put(&[0]);
        }
        if !self.block.is_empty() {
            self.end_block();
        }
        self.failed.take().map_or(Ok(()), Err)
    }
}
