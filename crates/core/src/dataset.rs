//! What a reader delivers: a design, labels, and the names of the features.

use crate::design::dense_if_full;
use crate::model::rest_of;
use crate::{Design, Error, Result};

/// Class labels as they stood in the file, coded as 0, 1, … in the order of [`classes`](Self::classes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    classes: Vec<String>,
    codes: Vec<u32>,
}

impl Labels {
    /// Codes one label a row. Numbers that are equal are one class ("+1", "1" and "1.0"), and classes are
    /// ordered by value if all are numbers, else by text: of two classes the second is the positive one.
    pub fn from_texts<S: AsRef<str>>(texts: &[S]) -> Self {
        let canonical: Vec<String> = texts.iter().map(|t| canonical(t.as_ref())).collect();
        let mut classes = canonical.clone();
        classes.sort();
        classes.dedup();
        Self::sorted(classes, canonical.iter())
    }

    /// Codes one number a row.
    pub fn from_numbers(numbers: &[f64]) -> Self {
        let mut distinct = numbers.to_vec();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let classes: Vec<String> = distinct.iter().map(|x| number_text(*x)).collect();
        let code = |x: &f64| distinct.partition_point(|c| c.total_cmp(x).is_lt()) as u32;
        // -0.0 and 0.0 are one class.
        let codes = numbers.iter().map(|x| code(if *x == 0.0 { first_zero(&distinct) } else { x })).collect();
        Self { classes, codes }
    }

    /// Codes rows by texts of which each stands once in `texts`: row i has `texts[rows[i]]`. As
    /// [`from_texts`](Self::from_texts), but each text is looked at once.
    ///
    /// # Errors
    /// If a row's number is not below that of the texts.
    pub fn from_coded<S: AsRef<str>>(texts: &[S], rows: &[u32]) -> Result<Self> {
        if let Some(row) = rows.iter().find(|&&row| row as usize >= texts.len()) {
            return Err(Error::parameter("label", row, "there are fewer labels than that"));
        }
        // A text that no row has is no class.
        let mut used = vec![false; texts.len()];
        rows.iter().for_each(|&row| used[row as usize] = true);
        let named: Vec<&str> =
            texts.iter().zip(&used).filter(|(_, used)| **used).map(|(t, _)| t.as_ref()).collect();
        let distinct = Self::from_texts(&named);
        let mut of_used = distinct.codes.iter();
        let codes: Vec<u32> =
            used.iter().map(|&used| if used { of_used.next().copied().unwrap_or(0) } else { 0 }).collect();
        Ok(Self { classes: distinct.classes, codes: rows.iter().map(|&row| codes[row as usize]).collect() })
    }

    /// Rows whose labels nobody knows: there is no class at all.
    pub fn unknown(rows: usize) -> Self {
        Self { classes: Vec::new(), codes: vec![0; rows] }
    }

    /// False if nobody knows the labels.
    pub fn are_known(&self) -> bool {
        !self.classes.is_empty()
    }

    /// Takes classes and codes as another program, or this one, has made them.
    ///
    /// # Errors
    /// If a class stands twice, or a code names none.
    pub fn from_codes(classes: Vec<String>, codes: Vec<u32>) -> Result<Self> {
        let mut seen = std::collections::HashSet::with_capacity(classes.len());
        if let Some(twice) = classes.iter().find(|class| !seen.insert(class.as_str())) {
            return Err(Error::parameter("class", twice, "each class must stand once"));
        }
        if let Some(code) = codes.iter().find(|&&code| code as usize >= classes.len()) {
            return Err(Error::parameter("class code", code, "a code is below the number of classes"));
        }
        Ok(Self { classes, codes })
    }

    fn sorted<'a>(mut classes: Vec<String>, rows: impl Iterator<Item = &'a String>) -> Self {
        let numbers: Option<Vec<f64>> = classes.iter().map(|c| c.parse().ok()).collect();
        if let Some(numbers) = numbers {
            let mut order: Vec<usize> = (0..classes.len()).collect();
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
            classes = order.into_iter().map(|k| classes[k].clone()).collect();
        }
        let code: std::collections::HashMap<&str, u32> =
            classes.iter().enumerate().map(|(k, c)| (c.as_str(), k as u32)).collect();
        let codes = rows.map(|row| code[row.as_str()]).collect();
        Self { classes, codes }
    }

    /// The distinct labels.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The class of each row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The first few classes, for a message.
    pub fn listed(&self) -> String {
        let mut listed = self.classes.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        if self.classes.len() > 5 {
            listed.push_str(", …");
        }
        listed
    }

    /// ±1 for each row: the second class is +1.
    ///
    /// # Errors
    /// [`Error::Classes`] unless there are exactly two.
    pub fn signs(&self) -> Result<Vec<f64>> {
        if self.classes.len() != 2 {
            return Err(Error::Classes { count: self.classes.len(), listed: self.listed() });
        }
        Ok(self.signs_of(1))
    }

    /// ±1 for each row: this class is +1, all others are -1.
    pub fn signs_of(&self, class: usize) -> Vec<f64> {
        self.codes.iter().map(|&k| if k as usize == class { 1.0 } else { -1.0 }).collect()
    }

    /// Two classes: this one, which is the positive one, and the other, or all others together as one.
    #[must_use]
    pub fn against_rest(&self, class: &str) -> Self {
        let others: Vec<&String> = self.classes.iter().filter(|other| *other != class).collect();
        let rest = match others[..] {
            [other] => other.clone(),
            _ => rest_of(class),
        };
        let is_class: Vec<u32> = self.classes.iter().map(|other| u32::from(other == class)).collect();
        let codes = self.codes.iter().map(|&k| is_class[k as usize]).collect();
        Self { classes: vec![rest, class.to_owned()], codes }
    }

    /// Each row's label as a number: its grade, for learning to rank.
    ///
    /// # Errors
    /// If a label is no finite number.
    pub fn grades(&self) -> Result<Vec<f64>> {
        let number = |class: &String| {
            let grade = class.parse().ok().filter(|grade: &f64| grade.is_finite());
            grade.ok_or_else(|| Error::parameter("label", class, "grades of a ranking are finite numbers"))
        };
        let grades = self.classes.iter().map(number).collect::<Result<Vec<f64>>>()?;
        Ok(self.codes.iter().map(|&k| grades[k as usize]).collect())
    }

    /// The labels of the named rows. Classes keep their codes even if a class has no row left.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { classes: self.classes.clone(), codes: rows.iter().map(|&i| self.codes[i]).collect() }
    }
}

/// One spelling for each number; any other text as it is.
fn canonical(text: &str) -> String {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() => number_text(x),
        _ => text.to_owned(),
    }
}

fn number_text(x: f64) -> String {
    if x == 0.0 { "0".into() } else { x.to_string() }
}

fn first_zero(distinct: &[f64]) -> &f64 {
    distinct.iter().find(|x| **x == 0.0).unwrap_or(&0.0)
}

/// What a table's columns say besides their numbers. A model keeps it, for tables to come.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The label's column.
    pub label: Option<String>,
    /// What was taken for a missing value of each feature, if that was asked for.
    pub fills: Option<Vec<f64>>,
    /// Features that had missing values, and how many.
    pub missing: Vec<(usize, usize)>,
    /// Rows that were left out.
    pub dropped_rows: usize,
}

/// A design with its labels.
#[derive(Debug)]
pub struct Dataset {
    design: Box<dyn Design>,
    labels: Labels,
    names: Option<Vec<String>>,
    queries: Option<Vec<u64>>,
    table: Option<Table>,
}

impl Dataset {
    /// Puts a data set together.
    ///
    /// # Errors
    /// If there are no rows or columns, or not one label a row.
    pub fn new(design: impl Design + 'static, labels: Labels) -> Result<Self> {
        Self::from_box(Box::new(design), labels)
    }

    /// [`new`](Self::new) for a design that is boxed already.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_box(design: Box<dyn Design>, labels: Labels) -> Result<Self> {
        let (rows, cols) = (design.rows(), design.cols());
        if rows == 0 || cols == 0 {
            return Err(Error::Empty { rows, cols });
        }
        if labels.len() != rows {
            return Err(Error::Length { what: "labels", found: labels.len(), expected: rows });
        }
        Ok(Self { design, labels, names: None, queries: None, table: None })
    }

    /// The same data, held densely if no entry is missing and at most `limit` bytes are needed on the way: faster and
    /// smaller, with the same bits.
    #[must_use]
    pub fn dense_if_full(mut self, limit: Option<u64>) -> Self {
        if let Some(dense) = dense_if_full(self.design(), limit) {
            self.design = Box::new(dense);
        }
        self
    }

    /// The same rows with other labels.
    ///
    /// # Errors
    /// Unless there is one a row.
    pub fn with_labels(self, labels: Labels) -> Result<Self> {
        if labels.len() != self.design.rows() {
            return Err(Error::Length { what: "labels", found: labels.len(), expected: self.design.rows() });
        }
        Ok(Self { labels, ..self })
    }

    /// The matrix alone: nobody knows the labels, and nothing has a name.
    #[must_use]
    pub fn matrix_only(self) -> Self {
        let labels = Labels::unknown(self.design.rows());
        Self { design: self.design, labels, names: None, queries: None, table: None }
    }

    /// Names the features.
    ///
    /// # Errors
    /// Unless there is one name a column.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.design.cols() {
            return Err(Error::Length {
                what: "feature names",
                found: names.len(),
                expected: self.design.cols(),
            });
        }
        self.names = Some(names);
        Ok(self)
    }

    /// Attaches a query number to each row (`qid:` in svmlight files, for learning to rank).
    ///
    /// # Errors
    /// Unless there is one a row.
    pub fn with_queries(mut self, queries: Vec<u64>) -> Result<Self> {
        if queries.len() != self.design.rows() {
            return Err(Error::Length {
                what: "query numbers",
                found: queries.len(),
                expected: self.design.rows(),
            });
        }
        self.queries = Some(queries);
        Ok(self)
    }

    /// Says what the table was that the data comes from.
    #[must_use]
    pub fn with_table(mut self, table: Table) -> Self {
        self.table = Some(table);
        self
    }

    /// What the table was that the data comes from, if it was one.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// X.
    pub fn design(&self) -> &dyn Design {
        &*self.design
    }

    /// Column scaling in place; see [`Scaling`](crate::Scaling).
    pub fn scale_columns(&mut self, factors: &[f64]) {
        self.design.scale_columns(factors);
    }

    /// Lets go of the rows; see [`Design::turn_to_columns`].
    pub fn turn_to_columns(&mut self) {
        self.design.turn_to_columns();
    }

    /// The labels.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The features' names, if the file had any.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The rows' query numbers, if the file had any.
    pub fn queries(&self) -> Option<&[u64]> {
        self.queries.as_deref()
    }

    /// The name of feature j, or its 1-based index as svmlight files count.
    pub fn feature_name(&self, j: usize) -> String {
        self.names.as_ref().map_or_else(|| (j + 1).to_string(), |names| names[j].clone())
    }

    /// A new data set of the named rows, in that order.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        Self {
            design: self.design.select_rows(rows),
            labels: self.labels.select(rows),
            names: self.names.clone(),
            queries: self.queries.as_ref().map(|q| rows.iter().map(|&i| q[i]).collect()),
            table: self.table.clone(),
        }
    }
}
