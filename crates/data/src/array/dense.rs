//! A dense matrix, some rows at a time, as a table: NaN is a missing value.

use rayon::prelude::*;
use sparsvm_core::Dataset;

use super::dtype::Dtype;
use super::npy::{Array, Column};
use crate::quote;
use crate::table::join::{Before, Join};
use crate::table::piece::{Cell, Piece};
use crate::table::plan::{Names, Plan, Role};
use crate::{ReadError, ReadOptions};

/// Bytes of the rows that a thread takes at a time, about.
const CHUNK_BYTES: u64 = 1 << 20;

/// Rows that are taken at a time for each thread.
const CHUNKS_A_THREAD: usize = 2;

/// What an archive holds beside the matrix.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    pub(crate) labels: Option<Column>,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) queries: Option<Vec<u64>>,
}

/// Some rows, before and after.
#[derive(Default)]
struct Work {
    first: usize,
    bytes: Vec<u8>,
    numbers: Vec<f64>,
    piece: Piece,
}

/// Reads a data set.
pub(crate) fn read(
    mut array: Array<'_>,
    beside: Beside,
    options: &ReadOptions,
) -> Result<Dataset, ReadError> {
    let (place, dtype) = (array.place, array.header.dtype);
    let (rows, cols) = shape(&array)?;
    let row_bytes = cols as u64 * dtype.size as u64;
    let by_columns = array.header.fortran && rows > 1 && cols > 1;
    // What is held for each column is asked for after the bytes have come, as a header can say anything.
    let mut held = Vec::new();
    if by_columns {
        place.check_memory(array.bytes, options.memory_limit)?;
        array.take(array.bytes, &mut held)?;
    } else {
        place.check_memory(row_bytes, options.memory_limit)?;
        array.take(row_bytes, &mut held)?;
        array.put_back(std::mem::take(&mut held));
    }
    let Beside { labels, names, queries } = beside;
    for (what, len) in [("labels", labels.as_ref().map(Column::len)), ("qid", queries.as_ref().map(Vec::len))]
    {
        if let Some(len) = len.filter(|&len| len != rows) {
            return Err(place.fault(format!("it has {rows} rows, but there are {len} values of {what}")));
        }
    }
    let plan = plan(&array, cols, labels.is_some(), names, options)?;
    let mut join = Join::new(
        place.file,
        &plan,
        options.table.missing,
        (options.memory_limit, Some(rows as u64 * row_bytes)),
        Before::default(),
    );
    let chunk = (CHUNK_BYTES / row_bytes).max(1) as usize;
    let mut work: Vec<Work> = Vec::new();
    work.resize_with(CHUNKS_A_THREAD * rayon::current_num_threads(), Work::default);
    let mut done = 0;
    while done < rows {
        let mut filled = 0;
        for work in &mut work {
            let count = chunk.min(rows - done);
            if count == 0 {
                break;
            }
            work.first = done;
            work.bytes.clear();
            match by_columns {
                true => gather(&held, (rows, cols, dtype.size), (done, count), &mut work.bytes),
                false => array.take(count as u64 * row_bytes, &mut work.bytes)?,
            }
            done += count;
            filled += 1;
        }
        let work = &mut work[..filled];
        work.par_iter_mut().for_each(|work| work.fill(&plan, dtype, cols, labels.as_ref()));
        for work in work {
            let behind = (work.first + work.piece.rows()) as u64 * row_bytes;
            join.append(&work.piece, behind)?;
        }
    }
    array.end()?;
    let data = join.finish()?;
    match queries {
        Some(_) if data.design().rows() != rows => {
            Err(place.fault("rows with missing values were left out, which does not go with qid"))
        }
        Some(queries) => data
            .with_queries(queries)
            .map_err(|source| ReadError::Data { name: place.file.to_owned(), source }),
        None => Ok(data),
    }
}

/// Rows and columns, at least one of each.
fn shape(array: &Array<'_>) -> Result<(usize, usize), ReadError> {
    let shape = array.header.shape_text();
    let fault = |what: &str| Err(array.place.fault(format!("its shape is {shape}, {what}")));
    if !array.header.dtype.is_number() {
        return Err(array
            .place
            .fault("it holds texts, but features are numbers: encode them, or write a csv"));
    }
    let (rows, cols) = match array.header.shape[..] {
        [rows, cols] => (rows, cols),
        [_] => return fault("but rows and columns were expected: save x.reshape(-1, 1) for one column"),
        _ => return fault("but rows and columns were expected: save a matrix"),
    };
    if rows == 0 || cols == 0 {
        return fault("so there is nothing in it");
    }
    match (u32::try_from(rows), u32::try_from(cols)) {
        (Ok(rows), Ok(cols)) => Ok((rows as usize, cols as usize)),
        _ => fault("more than 4294967295 rows or columns"),
    }
}

fn plan(
    array: &Array<'_>,
    cols: usize,
    labelled: bool,
    names: Option<Vec<String>>,
    options: &ReadOptions,
) -> Result<Plan, ReadError> {
    let place = array.place;
    let named = names.is_some();
    let names = match names {
        Some(texts) if texts.len() != cols => {
            let count = texts.len();
            return Err(place.fault(format!("it has {cols} columns, but feature_names has {count} names")));
        }
        Some(texts) => Names { texts, named: true },
        None => Names::numbered(cols),
    };
    let mut plan = match &options.expected {
        Some(expected) if named => Plan::expecting(place.file, names, expected, &options.table)?,
        _ => Plan::new(place.file, names, &options.table, false)?,
    };
    if labelled {
        if let Some(at) = plan.roles.iter().position(|role| *role == Role::Label) {
            let column = quote::named(&plan.columns[at]);
            return Err(place.fault(format!(
                "there are labels both in an array of their own and in column {column}: leave out --label, or \
                 say --drop {column}"
            )));
        }
        plan.roles.push(Role::Label);
        plan.columns.push("y".into());
        plan.has_label = true;
    }
    if !plan.has_label && !options.unlabelled {
        return Err(place.fault(
            "there are no labels: save them as y in an .npz file, with numpy.savez(FILE, X=X, y=y), name a file \
             of them with --labels, or say which column they are with --label, such as --label -1 for the last",
        ));
    }
    Ok(plan)
}

/// Some rows of a matrix that is held by columns.
fn gather(
    held: &[u8],
    (rows, cols, size): (usize, usize, usize),
    (first, count): (usize, usize),
    out: &mut Vec<u8>,
) {
    out.resize(count * cols * size, 0);
    for j in 0..cols {
        let column = &held[(j * rows + first) * size..][..count * size];
        for (i, element) in column.chunks_exact(size).enumerate() {
            out[(i * cols + j) * size..][..size].copy_from_slice(element);
        }
    }
}

impl Work {
    fn fill(&mut self, plan: &Plan, dtype: Dtype, cols: usize, labels: Option<&Column>) {
        let Self { first, bytes, numbers, piece } = self;
        numbers.clear();
        dtype.decode(bytes, numbers);
        piece.clear(plan);
        for (i, row) in numbers.chunks_exact(cols).enumerate() {
            for (at, (role, &value)) in plan.roles.iter().zip(row).enumerate() {
                match role {
                    Role::Dropped => {}
                    Role::Number(_) if value == 0.0 => {}
                    Role::Number(column) => {
                        let cell = if value.is_nan() { Cell::Missing } else { Cell::Number(value) };
                        piece.number(at, *column, cell);
                    }
                    role => {
                        let text = Some(value).filter(|value| !value.is_nan()).map(|value| value.to_string());
                        piece.text(role, text.as_deref());
                    }
                }
            }
            if let Some(labels) = labels {
                piece.text(&Role::Label, labels.text(*first + i).as_deref());
            }
            piece.end_row();
        }
    }
}
