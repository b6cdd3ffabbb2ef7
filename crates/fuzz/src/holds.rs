//! What must hold, whatever was read.

use std::collections::HashSet;
use std::error::Error;

use sparsvm_core::Dataset;
use sparsvm_core::design::Width;
use sparsvm_data::{Format, ReadError, ReadOptions, read_from, spv, write};

/// What the data is called in errors.
pub(crate) const NAME: &str = "fuzzed";

/// Bytes that a matrix may take.
pub(crate) const MEMORY: u64 = 4 << 20;

/// Past this many features nothing is written and read again: it would take all the time.
const FEATURES: usize = 1 << 12;

/// Longer errors help nobody.
const ERROR_CHARS: usize = 1000;

/// What data is read with.
pub(crate) fn options(format: Format) -> ReadOptions {
    ReadOptions { format: Some(format), memory_limit: Some(MEMORY), ..ReadOptions::default() }
}

/// An error is one line, neither empty nor endless, that garbles no terminal.
pub(crate) fn error(error: &dyn Error) {
    let text = error.to_string();
    assert!(!text.trim().is_empty(), "an error without words");
    assert!(!text.chars().any(char::is_control), "an error with control characters: {text:?}");
    assert!(text.chars().count() <= ERROR_CHARS, "an endless error: {text:?}");
}

/// An error in data says which file it is.
pub(crate) fn read_error(fault: &ReadError) {
    error(fault);
    assert!(fault.to_string().contains(NAME), "an error without the file's name: {fault}");
}

/// Numbers are finite, positions ascend within the matrix, and there is a label, a name and a query number for
/// each that there should be one for.
pub(crate) fn dataset(data: &Dataset) {
    let x = data.design();
    assert!(x.rows() > 0 && x.cols() > 0, "an empty matrix");
    for i in 0..x.rows() {
        let mut least = 0;
        x.row(i).for_each(|j, value| {
            assert!(j >= least && j < x.cols(), "row {i}: position {j} after {least} of {}", x.cols());
            assert!(value.is_finite(), "row {i}, column {j}: {value}");
            least = j + 1;
        });
    }
    let labels = data.labels();
    assert_eq!(labels.len(), x.rows(), "labels");
    let classes: HashSet<&String> = labels.classes().iter().collect();
    assert_eq!(classes.len(), labels.classes().len(), "a class stands twice: {:?}", labels.classes());
    let known = |code: &u32| (*code as usize) < classes.len() || !labels.are_known();
    assert!(labels.codes().iter().all(known), "a code without a class");
    assert!(data.names().is_none_or(|names| names.len() == x.cols()), "names");
    assert!(data.queries().is_none_or(|queries| queries.len() == x.rows()), "query numbers");
    let fills = data.table().and_then(|table| table.fills.as_ref());
    assert!(fills.is_none_or(|f| f.len() == x.cols() && f.iter().all(|v| v.is_finite())), "fills");
}

/// What was read is data, and is read again as the same after it was written: in the format that it came in and
/// as an .spv file, which holds everything. True if there was something.
pub(crate) fn read(found: Result<Dataset, ReadError>, format: Format) -> bool {
    let Some(data) = sound(found) else { return false };
    if data.design().cols() > FEATURES {
        return true;
    }
    let mut file = Vec::new();
    match spv::write(&data, Width::F64, &mut file) {
        Ok(()) => same(&data, spv::Map::from_bytes(&file, NAME).and_then(spv::Map::into_dataset)),
        Err(fault) => {
            error(&fault);
            assert!(!data.labels().are_known(), "cannot be written as .spv: {fault}");
        }
    }
    let mut file = Vec::new();
    match write(&data, format, &mut file) {
        Err(unfit) => error(&unfit),
        Ok(()) => same(&data, read_from(&file[..], NAME, &to_read_again(&data, format))),
    }
    true
}

/// What was read is data, or a proper error.
pub(crate) fn sound(found: Result<Dataset, ReadError>) -> Option<Dataset> {
    match &found {
        Ok(data) => dataset(data),
        Err(fault) => read_error(fault),
    }
    found.ok()
}

/// A header may look like numbers, and the label's column may have any name.
fn to_read_again(data: &Dataset, format: Format) -> ReadOptions {
    let mut options = ReadOptions { memory_limit: None, ..options(format) };
    let label = data.table().and_then(|table| table.label.clone());
    options.unlabelled = !data.labels().are_known();
    if matches!(format, Format::Csv | Format::Parquet | Format::Arrow) {
        options.table.label = label.or(Some("label".into())).filter(|_| data.labels().are_known());
        options.table.header = Some(true);
        options.table.delimiter = Some(b',');
    }
    options
}

/// Both are the same data: entries that are not 0 to the last bit, labels, names and query numbers.
pub(crate) fn same(data: &Dataset, again: Result<Dataset, ReadError>) {
    let again = match again {
        Ok(again) => again,
        Err(fault) => {
            assert!(fault.to_string().is_empty(), "what was written is not read again: {fault}");
            return;
        }
    };
    assert_eq!(
        (data.design().rows(), data.design().cols()),
        (again.design().rows(), again.design().cols()),
        "another shape is read again"
    );
    assert_eq!(entries(data), entries(&again), "other entries are read again");
    assert_eq!(data.labels(), again.labels(), "other labels are read again");
    assert_eq!(data.queries(), again.queries(), "other query numbers are read again");
    if data.names().is_some() {
        assert_eq!(data.names(), again.names(), "other names are read again");
    }
}

/// Where something is not 0, and its bits.
pub(crate) fn entries(data: &Dataset) -> Vec<(usize, usize, u64)> {
    let x = data.design();
    let mut entries = Vec::new();
    for i in 0..x.rows() {
        x.row(i).for_each(|j, value| {
            if value != 0.0 {
                entries.push((i, j, value.to_bits()));
            }
        });
    }
    entries
}
