//! A sparse matrix as scipy.sparse.save_npz writes it, with `y`, `feature_names` and `qid` beside it.

use std::io::{self, Write};

use sparsvm_core::Dataset;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::npy::header;
use super::{WriteError, label};
use crate::Format;

type Archive<'a> = ZipWriter<StreamWriter<&'a mut dyn Write>>;

pub(super) fn write(data: &Dataset, to: &mut dyn Write) -> Result<(), WriteError> {
    let x = data.design();
    let mut starts = Vec::with_capacity(x.rows() + 1);
    let mut entries = 0u64;
    starts.push(entries);
    for i in 0..x.rows() {
        x.row(i).for_each(|_, value| entries += u64::from(value != 0.0));
        starts.push(entries);
    }
    // SciPy wants indices and pointers of one width.
    let narrow = i32::try_from(entries).is_ok() && i32::try_from(x.cols()).is_ok();
    let index = |index: u64, out: &mut Vec<u8>| match narrow {
        true => out.extend((index as u32).to_le_bytes()),
        false => out.extend(index.to_le_bytes()),
    };
    let width = if narrow { "<i4" } else { "<i8" };
    let count = starts[x.rows()] as usize;
    let mut archive: Archive<'_> = ZipWriter::new_stream(to);
    start(&mut archive, "indices", width, &[count])?;
    rows(data, &mut archive, |j, _, out| index(j as u64, out))?;
    start(&mut archive, "indptr", width, &[starts.len()])?;
    each(&mut archive, &starts, |&start, out| index(start, out))?;
    start(&mut archive, "format", "|S3", &[])?;
    archive.write_all(b"csr")?;
    start(&mut archive, "shape", "<i8", &[2])?;
    each(&mut archive, &[x.rows() as u64, x.cols() as u64], |side, out| out.extend(side.to_le_bytes()))?;
    start(&mut archive, "data", "<f8", &[count])?;
    rows(data, &mut archive, |_, value, out| out.extend(value.to_le_bytes()))?;
    labels(data, &mut archive)?;
    if let Some(names) = data.names() {
        texts(&mut archive, "feature_names", names.iter().map(String::as_str))?;
    }
    if let Some(queries) = data.queries() {
        start(&mut archive, "qid", "<u8", &[queries.len()])?;
        each(&mut archive, queries, |query, out| out.extend(query.to_le_bytes()))?;
    }
    archive.finish().map_err(failed)?;
    Ok(())
}

/// The labels: whole numbers, numbers or texts, whichever holds them all.
fn labels(data: &Dataset, archive: &mut Archive<'_>) -> Result<(), WriteError> {
    let labels = data.labels();
    if !labels.are_known() {
        return Ok(());
    }
    let n = labels.len();
    let whole: Option<Vec<i64>> = labels.classes().iter().map(|class| class.parse().ok()).collect();
    let number = |class: &String| class.parse::<f64>().ok().filter(|class| class.is_finite());
    let numbers: Option<Vec<f64>> = labels.classes().iter().map(number).collect();
    if let Some(whole) = whole {
        start(archive, "y", "<i8", &[n])?;
        each(archive, labels.codes(), |&code, out| out.extend(whole[code as usize].to_le_bytes()))
    } else if let Some(numbers) = numbers {
        start(archive, "y", "<f8", &[n])?;
        each(archive, labels.codes(), |&code, out| out.extend(numbers[code as usize].to_le_bytes()))
    } else {
        texts(archive, "y", (0..n).map(|i| label(data, i)))
    }
}

/// An array of texts, all as long as the longest.
fn texts<'a>(
    archive: &mut Archive<'_>,
    key: &str,
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), WriteError> {
    let longest = texts.clone().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let all: Vec<&str> = texts.collect();
    start(archive, key, &format!("<U{longest}"), &[all.len()])?;
    each(archive, &all, |text, out| {
        let padded = text.chars().chain(std::iter::repeat('\0')).take(longest);
        padded.for_each(|c| out.extend(u32::from(c).to_le_bytes()));
    })
}

/// Begins an array.
fn start(archive: &mut Archive<'_>, key: &str, descr: &str, shape: &[usize]) -> Result<(), WriteError> {
    // The same data gives the same bytes, so there is no date; and no size is known beforehand.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::DEFAULT)
        .large_file(true);
    archive.start_file(format!("{key}.npy"), options).map_err(failed)?;
    Ok(archive.write_all(&header(descr, shape))?)
}

/// The bytes of each entry, row by row.
fn rows(
    data: &Dataset,
    archive: &mut Archive<'_>,
    mut f: impl FnMut(usize, f64, &mut Vec<u8>),
) -> Result<(), WriteError> {
    let x = data.design();
    let mut bytes = Vec::new();
    for i in 0..x.rows() {
        bytes.clear();
        x.row(i).for_each(|j, value| {
            if value != 0.0 {
                f(j, value, &mut bytes);
            }
        });
        archive.write_all(&bytes)?;
    }
    Ok(())
}

/// The bytes of each element.
fn each<T>(
    archive: &mut Archive<'_>,
    elements: &[T],
    mut f: impl FnMut(&T, &mut Vec<u8>),
) -> Result<(), WriteError> {
    let mut bytes = Vec::new();
    for some in elements.chunks(1 << 12) {
        bytes.clear();
        some.iter().for_each(|element| f(element, &mut bytes));
        archive.write_all(&bytes)?;
    }
    Ok(())
}

fn failed(error: ZipError) -> WriteError {
    match error {
        ZipError::Io(error) => WriteError::Io(error),
        other => WriteError::Unfit { format: Format::Npz, why: io::Error::other(other).to_string() },
    }
}
