//! One HTML page that needs nothing but itself: tables, pictures and notes of what is in the folder.

use anyhow::Result;

use super::figure;
use super::folder::Folder;
use super::report::{Group, Report, set_title};
use super::row::{MEASURED, PUBLISHED, Words, notes};
use super::scaling::{self, Scaling};
use super::set::Title;
use crate::plot::{self, Chart, Format};

const STYLE: &str = include_str!("page.css");

/// Colours of pictures, and what the page's style calls them, so that they follow light and dark.
const COLOURS: [(&str, &str); 10] = [
    ("#FFFFFF", "var(--paper)"),
    ("#222222", "var(--ink)"),
    ("#666666", "var(--faint)"),
    ("#999999", "var(--frame)"),
    ("#E8E8E8", "var(--grid)"),
    ("#0072B2", "var(--blue)"),
    ("#D55E00", "var(--orange)"),
    ("#009E73", "var(--green)"),
    ("#CC79A7", "var(--pink)"),
    ("#332288", "var(--indigo)"),
];

/// Writes index.html of what `bench paper` and `bench scaling` left in the folder.
pub(super) fn write(folder: &Folder) -> Result<()> {
    let paper: Option<Report> = folder.read_json("paper.json");
    let scaling: Option<Scaling> = folder.read_json("scaling.json");
    folder.write("index.html", page(paper.as_ref(), scaling.as_ref())?.as_bytes())
}

fn page(paper: Option<&Report>, scaling: Option<&Scaling>) -> Result<String> {
    let mut body = String::from("<h1>Nonconvex penalized SVMs: the experiment, repeated</h1>\n");
    body += "<p>FEADMM, its comparators and sparsvm's exact solver on the same data, with the published \
             figures beside. Made by <code>sparsvm bench</code>.</p>\n";
    if let Some(report) = paper {
        for set in &report.sets {
            body += &format!("<section>\n<h2>{}</h2>\n", escaped(&set_title(set)));
            let groups: Vec<Group<'_>> = super::cell::PENALTIES.map(|p| report.group(set, p)).into();
            if let Some(group) = groups.iter().find(|group| group.shape.is_some()) {
                body += &format!("<p>{}</p>\n", escaped(&group.size()));
            }
            body += "<div class=\"panels\">\n";
            for group in &groups {
                body += &inline(
                    &figure::single(group),
                    &format!("Accuracy against CPU seconds: {}", group.title()),
                )?;
            }
            body += "</div>\n";
            for group in &groups {
                body += &table(group);
            }
            body += "</section>\n";
        }
        body += "<section>\n<h2>Notes</h2>\n<ul>\n";
        notes(report).iter().for_each(|note| body += &format!("<li>{}</li>\n", escaped(note)));
        body += "</ul>\n</section>\n";
    }
    if let Some(scaling) = scaling {
        body += &format!("<section>\n<h2>How the cost grows</h2>\n<p>{}</p>\n", escaped(scaling::ABOUT));
        body += "<div class=\"panels\">\n";
        for chart in scaling.charts() {
            body += &inline(&chart, "Seconds against size")?;
        }
        body += "</div>\n";
        body += &scaling.html();
        body += "</section>\n";
    }
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>sparsvm bench</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    ))
}

fn table(group: &Group<'_>) -> String {
    let has_published = group.rows.iter().any(|row| row.published.is_some());
    let shown = if has_published { PUBLISHED.len() } else { 0 };
    let mut text =
        format!("<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead>\n", escaped(&group.title()));
    if has_published {
        text += &format!(
            "<tr><th></th><th class=\"group\" colspan=\"{}\">measured</th>\
             <th class=\"group published\" colspan=\"{shown}\">{}</th><th></th></tr>\n",
            MEASURED.len(),
            published_for(group.set),
        );
    }
    text += "<tr><th>method</th>";
    // A unit stays with its word.
    let unbroken = |name: &str| name.replace(" s", "&nbsp;s").replace(" %", "&nbsp;%");
    MEASURED.iter().for_each(|name| text += &format!("<th>{}</th>", unbroken(name)));
    for (k, name) in PUBLISHED.iter().take(shown).enumerate() {
        let class = if k == 0 { " class=\"published\"" } else { "" };
        text += &format!("<th{class}>{}</th>", unbroken(name));
    }
    text += "<th class=\"text\">parameters</th></tr>\n</thead>\n<tbody>\n";
    let mut remarks = String::new();
    for words in group.rows.iter().map(Words::new) {
        text += &format!("<tr><th>{}</th>", words.method);
        words.measured.iter().for_each(|figure| text += &format!("<td>{}</td>", escaped(figure)));
        for (k, figure) in words.published.iter().take(shown).enumerate() {
            let class = if k == 0 { " class=\"published\"" } else { "" };
            text += &format!("<td{class}>{}</td>", escaped(figure));
        }
        text += &format!("<td class=\"text\">{}</td></tr>\n", escaped(&words.parameters));
        if let Some(remark) = words.remark {
            remarks += &format!("<p class=\"remark\">{}: {}.</p>\n", words.method, escaped(&remark));
        }
    }
    text + "</tbody>\n</table></div>\n" + &remarks
}

/// Whose figures are shown.
fn published_for(set: &Title) -> String {
    match &set.published {
        Some(other) if set.stand_in => format!("published for {}", escaped(other)),
        _ => "published".into(),
    }
}

/// A picture as a part of the page, in the page's colours.
fn inline(chart: &Chart, title: &str) -> Result<String> {
    let mut svg = String::from_utf8(plot::draw(chart, Format::Svg)?)?;
    for (colour, name) in COLOURS {
        svg = svg.replace(&format!("\"{colour}\""), &format!("\"{name}\""));
    }
    let labelled = format!("<svg role=\"img\" aria-label=\"{}\" ", escaped(title));
    Ok(format!("<figure>{}</figure>\n", svg.replacen("<svg ", &labelled, 1)))
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
