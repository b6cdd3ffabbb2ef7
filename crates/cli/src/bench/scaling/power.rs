//! y = c·xᵏ, fitted by least squares on logarithms.

/// k, or NaN if there are fewer than two different x.
pub(super) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let along: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let spread: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    along / spread
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn powers_are_recovered() {
        let cubes: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 9.0].map(|x: f64| (x, 0.3 * x.powi(3))).to_vec();
        assert!((exponent(&cubes) - 3.0).abs() < 1e-12);
        assert!(exponent(&[(1.0, 1.0)]).is_nan() && exponent(&[]).is_nan());
    }
}
