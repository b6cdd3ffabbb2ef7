//! Where ticks stand, and what they say.

use crate::words;

/// A tick: its place on the axis, and its text.
pub(super) type Tick = (f64, String);

/// Round numbers from `low` to `high`, about `count` of them.
pub(super) fn linear(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let rough = (high - low) / count.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 2.5, 5.0].map(|s| s * power).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * power);
    if !(step > 0.0 && step.is_finite()) {
        return Vec::new();
    }
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    // k · step may be 0.30000000000000004; six digits are enough for a tick.
    (first..=last).map(|k| (k as f64 * step, words::number(k as f64 * step))).collect()
}

/// 1, 2 and 5 times powers of ten from `low` to `high`; over many decades powers of ten alone.
pub(super) fn logarithmic(low: f64, high: f64) -> Vec<Tick> {
    let decades = (high / low).log10();
    let (digits, every): (&[f64], i32) = match decades {
        d if d <= 3.2 => (&[1.0, 2.0, 5.0], 1),
        d if d <= 9.0 => (&[1.0], 1),
        d => (&[1.0], (d / 8.0).ceil() as i32),
    };
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let values =
        powers.filter(|p| p % every == 0).flat_map(|p| digits.iter().map(move |d| d * 10f64.powi(p)));
    let inside = values.filter(|x| *x >= low * 0.9999 && *x <= high * 1.0001);
    inside.map(|x| (x, words::digits(x, 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(&linear(-0.31, 0.42, 7)), ["-0.2", "0", "0.2", "0.4"]);
        assert_eq!(texts(&linear(-1.0, 1.0, 4)), ["-1", "-0.5", "0", "0.5", "1"]);
        assert!(linear(0.0, 0.0, 5).is_empty());
        assert_eq!(texts(&logarithmic(0.004, 0.06)), ["0.005", "0.01", "0.02", "0.05"]);
        assert_eq!(texts(&logarithmic(1e-6, 1.0)).len(), 7);
    }
}
