//! Coefficients along the path in few bytes: 5,000 features at 100 λ are a part of a page, not of a library.
//!
//! A coefficient is rounded to a five-hundredth of the largest one, which is less than a pixel, and told as its
//! difference from the one before: zigzag (0, -1, 1, -2, … become 0, 1, 2, 3, …), then digits of base 32, the
//! lowest first, each a letter of [`ALPHABET`], with 32 added if more follow. Most take one letter. Letters need
//! no escape in JSON or HTML.

use std::collections::BTreeMap;

use super::run::Lines;

/// Six bits a letter.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Steps from 0 to the largest coefficient.
const STEPS: f64 = 500.0;
/// So many features have a line.
const MOST: usize = 5000;

/// The lines of all features that some λ keeps. `points` are the coefficients at each λ, ascending by feature
/// (from 0); `name` is that of a feature, if it has one.
pub(super) fn lines(
    lambda: Vec<f64>,
    points: &[&[(usize, f64)]],
    name: impl Fn(usize) -> Option<String>,
) -> Lines {
    let mut values: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for (k, point) in points.iter().enumerate() {
        point.iter().for_each(|&(j, w)| values.entry(j).or_default().push((k, w)));
    }
    let size = |line: &[(usize, f64)]| line.iter().fold(0.0f64, |most, (_, w)| most.max(w.abs()));
    let mut order: Vec<(usize, Vec<(usize, f64)>)> = values.into_iter().collect();
    // By size; the sort is stable, so of equals the lower index comes first.
    order.sort_by(|a, b| size(&b.1).total_cmp(&size(&a.1)));
    let left_out = order.len().saturating_sub(MOST);
    order.truncate(MOST);
    let largest = order.first().map_or(0.0, |(_, line)| size(line));
    let step = if largest > 0.0 { largest / STEPS } else { 1.0 };
    let names: Vec<Option<String>> = order.iter().map(|(j, _)| name(*j)).collect();
    Lines {
        lambda,
        chosen: None,
        unit: "coefficient".into(),
        step,
        feature: order.iter().map(|(j, _)| *j as u32 + 1).collect(),
        names: names.into_iter().collect(),
        start: order.iter().map(|(_, line)| line.first().map_or(0, |(k, _)| *k)).collect(),
        code: order.iter().map(|(_, line)| code(line, step, points.len())).collect(),
        left_out,
        told: String::new(),
    }
}

/// From the first λ that keeps it to the last, and the zero after that if there is one.
fn code(line: &[(usize, f64)], step: f64, count: usize) -> String {
    let (Some(&(first, _)), Some(&(last, _))) = (line.first(), line.last()) else { return String::new() };
    let mut text = String::new();
    let mut before = 0i64;
    let mut at = line.iter().peekable();
    for k in first..(last + 2).min(count) {
        let value = at.next_if(|(found, _)| *found == k).map_or(0.0, |(_, w)| *w);
        // A weight that is kept is never told as 0.
        let near = (value / step).round() as i64;
        let now = if near == 0 && value != 0.0 { value.signum() as i64 } else { near };
        put(&mut text, now - before);
        before = now;
    }
    text
}

fn put(text: &mut String, difference: i64) {
    let mut rest = ((difference << 1) ^ (difference >> 63)) as u64;
    loop {
        let more = rest >= 32;
        text.push(char::from(ALPHABET[(rest & 31) as usize + if more { 32 } else { 0 }]));
        rest >>= 5;
        if !more {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the page's script reads it.
    fn decoded(code: &str) -> Vec<i64> {
        let (mut values, mut value, mut rest, mut shift) = (Vec::new(), 0i64, 0u64, 0);
        for letter in code.bytes() {
            let digit = ALPHABET.iter().position(|known| *known == letter).unwrap() as u64;
            rest |= (digit & 31) << shift;
            shift += 5;
            if digit < 32 {
                value += (rest >> 1) as i64 ^ -((rest & 1) as i64);
                values.push(value);
                (rest, shift) = (0, 0);
            }
        }
        values
    }

    #[test]
    fn lines_are_read_back_to_a_step() {
        let points: [&[(usize, f64)]; 5] =
            [&[], &[(7, 0.5)], &[(2, -1e-9), (7, 2.0)], &[(7, -2.0)], &[(2, 0.5)]];
        let found = lines(vec![5.0, 4.0, 3.0, 2.0, 1.0], &points, |_| None);
        assert_eq!((found.feature.as_slice(), found.start.as_slice()), (&[8, 3][..], &[1, 2][..]));
        assert_eq!(decoded(&found.code[0]), [125, 500, -500, 0]);
        // A tiny weight is not 0, and a feature may leave and come back.
        assert_eq!(decoded(&found.code[1]), [-1, 0, 125]);
        assert_eq!((found.step, found.names, found.left_out), (0.004, None, 0));
        let none = lines(vec![1.0], &[&[]], |_| None);
        assert!(none.code.is_empty() && none.step == 1.0);
    }

    #[test]
    fn past_the_most_the_largest_are_drawn() {
        let point: Vec<(usize, f64)> = (0..MOST + 3).map(|j| (j, 1.0 + j as f64)).collect();
        let found = lines(vec![1.0], &[&point], |j| Some(format!("f{j}")));
        assert_eq!((found.code.len(), found.left_out), (MOST, 3));
        assert_eq!((found.feature[0], found.names.unwrap()[0].as_str()), (MOST as u32 + 3, "f5002"));
    }
}
