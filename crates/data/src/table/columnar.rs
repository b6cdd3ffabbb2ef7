//! Record batches into a data set: what Parquet and Arrow IPC share.
//!
//! Columns become rows a slice at a time, slices in parallel, and the slices are joined in order.

use std::borrow::Cow;

use arrow_array::{Array, ArrayRef};
use arrow_schema::Schema;
use rayon::prelude::*;

use super::cells::{self, Texts};
use super::join::Join;
use super::piece::{Cell, Piece};
use super::plan::{Names, Plan, Role};
use crate::quote::named;
use crate::{ReadError, ReadOptions};

/// Cells of a slice: few enough that they stay near the processor.
const SLICE_CELLS: usize = 1 << 17;

/// Slices that are held at a time, for each thread.
const SLICES_A_THREAD: usize = 4;

/// How pandas calls an index that has no name.
const PANDAS_INDEX: &str = "__index_level_";

/// Which columns are read, and what they are.
#[derive(Debug)]
pub(crate) struct Columnar {
    pub(crate) plan: Plan,
    /// The columns that are decoded, ascending. There is always one, as it tells the number of rows.
    pub(crate) used: Vec<usize>,
}

impl Columnar {
    /// Decides it from the names and the types.
    pub(crate) fn new(file: &str, schema: &Schema, options: &ReadOptions) -> Result<Self, ReadError> {
        let fault = |what: String| ReadError::Table { name: file.to_owned(), what };
        let fields = schema.fields();
        let names = Names { texts: fields.iter().map(|field| field.name().clone()).collect(), named: true };
        let plan = match &options.expected {
            Some(expected) => Plan::expecting(file, names, expected, &options.table)?,
            None => Plan::new(file, names, &options.table, !options.unlabelled)?,
        };
        let mut used: Vec<usize> = (0..fields.len()).filter(|&at| plan.roles[at] != Role::Dropped).collect();
        let stranger = |at: &usize| cells::stranger(fields[*at].data_type()).map(|kind| (*at, kind));
        if let Some((at, kind)) = used.iter().find_map(stranger) {
            let (name, others) = (named(&plan.columns[at]), used.iter().filter_map(stranger).count() - 1);
            let remedy = match plan.roles[at] {
                Role::Label => "write the labels as numbers or texts".into(),
                _ => format!("say --drop {name}, or write it as a number or a text"),
            };
            let more =
                if others > 0 { format!(" ({others} columns more are like that)") } else { String::new() };
            return Err(fault(format!(
                "column {name} is of type {kind}, which is neither a number nor a text{more}: {remedy}"
            )));
        }
        let index = |at: &&usize| {
            plan.columns[**at].starts_with(PANDAS_INDEX) && matches!(plan.roles[**at], Role::Number(_))
        };
        if let Some(&at) = used.iter().find(index).filter(|_| !plan.of_model) {
            let name = named(&plan.columns[at]);
            return Err(fault(format!(
                "column {name} is an index that pandas wrote: say --drop {name}, or write the file with index=False"
            )));
        }
        if used.is_empty() {
            let witness = (0..fields.len()).find(|at| stranger(at).is_none());
            used.push(witness.ok_or_else(|| fault("no column holds numbers or texts".into()))?);
        }
        Ok(Self { plan, used })
    }

    /// Rows of this table whose cells are about so many.
    pub(crate) fn rows_of(&self, cells: usize) -> usize {
        (cells / self.used.len()).max(1)
    }

    /// Appends rows.
    pub(crate) fn append(&self, join: &mut Join<'_>, batches: &[Batch]) -> Result<(), ReadError> {
        let step = self.rows_of(SLICE_CELLS);
        let slices: Vec<(&Batch, usize)> = batches
            .iter()
            .flat_map(|batch| (0..batch.rows).step_by(step).map(move |from| (batch, from)))
            .collect();
        for wave in slices.chunks(SLICES_A_THREAD * rayon::current_num_threads()) {
            let pieces: Vec<Piece> = wave
                .par_iter()
                .with_max_len(1)
                .map(|(batch, from)| self.piece(&batch.slice(*from, step)))
                .collect();
            for piece in &pieces {
                join.append(piece, (join.rows() + piece.rows()) as u64)?;
            }
        }
        Ok(())
    }

    /// Rows out of columns.
    fn piece(&self, batch: &Batch) -> Piece {
        let mut piece = Piece::default();
        piece.clear(&self.plan);
        let columns: Vec<Column<'_>> = self
            .used
            .iter()
            .zip(&batch.columns)
            .map(|(&at, array)| Column::new(at, &self.plan.roles[at], array))
            .collect();
        for i in 0..batch.rows {
            for column in &columns {
                column.put(i, &mut piece);
            }
            piece.end_row();
        }
        piece
    }
}

/// Some rows of the used columns.
pub(crate) struct Batch {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<ArrayRef>,
}

impl Batch {
    /// At most `rows` of them.
    fn slice(&self, from: usize, rows: usize) -> Self {
        let rows = rows.min(self.rows - from);
        Self { rows, columns: self.columns.iter().map(|column| column.slice(from, rows)).collect() }
    }
}

/// A column's cells, ready to be taken row by row.
enum Column<'a> {
    /// Numbers: the column of the table, that of the matrix, and the values.
    Numbers(usize, u32, Vec<f64>),
    /// Texts where numbers should be.
    Misfits(usize, u32, Texts<'a>),
    Texts(&'a Role, Texts<'a>),
    Idle,
}

impl<'a> Column<'a> {
    fn new(at: usize, role: &'a Role, array: &'a dyn Array) -> Self {
        match role {
            Role::Dropped => Self::Idle,
            Role::Number(column) => match cells::numbers(array) {
                Some(values) => Self::Numbers(at, *column, values),
                None => Self::Misfits(at, *column, cells::texts(array)),
            },
            role => Self::Texts(role, cells::texts(array)),
        }
    }

    #[inline]
    fn put(&self, i: usize, piece: &mut Piece) {
        match self {
            Self::Numbers(at, column, values) => {
                let value = values[i];
                let cell = if value.is_nan() { Cell::Missing } else { Cell::Number(value) };
                piece.number(*at, *column, cell);
            }
            Self::Misfits(at, column, texts) => match texts[i].as_deref() {
                None => piece.number(*at, *column, Cell::Missing),
                Some(text) => piece.number(*at, *column, Cell::Text(&as_text(text))),
            },
            Self::Texts(role, texts) => piece.text(role, texts[i].as_deref()),
            Self::Idle => {}
        }
    }
}

/// A text that looks like a number is told from one.
fn as_text(text: &str) -> Cow<'_, str> {
    match text.parse::<f64>() {
        Ok(_) => Cow::Owned(format!("{text} as text")),
        Err(_) => Cow::Borrowed(text),
    }
}
