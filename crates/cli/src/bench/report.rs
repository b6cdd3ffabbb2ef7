//! What `bench paper` has to say: everything that was measured, grouped as in the paper's tables. As JSON it
//! is paper.json and what `--json` prints.

use serde::{Deserialize, Serialize};
use sparsvm_core::penalty::Family;

use super::cell::{PENALTIES, Protocol, Record, Shape};
use super::method::Method;
use super::published::{Published, published};
use super::set::Title;

/// All of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) protocol: Protocol,
    pub(super) sets: Vec<Title>,
    /// About sets that were not there.
    pub(super) notes: Vec<String>,
    pub(super) records: Vec<Record>,
}

/// A data set and a penalty.
pub(super) struct Group<'a> {
    pub(super) set: &'a Title,
    pub(super) penalty: Family,
    pub(super) shape: Option<Shape>,
    pub(super) rows: Vec<Row<'a>>,
}

/// A method there.
pub(super) struct Row<'a> {
    pub(super) method: Method,
    /// None if it was not run, as after Ctrl-C.
    pub(super) record: Option<&'a Record>,
    pub(super) published: Option<Published>,
    /// F of the exact solver on the same problem.
    pub(super) reference: Option<f64>,
}

impl Report {
    /// In the order of the tables.
    pub(super) fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        self.sets.iter().flat_map(|set| PENALTIES.map(|penalty| self.group(set, penalty)))
    }

    pub(super) fn group<'a>(&'a self, set: &'a Title, penalty: Family) -> Group<'a> {
        let record = |method: Method| {
            let mut records = self.records.iter().map(|record| (&record.cell, record));
            records
                .find(|(cell, _)| (&cell.set, cell.penalty, cell.method) == (&set.name, penalty, method))
                .map(|(_, record)| record)
        };
        let objective = |record: Option<&Record>| record?.measured().map(|measured| measured.objective);
        let exact = objective(record(Method::Exact));
        let row = |method: Method| {
            let own = record(method);
            let reference = own.and_then(Record::measured).and_then(|measured| measured.reference);
            Row {
                method,
                record: own,
                published: set.published.as_deref().and_then(|name| published(name, penalty, method)),
                // FEADMM's problem is exact's.
                reference: if method == Method::Feadmm { exact } else { reference },
            }
        };
        let rows: Vec<Row<'_>> =
            Method::ALL.into_iter().filter(|method| method.takes(penalty)).map(row).collect();
        Group { set, penalty, shape: rows.iter().find_map(|row| row.record?.shape), rows }
    }

    /// True if parameters of some set were chosen on a tenth of its rows.
    pub(super) fn is_subsampled(&self) -> bool {
        let large = |record: &Record| record.shape.is_some_and(|shape| shape.large);
        !self.protocol.full_grid && self.records.iter().any(large)
    }
}

impl Group<'_> {
    /// Such as "imdb (for real_sim), SCAD".
    pub(super) fn title(&self) -> String {
        format!("{}, {}", set_title(self.set), self.penalty.name().to_uppercase())
    }

    /// Its size.
    pub(super) fn size(&self) -> String {
        self.shape.map_or_else(String::new, |shape| {
            format!(
                "{} training rows, {} test rows, {} features",
                grouped(shape.train),
                grouped(shape.test),
                grouped(shape.features)
            )
        })
    }
}

/// With what it stands in for.
pub(super) fn set_title(set: &Title) -> String {
    match (&set.published, set.stand_in) {
        (Some(published), true) => format!("{} (for {published})", set.name),
        _ => set.name.clone(),
    }
}

/// 1355191 as 1,355,191.
pub(super) fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_355_191].map(grouped), ["0", "999", "1,000", "1,355,191"]);
    }
}
