//! Apache Parquet, from the file itself, which is read where it is needed, or from its content in memory.
//!
//! Columns are decoded in parallel, some rows of all of them at a time: so one row group occupies all threads as
//! well as many do, and memory does not grow with the size of row groups. Columns that the plan drops are never
//! touched.

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use rayon::prelude::*;
use sparsvm_core::Dataset;

use super::columnar::{Batch, Columnar};
use super::join::{Before, Join};
use super::place::Place;
use crate::guard::guarded;
use crate::open::Opened;
use crate::{ReadError, ReadOptions};

/// Cells that are decoded at a time.
const CELLS: usize = 1 << 22;

/// The most rows that are decoded at a time.
const MOST_ROWS: usize = 1 << 17;

/// Decoders for each thread, so that one slow column keeps nobody waiting long.
const SHARES_A_THREAD: usize = 4;

/// Reads a data set.
pub(crate) fn read(opened: Opened<'_>, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let place = match opened.file(name)? {
        Some(file) => {
            Place::of_file(file).map_err(|source| ReadError::Io { name: name.to_owned(), source })?
        }
        None => Place::of_bytes(opened.bytes(name, options.memory_limit)?),
    };
    read_in(&place, name, options, CELLS)
}

/// [`read`] with so many cells at a time.
pub(crate) fn read_in(
    place: &Place,
    name: &str,
    options: &ReadOptions,
    cells: usize,
) -> Result<Dataset, ReadError> {
    let corrupt =
        |reason: String| ReadError::Undecodable { name: name.to_owned(), format: "Parquet", reason };
    let about = guarded(|| ArrowReaderMetadata::load(place, ArrowReaderOptions::new())).map_err(corrupt)?;
    let columns = Columnar::new(name, about.schema(), options)?;
    let rows = rows(&about).map_err(corrupt)?;
    let step = columns.rows_of(cells).min(MOST_ROWS);
    let mut decoders = shares(&columns.used, rayon::current_num_threads())
        .map(|share| guarded(|| decoder(place, &about, share, step)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(corrupt)?;
    let mut join = Join::new(
        name,
        &columns.plan,
        options.table.missing,
        (options.memory_limit, Some(rows)),
        Before::default(),
    );
    loop {
        let parts = decoders
            .par_iter_mut()
            .with_max_len(1)
            .map(|decoder| guarded(|| decoder.next().transpose()))
            .collect::<Result<Vec<Option<RecordBatch>>, _>>()
            .map_err(corrupt)?;
        match side_by_side(&parts).map_err(corrupt)? {
            Some(batch) => columns.append(&mut join, &[batch])?,
            None => break,
        }
        if join.rows() as u64 > rows {
            break;
        }
    }
    if join.rows() as u64 != rows {
        return Err(corrupt(format!("{rows} rows are announced, but {} are there", join.rows())));
    }
    join.finish()
}

/// The rows that the row groups announce.
fn rows(about: &ArrowReaderMetadata) -> Result<u64, String> {
    let mut groups = about.metadata().row_groups().iter();
    let sum = groups.try_fold(0u64, |sum, group| sum.checked_add(u64::try_from(group.num_rows()).ok()?));
    sum.ok_or_else(|| "the numbers of rows are impossible".into())
}

/// The columns in parts of about the same size.
fn shares(used: &[usize], threads: usize) -> impl Iterator<Item = &[usize]> {
    used.chunks(used.len().div_ceil(SHARES_A_THREAD * threads).max(1))
}

fn decoder(
    place: &Place,
    about: &ArrowReaderMetadata,
    share: &[usize],
    rows: usize,
) -> parquet::errors::Result<ParquetRecordBatchReader> {
    let mask = ProjectionMask::roots(about.parquet_schema(), share.iter().copied());
    ParquetRecordBatchReaderBuilder::new_with_metadata(place.clone(), about.clone())
        .with_projection(mask)
        .with_batch_size(rows)
        .build()
}

/// The same rows of all columns, out of those of some columns each.
fn side_by_side(parts: &[Option<RecordBatch>]) -> Result<Option<Batch>, String> {
    let some: Vec<&RecordBatch> = parts.iter().flatten().collect();
    let Some(rows) = some.first().map(|first| first.num_rows()) else { return Ok(None) };
    if some.len() < parts.len() || some.iter().any(|part| part.num_rows() != rows) {
        return Err("its columns have different numbers of rows".into());
    }
    Ok(Some(Batch { rows, columns: some.iter().flat_map(|part| part.columns().iter().cloned()).collect() }))
}
