//! Missing values: where they are, and what is done about them.

use super::Missing;
use super::piece::{ABSENT, Coded};
use super::plan::{Plan, Role};
use crate::quote::named;

/// So many columns are named in a message.
const SHOWN: usize = 5;

/// A matrix by rows, with NaN for what is missing, and what is known about that.
pub(crate) struct Gaps {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// How many there are of each number, and the row of the first.
    counts: Vec<(usize, usize)>,
    /// Rows without a label, and the first of them; the same for each column of categories.
    labels: (usize, usize),
    categories: Vec<(usize, usize)>,
    /// Rows where something is missing.
    rows: Vec<bool>,
}

/// A matrix in which nothing is missing.
pub(crate) struct Settled {
    pub(crate) starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
    /// The rows that are left, unless it is all of them.
    pub(crate) kept: Option<Vec<usize>>,
    /// What was taken for missing numbers.
    pub(crate) fills: Option<Vec<f64>>,
    /// How many numbers were missing, where there were any.
    pub(crate) missing: Vec<(u32, usize)>,
}

impl Gaps {
    /// Looks for them.
    pub(crate) fn find(
        (starts, columns, values): (Vec<usize>, Vec<u32>, Vec<f64>),
        plan: &Plan,
        labels: &Coded,
        categories: &[Coded],
    ) -> Self {
        let n = starts.len() - 1;
        let mut counts = vec![(0, 0); plan.numbers];
        let mut rows = vec![false; n];
        for (i, range) in starts.windows(2).enumerate() {
            for k in (range[0]..range[1]).filter(|&k| values[k].is_nan()) {
                count(&mut counts[columns[k] as usize], i);
                rows[i] = true;
            }
        }
        let mut absent = |codes: &[u32]| {
            let mut found = (0, 0);
            for i in (0..codes.len()).filter(|&i| codes[i] == ABSENT) {
                count(&mut found, i);
                rows[i] = true;
            }
            found
        };
        let labels = absent(&labels.codes);
        let categories = categories.iter().map(|coded| absent(&coded.codes)).collect();
        Self { starts, columns, values, counts, labels, categories, rows }
    }

    fn any(&self) -> bool {
        self.rows.iter().any(|&row| row)
    }

    /// The columns with missing values, in words.
    fn told(&self, plan: &Plan, before: usize) -> Option<String> {
        let of = |role: &Role| match role {
            Role::Number(j) => self.counts[*j as usize],
            Role::Categories(k) => self.categories[*k],
            _ => (0, 0),
        };
        let found: Vec<(&String, (usize, usize))> = plan
            .columns
            .iter()
            .zip(&plan.roles)
            .map(|(name, role)| (name, of(role)))
            .filter(|f| f.1.0 > 0)
            .collect();
        let one = |(name, (count, row)): &(&String, (usize, usize))| {
            format!(
                "column {} has {count} missing values, the first in row {}",
                named(name),
                before + row + 1
            )
        };
        let shown = found.iter().take(SHOWN).map(one).collect::<Vec<_>>().join("; ");
        let more = found.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!("; and {more} columns more have some") } else { String::new() };
        (!found.is_empty()).then(|| shown + &more)
    }
}

fn count(found: &mut (usize, usize), row: usize) {
    if found.0 == 0 {
        found.1 = row;
    }
    found.0 += 1;
}

/// Does what is to be done about them; so many rows come before these.
pub(crate) fn settle(found: Gaps, plan: &Plan, missing: Missing, before: usize) -> Result<Settled, String> {
    let counted = || {
        let counts = found.counts.iter().enumerate().filter(|(_, count)| count.0 > 0);
        counts.map(|(j, count)| (j as u32, count.0)).collect::<Vec<_>>()
    };
    if missing != Missing::DropRows && found.labels.0 > 0 {
        let (count, row) = found.labels;
        return Err(format!(
            "{count} rows have no label, the first is row {}: remove them, or say --missing drop-rows",
            before + row + 1
        ));
    }
    let mut settled = Settled {
        missing: counted(),
        starts: Vec::new(),
        columns: Vec::new(),
        values: Vec::new(),
        kept: None,
        fills: plan.fills.clone(),
    };
    let fills = match (missing, &plan.fills) {
        (_, Some(fills)) => Some(fills.clone()),
        (Missing::Mean, None) => Some(means(&found, plan)?),
        (Missing::Zero, None) => Some(vec![0.0; plan.numbers]),
        (Missing::DropRows, None) => None,
        (Missing::Refuse, None) => match found.told(plan, before) {
            Some(told) => {
                return Err(format!(
                    "{told}: say what to take for them, with --missing mean, zero or drop-rows"
                ));
            }
            None => None,
        },
    };
    if !found.any() {
        (settled.starts, settled.columns, settled.values) = (found.starts, found.columns, found.values);
        // What would have been taken is kept for tables to come.
        settled.fills = fills;
        return Ok(settled);
    }
    let drop = fills.is_none() || missing == Missing::DropRows;
    let kept: Vec<usize> = (0..found.rows.len()).filter(|&i| !(drop && found.rows[i])).collect();
    settled.starts.push(0);
    for &i in &kept {
        for k in found.starts[i]..found.starts[i + 1] {
            let (j, x) = (found.columns[k], found.values[k]);
            let x = if x.is_nan() { fills.as_ref().map_or(0.0, |fills| fills[j as usize]) } else { x };
            if x != 0.0 {
                settled.columns.push(j);
                settled.values.push(x);
            }
        }
        settled.starts.push(settled.values.len());
    }
    settled.kept = drop.then_some(kept);
    settled.fills = fills;
    Ok(settled)
}

/// The mean of what is there, zeros included.
fn means(found: &Gaps, plan: &Plan) -> Result<Vec<f64>, String> {
    let n = found.rows.len();
    let mut means = vec![0.0; plan.numbers];
    for (&j, &x) in found.columns.iter().zip(&found.values).filter(|(_, x)| !x.is_nan()) {
        means[j as usize] += x / (n - found.counts[j as usize].0) as f64;
    }
    match (0..plan.numbers).find(|&j| found.counts[j].0 == n && n > 0) {
        Some(j) => {
            let name = named(plan.column_of(j as u32));
            Err(format!("column {name} has no value at all, so it has no mean: say --drop {name}"))
        }
        None => Ok(means),
    }
}
