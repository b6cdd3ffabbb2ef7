//! A data set as record batches: the label, the query, then the features as 64-bit floats, zeros included.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use sparsvm_core::Dataset;

use super::{WriteError, label};
use crate::Format;

/// Cells of a batch.
const BATCH_CELLS: usize = 1 << 22;

/// Past this many cells a table with all its zeros helps nobody.
const MOST_CELLS: u64 = 1 << 32;

/// Each column costs its readers metadata and buffers of its own; with more of them few readers cope.
const MOST_COLUMNS: usize = 1 << 15;

/// How labels are held.
#[derive(Clone, Copy, PartialEq)]
enum Labels {
    None,
    Integers,
    Numbers,
    Texts,
}

/// A data set, seen as a table.
pub(super) struct Batches<'a> {
    data: &'a Dataset,
    labels: Labels,
    pub(super) schema: Arc<Schema>,
}

impl<'a> Batches<'a> {
    /// Refuses what makes no table.
    pub(super) fn new(data: &'a Dataset, format: Format) -> Result<Self, WriteError> {
        let unfit = |why: String| WriteError::Unfit { format, why };
        let x = data.design();
        let cells = x.rows() as u64 * x.cols() as u64;
        if x.cols() > MOST_COLUMNS {
            return Err(unfit(format!(
                "few programs read {} columns, so {MOST_COLUMNS} are the most: choose libsvm, npz or spv",
                x.cols()
            )));
        }
        if cells > MOST_CELLS {
            return Err(unfit(format!(
                "a table has a cell for each zero, {cells} here: choose libsvm, npz or spv"
            )));
        }
        let labels = kind(data.labels().classes());
        let named = data.table().and_then(|table| table.label.as_deref()).unwrap_or("label");
        let mut fields = Vec::with_capacity(x.cols() + 2);
        match labels {
            Labels::None => {}
            Labels::Integers => fields.push(Field::new(named, DataType::Int64, false)),
            Labels::Numbers => fields.push(Field::new(named, DataType::Float64, false)),
            Labels::Texts => fields.push(Field::new(named, DataType::Utf8, false)),
        }
        if data.queries().is_some() {
            fields.push(Field::new("qid", DataType::UInt64, false));
        }
        let name = |j: usize| data.names().map_or_else(|| format!("x{}", j + 1), |names| names[j].clone());
        fields.extend((0..x.cols()).map(|j| Field::new(name(j), DataType::Float64, false)));
        let mut seen = std::collections::HashSet::new();
        if let Some(twice) = fields.iter().find(|field| !seen.insert(field.name())) {
            return Err(unfit(format!("two columns would be called {}: rename one", twice.name())));
        }
        Ok(Self { data, labels, schema: Arc::new(Schema::new(fields)) })
    }

    /// Rows whose cells are about so many.
    pub(super) fn rows_of(&self, cells: usize) -> usize {
        (cells / self.schema.fields().len().max(1)).max(1)
    }

    /// The batches, made one at a time.
    pub(super) fn iter(&self) -> impl Iterator<Item = Result<RecordBatch, arrow_schema::ArrowError>> {
        let (rows, step) = (self.data.design().rows(), self.rows_of(BATCH_CELLS));
        (0..rows).step_by(step).map(move |from| self.batch(from, step.min(rows - from)))
    }

    fn batch(&self, from: usize, rows: usize) -> Result<RecordBatch, arrow_schema::ArrowError> {
        let x = self.data.design();
        let texts = || (from..from + rows).map(|i| label(self.data, i));
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        match self.labels {
            Labels::None => {}
            Labels::Integers => {
                columns.push(Arc::new(Int64Array::from_iter(texts().map(|text| text.parse::<i64>().ok()))));
            }
            Labels::Numbers => {
                columns.push(Arc::new(Float64Array::from_iter(texts().map(|text| text.parse::<f64>().ok()))));
            }
            Labels::Texts => columns.push(Arc::new(StringArray::from_iter_values(texts()))),
        }
        if let Some(queries) = self.data.queries() {
            columns.push(Arc::new(UInt64Array::from(queries[from..from + rows].to_vec())));
        }
        let mut values = vec![vec![0.0; rows]; x.cols()];
        (0..rows).for_each(|i| x.row(from + i).for_each(|j, value| values[j][i] = value));
        columns.extend(values.into_iter().map(|column| Arc::new(Float64Array::from(column)) as ArrayRef));
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

/// The plainest type that holds all classes.
fn kind(classes: &[String]) -> Labels {
    let number = |class: &String| class.parse::<f64>().is_ok_and(f64::is_finite);
    match classes {
        [] => Labels::None,
        all if all.iter().all(|class| class.parse::<i64>().is_ok()) => Labels::Integers,
        all if all.iter().all(number) => Labels::Numbers,
        _ => Labels::Texts,
    }
}
