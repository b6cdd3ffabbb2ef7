//! Lines and letters in units that do not depend on the backend.

use anyhow::{Result, anyhow};
use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE};

/// Colours that are told apart with any eyes: Okabe and Ito's without yellow and black, which are hard to
/// see on white or mean something else, and two of Tol's.
pub(super) const COLOURS: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0x33, 0x22, 0x88),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x88, 0x22, 0x55),
];
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub(super) const FAINT_INK: RGBColor = RGBColor(0x66, 0x66, 0x66);
pub(super) const FRAME: RGBColor = RGBColor(0x99, 0x99, 0x99);
pub(super) const GRID: RGBColor = RGBColor(0xE8, 0xE8, 0xE8);

/// Heights of letters.
pub(super) const TITLE: f64 = 18.0;
pub(super) const BODY: f64 = 13.0;

/// Draws in units of 1/96 inch, whatever the backend's pixels are.
pub(crate) struct Pen<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    /// Pixels of a unit.
    scale: f64,
    /// How much lower text must be placed to stand in the middle, in heights of letters.
    sink: f64,
}

pub(super) type At = (f64, f64);

impl<'a, DB: DrawingBackend> Pen<'a, DB> {
    pub(super) fn new(area: &'a DrawingArea<DB, Shift>, scale: f64, sink: f64) -> Self {
        Self { area, scale, sink }
    }

    /// White paper.
    pub(super) fn clear(&self) -> Result<()> {
        self.area.fill(&WHITE).map_err(|error| anyhow!("cannot draw: {error}"))
    }

    fn pixel(&self, (x, y): At) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    pub(super) fn line(&self, points: &[At], colour: RGBColor, opacity: f64, width: f64) -> Result<()> {
        let points: Vec<(i32, i32)> = points.iter().map(|at| self.pixel(*at)).collect();
        let stroke_width = (width * self.scale).round().max(1.0) as u32;
        let style = ShapeStyle { color: colour.mix(opacity), filled: false, stroke_width };
        self.area.draw(&PathElement::new(points, style)).map_err(|error| anyhow!("cannot draw: {error}"))
    }

    /// A filled shape.
    pub(super) fn fill(&self, corners: &[At], colour: RGBColor) -> Result<()> {
        let corners: Vec<(i32, i32)> = corners.iter().map(|at| self.pixel(*at)).collect();
        self.area
            .draw(&Polygon::new(corners, colour.filled()))
            .map_err(|error| anyhow!("cannot draw: {error}"))
    }

    pub(super) fn style(&self, size: f64, colour: RGBColor) -> TextStyle<'static> {
        ("sans-serif", size * self.scale * 1.2).into_font().color(&colour)
    }

    /// Text whose middle line goes through `at`, to the left, around or to the right of it.
    pub(super) fn text(&self, text: &str, at: At, style: &TextStyle<'_>, side: HPos) -> Result<()> {
        let sink = self.sink * style.font.get_size() / self.scale;
        let at = match style.font.get_transform() {
            FontTransform::Rotate270 => (at.0 + sink, at.1),
            _ => (at.0, at.1 + sink),
        };
        let style = style.pos(Pos::new(side, VPos::Center));
        let drawn = self.area.draw(&Text::new(text.to_owned(), self.pixel(at), style));
        drawn.map_err(|error| anyhow!("cannot draw: {error}"))
    }

    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        let size = self.area.estimate_text_size(text, &self.style(size, INK));
        size.map_or(0.0, |(width, _)| f64::from(width) / self.scale)
    }
}
