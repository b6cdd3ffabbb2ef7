//! SVG text and PNG bytes. plotters knows whole pixels only, so both are drawn larger than they are shown:
//! SVG says so in its `viewBox`, and PNG is averaged down, which smooths the lines.

use anyhow::{Context, Result, anyhow};
use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use plotters::style::{FontStyle, register_font};

use super::pen::Pen;

/// Something that can be drawn, on any backend.
pub(crate) trait Drawing {
    /// Width and height in units of 1/96 inch.
    fn size(&self) -> (u32, u32);

    /// Draws all of it.
    fn paint<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> Result<()>;
}

/// Steps of a unit in SVG.
const FINE: u32 = 10;
/// Pixels of a unit in PNG, which looks sharp on screens of today.
const PIXELS: u32 = 2;
/// So many pixels a side are averaged to one.
const SMOOTH: u32 = 2;

/// plotters sets the letters of a font of ours too high by this share of their height.
const SINK: f64 = 0.2;

/// The font whose letters are measured, and drawn in PNG: none need be installed.
const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");

fn use_font() -> Result<()> {
    register_font("sans-serif", FontStyle::Normal, FONT).map_err(|_| anyhow!("the built-in font is broken"))
}

pub(super) fn svg(drawing: &impl Drawing) -> Result<Vec<u8>> {
    use_font()?;
    let size = drawing.size();
    let (width, height) = (size.0 * FINE, size.1 * FINE);
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, (width, height)).into_drawing_area();
    drawing.paint(&Pen::new(&area, f64::from(FINE), 0.0))?;
    drop(area);
    let large = format!("width=\"{width}\" height=\"{height}\"");
    let shown = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    Ok(text.replacen(&large, &shown, 1).into_bytes())
}

pub(super) fn png(drawing: &impl Drawing) -> Result<Vec<u8>> {
    use_font()?;
    let size = drawing.size();
    let (width, height) = (size.0 * PIXELS, size.1 * PIXELS);
    let large = (width * SMOOTH, height * SMOOTH);
    let mut pixels = vec![0u8; 3 * large.0 as usize * large.1 as usize];
    let area = BitMapBackend::with_buffer(&mut pixels, large).into_drawing_area();
    drawing.paint(&Pen::new(&area, f64::from(PIXELS * SMOOTH), SINK))?;
    drop(area);
    let small = averaged(&pixels, width as usize, SMOOTH as usize);
    encoded(&small, width, height).context("cannot make a PNG")
}

/// `pixels` have `factor` times the `width`, three bytes each.
fn averaged(pixels: &[u8], width: usize, factor: usize) -> Vec<u8> {
    let row = 3 * width * factor;
    let count = (factor * factor) as u32;
    let mut small = Vec::with_capacity(pixels.len() / (factor * factor));
    for rows in pixels.chunks_exact(row * factor) {
        for x in 0..width {
            for colour in 0..3 {
                let at = |dy: usize, dx: usize| u32::from(rows[dy * row + 3 * (x * factor + dx) + colour]);
                let sum: u32 = (0..factor)
                    .flat_map(|dy| (0..factor).map(move |dx| (dy, dx)))
                    .map(|(dy, dx)| at(dy, dx))
                    .sum();
                small.push(((sum + count / 2) / count) as u8);
            }
        }
    }
    small
}

fn encoded(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // 192 pixels an inch.
    let per_metre = (f64::from(96 * PIXELS) / 0.0254).round() as u32;
    let density = png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit: png::Unit::Meter };
    encoder.set_pixel_dims(Some(density));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_pixels_are_averaged() {
        let mut pixels = vec![0u8; 3 * 4 * 2];
        pixels[0..3].copy_from_slice(&[255, 100, 0]);
        pixels[15..18].copy_from_slice(&[255, 100, 0]);
        assert_eq!(averaged(&pixels, 2, 2), [128, 50, 0, 0, 0, 0]);
    }
}
