//! One frame with axes, a grid and curves in it.

use anyhow::Result;
use plotters::backend::DrawingBackend;
use plotters::style::FontTransform;
use plotters::style::text_anchor::HPos;

use super::axis::{self, Tick};
use super::pen::{At, BODY, COLOURS, FAINT_INK, FRAME, GRID, INK, Pen};

/// Around the frame: for the title, the ticks and the names of the axes.
const ABOVE: f64 = 34.0;
const BELOW: f64 = 48.0;
const RIGHT: f64 = 16.0;
/// Of the range, the room between the curves and the frame.
const ROOM: f64 = 0.05;
/// The height of a line of a legend.
const ENTRY: f64 = 18.0;
/// Half the size of a mark.
const MARK: f64 = 4.0;

/// A direction in which values grow.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) name: String,
    pub(crate) logarithmic: bool,
    /// Values never go past these, though points with some room around them might.
    pub(crate) bounds: (f64, f64),
}

/// A curve, or points.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Which colour and mark.
    pub(crate) style: usize,
    pub(crate) points: Vec<(f64, f64)>,
    /// A line through the points.
    pub(crate) joined: bool,
    /// A mark at every point, instead of the last one only.
    pub(crate) marked: bool,
}

/// Curves in a frame.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    /// Said in the frame if there is no curve.
    pub(crate) otherwise: String,
    /// Names in the frame, at the top left, instead of above all panels.
    pub(crate) named_inside: bool,
}

/// Where a panel is: left, top, width, height.
pub(super) type Place = (f64, f64, f64, f64);

/// An axis with its range, on paper.
struct Scale {
    logarithmic: bool,
    range: (f64, f64),
    /// Where the range begins and ends.
    ends: (f64, f64),
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, ends: (f64, f64)) -> Self {
        let usable = values.filter(|x| x.is_finite() && (!axis.logarithmic || *x > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let logarithmic = axis.logarithmic;
        let range = match (low <= high, logarithmic) {
            (false, _) => (1.0, 10.0),
            (true, true) => {
                // A factor of two at least, or there is no tick to be seen.
                let room = ((high / low).powf(ROOM)).max(1.5 / (high / low).sqrt()).max(1.05);
                (low / room, high * room)
            }
            (true, false) => {
                let room = (ROOM * (high - low)).max(1e-3 * high.abs()).max(1e-9);
                (low - room, high + room)
            }
        };
        let (least, most) = axis.bounds;
        Self { logarithmic, range: (range.0.max(least), range.1.min(most)), ends }
    }

    fn at(&self, value: f64) -> f64 {
        let unit = |x: f64| if self.logarithmic { x.max(self.range.0).ln() } else { x };
        let share = (unit(value) - unit(self.range.0)) / (unit(self.range.1) - unit(self.range.0));
        self.ends.0 + share * (self.ends.1 - self.ends.0)
    }

    fn ticks(&self, count: usize) -> Vec<Tick> {
        match self.logarithmic {
            true => axis::logarithmic(self.range.0, self.range.1),
            false => axis::linear(self.range.0, self.range.1, count),
        }
    }
}

impl Panel {
    pub(super) fn paint<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>, place: Place) -> Result<()> {
        let (x0, y0, width, height) = place;
        let (top, bottom) = (y0 + ABOVE, y0 + height - BELOW);
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        // Names inside have a strip of their own above the curves.
        let names = if self.named_inside { ENTRY * self.series.len() as f64 + 8.0 } else { 0.0 };
        let y = Scale::new(&self.y, points().map(|(_, y)| y), (bottom, top + names));
        let y_ticks = y.ticks(5);
        let widest = y_ticks.iter().map(|(_, text)| pen.width(text, BODY)).fold(0.0, f64::max);
        let (left, right) = (x0 + 38.0 + widest, x0 + width - RIGHT);
        let x = Scale::new(&self.x, points().map(|(x, _)| x), (left, right));

        let text = pen.style(BODY, INK);
        pen.text(&self.title, (left, y0 + 16.0), &pen.style(BODY + 1.0, INK), HPos::Left)?;
        for (value, label) in &y_ticks {
            let at = y.at(*value);
            pen.line(&[(left, at), (right, at)], GRID, 1.0, 1.0)?;
            pen.text(label, (left - 7.0, at), &text, HPos::Right)?;
        }
        let x_ticks = x.ticks(6);
        for (value, _) in &x_ticks {
            pen.line(&[(x.at(*value), top), (x.at(*value), bottom)], GRID, 1.0, 1.0)?;
        }
        let wide = x_ticks.iter().map(|(value, label)| (x.at(*value), pen.width(label, BODY) + 8.0, label));
        for (at, label) in apart(&wide.collect::<Vec<_>>()) {
            pen.text(label, (at, bottom + 14.0), &text, HPos::Center)?;
        }
        let upright = text.transform(FontTransform::Rotate270);
        pen.text(&self.y.name, (x0 + 14.0, (top + bottom) / 2.0), &upright, HPos::Center)?;
        pen.text(&self.x.name, ((left + right) / 2.0, bottom + 34.0), &text, HPos::Center)?;
        let frame = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        pen.line(&frame, FRAME, 1.0, 1.0)?;
        if points().next().is_none() {
            let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
            return pen.text(&self.otherwise, middle, &pen.style(BODY, FAINT_INK), HPos::Center);
        }
        for series in &self.series {
            let shown = series.points.iter().filter(|(a, b)| a.is_finite() && b.is_finite());
            let at: Vec<At> = shown.map(|(a, b)| (x.at(*a), y.at(*b))).collect();
            if series.joined {
                pen.line(&at, colour(series.style), 0.9, 1.7)?;
            }
            let marked = if series.marked { &at[..] } else { &at[at.len().saturating_sub(1)..] };
            marked.iter().try_for_each(|at| mark(pen, *at, series.style))?;
        }
        if self.named_inside {
            for (k, series) in self.series.iter().enumerate() {
                entry(pen, (left + 12.0, top + 4.0 + ENTRY * (k as f64 + 0.5)), series.style, &series.name)?;
            }
        }
        Ok(())
    }
}

/// Of labels with their places and widths, those that do not touch; powers of ten go first.
fn apart<'a>(labels: &[(f64, f64, &'a String)]) -> Vec<(f64, &'a String)> {
    // "0.01", "100", "1e-5".
    let round =
        |text: &str| text.split('e').next().is_some_and(|mantissa| mantissa.trim_matches(['0', '.']) == "1");
    let mut taken: Vec<(f64, f64, &'a String)> = Vec::new();
    for first in [true, false] {
        for &(at, width, text) in labels.iter().filter(|label| round(label.2) == first) {
            if taken.iter().all(|(other, wide, _)| (at - other).abs() >= (width + wide) / 2.0) {
                taken.push((at, width, text));
            }
        }
    }
    taken.into_iter().map(|(at, _, text)| (at, text)).collect()
}

/// A line of a legend; returns where it ends.
pub(super) fn entry<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    (x, y): At,
    style: usize,
    name: &str,
) -> Result<f64> {
    pen.line(&[(x, y), (x + 26.0, y)], colour(style), 0.9, 1.7)?;
    mark(pen, (x + 13.0, y), style)?;
    pen.text(name, (x + 33.0, y), &pen.style(BODY, INK), HPos::Left)?;
    Ok(x + 33.0 + pen.width(name, BODY))
}

fn colour(style: usize) -> plotters::style::RGBColor {
    COLOURS[style % COLOURS.len()]
}

/// Marks differ in shape too, for those who do not see the colours.
fn mark<DB: DrawingBackend>(pen: &Pen<'_, DB>, (x, y): At, style: usize) -> Result<()> {
    let polygon = |corners: usize, turn: f64, size: f64| -> Vec<At> {
        let angle = |k: usize| std::f64::consts::TAU * (k as f64 / corners as f64 + turn);
        (0..corners).map(|k| (x + size * angle(k).cos(), y + size * angle(k).sin())).collect()
    };
    let corners = match style % 5 {
        0 => polygon(16, 0.0, MARK),
        1 => polygon(4, 0.125, 1.25 * MARK),
        2 => polygon(3, 0.75, 1.35 * MARK),
        3 => polygon(4, 0.0, 1.35 * MARK),
        _ => polygon(3, 0.25, 1.35 * MARK),
    };
    pen.fill(&corners, colour(style))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(logarithmic: bool, values: &[f64]) -> Scale {
        let axis = Axis { name: String::new(), logarithmic, bounds: (f64::NEG_INFINITY, 100.0) };
        Scale::new(&axis, values.iter().copied(), (0.0, 1.0))
    }

    #[test]
    fn labels_keep_apart_and_powers_of_ten_stay() {
        let texts = ["2e-5", "1e-5", "0.02", "0.05", "0.1"].map(str::to_owned);
        let labels: Vec<_> =
            texts.iter().enumerate().map(|(k, text)| (20.0 * k as f64, 30.0, text)).collect();
        let kept: Vec<&str> = apart(&labels).into_iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(kept, ["1e-5", "0.1"]);
    }

    #[test]
    fn every_value_has_a_place_inside() {
        let ranges: [&[f64]; 5] =
            [&[1e-5, 1e-5], &[1e-5, 3.0, 80.0], &[50.0, 100.0], &[100.0], &[0.0, f64::NAN, 7.0]];
        for values in ranges {
            for logarithmic in [true, false] {
                let scale = scale(logarithmic, values);
                for value in values.iter().filter(|x| x.is_finite()) {
                    let at = scale.at(*value);
                    assert!((0.0..=1.0).contains(&at), "{values:?} {logarithmic} {at}");
                }
                assert!(!scale.ticks(5).is_empty(), "{values:?} {logarithmic}");
            }
        }
        assert!(scale(true, &[]).at(3.0).is_finite());
    }
}
