//! Accuracy against CPU seconds, a panel for each data set and penalty.

use anyhow::Result;

use super::folder::Folder;
use super::report::{Group, Report};
use crate::plot::{self, Axis, Chart, Format, Panel, Series};

/// All panels, penalties side by side as in the paper.
pub(super) fn accuracy(report: &Report) -> Chart {
    Chart {
        title: "Accuracy on test rows against CPU seconds".into(),
        subtitle:
            "Each curve is one fit with parameters that were chosen before; it ends where the method does."
                .into(),
        columns: 2,
        panels: report.groups().map(|group| panel(&group)).collect(),
    }
}

/// One of them, without a heading of its own.
pub(super) fn single(group: &Group<'_>) -> Chart {
    Chart { title: String::new(), subtitle: String::new(), columns: 1, panels: vec![panel(group)] }
}

fn panel(group: &Group<'_>) -> Panel {
    let curve = |row: &super::report::Row<'_>| {
        let measured = row.record?.measured()?;
        let points = measured.curve.iter().map(|(seconds, share)| (*seconds, 100.0 * share)).collect();
        Some(Series {
            name: row.method.name().into(),
            style: row.method.rank(),
            points,
            joined: true,
            marked: false,
        })
    };
    Panel {
        title: group.title(),
        x: Axis { name: "CPU seconds (log scale)".into(), logarithmic: true, bounds: (1e-7, f64::MAX) },
        y: Axis { name: "accuracy in %".into(), logarithmic: false, bounds: (0.0, 100.5) },
        series: group.rows.iter().filter_map(curve).collect(),
        otherwise: "no method had an answer".into(),
        named_inside: false,
    }
}

/// NAME.svg and NAME.png.
pub(super) fn write(folder: &Folder, name: &str, chart: &Chart) -> Result<()> {
    folder.write(&format!("{name}.svg"), &plot::draw(chart, Format::Svg)?)?;
    folder.write(&format!("{name}.png"), &plot::draw(chart, Format::Png)?)
}
