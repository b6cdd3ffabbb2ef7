//! The picture of a path: coefficients against λ.
//!
//! [`picture`] is what there is to see, [`paint`] puts it on paper, [`axis`] and [`labels`] find places for
//! ticks and names, and [`image`] makes SVG text or PNG bytes of it.

mod axis;
mod image;
mod labels;
mod paint;
mod picture;

use anyhow::Result;

pub(crate) use picture::Picture;

/// The kinds of picture files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Svg,
    Png,
}

/// The file's content.
pub(crate) fn draw(picture: &Picture, format: Format) -> Result<Vec<u8>> {
    match format {
        Format::Svg => image::svg(picture),
        Format::Png => image::png(picture),
    }
}
