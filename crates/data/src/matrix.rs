//! A sparse matrix whose entries come in any order, put in order by rows. Entries of one place are summed, in the
//! order of the file, as SciPy does; zeros are dropped.

use sparsvm_core::design::{Compressed, Sparse};
use sparsvm_core::{Dataset, Labels};

use crate::array::Beside;
use crate::error::mib;
use crate::quote::named;
use crate::table::plan::{Names, Plan, Role};
use crate::{ReadError, ReadOptions};

/// Bytes of a row and of a column besides the entries, as [`Growing`](crate::growing::Growing) counts them.
const ROW_BYTES: u64 = 16;
const COLUMN_BYTES: u64 = 8;

/// Bytes of an entry: its row, its column and its value; and its new place while entries are put in order.
pub(crate) const ENTRY_BYTES: u64 = 16;
const SORTED_BYTES: u64 = 12;

/// Where rows start, columns and values.
type Arrays = (Vec<usize>, Vec<u32>, Vec<f64>);

/// The sides of a matrix, which are sensible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

impl Sides {
    /// Refuses what no memory could hold.
    pub(crate) fn new(name: &str, rows: u64, cols: u64, limit: Option<u64>) -> Result<Self, ReadError> {
        if rows == 0 || cols == 0 {
            return Err(fault(name, format!("a matrix of {rows} rows and {cols} columns has nothing in it")));
        }
        match (u32::try_from(rows), u32::try_from(cols)) {
            (Ok(rows), Ok(cols)) => {
                let sides = Self { rows: rows as usize, cols: cols as usize };
                sides.check_memory(name, 0, limit)?;
                Ok(sides)
            }
            _ => Err(fault(
                name,
                format!(
                    "a matrix of {rows} rows and {cols} columns is not read: at most 4294967295 of each are, so \
                     the file is damaged, or its empty rows or columns must be left out"
                ),
            )),
        }
    }

    /// Refuses the matrix if so many bytes of entries are too many.
    pub(crate) fn check_memory(&self, name: &str, entries: u64, limit: Option<u64>) -> Result<(), ReadError> {
        let sides = self.rows as u64 * ROW_BYTES + self.cols as u64 * COLUMN_BYTES;
        let needed = sides.saturating_add(entries);
        match limit {
            Some(limit) if needed > limit => Err(ReadError::Memory {
                name: name.to_owned(),
                what: format!("a matrix of {} rows and {} columns takes", self.rows, self.cols),
                needed_mib: mib(needed),
                limit_mib: limit >> 20,
            }),
            _ => Ok(()),
        }
    }
}

/// Entries, one after the other; rows and columns lie inside the matrix.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl Entries {
    /// The data set.
    pub(crate) fn into_data(
        mut self,
        name: &str,
        sides: Sides,
        beside: Beside,
        options: &ReadOptions,
    ) -> Result<Dataset, ReadError> {
        let failed = |source| ReadError::Data { name: name.to_owned(), source };
        let Beside { labels, names, queries } = beside;
        refuse_table_options(name, options)?;
        if let Some(k) = self.values.iter().position(|x| !x.is_finite()) {
            let (i, j, x) = (self.rows[k] + 1, self.columns[k] + 1, self.values[k]);
            let what = format!("row {i}, column {j} holds {x}, which is not a finite number: correct it");
            return Err(fault(name, what));
        }
        let labels = match labels {
            Some(column) => Some(column.into_labels().map_err(|row| {
                fault(name, format!("row {} has no finite label in y: correct it", row + 1))
            })?),
            None if options.unlabelled => None,
            None => {
                let what = "there are no labels: name a file of them, one a line or an .npy, with --labels, or \
                            save them as y beside the matrix in an .npz file";
                return Err(fault(name, what.into()));
            }
        };
        let counts = [
            ("rows, but y has", sides.rows, labels.as_ref().map(Labels::len)),
            ("rows, but qid has", sides.rows, queries.as_ref().map(Vec::len)),
            ("columns, but feature_names has", sides.cols, names.as_ref().map(Vec::len)),
        ];
        for (what, expected, found) in counts {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(fault(name, format!("the matrix has {expected} {what} {found} values")));
            }
        }
        let mut width = width(name, sides.cols, options)?;
        let mut kept_names = names;
        if let (Some(expected), Some(_)) = (&options.expected, &kept_names) {
            let names = Names { texts: kept_names.take().unwrap_or_default(), named: true };
            self.rename(name, &Plan::expecting(name, names, expected, &options.table)?)?;
            width = expected.width;
        }
        let (starts, columns, values) = self.by_rows(name, sides, options.memory_limit)?;
        let design = Compressed::new(starts, columns, values, width).map_err(failed)?;
        let labels = labels.unwrap_or_else(|| Labels::unknown(sides.rows));
        let mut data = Dataset::new(Sparse::from_rows(design), labels).map_err(failed)?;
        // A model's number of features may be wider than the names go.
        if let Some(mut names) = kept_names {
            names.extend((names.len()..width).map(|j| (j + 1).to_string()));
            data = data.with_names(names).map_err(failed)?;
        }
        match queries {
            Some(queries) => data.with_queries(queries).map_err(failed),
            None => Ok(data),
        }
    }

    /// Columns as a model numbers them; those that it does not know are left out.
    fn rename(&mut self, name: &str, plan: &Plan) -> Result<(), ReadError> {
        for (role, column) in plan.roles.iter().zip(&plan.columns) {
            if matches!(role, Role::Known(_)) {
                let column = named(column);
                let what =
                    format!("the model takes categories from column {column}, which holds numbers here");
                return Err(fault(name, what));
            }
        }
        let mut kept = 0;
        for k in 0..self.values.len() {
            if let Role::Number(column) = plan.roles[self.columns[k] as usize] {
                self.rows[kept] = self.rows[k];
                self.columns[kept] = column;
                self.values[kept] = self.values[k];
                kept += 1;
            }
        }
        self.rows.truncate(kept);
        self.columns.truncate(kept);
        self.values.truncate(kept);
        Ok(())
    }

    /// Where rows start, columns and values; ascending in each row, every place once, without zeros.
    fn by_rows(self, name: &str, sides: Sides, limit: Option<u64>) -> Result<Arrays, ReadError> {
        let Self { rows, mut columns, mut values } = self;
        let mut starts = vec![0usize; sides.rows + 1];
        rows.iter().for_each(|&i| starts[i as usize + 1] += 1);
        for i in 0..sides.rows {
            starts[i + 1] += starts[i];
        }
        if !rows.is_sorted() {
            sides.check_memory(name, values.len() as u64 * (ENTRY_BYTES + SORTED_BYTES), limit)?;
            let mut next = starts.clone();
            let (mut at, mut sorted) = (vec![0u32; values.len()], vec![0.0; values.len()]);
            for ((&i, &j), &x) in rows.iter().zip(&columns).zip(&values) {
                let slot = &mut next[i as usize];
                (at[*slot], sorted[*slot]) = (j, x);
                *slot += 1;
            }
            (columns, values) = (at, sorted);
        }
        drop(rows);
        let mut kept = 0;
        let mut row: Vec<(u32, f64)> = Vec::new();
        for i in 0..sides.rows {
            let range = starts[i]..starts[i + 1];
            row.clear();
            row.extend(columns[range.clone()].iter().copied().zip(values[range].iter().copied()));
            starts[i] = kept;
            if row.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
                // A stable sort, so that sums are taken in the order of the file.
                row.sort_by_key(|entry| entry.0);
                row.dedup_by(|later, first| {
                    let same = later.0 == first.0;
                    if same {
                        first.1 += later.1;
                    }
                    same
                });
            }
            for &(column, value) in row.iter().filter(|(_, value)| *value != 0.0) {
                (columns[kept], values[kept]) = (column, value);
                kept += 1;
            }
        }
        starts[sides.rows] = kept;
        columns.truncate(kept);
        values.truncate(kept);
        columns.shrink_to_fit();
        values.shrink_to_fit();
        Ok((starts, columns, values))
    }
}

/// The number of columns, which may be wider than the file's.
fn width(name: &str, cols: usize, options: &ReadOptions) -> Result<usize, ReadError> {
    match options.features {
        Some(features) if features < cols => Err(fault(
            name,
            format!(
                "the matrix has {cols} columns, more than the {features} features that were asked for \
                 (--features, or the model's): raise that number or leave columns out"
            ),
        )),
        Some(features) => Ok(features),
        None => Ok(cols),
    }
}

/// A sparse matrix is no table.
fn refuse_table_options(name: &str, options: &ReadOptions) -> Result<(), ReadError> {
    let table = &options.table;
    let remedy = if table.label.is_some() {
        "--label: a sparse matrix has no column of labels: name a file of them with --labels, or save them as y \
         beside it in an .npz file"
    } else if !table.drop.is_empty() || !table.one_hot.is_empty() {
        "--drop and --one-hot are for tables, and this is a sparse matrix: leave columns out before it is saved"
    } else {
        return Ok(());
    };
    Err(fault(name, remedy.into()))
}

fn fault(name: &str, what: String) -> ReadError {
    ReadError::Table { name: name.to_owned(), what }
}
