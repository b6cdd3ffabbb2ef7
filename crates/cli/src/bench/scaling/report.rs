//! What was claimed and what was measured, as tables and pictures.

use std::fmt::Write;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use sparsvm_core::linsys::Linsys;

use super::power::exponent;
use super::sweep::cost;
use crate::bench::page::escaped;
use crate::output::Table;
use crate::plot::{Axis, Chart, Panel, Series};
use crate::words;

/// What is measured.
pub(in crate::bench) const ABOUT: &str = "FEADMM on dense generated data: CPU seconds as one size grows and \
                                          the other stays, the shortest of three runs, with the exponent k \
                                          of seconds = c·sizeᵏ fitted to all sizes. The paper claims O(dn²) \
                                          for pre-computation if d > n and O(d²n) otherwise, O(dn) for an \
                                          iteration, and that the n × n update gains (d/n)² on the d × d one.";

/// What a curve belongs to, by panel.
const PANELS: [(&str, &str, &str); 4] = [
    ("pre-computation", "growth of the size", "seconds"),
    ("one iteration", "growth of the size", "seconds"),
    ("d × d against n × n, n = 100", "d", "seconds of pre-computation"),
    ("what the n × n update gains", "d/n", "times as fast"),
];

/// A curve, its claimed exponent and the fitted one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::bench) struct Curve {
    panel: usize,
    name: String,
    claimed: f64,
    fitted: f64,
    /// Size and seconds (or their ratio).
    points: Vec<(f64, f64)>,
}

/// All curves.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::bench) struct Scaling {
    threads: u16,
    curves: Vec<Curve>,
}

impl Scaling {
    pub(super) fn measure(quick: bool, threads: u16, tell: &mut dyn FnMut(&str)) -> Result<Self> {
        // Sizes are large enough for the leading term, and small enough for a coffee break.
        let (long, short, fixed): (usize, &[usize], usize) =
            if quick { (2_000, &[50, 100, 200], 100) } else { (20_000, &[200, 400, 800, 1_600], 400) };
        let longs: Vec<usize> =
            short.iter().rev().map(|s| 2 * long * s / short[short.len() - 1]).rev().collect();
        let mut curves = Vec::new();
        let sweeps: [(String, f64, &[usize], Shape<'_>); 4] = [
            (format!("n grows, d = {long}"), 2.0, short, &|s| (s, long)),
            (format!("d grows, n = {fixed}"), 1.0, &longs, &|s| (fixed, s)),
            (format!("d grows, n = {long}"), 2.0, short, &|s| (long, s)),
            (format!("n grows, d = {fixed}"), 1.0, &longs, &|s| (s, fixed)),
        ];
        for (name, claimed, sizes, shape) in sweeps {
            let (mut setup, mut iteration) = (Vec::new(), Vec::new());
            for &size in sizes {
                let (n, d) = shape(size);
                tell(&format!("measuring n = {n}, d = {d}"));
                let cost = cost(n, d, Linsys::Auto)?;
                setup.push((size as f64, cost.setup));
                iteration.push((size as f64, cost.iteration));
            }
            curves.push(Curve::new(0, &name, claimed, setup));
            curves.push(Curve::new(1, &name, 1.0, iteration));
        }
        let n = 100;
        let most = if quick { 4 } else { 6 };
        let (mut naive, mut reformulated, mut gain) = (Vec::new(), Vec::new(), Vec::new());
        for d in (1..=most).map(|k| n << k) {
            tell(&format!("measuring the d × d and the n × n update, n = {n}, d = {d}"));
            let (wide, narrow) = (cost(n, d, Linsys::Cholesky)?, cost(n, d, Linsys::Woodbury)?);
            naive.push((d as f64, wide.setup));
            reformulated.push((d as f64, narrow.setup));
            gain.push((d as f64 / n as f64, wide.setup / narrow.setup));
        }
        curves.push(Curve::new(2, "d × d", 3.0, naive));
        curves.push(Curve::new(2, "n × n", 1.0, reformulated));
        curves.push(Curve::new(3, "gain", 2.0, gain));
        curves.sort_by_key(|curve| curve.panel);
        Ok(Self { threads, curves })
    }

    pub(super) fn terminal(&self) -> String {
        let mut table = Table::new(&["", "claimed", "fitted", "from", "to"]);
        for curve in &self.curves {
            let ends = [curve.points.first(), curve.points.last()].map(|point| {
                point.map_or_else(String::new, |(x, y)| {
                    format!("{} at {}", words::digits(*y, 3), words::number(*x))
                })
            });
            let mut row = vec![curve.title(), words::number(curve.claimed), format!("{:.2}", curve.fitted)];
            row.extend(ends);
            table.add(row);
        }
        format!("Exponents; {}\n\n{}", words::count(self.threads.into(), "thread"), table.render())
    }

    pub(super) fn csv(&self) -> String {
        let mut text = String::from("panel,curve,claimed_exponent,fitted_exponent,size,value\r\n");
        for curve in &self.curves {
            for (x, y) in &curve.points {
                let (panel, name) = (PANELS[curve.panel % PANELS.len()].0, &curve.name);
                // Writing to a string cannot fail.
                write!(text, "\"{panel}\",\"{name}\",{:?},{:?},{x:?},{y:?}\r\n", curve.claimed, curve.fitted)
                    .ok();
            }
        }
        text
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = format!(
            "# How the cost grows\n\n{ABOUT}\n\n| | claimed | fitted | size: value |\n|---|---:|---:|---|\n"
        );
        for curve in &self.curves {
            let (title, claimed, fitted, points) = curve.cells();
            text += &format!("| {title} | {claimed} | {fitted} | {points} |\n");
        }
        text
    }

    /// The table for the page.
    pub(in crate::bench) fn html(&self) -> String {
        let mut text = String::from(
            "<div class=\"scroll\"><table>\n<thead><tr><th></th><th>claimed exponent</th><th>fitted</th>\
             <th class=\"text\">size: value</th></tr></thead>\n<tbody>\n",
        );
        for curve in &self.curves {
            let (title, claimed, fitted, points) = curve.cells();
            let (title, points) = (escaped(&title), escaped(&points));
            text += &format!("<tr><th>{title}</th><td>{claimed}</td><td>{fitted}</td>");
            text += &format!("<td class=\"text\">{points}</td></tr>\n");
        }
        text + "</tbody>\n</table></div>\n"
    }

    /// All panels in one picture.
    pub(super) fn chart(&self) -> Chart {
        Chart {
            title: "How the cost grows".into(),
            subtitle: "FEADMM on dense data, CPU seconds; in brackets the exponents, fitted and claimed."
                .into(),
            columns: 2,
            panels: (0..PANELS.len()).map(|k| self.panel(k)).collect(),
        }
    }

    /// Each panel for itself.
    pub(in crate::bench) fn charts(&self) -> Vec<Chart> {
        let single =
            |panel| Chart { title: String::new(), subtitle: String::new(), columns: 1, panels: vec![panel] };
        (0..PANELS.len()).map(|k| single(self.panel(k))).collect()
    }

    fn panel(&self, k: usize) -> Panel {
        let (title, x, y) = PANELS[k];
        let axis = |name: &str| Axis { name: name.into(), logarithmic: true, bounds: (0.0, f64::MAX) };
        let own = self.curves.iter().filter(|curve| curve.panel == k);
        // Sizes that begin at different places are compared by how often they have doubled.
        let unit = |curve: &Curve| if k < 2 { curve.points.first().map_or(1.0, |(x, _)| *x) } else { 1.0 };
        let series = own.enumerate().map(|(style, curve)| Series {
            name: format!("{} ({:.2}; {})", curve.name, curve.fitted, curve.claimed),
            style,
            points: curve.points.iter().map(|(x, y)| (x / unit(curve), *y)).collect(),
            joined: true,
            marked: true,
        });
        Panel {
            title: title.into(),
            x: axis(x),
            y: axis(y),
            series: series.collect(),
            otherwise: String::new(),
            named_inside: true,
        }
    }
}

/// n and d for a size.
type Shape<'a> = &'a dyn Fn(usize) -> (usize, usize);

impl Curve {
    fn new(panel: usize, name: &str, claimed: f64, points: Vec<(f64, f64)>) -> Self {
        Self { panel, name: name.into(), claimed, fitted: exponent(&points), points }
    }

    fn title(&self) -> String {
        format!("{}: {}", PANELS[self.panel % PANELS.len()].0, self.name)
    }

    fn cells(&self) -> (String, String, String, String) {
        let point = |(x, y): &(f64, f64)| format!("{}: {}", words::number(*x), words::digits(*y, 3));
        let points = self.points.iter().map(point).collect::<Vec<_>>().join(", ");
        (self.title(), words::number(self.claimed), format!("{:.2}", self.fitted), points)
    }
}
