//! Apache Parquet, compressed with zstd at its quickest level.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use sparsvm_core::Dataset;

use super::WriteError;
use super::columnar::Batches;
use crate::Format;

/// Cells of a row group: what the writer holds in memory, compressed.
const GROUP_CELLS: usize = 1 << 25;

pub(super) fn write(data: &Dataset, to: &mut (dyn Write + Send)) -> Result<(), WriteError> {
    let batches = Batches::new(data, Format::Parquet)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).map_err(failed)?))
        .set_max_row_group_row_count(Some(batches.rows_of(GROUP_CELLS)))
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let schema = Arc::clone(&batches.schema);
    let mut writer = ArrowWriter::try_new(to, schema, Some(properties)).map_err(failed)?;
    for batch in batches.iter() {
        writer.write(&batch.map_err(|error| failed(error.into()))?).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

fn failed(error: ParquetError) -> WriteError {
    WriteError::Io(match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(io) => *io,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    })
}
