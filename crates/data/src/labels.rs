//! Labels from a file of their own: one a line of text, or an array of NumPy.

use std::io::Read;
use std::path::Path;

use sparsvm_core::{Dataset, Labels};

use crate::error::mib;
use crate::open::Opened;
use crate::quote::named;
use crate::table::piece::Coded;
use crate::{Format, ReadError, ReadOptions, Source, array};

/// What to say of data that has labels already.
fn own_labels(name: &str, remedy: &str) -> ReadError {
    ReadError::Table {
        name: name.to_owned(),
        what: format!("--labels: the data has labels of its own: leave --labels out{remedy}"),
    }
}

/// What to read so that labels can be put to it; refuses formats and options that have labels anyway.
pub(crate) fn without(name: &str, format: Format, options: &ReadOptions) -> Result<ReadOptions, ReadError> {
    if format == Format::Libsvm {
        return Err(own_labels(name, ", or replace them in the file"));
    }
    if options.table.label.is_some() {
        return Err(own_labels(name, ", or --label"));
    }
    Ok(ReadOptions { labels: None, unlabelled: true, ..options.clone() })
}

/// Puts the labels of a file to data that has none.
pub(crate) fn attach(
    name: &str,
    data: Dataset,
    path: &Path,
    options: &ReadOptions,
) -> Result<Dataset, ReadError> {
    if data.labels().are_known() {
        let column = data.table().and_then(|table| table.label.as_ref());
        let remedy = column.map_or_else(String::new, |column| format!(", or say --drop {}", named(column)));
        return Err(own_labels(name, &remedy));
    }
    let labels = read(path, options.memory_limit)?;
    let (found, expected) = (labels.len(), data.design().rows());
    let from = path.display();
    if found == expected {
        return data.with_labels(labels).map_err(|source| ReadError::Data { name: name.to_owned(), source });
    }
    let dropped = data.table().map_or(0, |table| table.dropped_rows);
    let what = match dropped {
        0 => format!("it has {found} labels, but {name} has {expected} rows: one label a row is needed"),
        _ => format!(
            "it has {found} labels, but of {name} {expected} rows are left and {dropped} were left out for \
             missing values: choose another way than --missing drop-rows, or leave their labels out"
        ),
    };
    Err(ReadError::Table { name: from.to_string(), what })
}

/// Reads the labels.
fn read(path: &Path, limit: Option<u64>) -> Result<Labels, ReadError> {
    let source = Source::Path(path.to_owned());
    let name = source.to_string();
    let opened = Opened::new(&source)?;
    if !opened.head.starts_with(b"\x93NUMPY") {
        return texts(opened, &name, limit);
    }
    let column = array::open(opened, &name)?.labels(limit)?;
    column.into_labels().map_err(|row| ReadError::Table {
        name,
        what: format!("element {row} (from 0) is no label: every row needs one that is finite and not empty"),
    })
}

/// One label a line; blank lines are left out only at the end.
fn texts(opened: Opened<'_>, name: &str, limit: Option<u64>) -> Result<Labels, ReadError> {
    let input = opened.text(name);
    let mut bytes = Vec::new();
    let most = limit.unwrap_or(u64::MAX);
    let read = input.text.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| input.compression.error(name, error))?;
    if bytes.len() as u64 > most {
        return Err(ReadError::Memory {
            name: name.to_owned(),
            what: "the labels take more than".into(),
            needed_mib: mib(most),
            limit_mib: most >> 20,
        });
    }
    let fault = |what: String| ReadError::Table { name: name.to_owned(), what };
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
        fault(format!("line {line} is not UTF-8: labels are one a line of text, or an .npy file"))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
    if text.is_empty() {
        return Err(ReadError::Empty { name: name.to_owned() });
    }
    let mut labels = Coded::default();
    for (line, label) in text.lines().enumerate() {
        let label = label.trim();
        if label.is_empty() {
            return Err(fault(format!("line {} is blank, but expected a label: one a line", line + 1)));
        }
        labels.push(Some(label));
    }
    Labels::from_coded(&labels.texts, &labels.codes)
        .map_err(|source| ReadError::Data { name: name.to_owned(), source })
}
