//! An Arrow IPC file (Feather 2), compressed with lz4, as Feather files usually are.

use std::io::{self, BufWriter, Write};

use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::ArrowError;
use sparsvm_core::Dataset;

use super::WriteError;
use super::columnar::Batches;
use crate::Format;

pub(super) fn write(data: &Dataset, to: &mut (dyn Write + Send)) -> Result<(), WriteError> {
    let batches = Batches::new(data, Format::Arrow)?;
    let lz4 = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
    let mut writer =
        FileWriter::try_new_with_options(BufWriter::new(to), &batches.schema, lz4.map_err(failed)?)
            .map_err(failed)?;
    for batch in batches.iter() {
        writer.write(&batch.map_err(failed)?).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

fn failed(error: ArrowError) -> WriteError {
    WriteError::Io(match error {
        ArrowError::IoError(_, io) => io,
        other => io::Error::other(other),
    })
}
