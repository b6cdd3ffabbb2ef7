//! A path on paper.

use anyhow::Result;
use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::HPos;
use plotters::style::{FontTransform, RGBColor};

use super::image::Drawing;
use super::pen::{At, BODY, COLOURS, FAINT_INK, FRAME, GRID, INK, Pen, TITLE};
use super::picture::{Line, Picture};
use super::{axis, labels};

/// Width and height in units of 1/96 inch.
const SIZE: (u32, u32) = (960, 640);
const CROWD: RGBColor = RGBColor(0x55, 0x65, 0x75);

/// Between the baselines of labels.
const LABEL_GAP: f64 = 15.0;

/// Where values are on the paper.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// log λ at the left and at the right: λ falls from left to right.
    lambda: (f64, f64),
    value: (f64, f64),
}

impl Frame {
    fn new(picture: &Picture, left: f64, right: f64) -> Self {
        let lambda = |lambda: Option<&f64>| lambda.map_or(0.0, |lambda| lambda.ln());
        let mut lambda = (lambda(picture.lambdas.first()), lambda(picture.lambdas.last()));
        if lambda.0 - lambda.1 < 1e-9 {
            lambda = (lambda.0 + 0.5, lambda.1 - 0.5);
        }
        Self { left, right, top: 104.0, bottom: f64::from(SIZE.1) - 58.0, lambda, value: values(picture) }
    }

    fn x(&self, lambda: f64) -> f64 {
        let share = (self.lambda.0 - lambda.ln()) / (self.lambda.0 - self.lambda.1);
        self.left + share * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value - self.value.0) / (self.value.1 - self.value.0);
        self.bottom - share * (self.bottom - self.top)
    }
}

/// From the least to the largest coefficient, with some room around them.
fn values(picture: &Picture) -> (f64, f64) {
    let (low, high) = picture.range();
    let room = 0.04 * (high - low);
    if room > 0.0 && room.is_finite() { (low - room, high + room) } else { (-1.0, 1.0) }
}

impl Drawing for Picture {
    fn size(&self) -> (u32, u32) {
        SIZE
    }

    fn paint<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> Result<()> {
        paint(pen, self)
    }
}

/// Draws all of it.
fn paint<DB: DrawingBackend>(pen: &Pen<'_, DB>, picture: &Picture) -> Result<()> {
    pen.clear()?;
    let (low, high) = values(picture);
    let ticks = axis::linear(low, high, 7);
    let widest =
        |texts: &mut dyn Iterator<Item = &str>| texts.map(|t| pen.width(t, BODY)).fold(0.0, f64::max);
    let left = 52.0 + widest(&mut ticks.iter().map(|(_, text)| text.as_str()));
    let mut names: Vec<&str> = picture.lines.iter().filter_map(|line| line.name.as_deref()).collect();
    let margin = if names.is_empty() { 28.0 } else { 43.0 };
    names.extend((!names.is_empty()).then_some(picture.names_are));
    let right = f64::from(SIZE.0) - margin - widest(&mut names.into_iter());
    let frame = Frame::new(picture, left, right);

    pen.text(&picture.title, (left, 26.0), &pen.style(TITLE, INK), HPos::Left)?;
    pen.text(&picture.subtitle, (left, 48.0), &pen.style(BODY, FAINT_INK), HPos::Left)?;
    vertical_axis(pen, picture, &frame, &ticks)?;
    lambda_axis(pen, picture, &frame)?;
    kept_axis(pen, picture, &frame)?;
    lines(pen, picture, &frame)?;
    let corners = [
        (left, frame.top),
        (right, frame.top),
        (right, frame.bottom),
        (left, frame.bottom),
        (left, frame.top),
    ];
    pen.line(&corners, FRAME, 1.0, 1.0)
}

fn vertical_axis<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    picture: &Picture,
    frame: &Frame,
    ticks: &[axis::Tick],
) -> Result<()> {
    for (value, text) in ticks {
        let y = frame.y(*value);
        pen.line(&[(frame.left, y), (frame.right, y)], GRID, 1.0, 1.0)?;
        pen.text(text, (frame.left - 8.0, y), &pen.style(BODY, INK), HPos::Right)?;
    }
    let zero = frame.y(0.0);
    pen.line(&[(frame.left, zero), (frame.right, zero)], FAINT_INK, 1.0, 1.0)?;
    let style = pen.style(BODY, INK).transform(FontTransform::Rotate270);
    let middle = (frame.top + frame.bottom) / 2.0;
    pen.text(picture.unit, (20.0, middle), &style, HPos::Center)
}

fn lambda_axis<DB: DrawingBackend>(pen: &Pen<'_, DB>, picture: &Picture, frame: &Frame) -> Result<()> {
    let below = HPos::Center;
    for (lambda, text) in axis::logarithmic(frame.lambda.1.exp(), frame.lambda.0.exp()) {
        let x = frame.x(lambda);
        pen.line(&[(x, frame.bottom), (x, frame.bottom + 5.0)], FRAME, 1.0, 1.0)?;
        pen.text(&text, (x, frame.bottom + 15.0), &pen.style(BODY, INK), below)?;
    }
    let middle = (frame.left + frame.right) / 2.0;
    let text = match picture.lambdas.len() {
        1 => "λ",
        _ => "λ (log scale; the penalty gets weaker to the right)",
    };
    pen.text(text, (middle, frame.bottom + 38.0), &pen.style(BODY, INK), below)
}

/// How many features are kept, above.
fn kept_axis<DB: DrawingBackend>(pen: &Pen<'_, DB>, picture: &Picture, frame: &Frame) -> Result<()> {
    let above = HPos::Center;
    let last = picture.lambdas.len().saturating_sub(1);
    let count = (((frame.right - frame.left) / 85.0) as usize).clamp(1, last.max(1));
    let mut shown: Vec<usize> = (0..=count).map(|k| k * last / count).collect();
    shown.dedup();
    for k in shown {
        let Some((lambda, kept)) = picture.lambdas.get(k).zip(picture.kept.get(k)) else { continue };
        let x = frame.x(*lambda);
        pen.line(&[(x, frame.top - 5.0), (x, frame.top)], FRAME, 1.0, 1.0)?;
        pen.text(&kept.to_string(), (x, frame.top - 14.0), &pen.style(BODY, INK), above)?;
    }
    let middle = (frame.left + frame.right) / 2.0;
    pen.text("features kept", (middle, frame.top - 32.0), &pen.style(BODY, INK), above)
}

fn lines<DB: DrawingBackend>(pen: &Pen<'_, DB>, picture: &Picture, frame: &Frame) -> Result<()> {
    let named: Vec<&Line> = picture.lines.iter().filter(|line| line.name.is_some()).collect();
    let crowd = picture.lines.len() - named.len();
    // The more there are, the fainter each one is.
    let opacity = (0.75 * (30.0 / crowd.max(1) as f64).powf(0.4)).clamp(0.12, 0.75);
    let at = |&(k, value): &(usize, f64)| (frame.x(picture.lambdas[k]), frame.y(value));
    let draw = |line: &Line, colour, opacity, width| {
        let stretches = line.stretches.iter().map(|stretch| stretch.iter().map(at).collect::<Vec<At>>());
        stretches.into_iter().try_for_each(|stretch| pen.line(&stretch, colour, opacity, width))
    };
    for line in picture.lines.iter().filter(|line| line.name.is_none()) {
        draw(line, CROWD, opacity, 0.8)?;
    }
    // Neighbours at the end have different colours.
    let end = |line: &Line| frame.y(line.end());
    let mut from_top: Vec<usize> = (0..named.len()).collect();
    from_top.sort_by(|&a, &b| end(named[a]).total_cmp(&end(named[b])));
    let mut colours = vec![INK; named.len()];
    from_top.iter().enumerate().for_each(|(rank, &k)| colours[k] = COLOURS[rank % COLOURS.len()]);
    for (line, colour) in named.iter().zip(&colours) {
        draw(line, *colour, 0.9, 1.6)?;
    }
    let wanted: Vec<f64> = from_top.iter().map(|&k| end(named[k])).collect();
    let places = labels::spread(&wanted, LABEL_GAP, (frame.top + 4.0, frame.bottom - 4.0));
    let style = pen.style(BODY, INK);
    for ((&k, &from), &to) in from_top.iter().zip(&wanted).zip(&places) {
        let leader = [
            (frame.right + 2.0, from),
            (frame.right + 8.0, from),
            (frame.right + 20.0, to),
            (frame.right + 26.0, to),
        ];
        pen.line(&leader, colours[k], 1.0, 1.4)?;
        let name = named[k].name.as_deref().unwrap_or_default();
        pen.text(name, (frame.right + 31.0, to), &style, HPos::Left)?;
    }
    if !named.is_empty() && !picture.names_are.is_empty() {
        let at = (frame.right + 31.0, frame.top - 14.0);
        pen.text(picture.names_are, at, &pen.style(BODY, FAINT_INK), HPos::Left)?;
    }
    Ok(())
}
