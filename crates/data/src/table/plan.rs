//! Which column of a table is what: decided once, from the names and the options, before any row is read.

use std::collections::{HashMap, HashSet};

use super::TableOptions;
use super::expected::{Expected, Wanted};
use crate::ReadError;
use crate::quote::named;

/// The names that a label's column is looked for under, if nobody says which it is.
const LABEL_NAMES: [&str; 4] = ["label", "target", "class", "y"];

/// So many columns are named in a message.
const SHOWN: usize = 8;

/// What a column is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Role {
    /// Not looked at.
    Dropped,
    /// The label.
    Label,
    /// A feature, in this column of the matrix that is read.
    Number(u32),
    /// Categories, the so-many-th of such columns.
    Categories(usize),
    /// Categories that are known: what each gives.
    Known(HashMap<String, u32>),
}

/// The roles of all columns.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) roles: Vec<Role>,
    /// The columns' names; their numbers, where the table names none.
    pub(crate) columns: Vec<String>,
    /// True if these names mean something.
    pub(crate) named: bool,
    /// Columns of the matrix that is read.
    pub(crate) numbers: usize,
    /// Columns of categories that are to be found out.
    pub(crate) categories: usize,
    pub(crate) has_label: bool,
    /// True if the matrix is that of a model, whose columns are numbered already.
    pub(crate) of_model: bool,
    /// What stands for a missing value in each column, if that is known.
    pub(crate) fills: Option<Vec<f64>>,
}

/// The names of a table's columns, which may be numbers only.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) texts: Vec<String>,
    pub(crate) named: bool,
}

impl Names {
    /// Columns that have no names.
    pub(crate) fn numbered(count: usize) -> Self {
        Self { texts: (1..=count).map(|k| k.to_string()).collect(), named: false }
    }

    /// The column that `text` names, or whose number it is.
    fn find(&self, text: &str) -> Option<usize> {
        if self.named
            && let Some(at) = self.texts.iter().position(|name| name == text)
        {
            return Some(at);
        }
        let count = self.texts.len();
        match text.parse::<i64>().ok()? {
            number @ 1.. => usize::try_from(number - 1).ok().filter(|&at| at < count),
            0 => None,
            back => count.checked_sub(usize::try_from(back.unsigned_abs()).ok()?),
        }
    }

    /// Some of the names, for a message.
    fn listed(&self) -> String {
        if !self.named {
            return format!("there are {} columns without names", self.texts.len());
        }
        let shown = self.texts.iter().take(SHOWN).map(|name| named(name)).collect::<Vec<_>>().join(", ");
        format!("the columns are {shown}{}", if self.texts.len() > SHOWN { ", …" } else { "" })
    }
}

impl Plan {
    /// A plan for training data, where `need_label` says whether a label must be there.
    pub(crate) fn new(
        file: &str,
        names: Names,
        options: &TableOptions,
        need_label: bool,
    ) -> Result<Self, ReadError> {
        let fault = |what: String| ReadError::Table { name: file.to_owned(), what };
        unique(&names).map_err(fault)?;
        let find = |option: &str, text: &String| {
            names.find(text).ok_or_else(|| {
                fault(format!("{option} {}: there is no such column: {}", named(text), names.listed()))
            })
        };
        let mut roles: Vec<Option<Role>> = vec![None; names.texts.len()];
        for text in &options.drop {
            roles[find("--drop", text)?] = Some(Role::Dropped);
        }
        let label = match &options.label {
            Some(text) => Some(find("--label", text)?),
            None => usual_label(&names, &roles),
        };
        match label {
            Some(at) if roles[at].is_some() => {
                let name = named(&names.texts[at]);
                return Err(fault(format!("column {name} is both the label and dropped: leave one out")));
            }
            Some(at) => roles[at] = Some(Role::Label),
            None if need_label => {
                let listed = names.listed();
                return Err(fault(format!(
                    "which column is the label? Say it with --label NAME, or with its number: {listed}"
                )));
            }
            None => {}
        }
        let mut categories = 0;
        for text in &options.one_hot {
            let at = find("--one-hot", text)?;
            if roles[at].is_some() {
                let name = named(&names.texts[at]);
                return Err(fault(format!(
                    "column {name} is in --one-hot and is also the label, dropped, or there twice: leave one out"
                )));
            }
            roles[at] = Some(Role::Categories(categories));
            categories += 1;
        }
        let mut numbers = 0;
        let roles = roles
            .into_iter()
            .map(|role| {
                role.unwrap_or_else(|| {
                    numbers += 1;
                    Role::Number(numbers - 1)
                })
            })
            .collect();
        Ok(Self {
            roles,
            columns: names.texts,
            named: names.named,
            numbers: numbers as usize,
            categories,
            has_label: label.is_some(),
            of_model: false,
            fills: None,
        })
    }

    /// A plan for the columns that a model wants; the others are not looked at.
    pub(crate) fn expecting(
        file: &str,
        names: Names,
        expected: &Expected,
        options: &TableOptions,
    ) -> Result<Self, ReadError> {
        let fault = |what: String| ReadError::Table { name: file.to_owned(), what };
        unique(&names).map_err(fault)?;
        let wanted = expected.among(&names.texts).map_err(|absent| {
            let shown = absent.iter().take(SHOWN).map(|name| named(name)).collect::<Vec<_>>().join(", ");
            let more = if absent.len() > SHOWN { ", …" } else { "" };
            fault(format!(
                "the model uses columns that are not there: {shown}{more}; {}: rename or add them",
                names.listed()
            ))
        })?;
        let label = match &options.label {
            Some(text) => Some(names.find(text).ok_or_else(|| {
                fault(format!("--label {}: there is no such column: {}", named(text), names.listed()))
            })?),
            None => expected.label.as_ref().and_then(|name| names.find(name)),
        };
        let column = |feature: usize| expected.columns[feature];
        let role = |(at, wanted): (usize, Wanted)| match wanted {
            _ if Some(at) == label => Role::Label,
            Wanted { number: Some(feature), .. } => Role::Number(column(feature)),
            Wanted { categories, .. } if !categories.is_empty() => {
                Role::Known(categories.into_iter().map(|(text, feature)| (text, column(feature))).collect())
            }
            _ => Role::Dropped,
        };
        let fills = expected.fills.as_ref().map(|fills| {
            let mut all = vec![0.0; expected.width];
            expected.columns.iter().zip(fills).for_each(|(&j, &fill)| all[j as usize] = fill);
            all
        });
        Ok(Self {
            roles: wanted.into_iter().enumerate().map(role).collect(),
            columns: names.texts,
            named: names.named,
            numbers: expected.width,
            categories: 0,
            has_label: label.is_some(),
            of_model: true,
            fills,
        })
    }

    /// The name of the column that a number of the matrix was read from.
    pub(crate) fn column_of(&self, number: u32) -> &str {
        let at = self.roles.iter().position(|role| *role == Role::Number(number));
        at.map_or("", |at| &self.columns[at])
    }
}

/// The one column with a usual name.
fn usual_label(names: &Names, roles: &[Option<Role>]) -> Option<usize> {
    let usual = |text: &String| LABEL_NAMES.iter().any(|usual| text.eq_ignore_ascii_case(usual));
    let mut found = (0..names.texts.len()).filter(|&at| usual(&names.texts[at]) && roles[at].is_none());
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn unique(names: &Names) -> Result<(), String> {
    if names.named && names.texts.first().is_some_and(String::is_empty) {
        return Err(
            "the first column has no name, so it is perhaps an index: give it a name in the header, \
                    or write the file without it"
                .into(),
        );
    }
    let mut seen = HashSet::new();
    match names.texts.iter().position(|name| !seen.insert(name)) {
        Some(at) => {
            let name = named(&names.texts[at]);
            Err(format!("column {} is called {name} as an earlier one is: rename it", at + 1))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Names {
        Names { texts: texts.iter().map(ToString::to_string).collect(), named: true }
    }

    fn refused(texts: &[&str], options: &TableOptions) -> String {
        Plan::new("t", names(texts), options, true).unwrap_err().to_string()
    }

    #[test]
    fn columns_by_name_by_number_and_from_the_end() {
        let options = TableOptions {
            label: Some("-1".into()),
            drop: vec!["2".into()],
            one_hot: vec!["c".into()],
            ..TableOptions::default()
        };
        let plan = Plan::new("t", names(&["a", "b", "c", "d", "e"]), &options, true).unwrap();
        let roles = [Role::Number(0), Role::Dropped, Role::Categories(0), Role::Number(1), Role::Label];
        assert_eq!(plan.roles, roles);
        assert_eq!(plan.column_of(1), "d");
    }

    #[test]
    fn the_usual_names_of_labels() {
        let plan = Plan::new("t", names(&["Class", "b"]), &TableOptions::default(), true).unwrap();
        assert_eq!(plan.roles, [Role::Label, Role::Number(0)]);
        let none = TableOptions::default();
        assert!(refused(&["a", "b"], &none).contains("--label"));
        // Two of them: nobody knows which.
        assert!(refused(&["y", "class"], &none).contains("--label"));
        let drop = TableOptions { drop: vec!["y".into()], ..none };
        assert!(Plan::new("t", names(&["y", "class"]), &drop, true).is_ok());
    }

    #[test]
    fn contradictions_are_refused() {
        let of = |label: &str, drop: &str, one_hot: &str| TableOptions {
            label: Some(label.into()),
            drop: vec![drop.into()],
            one_hot: vec![one_hot.into()],
            ..TableOptions::default()
        };
        let columns = ["a", "b", "c"];
        assert!(refused(&columns, &of("a", "a", "b")).contains("both the label and dropped"));
        assert!(refused(&columns, &of("a", "b", "a")).contains("--one-hot"));
        assert!(refused(&columns, &of("a", "b", "7")).contains("no such column"));
        assert!(refused(&columns, &of("a", "0", "c")).contains("no such column"));
        assert!(refused(&["a", "a"], &of("1", "2", "c")).contains("rename"));
        assert!(refused(&["", "a"], &of("1", "2", "c")).contains("index"));
    }

    #[test]
    fn a_model_finds_its_columns_wherever_they_stand() {
        let expected = Expected {
            label: Some("y".into()),
            names: vec!["a".into(), "color=red".into(), "x=1".into(), "k=v=w".into()],
            columns: vec![3, 5, 8, 9],
            width: 10,
            fills: None,
        };
        let options = TableOptions::default();
        let columns = ["color", "extra", "x=1", "a", "k=v"];
        let plan = Plan::expecting("t", names(&columns), &expected, &options).unwrap();
        let known = |text: &str, column| Role::Known([(text.to_owned(), column)].into());
        let roles = [known("red", 5), Role::Dropped, Role::Number(8), Role::Number(3), known("w", 9)];
        assert_eq!(plan.roles, roles);
        assert!(!plan.has_label);
        let fault = Plan::expecting("t", names(&["a", "color"]), &expected, &options).unwrap_err();
        assert!(fault.to_string().contains("not there: x=1, k=v=w"), "{fault}");
    }
}
