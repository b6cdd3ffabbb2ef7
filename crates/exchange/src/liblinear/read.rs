//! LIBLINEAR's text → weights. Nothing is allocated for features that have no line.

use std::io::{BufRead, BufReader, Read};

use sparsvm_core::model::{Imported, Provenance, rest_of};
use sparsvm_core::{Model, Saved};

use crate::{Error, Result};

/// The solvers of classifiers, by the names that LIBLINEAR writes.
const CLASSIFIERS: [&str; 8] = [
    "L2R_LR",
    "L2R_L2LOSS_SVC_DUAL",
    "L2R_L2LOSS_SVC",
    "L2R_L1LOSS_SVC_DUAL",
    MULTICLASS,
    "L1R_L2LOSS_SVC",
    "L1R_LR",
    "L2R_LR_DUAL",
];
/// Crammer and Singer's: a vector for each label, also of two.
const MULTICLASS: &str = "MCSVM_CS";
/// Lines hold a number for each class; a longer one is no line of a model.
const LONGEST_LINE: u64 = 1 << 20;

/// What a file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// LIBLINEAR's name of the solver.
    pub solver: String,
    /// The labels, in the file's order.
    pub labels: Vec<i32>,
    /// d, without the bias.
    pub features: usize,
    /// One that speaks for the first of two labels, or one for each label.
    pub vectors: Vec<Vector>,
}

/// The weights of one machine that are not 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vector {
    /// 0-based, ascending.
    pub indices: Vec<u32>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// The weight of the bias, times the bias.
    pub intercept: f64,
}

impl Parsed {
    /// A model of ours. `data` names the file.
    ///
    /// # Errors
    /// If the numbers make no model.
    pub fn into_model(self, data: String, program: String) -> Result<Saved> {
        let provenance =
            Provenance { program, data, samples: 0, solver: format!("liblinear ({})", self.solver) };
        let features = self.features;
        let machine = |classes: Vec<String>, vector: Vector| {
            let Vector { indices, weights, intercept } = vector;
            let provenance = provenance.clone();
            Model::imported(Imported { classes, features, intercept, indices, weights, provenance })
        };
        let labels: Vec<String> = self.labels.iter().map(ToString::to_string).collect();
        // Of two classes, the first is the one that positive values speak for.
        if let [positive, negative] = &labels[..] {
            let classes = vec![negative.clone(), positive.clone()];
            let vector = self.vectors.into_iter().next().unwrap_or_default();
            return Ok(Saved::Single(machine(classes, vector)?));
        }
        let of = |(class, vector): (&String, Vector)| machine(vec![rest_of(class), class.clone()], vector);
        let machines = labels.iter().zip(self.vectors).map(of).collect::<sparsvm_core::Result<_>>()?;
        Ok(Saved::new(&labels, machines)?)
    }
}

/// Reads a classifier.
///
/// # Errors
/// [`Error::Line`] with the line, what was found, what was expected and the remedy.
pub fn read(from: impl Read) -> Result<Parsed> {
    let mut lines = Lines { from: BufReader::new(from), text: Vec::new(), line: 0 };
    let head = Head::read(&mut lines)?;
    let columns = head.columns();
    let mut vectors = vec![Vector::default(); columns];
    for j in 0..head.features + usize::from(head.bias >= 0.0) {
        let Some(text) = lines.next()? else {
            let fault = format!(
                "the file ends after {j} lines of weights, but {} features{} are announced: the \
                 file was cut off",
                head.features,
                if head.bias >= 0.0 { " and a bias" } else { "" }
            );
            return lines.fault(fault);
        };
        let row: Vec<&str> = text.split_ascii_whitespace().collect();
        if row.len() != columns {
            let fault =
                format!("found {} numbers, but expected {columns}, one for each vector: {CUT}", row.len());
            return lines.fault(fault);
        }
        for (vector, word) in vectors.iter_mut().zip(row) {
            let Some(weight) = finite(word) else {
                let fault = format!("found `{}`, but expected a finite number: {CUT}", shown(word));
                return lines.fault(fault);
            };
            if j == head.features {
                vector.intercept = weight * head.bias;
                if !vector.intercept.is_finite() {
                    return lines.fault(format!(
                        "the intercept {weight:?} · {:?} is no finite number: {CUT}",
                        head.bias
                    ));
                }
            } else if weight != 0.0 {
                // Within 32 bits: the head was checked.
                vector.indices.push(j as u32);
                vector.weights.push(weight);
            }
        }
    }
    while let Some(text) = lines.next()? {
        if !text.trim_ascii().is_empty() {
            return lines
                .fault("found more lines than nr_feature and bias announce: correct the head".into());
        }
    }
    // Of two classes LIBLINEAR's predict looks at the first vector only.
    if head.labels.len() == 2 {
        vectors.truncate(1);
    }
    Ok(Parsed { solver: head.solver, labels: head.labels, features: head.features, vectors })
}

const CUT: &str = "the file is damaged; let LIBLINEAR write it anew";

/// What comes before `w`.
struct Head {
    solver: String,
    labels: Vec<i32>,
    features: usize,
    bias: f64,
}

impl Head {
    fn read(lines: &mut Lines<impl Read>) -> Result<Self> {
        let (mut solver, mut classes, mut labels, mut features, mut bias) = (None, None, None, None, None);
        loop {
            let Some(text) = lines.next()? else {
                return lines.fault(
                    "the file ends before a line `w`: it is no LIBLINEAR model, or was cut off".into(),
                );
            };
            let mut words = text.split_ascii_whitespace();
            let name = words.next().unwrap_or("");
            let rest: Vec<&str> = words.collect();
            let value = rest.first().copied().unwrap_or("");
            let wrong = |expected: &str| {
                format!("found `{}` for {name}, but expected {expected}: {CUT}", shown(&rest.join(" ")))
            };
            let fault = match name {
                "solver_type" if CLASSIFIERS.contains(&value) => {
                    solver = Some(value.to_owned());
                    None
                }
                "solver_type" => Some(format!(
                    "found solver_type `{}`, but expected a classifier ({}): a regression or one-class model has no \
                     labels to predict",
                    shown(value),
                    CLASSIFIERS.join(", ")
                )),
                "nr_class" => {
                    classes = value.parse::<usize>().ok().filter(|count| *count >= 2);
                    classes.is_none().then(|| wrong("2 or more"))
                }
                "label" => {
                    labels = rest.iter().map(|label| label.parse().ok()).collect::<Option<Vec<i32>>>();
                    labels.is_none().then(|| wrong("whole numbers"))
                }
                "nr_feature" => {
                    features =
                        value.parse::<u32>().ok().filter(|count| *count >= 1).map(|count| count as usize);
                    features.is_none().then(|| wrong("a whole number from 1 to 4294967295"))
                }
                "bias" => {
                    bias = finite(value);
                    bias.is_none().then(|| wrong("a finite number"))
                }
                "w" => break,
                _ => Some(format!(
                    "found `{}`, but expected a line of a LIBLINEAR model's head, such as \
                     `solver_type L1R_L2LOSS_SVC`: give a file that LIBLINEAR's train wrote",
                    shown(name)
                )),
            };
            if let Some(fault) = fault {
                return lines.fault(fault);
            }
        }
        let missing = |name: &str| format!("the line `{name}` is missing above `w`: {CUT}");
        let Some(solver) = solver else { return lines.fault(missing("solver_type")) };
        let Some(classes) = classes else { return lines.fault(missing("nr_class")) };
        let Some(labels) = labels else { return lines.fault(missing("label")) };
        let Some(features) = features else { return lines.fault(missing("nr_feature")) };
        let Some(bias) = bias else { return lines.fault(missing("bias")) };
        let mut distinct = labels.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if [labels.len(), distinct.len()] != [classes; 2] {
            let found = labels.len();
            return lines.fault(format!(
                "found {found} labels for nr_class {classes}, but expected as many, all different: {CUT}"
            ));
        }
        Ok(Self { solver, labels, features, bias })
    }

    /// Numbers in a line of weights.
    fn columns(&self) -> usize {
        if self.labels.len() == 2 && self.solver != MULTICLASS { 1 } else { self.labels.len() }
    }
}

fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|x: &f64| x.is_finite())
}

/// A word of the file, short and without control characters.
fn shown(word: &str) -> String {
    let mut text: String = word.chars().take(30).collect();
    if text.len() < word.len() {
        text.push('…');
    }
    text.escape_debug().to_string()
}

struct Lines<R> {
    from: BufReader<R>,
    text: Vec<u8>,
    /// The number of the line that was read last.
    line: usize,
}

impl<R: Read> Lines<R> {
    fn next(&mut self) -> Result<Option<String>> {
        self.text.clear();
        let found = (&mut self.from).take(LONGEST_LINE).read_until(b'\n', &mut self.text)?;
        self.line += 1;
        if found as u64 == LONGEST_LINE {
            return self.fault(format!(
                "it is longer than {LONGEST_LINE} bytes: it is no line of a LIBLINEAR model"
            ));
        }
        Ok((found > 0).then(|| String::from_utf8_lossy(&self.text).into_owned()))
    }

    fn fault<T>(&self, fault: String) -> Result<T> {
        Err(Error::Line { line: self.line, fault })
    }
}
