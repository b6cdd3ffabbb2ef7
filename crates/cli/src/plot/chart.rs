//! Panels side by side, with one legend for all of them.

use anyhow::Result;
use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::HPos;

use super::image::Drawing;
use super::panel::{Panel, entry};
use super::pen::{BODY, FAINT_INK, INK, Pen, TITLE};

/// Width and height of a panel.
const PANEL: (f64, f64) = (470.0, 300.0);
const MARGIN: f64 = 10.0;
const LEGEND_LINE: f64 = 20.0;

/// Panels in rows.
#[derive(Debug)]
pub(crate) struct Chart {
    /// Left out if empty, as where a page has its own headings.
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) columns: usize,
    pub(crate) panels: Vec<Panel>,
}

impl Chart {
    /// The names of all series with their styles, in the order of the styles.
    fn legend(&self) -> Vec<(usize, &str)> {
        let named_above = self.panels.iter().filter(|panel| !panel.named_inside);
        let series = named_above.flat_map(|panel| &panel.series);
        let mut names: Vec<(usize, &str)> =
            series.map(|series| (series.style, series.name.as_str())).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn head(&self) -> f64 {
        let title = if self.title.is_empty() { 0.0 } else { 56.0 };
        title + if self.legend().is_empty() { 0.0 } else { LEGEND_LINE + 8.0 }
    }
}

impl Drawing for Chart {
    fn size(&self) -> (u32, u32) {
        let columns = self.columns.max(1);
        let rows = self.panels.len().div_ceil(columns).max(1);
        let width = 2.0 * MARGIN + PANEL.0 * columns as f64;
        (width as u32, (self.head() + PANEL.1 * rows as f64 + MARGIN) as u32)
    }

    fn paint<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> Result<()> {
        pen.clear()?;
        let left = MARGIN + 14.0;
        let mut y = 0.0;
        if !self.title.is_empty() {
            pen.text(&self.title, (left, 24.0), &pen.style(TITLE, INK), HPos::Left)?;
            pen.text(&self.subtitle, (left, 46.0), &pen.style(BODY, FAINT_INK), HPos::Left)?;
            y = 56.0;
        }
        let (mut x, middle) = (left, y + 6.0 + LEGEND_LINE / 2.0);
        for (style, name) in self.legend() {
            x = entry(pen, (x, middle), style, name)? + 20.0;
        }
        for (k, panel) in self.panels.iter().enumerate() {
            let columns = self.columns.max(1);
            let place =
                (MARGIN + PANEL.0 * (k % columns) as f64, self.head() + PANEL.1 * (k / columns) as f64);
            panel.paint(pen, (place.0, place.1, PANEL.0, PANEL.1))?;
        }
        Ok(())
    }
}
