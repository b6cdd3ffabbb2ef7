//! View → LIBLINEAR's text.

use std::io::{self, Write};

use sparsvm_core::Goal;

use crate::{Error, Machine, Result, View};

/// Its `predict` treats weights of this solver as a classifier's, one vector for two classes and one a class
/// for more, and reads nothing else into them.
const SOLVER: &str = "L2R_L1LOSS_SVC_DUAL";

/// A model that LIBLINEAR's `predict` and bindings read.
#[derive(Debug)]
pub struct Writer<'a> {
    labels: Vec<i32>,
    machines: &'a [Machine<'a>],
    features: usize,
}

impl<'a> Writer<'a> {
    /// Takes a classifier whose labels are whole numbers.
    ///
    /// # Errors
    /// If the model is a ranking, labels are no different whole numbers of 32 bits, or there are too many features.
    pub fn new(view: &'a View<'a>) -> Result<Self> {
        view.check()?;
        let unable = |what: String, remedy| Err(Error::Unable { format: "LIBLINEAR", what, remedy });
        if view.goal == Goal::Rank {
            return unable("it ranks, and LIBLINEAR has classes".into(), "export to onnx, c or csv");
        }
        let mut labels = Vec::with_capacity(view.classes.len());
        for class in &view.classes {
            match whole(class) {
                Some(label) => labels.push(label),
                None => {
                    let what = format!("the label `{}` is no whole number of 32 bits", class.escape_debug());
                    return unable(
                        what,
                        "number the classes in the training data, or export to onnx, c or csv",
                    );
                }
            }
        }
        if let Some(k) = (1..labels.len()).find(|&k| labels[..k].contains(&labels[k])) {
            let what = format!("two labels are the whole number {}", labels[k]);
            return unable(what, "number the classes in the training data, or export to onnx, c or csv");
        }
        if i32::try_from(view.features).is_ok_and(|features| features < i32::MAX) {
            // Two classes: a positive value means the first label there and the second class here.
            if labels.len() == 2 {
                labels.reverse();
            }
            return Ok(Self { labels, machines: &view.machines, features: view.features });
        }
        unable(
            format!("{} features are too many", view.features),
            "train with fewer features, or export to onnx or csv",
        )
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let labels: Vec<String> = self.labels.iter().map(ToString::to_string).collect();
        // `bias -1` says that there is no line of intercepts.
        let bias = if self.machines.iter().any(|machine| machine.intercept != 0.0) { 1 } else { -1 };
        writeln!(to, "solver_type {SOLVER}\nnr_class {}\nlabel {}", labels.len(), labels.join(" "))?;
        writeln!(to, "nr_feature {}\nbias {bias}\nw", self.features)?;
        let empty = "0 ".repeat(self.machines.len());
        let mut next = vec![0; self.machines.len()];
        for j in 0..self.features {
            let holds =
                |machine: &Machine<'_>, at: usize| machine.indices.get(at).is_some_and(|&i| i as usize == j);
            if !self.machines.iter().zip(&next).any(|(machine, &at)| holds(machine, at)) {
                writeln!(to, "{empty}")?;
                continue;
            }
            for (machine, at) in self.machines.iter().zip(&mut next) {
                if holds(machine, *at) {
                    write!(to, "{:?} ", machine.weights[*at])?;
                    *at += 1;
                } else {
                    write!(to, "0 ")?;
                }
            }
            writeln!(to)?;
        }
        if bias > 0 {
            for machine in self.machines {
                write!(to, "{:?} ", machine.intercept)?;
            }
            writeln!(to)?;
        }
        Ok(())
    }
}

/// A whole number, also when it is written like 1.0 or +1.
fn whole(label: &str) -> Option<i32> {
    let number: f64 = label.parse().ok()?;
    let within = f64::from(i32::MIN)..=f64::from(i32::MAX);
    (number.fract() == 0.0 && within.contains(&number)).then_some(number as i32)
}
