//! Pieces of a table joined to one data set.

use std::collections::HashMap;

use sparsvm_core::design::{Compressed, Sparse};
use sparsvm_core::{Dataset, Labels, Table};

use super::Missing;
use super::csv::Fault;
use super::gaps::{self, Gaps};
use super::piece::{ABSENT, Coded, Misfit, Piece};
use super::plan::{Plan, Role};
use crate::ReadError;
use crate::growing::Growing;
use crate::quote::{named, quoted};

/// So many columns are named in a message.
const SHOWN: usize = 5;

/// What of the file comes before.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before {
    pub(crate) lines: u64,
    pub(crate) rows: usize,
}

/// The data set so far.
#[derive(Debug)]
pub(crate) struct Join<'a> {
    plan: &'a Plan,
    missing: Missing,
    matrix: Growing<'a>,
    labels: Coded,
    categories: Vec<Coded>,
    /// What comes before the first row, and before the next one.
    first: Before,
    next: Before,
}

impl<'a> Join<'a> {
    /// Nothing yet of a file of `size` bytes, of which some may have gone elsewhere.
    pub(crate) fn new(
        name: &'a str,
        plan: &'a Plan,
        missing: Missing,
        (memory_limit, size): (Option<u64>, Option<u64>),
        before: Before,
    ) -> Self {
        let categories = vec![Coded::default(); plan.categories];
        let matrix = Growing::new(name, memory_limit, size);
        Self { plan, missing, matrix, labels: Coded::default(), categories, first: before, next: before }
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> usize {
        self.matrix.rows()
    }

    /// Appends rows; so many bytes of the file had been read behind them.
    pub(crate) fn append(&mut self, piece: &Piece, read_so_far: u64) -> Result<(), ReadError> {
        if !piece.misfits.is_empty() {
            return Err(self.misfits(&piece.misfits));
        }
        self.matrix.reserve(piece.rows(), piece.values.len(), read_so_far)?;
        self.matrix.extend(&piece.ends, &piece.columns, &piece.values, self.plan.numbers as u64);
        self.matrix.check_memory(Some(self.plan.numbers), read_so_far)?;
        self.labels.append(&piece.labels);
        self.categories.iter_mut().zip(&piece.categories).for_each(|(all, some)| all.append(some));
        self.next.rows += piece.rows();
        Ok(())
    }

    /// Goes on by so many lines.
    pub(crate) fn pass_lines(&mut self, lines: u64) {
        self.next.lines += lines;
    }

    /// What to say of a record that is none of the table's.
    pub(crate) fn fault(&self, (line, fault): (u64, Fault)) -> ReadError {
        let line = self.next.lines + line;
        let (name, expected) = (self.matrix.name().to_owned(), self.plan.columns.len());
        let what = match fault {
            Fault::OpenQuote => {
                "a value begins with a quote that is never closed: close it, or double quotes \
                                 that belong to a value"
                    .into()
            }
            Fault::Ragged(cells) => {
                let of = if self.plan.named { "header" } else { "first line" };
                let remedy = match self.plan.named && cells == expected + 1 && line == 2 {
                    true => {
                        "perhaps rows have names and the header has none for them: write it without row names"
                    }
                    false => "correct it; a value that holds the delimiter must stand in double quotes",
                };
                format!("it has {cells} values, but the {of} has {expected}: {remedy}")
            }
        };
        ReadError::Table { name, what: format!("line {line}: {what}") }
    }

    /// What to say of columns that hold no numbers.
    fn misfits(&self, found: &HashMap<usize, Misfit>) -> ReadError {
        let plan = self.plan;
        let mut columns: Vec<(&usize, &Misfit)> = found.iter().collect();
        columns.sort_by_key(|(at, misfit)| (misfit.row, **at));
        let told = |(at, misfit): &(&usize, &Misfit)| {
            let place = match misfit.line {
                Some(line) => format!("line {}", self.next.lines + line),
                None => format!("row {}", self.next.rows + misfit.row + 1),
            };
            let column = named(&plan.columns[**at]);
            format!("column {column} holds {} in {place}", quoted(misfit.text.as_bytes()))
        };
        let shown: Vec<String> = columns.iter().take(SHOWN).map(told).collect();
        let more = columns.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(", and {more} columns more") } else { String::new() };
        let first = columns.first().map_or(String::new(), |(at, _)| named(&plan.columns[**at]));
        let what = format!(
            "{}{more}, which is not a finite number: correct it, or say --one-hot {first} if these are \
             categories, or --drop {first}",
            shown.join(", ")
        );
        ReadError::Table { name: self.matrix.name().to_owned(), what }
    }

    /// The data set.
    pub(crate) fn finish(self) -> Result<Dataset, ReadError> {
        let Self { plan, missing, matrix, labels, categories, first, .. } = self;
        let name = matrix.name();
        let fault = |what: String| ReadError::Table { name: name.to_owned(), what };
        let failed = |source| ReadError::Data { name: name.to_owned(), source };
        if matrix.rows() == 0 {
            return Err(ReadError::Empty { name: name.to_owned() });
        }
        let rows = matrix.rows();
        let found = Gaps::find(matrix.into_parts(), plan, &labels, &categories);
        let settled = gaps::settle(found, plan, missing, first.rows).map_err(fault)?;
        let (mut labels, mut categories) = (labels, categories);
        if let Some(kept) = &settled.kept {
            std::iter::once(&mut labels).chain(&mut categories).for_each(|coded| coded.keep(kept));
        }
        let kept_rows = settled.starts.len() - 1;
        if kept_rows == 0 {
            return Err(fault(format!("each of the {rows} rows has missing values, so none is left")));
        }
        let known = match plan.has_label {
            true => Labels::from_coded(&labels.texts, &labels.codes).map_err(failed)?,
            false => Labels::unknown(kept_rows),
        };
        if plan.of_model {
            let design = Compressed::new(settled.starts, settled.columns, settled.values, plan.numbers)
                .map_err(failed)?;
            return Dataset::new(Sparse::from_rows(design), known).map_err(failed);
        }
        let layout = Layout::new(plan, &categories);
        let mut parts = (settled.starts, settled.columns, settled.values);
        if !categories.is_empty() {
            parts = layout.merge(parts, &categories);
        }
        let design = Compressed::new(parts.0, parts.1, parts.2, layout.names.len()).map_err(failed)?;
        let label = plan.roles.iter().position(|role| *role == Role::Label);
        let table = Table {
            label: label.filter(|_| plan.named).map(|at| plan.columns[at].clone()),
            fills: settled.fills.map(|fills| layout.spread(&fills)),
            missing: layout.moved(&settled.missing),
            dropped_rows: rows - kept_rows,
        };
        let data = Dataset::new(Sparse::from_rows(design), known).map_err(failed)?.with_table(table);
        match plan.named || plan.categories > 0 {
            true => data.with_names(layout.names).map_err(failed),
            false => Ok(data),
        }
    }
}

/// Where the features stand: columns in the table's order, each category in its column's place.
struct Layout {
    names: Vec<String>,
    /// The feature of each number.
    of_number: Vec<u32>,
    /// The feature of each category, by column and code.
    of_category: Vec<Vec<u32>>,
}

impl Layout {
    fn new(plan: &Plan, categories: &[Coded]) -> Self {
        let mut layout = Self {
            names: Vec::with_capacity(plan.numbers),
            of_number: Vec::with_capacity(plan.numbers),
            of_category: vec![Vec::new(); categories.len()],
        };
        for (role, column) in plan.roles.iter().zip(&plan.columns) {
            match role {
                Role::Number(_) => {
                    layout.of_number.push(layout.names.len() as u32);
                    layout.names.push(column.clone());
                }
                Role::Categories(k) => {
                    let texts = &categories[*k].texts;
                    let mut order: Vec<usize> = (0..texts.len()).collect();
                    order.sort_by(|&a, &b| texts[a].cmp(&texts[b]));
                    let mut places = vec![0; texts.len()];
                    for code in order {
                        places[code] = layout.names.len() as u32;
                        layout.names.push(format!("{column}={}", texts[code]));
                    }
                    layout.of_category[*k] = places;
                }
                _ => {}
            }
        }
        layout
    }

    /// Numbers and categories of each row in the order of the features.
    fn merge(
        &self,
        (starts, columns, values): (Vec<usize>, Vec<u32>, Vec<f64>),
        categories: &[Coded],
    ) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let rows = starts.len() - 1;
        let room = values.len() + rows * categories.len();
        let (mut at, mut all) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        let mut row: Vec<(u32, f64)> = Vec::new();
        for i in 0..rows {
            row.clear();
            let range = starts[i]..starts[i + 1];
            let numbers = columns[range.clone()].iter().zip(&values[range]);
            row.extend(numbers.map(|(&j, &x)| (self.of_number[j as usize], x)));
            let codes = categories.iter().zip(&self.of_category).filter(|(c, _)| c.codes[i] != ABSENT);
            row.extend(codes.map(|(c, places)| (places[c.codes[i] as usize], 1.0)));
            row.sort_unstable_by_key(|entry| entry.0);
            at.extend(row.iter().map(|entry| entry.0));
            all.extend(row.iter().map(|entry| entry.1));
            ends.push(all.len());
        }
        (ends, at, all)
    }

    /// Values of the numbers as values of the features; 0 for categories.
    fn spread(&self, of_numbers: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.names.len()];
        self.of_number.iter().zip(of_numbers).for_each(|(&feature, &value)| all[feature as usize] = value);
        all
    }

    fn moved(&self, counts: &[(u32, usize)]) -> Vec<(usize, usize)> {
        counts.iter().map(|&(number, count)| (self.of_number[number as usize] as usize, count)).collect()
    }
}
