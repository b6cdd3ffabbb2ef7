//! View → a C99 header without dependencies, which C++ compiles too: tables, and functions over dense or
//! sparse rows.

mod code;
mod text;

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use sparsvm_core::Goal;

use crate::{Error, Result, View};

/// C99 promises strings of 4095 bytes, and a byte may take four letters.
const LONGEST_LABEL: usize = 1000;
/// Of a name that is made from a file's.
const LONGEST_NAME: usize = 40;

/// A header.
#[derive(Debug)]
pub struct Writer {
    header: String,
}

impl Writer {
    /// Takes any model. `name` begins the name of everything in the header.
    ///
    /// # Errors
    /// If `name` cannot begin a name in C, or a label is longer than a C string may be.
    pub fn new(view: &View<'_>, name: &str) -> Result<Self> {
        view.check()?;
        let first = |c: char| c.is_ascii_alphabetic();
        if !name.starts_with(first) || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(Error::Name(name.escape_debug().to_string()));
        }
        if let Some(class) = view.classes.iter().find(|class| class.len() > LONGEST_LABEL) {
            return Err(Error::Unable {
                format: "a C header",
                what: format!("a label has {} bytes, more than {LONGEST_LABEL}", class.len()),
                remedy: "give the class a shorter label in the training data",
            });
        }
        Ok(Self { header: header(view, name) })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(self.header.as_bytes())
    }
}

/// A name for C from a file's: without what follows the first dot, and with _ for what C does not know.
pub fn name_from(file: &str) -> String {
    let stem = file.split('.').find(|part| !part.is_empty()).unwrap_or("");
    let mut name = String::new();
    for c in stem.chars().take(LONGEST_NAME) {
        match c.is_ascii_alphanumeric() {
            true => name.push(c),
            // C++ keeps names with two of them for itself.
            false if !name.ends_with('_') => name.push('_'),
            false => {}
        }
    }
    match name.trim_matches('_') {
        "" => "model".into(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("model_{name}"),
        name => name.into(),
    }
}

fn header(view: &View<'_>, name: &str) -> String {
    let mut all = String::new();
    all += &preamble(view);
    all += &format!("#ifndef SPARSVM_{name}_H\n#define SPARSVM_{name}_H\n\n");
    all += &code::includes(view);
    all += &tables(view);
    all += &code::functions(view);
    all += "#endif\n";
    // Written with @ for the name, which stands in no text: there it is escaped.
    all.replace('@', name)
}

fn preamble(view: &View<'_>) -> String {
    let what = match view.goal {
        Goal::Classify => "A linear classifier",
        Goal::Rank => "A linear ranking",
    };
    let mut text = format!("/* {what}, exported by sparsvm.\n *\n");
    for line in &view.about {
        text += &format!(" * {}\n", text::in_comment(line));
    }
    text += " *\n";
    for line in code::guide(view) {
        text += &format!(" * {line}\n");
    }
    text + " */\n"
}

/// What the functions look at.
fn tables(view: &View<'_>) -> String {
    let (columns, machines) = (view.columns(), view.machines.len());
    let by_machine: Vec<Vec<f64>> = view.machines.iter().map(|machine| machine.on(&columns)).collect();
    let mut all = format!(
        "/* Values of a row, and those of them that count. */\n\
         #define @_FEATURES {}\n#define @_KEPT {}\n#define @_MACHINES {machines}\n",
        view.features,
        columns.len()
    );
    if view.goal == Goal::Classify {
        all += &format!("#define @_CLASSES {}\n", view.classes.len());
        let labels: Vec<String> = view.classes.iter().map(|class| text::literal(class)).collect();
        all += &format!("\nstatic const char *const @_classes[@_CLASSES] = {{{}}};\n", labels.join(", "));
    }
    all += "\nstatic const uint32_t @_index[@_KEPT] = {\n";
    for (j, name) in &columns {
        let name = name.map_or(String::new(), |name| format!(" /* {} */", text::in_comment(name)));
        all += &format!("    {j}u,{name}\n");
    }
    all += "};\n\nstatic const double @_weight[@_KEPT][@_MACHINES] = {\n";
    for k in 0..columns.len() {
        all += &format!("    {{{}}},\n", numbers(by_machine.iter().map(|w| w[k])));
    }
    all += "};\n\n";
    let intercepts = numbers(view.machines.iter().map(|machine| machine.intercept));
    all += &format!("static const double @_intercept[@_MACHINES] = {{{intercepts}}};\n");
    if let Some(sigmoids) = view.sigmoids() {
        let pairs: Vec<String> =
            sigmoids.iter().map(|s| format!("{{{}}}", numbers([s.a, s.c].into_iter()))).collect();
        all += &format!("\nstatic const double @_sigmoid[@_MACHINES][2] = {{{}}};\n", pairs.join(", "));
    }
    all + "\n"
}

/// The shortest decimals that are read back to the last bit.
fn numbers(values: impl Iterator<Item = f64>) -> String {
    values.map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ")
}
