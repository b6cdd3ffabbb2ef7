//! Pictures: coefficients against λ ([`Picture`]) and panels of curves ([`Chart`]).
//!
//! [`picture`] is what there is to see of a path, [`paint`] puts it on paper; [`chart`] and [`panel`] do both
//! for curves. [`axis`] and [`labels`] find places for ticks and names, [`pen`] draws, and [`image`] makes
//! SVG text or PNG bytes of it.

mod axis;
mod chart;
mod image;
mod labels;
mod paint;
mod panel;
mod pen;
mod picture;

use std::path::Path;

use anyhow::Result;
use sparsvm_data::Source;

use crate::atomic::Target;

pub(crate) use chart::Chart;
pub(crate) use image::Drawing;
pub(crate) use panel::{Axis, Panel, Series};
pub(crate) use picture::Picture;

/// The kinds of picture files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Svg,
    Png,
}

impl Format {
    /// Where `--plot` goes.
    pub(crate) fn target(path: Option<&Path>, inputs: &[Source]) -> Result<Option<(Target, Self)>> {
        Target::by_extension("--plot", path, [("svg", Self::Svg), ("png", Self::Png)], inputs)
    }
}

/// The file's content.
pub(crate) fn draw(drawing: &impl Drawing, format: Format) -> Result<Vec<u8>> {
    match format {
        Format::Svg => image::svg(drawing),
        Format::Png => image::png(drawing),
    }
}
