//! View → a table for people and their spreadsheets, as RFC 4180 has it: a line for each weight.

use std::io::{self, Write};

use sparsvm_core::{Goal, Scaling};

use crate::{Machine, Result, View};

/// With one of these a spreadsheet begins a formula.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// A table of weights.
#[derive(Debug)]
pub struct Writer<'a> {
    view: &'a View<'a>,
}

impl<'a> Writer<'a> {
    /// Takes any model.
    ///
    /// # Errors
    /// If the view is inconsistent.
    pub fn new(view: &'a View<'a>) -> Result<Self> {
        view.check()?;
        Ok(Self { view })
    }

    /// Writes the file: machine by machine, features ascending, then the intercept, which a ranking has not.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let (scaled, several) = (self.view.scaling != Scaling::None, self.view.machines.len() > 1);
        write!(to, "feature,name,weight")?;
        write!(
            to,
            "{}{}\r\n",
            if scaled { ",scaled_weight" } else { "" },
            if several { ",class" } else { "" }
        )?;
        for (m, machine) in self.view.machines.iter().enumerate() {
            let class = if several { format!(",{}", field(&self.view.classes[m])) } else { String::new() };
            for k in 0..machine.indices.len() {
                let name = machine.names.map_or(String::new(), |names| field(&names[k]));
                write!(to, "{},{name},{:?}", machine.indices[k] + 1, machine.weights[k])?;
                write!(to, "{}{class}\r\n", if scaled { scaled_weight(machine, k) } else { String::new() })?;
            }
            if self.view.goal == Goal::Classify {
                let none = if scaled { "," } else { "" };
                write!(to, "(intercept),,{:?}{none}{class}\r\n", machine.intercept)?;
            }
        }
        Ok(())
    }
}

fn scaled_weight(machine: &Machine<'_>, k: usize) -> String {
    let factor = machine.scale_factors.get(k);
    factor.map_or(",".into(), |factor| format!(",{:?}", machine.weights[k] / factor))
}

/// A name that stays text: an apostrophe before what a spreadsheet would compute, quotes around commas.
fn field(text: &str) -> String {
    let number = text.parse::<f64>().is_ok_and(f64::is_finite);
    let safe = if text.starts_with(FORMULA) && !number { format!("'{text}") } else { text.to_owned() };
    match safe.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", safe.replace('"', "\"\"")),
        false => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(view: &View<'_>) -> String {
        let mut text = Vec::new();
        Writer::new(view).unwrap().write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn names_are_neither_formulas_nor_several_fields() {
        for (name, safe) in [
            ("plain", "plain"),
            ("-1", "-1"),
            ("+1e-3", "+1e-3"),
            ("=1+1", "'=1+1"),
            ("-inf", "'-inf"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("＝1", "'＝1"),
            ("\tx", "'\tx"),
            ("+1,2", "\"'+1,2\""),
            ("a \"b\"\r\nc", "\"a \"\"b\"\"\r\nc\""),
            ("", ""),
        ] {
            assert_eq!(field(name), safe, "{name:?}");
        }
    }

    #[test]
    fn a_line_for_each_weight_and_class() {
        let names = ["a,b".to_owned(), "=c".to_owned()];
        let machine = |intercept: f64| Machine {
            indices: &[0, 4],
            weights: &[1.5, -0.1],
            names: Some(&names),
            scale_factors: &[0.5, 0.1],
            intercept,
            sigmoid: None,
        };
        let mut view = View {
            goal: Goal::Classify,
            classes: ["0", "1"].map(String::from).to_vec(),
            machines: vec![machine(0.25)],
            features: 5,
            scaling: Scaling::MaxAbs,
            program: String::new(),
            about: Vec::new(),
        };
        let rows = "1,\"a,b\",1.5,3.0\r\n5,'=c,-0.1,-1.0\r\n(intercept),,0.25,\r\n";
        assert_eq!(text(&view), format!("feature,name,weight,scaled_weight\r\n{rows}"));
        view.scaling = Scaling::None;
        let head = "feature,name,weight\r\n";
        let rows = "1,\"a,b\",1.5\r\n5,'=c,-0.1\r\n";
        assert_eq!(text(&view), format!("{head}{rows}(intercept),,0.25\r\n"));
        (view.goal, view.classes) = (Goal::Rank, Vec::new());
        assert_eq!(text(&view), format!("{head}{rows}"));
        view = View {
            goal: Goal::Classify,
            classes: ["x", "=y", "-1"].map(String::from).to_vec(),
            machines: vec![machine(0.0), machine(1.0), machine(2.0)],
            ..view
        };
        let text = text(&view);
        assert!(text.starts_with("feature,name,weight,class\r\n1,\"a,b\",1.5,x\r\n"), "{text}");
        assert!(
            text.ends_with("(intercept),,2.0,-1\r\n") && text.contains("(intercept),,1.0,'=y\r\n"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 10);
    }
}
