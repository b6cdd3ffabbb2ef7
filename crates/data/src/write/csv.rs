//! Comma-separated values with a header: the label first, then the features, zeros included.

use std::io::Write;

use sparsvm_core::Dataset;

use super::{WriteError, label};
use crate::Format;

/// Past this many cells a table of text helps nobody.
const MOST_CELLS: u64 = 1 << 32;

pub(super) fn write(data: &Dataset, to: &mut dyn Write) -> Result<(), WriteError> {
    let x = data.design();
    let cells = x.rows() as u64 * x.cols() as u64;
    if cells > MOST_CELLS {
        let why = format!("a table has a cell for each zero, {cells} here: choose libsvm, npz or spv");
        return Err(WriteError::Unfit { format: Format::Csv, why });
    }
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => WriteError::Io(error),
        other => WriteError::Unfit { format: Format::Csv, why: format!("{other:?}") },
    };
    let mut writer = csv::WriterBuilder::new().from_writer(to);
    let known = data.labels().are_known();
    let named = data.table().and_then(|table| table.label.as_deref()).unwrap_or("label");
    let heading = known.then(|| named.to_owned());
    let queries = data.queries();
    let heading = heading.into_iter().chain(queries.map(|_| "qid".to_owned()));
    let features =
        (0..x.cols()).map(|j| data.names().map_or_else(|| format!("x{}", j + 1), |names| names[j].clone()));
    writer.write_record(heading.chain(features)).map_err(failed)?;
    let mut row = vec![0.0; x.cols()];
    for i in 0..x.rows() {
        row.fill(0.0);
        x.row(i).for_each(|j, value| row[j] = value);
        let first = known.then(|| label(data, i).to_owned());
        let first = first.into_iter().chain(queries.map(|queries| queries[i].to_string()));
        let numbers = row.iter().map(|&value| if value == 0.0 { "0".into() } else { format!("{value:?}") });
        writer.write_record(first.chain(numbers)).map_err(failed)?;
    }
    writer.flush().map_err(WriteError::Io)
}
