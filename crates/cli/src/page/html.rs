//! The page itself: sections one after the other, each only if there is something to tell.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::Serialize;

use super::markup::{escaped, json};
use super::run::{Curves, Features, HeldOut, Lines, Odd, Run};
use super::table::table;
use super::{counted, thousands};
use crate::words;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What the script draws.
#[derive(Serialize)]
struct Drawn<'a> {
    curves: Option<&'a Curves>,
    path: Option<&'a Lines>,
    held: Option<&'a HeldOut>,
}

/// The whole file.
pub(super) fn page(run: &Run) -> Result<String> {
    let name = run.data.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let title = escaped(if name.is_empty() { "sparsvm" } else { name });
    let mut body = headline(run, &title);
    body += &run.curves.as_ref().map(curves).unwrap_or_default();
    body += &run.path.as_ref().map(path).unwrap_or_default();
    body += &run.features.as_ref().map(features).unwrap_or_default();
    body += &run.held_out.as_ref().map(held_out).unwrap_or_default();
    body += &certificate(run);
    body += &data(run);
    body += &settings(run);
    let path = run.path.as_ref().map(|path| without_names_in(path, run.features.as_ref()));
    let drawn = Drawn { curves: run.curves.as_ref(), path: path.as_ref(), held: run.held_out.as_ref() };
    let drawn = json(&drawn)?;
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"{}\">\n<title>{title}: sparsvm report</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <script type=\"application/json\" id=\"drawn\">{drawn}</script>\n<script>\n{}</script>\n\
         </body>\n</html>\n",
        escaped(&run.program),
        lean(STYLE),
        lean(SCRIPT)
    ))
}

/// Names that stand in the table are not told twice: the script finds them there.
fn without_names_in(path: &Lines, features: Option<&Features>) -> Lines {
    let mut path = path.clone();
    let told: BTreeSet<u32> = features.iter().flat_map(|f| &f.rows).map(|row| row.index).collect();
    if let Some(names) = &mut path.names {
        let known = names.iter_mut().zip(&path.feature).filter(|(_, feature)| told.contains(feature));
        known.for_each(|(name, _)| name.clear());
    }
    path
}

/// Without indentation and lines that are comments, which readers of the source need and pages do not.
fn lean(source: &str) -> String {
    let lines = source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.fold(String::with_capacity(source.len()), |text, line| text + line + "\n")
}

/// Text in which numbers and their percent signs stay together.
fn unbroken(text: &str) -> String {
    escaped(text).replace(" %", "&nbsp;%")
}

fn section(id: &str, title: &str, content: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n{content}</section>\n"
    )
}

/// A place for a chart, with its explanation.
fn figure(id: &str, label: &str, told: &str) -> String {
    format!(
        "<figure>\n<div class=\"chart\" id=\"{id}\" data-label=\"{}\"><noscript>This chart is drawn by the page's \
         script, which is switched off.</noscript></div>\n<figcaption>{}</figcaption>\n</figure>\n",
        escaped(label),
        escaped(told)
    )
}

fn headline(run: &Run, title: &str) -> String {
    let (rows, columns) = (counted(run.data.rows, "row"), counted(run.data.columns, "feature"));
    let mut text = format!(
        "<header>\n<p class=\"kicker\">sparsvm report</p>\n<h1>{title}</h1>\n<p>{rows}, {columns}</p>\n"
    );
    text += "</header>\n<dl class=\"headline\">\n";
    for figure in &run.headline {
        text += &format!(
            "<div><dt>{}</dt><dd class=\"value\">{}</dd><dd class=\"note\">{}</dd></div>\n",
            escaped(&figure.label),
            unbroken(&figure.value),
            unbroken(&figure.note)
        );
    }
    text += "</dl>\n";
    if !run.failures.is_empty() {
        text += "<div class=\"warning\" role=\"note\"><p>Some fits failed, and are left out:</p>\n<ul>\n";
        run.failures.iter().for_each(|why| text += &format!("<li>{}</li>\n", escaped(why)));
        text += "</ul></div>\n";
    }
    text
}

fn curves(curves: &Curves) -> String {
    let label = format!("{} against λ", curves.measure);
    section("score", "Score against λ", &figure("score-chart", &label, &curves.told))
}

fn path(lines: &Lines) -> String {
    let mut told = lines.told.clone();
    if lines.left_out > 0 {
        told += &format!(" {} more with smaller coefficients are not drawn.", thousands(lines.left_out));
    }
    let hint = "<p class=\"hint\">Point at a line to name it, click to pin it; from the keyboard, arrows move along \
                λ and from line to line, Enter pins.</p>\n<ul class=\"pins\" id=\"pins\" \
                aria-label=\"Pinned features\"></ul>\n<p class=\"sr\" id=\"said\" role=\"status\"></p>\n";
    section("path", "The coefficient path", &(figure("path-chart", "Coefficients against λ", &told) + hint))
}

fn features(features: &Features) -> String {
    if features.rows.is_empty() {
        return section("selected", "Features", "<p>No feature is kept.</p>\n");
    }
    let content = format!(
        "<p class=\"told\" id=\"features-told\">{}</p>\n<div class=\"tools\"><label for=\"search\">Search</label><input id=\"search\" type=\"search\" \
         autocomplete=\"off\" placeholder=\"name or number\"><span id=\"shown\" role=\"status\"></span></div>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of features\">\n{}</div>\n\
         <p class=\"print-note\">Printed are the first 200 lines at most.</p>\n",
        escaped(&features.told),
        table(features)
    );
    section("selected", "Features", &content)
}

fn held_out(held: &HeldOut) -> String {
    let [negative, positive] = held.classes.each_ref().map(|class| escaped(class));
    let [[tn, fp], [fn_, tp]] = held.confusion;
    let rows: usize = held.confusion.iter().flatten().sum();
    let percent = |part: usize, of: usize| match of {
        0 => "–".into(),
        of => words::percent(part as f64 / of as f64),
    };
    let row = |class: &str, cells: [usize; 2], right: usize| {
        let all: usize = cells.iter().sum();
        let mut text = format!("<tr><th scope=\"row\">{class}</th>");
        for (k, cell) in cells.iter().enumerate() {
            let mark = if k == right { "right" } else { "wrong" };
            text += &format!("<td class=\"{mark}\">{}</td>", thousands(*cell));
        }
        format!("{text}<td>{}</td></tr>\n", unbroken(&percent(cells[right], all)))
    };
    let table = format!(
        "<table class=\"confusion\">\n<caption>Confusion matrix: {} of {} rows are right ({})</caption>\n<thead>\
         <tr><th scope=\"col\">true class</th><th scope=\"col\">predicted {negative}</th>\
         <th scope=\"col\">predicted {positive}</th><th scope=\"col\">right</th></tr></thead>\n<tbody>\n{}{}\
         </tbody>\n</table>\n",
        thousands(tn + tp),
        thousands(rows),
        unbroken(&percent(tn + tp, rows)),
        row(&negative, [tn, fp], 0),
        row(&positive, [fn_, tp], 1)
    );
    let area = |name: &str, x: Option<f64>| {
        x.map(|x| format!("{name}: {}", words::digits(x, 4))).unwrap_or_default()
    };
    let charts = format!(
        "<div class=\"pair\">\n{}{}</div>\n",
        figure("roc-chart", "ROC curve", &area("ROC; area under the curve", held.auc)),
        figure(
            "pr-chart",
            "Precision against recall",
            &area("Precision-recall; average precision", held.average_precision)
        )
    );
    section("held-out", "Held-out rows", &format!("<p>{}</p>\n{table}{charts}", escaped(&held.told)))
}

fn certificate(run: &Run) -> String {
    if run.certificate.is_empty() {
        return String::new();
    }
    let told: String = run.certificate.iter().map(|text| format!("<p>{}</p>\n", escaped(text))).collect();
    section("certificate", "How good the solution is", &told)
}

fn data(run: &Run) -> String {
    let data = &run.data;
    let cells = data.rows as f64 * data.columns as f64;
    let odd = |odd: &Odd| match odd.count {
        0 => "none".into(),
        count => {
            let more = if count > odd.first.len() { ", …" } else { "" };
            format!("{}: {}{more}", thousands(count), odd.first.join(", "))
        }
    };
    let mut list = vec![
        ("file", data.name.clone()),
        ("rows", thousands(data.rows)),
        ("features", thousands(data.columns)),
        (
            "entries that are not 0",
            format!("{} ({})", thousands(data.entries), words::percent(data.entries as f64 / cells.max(1.0))),
        ),
    ];
    let rows = |(class, count): &(String, usize)| format!("{class}: {}", words::count(*count, "row"));
    let more = if data.classes.len() > 10 { ", …" } else { "" };
    let classes: Vec<String> = data.classes.iter().take(10).map(rows).collect();
    list.push(("labels", classes.join(", ") + more));
    list.push(("missing values", "none: files with such are refused".into()));
    list.push(("empty columns", odd(&data.empty)));
    list.push(("constant columns", odd(&data.constant)));
    list.push(("columns equal to an earlier one", odd(&data.duplicate)));
    section("data", "The data", &facts(list.iter().map(|(name, value)| (*name, value.as_str()))))
}

fn settings(run: &Run) -> String {
    let list = run.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let program = [("made by", run.program.as_str())];
    let command = format!(
        "<h3>To make it again</h3>\n<pre tabindex=\"0\" aria-label=\"Command\"><code>{}</code></pre>\n",
        escaped(&run.command)
    );
    section("settings", "Settings", &(facts(list.chain(program)) + &command))
}

fn facts<'a>(list: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let lines = list.map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value)));
    format!("<dl class=\"facts\">\n{}</dl>\n", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::run::{Feature, Figure, Odd, Summary};
    use super::*;

    fn empty() -> Run {
        Run::new(Summary {
            name: "folder/x".into(),
            rows: 3,
            columns: 2,
            entries: 5,
            classes: vec![("-1".into(), 1), ("1".into(), 2)],
            empty: Odd::default(),
            constant: Odd::default(),
            duplicate: Odd::default(),
        })
    }

    #[test]
    fn the_script_is_little() {
        let script = lean(SCRIPT);
        assert!(script.len() < 20_000, "{} bytes", script.len());
        assert!(!script.contains("</script") && !STYLE.contains("</style"));
    }

    #[test]
    fn what_there_is_nothing_about_is_left_out() {
        let page = page(&empty()).unwrap();
        for part in
            ["id=\"score\"", "id=\"path\"", "id=\"selected\"", "id=\"held-out\"", "id=\"certificate\""]
        {
            assert!(!page.contains(part), "{part}");
        }
        assert!(page.contains("id=\"data\"") && page.contains("id=\"settings\""));
    }

    #[test]
    fn five_thousand_features_at_a_hundred_lambdas_are_less_than_a_megabyte() {
        // Every feature is kept from the second λ on, and every one is a line of the table.
        let lambda: Vec<f64> = (0..100).map(|k| 0.95f64.powi(k)).collect();
        let weight = |j: usize, k: usize| {
            let (size, speed) = (1.0 / (1.0 + j as f64 / 50.0), 1.0 + (j % 7) as f64);
            size * ((k as f64 / 99.0 * speed).sin() + 0.01 * ((j * 31 + k * 17) % 11) as f64 + 0.001)
        };
        let points: Vec<Vec<(usize, f64)>> =
            (0..100).map(|k| (0..5000).filter(|_| k > 0).map(|j| (j, weight(j, k))).collect()).collect();
        let points: Vec<&[(usize, f64)]> = points.iter().map(Vec::as_slice).collect();
        let mut run = empty();
        run.path = Some(lines(lambda, &points, |j| Some(format!("probe_{j:05}_at"))));
        let row = |j: usize| Feature {
            index: j as u32 + 1,
            name: Some(format!("probe_{j:05}_at")),
            weight: Some(weight(j, 99)),
            frequency: Some(0.8),
            sign_stability: Some(1.0),
            enters: Some(0.9025),
            ..Feature::default()
        };
        let rows = (0..5000).map(row).collect();
        run.features = Some(Features { told: String::new(), fits: "in folds".into(), scaled: None, rows });
        let size = page(&run).unwrap().len();
        assert!(size < 1_000_000, "{size} bytes");
    }

    #[test]
    fn no_text_becomes_markup() {
        let bad = "</script><script>alert(1)</script><img src=x onerror='alert(1)' \"";
        let mut run = empty();
        run.data.name = bad.replace('/', "");
        run.data.classes[0].0 = bad.into();
        run.data.constant = Odd { count: 1, first: vec![bad.into()] };
        run.headline.push(Figure::new(bad, bad, bad));
        run.path = Some(lines(vec![1.0], &[&[(0, 1.0)]], |_| Some(bad.into())));
        let row = Feature { index: 1, name: Some(bad.into()), weight: Some(1.0), ..Feature::default() };
        let rows = vec![row];
        run.features = Some(Features { told: bad.into(), fits: bad.into(), scaled: Some(bad.into()), rows });
        run.held_out = Some(HeldOut {
            told: bad.into(),
            classes: [bad.into(), bad.into()],
            confusion: [[1, 1], [1, 1]],
            auc: None,
            average_precision: None,
            curve: Vec::new(),
        });
        run.certificate = vec![bad.into()];
        run.settings = vec![(bad.into(), bad.into())];
        run.failures = vec![bad.into()];
        (run.command, run.program) = (bad.into(), bad.into());
        let page = page(&run).unwrap();
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<img"));
    }
}
