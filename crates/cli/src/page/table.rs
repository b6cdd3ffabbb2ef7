//! The features as a table: every line is in the page, so that it can be searched and printed without a script.
//! End tags that HTML does not need are left out: a table may have thousands of lines.

use super::markup::escaped;
use super::run::{Feature, Features};

/// A column: its heading, what it means, and its cells.
struct Column {
    class: &'static str,
    name: String,
    about: String,
    cells: Vec<String>,
}

/// The whole table.
pub(super) fn table(features: &Features) -> String {
    let columns = columns(features);
    // What is told about it stands above: a caption would scroll away with the table.
    let mut text = String::from("<table id=\"features\" aria-describedby=\"features-told\">\n");
    text += "<caption><span class=\"sr\">Features</span></caption>\n<thead><tr>";
    for Column { class, name, about, .. } in &columns {
        let (name, about) = (escaped(name), escaped(about));
        text += &format!("<th scope=\"col\" class=\"{class}\" title=\"{about}\">{name}</th>");
    }
    text += "</tr></thead>\n<tbody>\n";
    for (k, feature) in features.rows.iter().enumerate() {
        text += &format!("<tr data-f={}>", feature.index);
        for Column { cells, .. } in &columns {
            text += &format!("<td>{}", cells.get(k).map(String::as_str).unwrap_or_default());
        }
        text.push('\n');
    }
    text + "</tbody>\n</table>\n"
}

/// Those that some line has something for.
fn columns(features: &Features) -> Vec<Column> {
    let rows = &features.rows;
    let mut columns = Vec::new();
    let mut add = |class, name: &str, about: &str, cells: Vec<String>| {
        if cells.iter().any(|cell| !cell.is_empty()) {
            columns.push(Column { class, name: name.into(), about: about.into(), cells });
        }
    };
    let name = |row: &Feature| match &row.name {
        Some(name) => escaped(name),
        None => row.index.to_string(),
    };
    let named = rows.iter().any(|row| row.name.is_some());
    add(
        if named { "t" } else { "n" },
        "feature",
        "Its name, or its number in the data, from 1",
        each(rows, name),
    );
    let scaled = features.scaled.as_deref().unwrap_or("scaled");
    let (about, raw) = match features.scaled {
        Some(_) => ("The weight in the units of the raw data", "per raw unit"),
        None => ("What the model multiplies the feature with", "weight"),
    };
    add(
        "",
        scaled,
        "The weight on scaled columns, where weights can be compared",
        aligned(rows, |row| row.scaled),
    );
    add("", raw, about, aligned(rows, |row| row.weight));
    let percent = |x: Option<f64>| x.map(|x| format!("{:.0} %", 100.0 * x)).unwrap_or_default();
    let fits = features.fits.as_str();
    add("f", fits, "The share of fits that keep the feature", each(rows, |row| percent(row.frequency)));
    let sign = |row: &Feature| {
        row.sign.map(|s| ["−", "±", "+"][(s.signum() + 1) as usize].into()).unwrap_or_default()
    };
    add("", "sign", "The more frequent sign", each(rows, sign));
    let steady = "Of the fits that keep it, the share with the more frequent sign";
    add("", "same sign", steady, each(rows, |row| percent(row.sign_stability)));
    add("", "enters at λ", "The largest λ at which the path keeps it", aligned(rows, |row| row.enters));
    let stable = |row: &Feature| if row.stable == Some(true) { "yes".into() } else { String::new() };
    add("", "stable", "Selected on so many halves that chance is unlikely", each(rows, stable));
    columns
}

fn each(rows: &[Feature], cell: impl Fn(&Feature) -> String) -> Vec<String> {
    rows.iter().map(cell).collect()
}

/// Numbers below each other, with a real minus: five digits of the largest, and powers of ten for what is too small
/// for that. A weight of 0 is a dash, and what is not there is nothing.
fn aligned(rows: &[Feature], of: impl Fn(&Feature) -> Option<f64>) -> Vec<String> {
    let largest =
        rows.iter().filter_map(&of).filter(|x| x.is_finite()).fold(0.0f64, |most, x| most.max(x.abs()));
    let size = if largest > 0.0 { largest.log10().floor() } else { 0.0 };
    let decimals = (4.0 - size).clamp(0.0, 9.0) as usize;
    let least = 10f64.powi(1 - decimals as i32);
    let shown = |x: f64| match x {
        0.0 => "–".into(),
        x if x.abs() < least || x.abs() >= 1e7 => format!("{x:.1e}").replace('-', "−"),
        x => format!("{x:.decimals$}").replace('-', "−"),
    };
    each(rows, |row| of(row).map(shown).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_line_up() {
        let row = |weight| Feature { weight, ..Feature::default() };
        let rows = [Some(-12.5), Some(0.25), Some(0.0), Some(1e-5), None].map(row);
        assert_eq!(aligned(&rows, |row| row.weight), ["−12.500", "0.250", "–", "1.0e−5", ""]);
    }
}
