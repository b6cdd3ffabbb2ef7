//! The tables for a terminal, as Markdown and as CSV.

use std::fmt::Write;

use super::report::{Group, Report, Row};
use super::row::{MEASURED, PUBLISHED, Words, notes};
use crate::output::Table;

/// A table for each data set and penalty, as narrow as it can be.
pub(super) fn terminal(report: &Report) -> String {
    let mut text = String::new();
    for group in report.groups() {
        text += &format!("{}: {}\n", group.title(), group.size());
        let has_published = group.rows.iter().any(|row| row.published.is_some());
        let mut heading = vec![
            "method",
            "iter",
            "pre s",
            "iter s",
            "run s",
            "acc %",
            "F",
            "F exact",
            "features",
            "gap",
            "violation",
        ];
        if has_published {
            heading.extend(["| paper: iter", "run s", "acc %"]);
        }
        let mut table = Table::new(&heading);
        let mut remarks = String::new();
        for words in group.rows.iter().map(Words::new) {
            let mut row = vec![words.method.to_owned()];
            row.extend(words.measured);
            if has_published {
                let [iterations, _, _, running, accuracy] = words.published;
                row.extend([format!("| {iterations:>11}"), running, accuracy]);
            }
            table.add(row);
            if let Some(remark) = words.remark {
                remarks += &format!("  {}: {remark}\n", words.method);
            }
        }
        text += &format!("{}{remarks}\n", table.render());
    }
    for note in notes(report) {
        text += &wrapped(&note, 110);
    }
    text
}

/// Lines of so many letters at most.
fn wrapped(note: &str, width: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for word in note.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            text.push('\n');
            used = 0;
        }
        if used > 0 {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += length;
    }
    text + "\n"
}

pub(super) fn markdown(report: &Report) -> String {
    let mut text = String::from("# The paper's experiment\n\n");
    for group in report.groups() {
        text += &format!("## {}\n\n{}\n\n", group.title(), group.size());
        text += &markdown_table(&group);
        text.push('\n');
    }
    text += "## Notes\n\n";
    notes(report).iter().for_each(|note| text += &format!("- {note}\n"));
    text
}

fn markdown_table(group: &Group<'_>) -> String {
    let published = PUBLISHED.map(|name| format!("published {name}"));
    let mut text =
        format!("| method | {} | {} | parameters |\n", MEASURED.join(" | "), published.join(" | "));
    text += &format!("|---|{}---|\n", "---:|".repeat(MEASURED.len() + PUBLISHED.len()));
    let mut remarks = String::new();
    for words in group.rows.iter().map(Words::new) {
        let cells = [&words.measured[..], &words.published[..]].concat().join(" | ");
        text += &format!("| {} | {cells} | {} |\n", words.method, words.parameters);
        if let Some(remark) = words.remark {
            remarks += &format!("- {}: {}\n", words.method, remark.replace('|', "\\|"));
        }
    }
    if remarks.is_empty() { text } else { format!("{text}\n{remarks}") }
}

const CSV_HEADING: &str = "dataset,stands_for,penalty,method,loss,training_rows,test_rows,features,outcome,\
                           lambda,rho1,rho2,iterations,setup_seconds,iteration_seconds,running_seconds,\
                           accuracy,objective,exact_objective,nonzeros,gap,violation,choice_seconds,choice_rows,\
                           published_iterations,published_setup_seconds,published_iteration_seconds,\
                           published_running_seconds,published_accuracy_percent,remark\r\n";

/// As RFC 4180 has it; numbers are written so that they are read back to the last bit.
pub(super) fn csv(report: &Report) -> String {
    let mut text = String::from(CSV_HEADING);
    for group in report.groups() {
        for row in &group.rows {
            let fields: Vec<String> = csv_fields(&group, row).iter().map(|field| quoted(field)).collect();
            text += &fields.join(",");
            text += "\r\n";
        }
    }
    text
}

fn csv_fields(group: &Group<'_>, row: &Row<'_>) -> Vec<String> {
    let words = Words::new(row);
    let exact = |x: f64| {
        let mut text = String::new();
        // Writing to a string cannot fail.
        write!(text, "{x:?}").ok();
        text
    };
    let stands_for = group.set.published.clone().filter(|_| group.set.stand_in).unwrap_or_default();
    let size = group.shape.map_or_else(Default::default, |shape| {
        [shape.train, shape.test, shape.features].map(|count| count.to_string())
    });
    let mut fields = vec![
        group.set.name.clone(),
        stands_for,
        group.penalty.to_string(),
        row.method.name().into(),
        row.method.loss().to_string(),
    ];
    fields.extend(size);
    match row.record.and_then(|record| record.measured()) {
        None => {
            fields.push(words.measured[0].clone());
            fields.extend(vec![String::new(); 15]);
        }
        Some(measured) => {
            let rho = measured.chosen.rho;
            fields.push(measured.status.name().into());
            fields.push(exact(measured.chosen.lambda));
            fields.extend(
                [rho.map(|rho| rho.0), rho.map(|rho| rho.1)].map(|rho| rho.map_or(String::new(), exact)),
            );
            fields.push(measured.iterations.to_string());
            let seconds = [measured.setup_seconds, measured.iteration_seconds, measured.running_seconds()];
            fields.extend(seconds.map(exact));
            fields.extend([measured.accuracy, measured.objective].map(exact));
            fields.push(row.reference.map_or(String::new(), exact));
            fields.push(measured.features.to_string());
            fields.extend([measured.gap, measured.violation, measured.choice.seconds].map(exact));
            fields.push(measured.choice.rows.to_string());
        }
    }
    fields.extend(words.published);
    fields.push(words.remark.unwrap_or_default());
    fields
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_lines_wrapped() {
        assert_eq!(quoted("a"), "a");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(wrapped("aaa bb cc", 6), "aaa bb\ncc\n");
    }
}
