//! What a model wants of a table: the columns that it knows, wherever they stand.

use std::collections::{BTreeMap, HashMap};

use sparsvm_core::{Dataset, Saved};

/// The features that a model keeps, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The label's column, which need not be there.
    pub label: Option<String>,
    /// The kept features' names. `color=red` is a column of that name, or the category red of a column color.
    pub names: Vec<String>,
    /// Their columns in the design that is made.
    pub columns: Vec<u32>,
    /// How many columns the design has.
    pub width: usize,
    /// What stands for a missing value of each of them; without it, a missing value is an error.
    pub fills: Option<Vec<f64>>,
}

/// What one column of the table gives.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    /// The feature that is the column itself.
    pub(crate) number: Option<usize>,
    /// The features that are categories of it.
    pub(crate) categories: HashMap<String, usize>,
}

impl Expected {
    /// All features of a data set whose columns have names: what to read a test file with.
    pub fn all_of(data: &Dataset) -> Option<Self> {
        let table = data.table();
        Some(Self {
            label: table.and_then(|table| table.label.clone()),
            names: data.names()?.to_vec(),
            columns: (0..data.design().cols() as u32).collect(),
            width: data.design().cols(),
            fills: table.and_then(|table| table.fills.clone()),
        })
    }

    /// The features that a model keeps, if it knows their names.
    pub fn kept_by(model: &Saved) -> Option<Self> {
        let mut kept = BTreeMap::new();
        for machine in model.machines() {
            let names = machine.names.as_ref()?;
            for (k, (&j, name)) in machine.indices.iter().zip(names).enumerate() {
                kept.insert(j, (name.clone(), machine.fills.as_ref().map(|fills| fills[k])));
            }
        }
        let first = model.machines().first()?;
        let fills: Option<Vec<f64>> = kept.values().map(|(_, fill)| *fill).collect();
        Some(Self {
            label: first.label.clone(),
            columns: kept.keys().copied().collect(),
            names: kept.into_values().map(|(name, _)| name).collect(),
            width: first.features,
            fills: fills.filter(|_| model.machines().iter().any(|machine| machine.fills.is_some())),
        })
    }

    /// What each of the named columns gives; or the features that none of them gives.
    pub(crate) fn among(&self, columns: &[String]) -> Result<Vec<Wanted>, Vec<&str>> {
        let place: HashMap<&str, usize> =
            columns.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let mut wanted: Vec<Wanted> = columns.iter().map(|_| Wanted::default()).collect();
        let mut absent = Vec::new();
        for (feature, name) in self.names.iter().enumerate() {
            if let Some(&at) = place.get(name.as_str()) {
                wanted[at].number = Some(feature);
                continue;
            }
            let parts = name.match_indices('=').map(|(at, _)| (&name[..at], &name[at + 1..]));
            match parts.filter_map(|(column, category)| Some((*place.get(column)?, category))).next() {
                Some((at, category)) => {
                    wanted[at].categories.insert(category.to_owned(), feature);
                }
                None => absent.push(name.as_str()),
            }
        }
        if absent.is_empty() { Ok(wanted) } else { Err(absent) }
    }
}
