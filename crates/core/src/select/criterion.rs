//! An information criterion: a choice without folds.

/// SVMIC_H of Zhang, Wu, Wang and Li (2016): Σ_i ξ_i + L_n·|S|·log n with ξ_i = [1 - y_i·decision_i]₊ and
/// L_n = √(log n).
///
/// Theirs is the hinge sum of an SVM without penalty on the features S. Here it is that of the path's own
/// point, without a refit: an upper bound, and near it for penalties with a flat end. The sum is always the
/// hinge's, whatever loss was fitted.
pub fn svmic(decisions: &[f64], y: &[f64], features: usize) -> f64 {
    let slack: f64 = decisions.iter().zip(y).map(|(s, y)| (1.0 - y * s).max(0.0)).sum();
    let log = (y.len() as f64).ln();
    slack + log.sqrt() * features as f64 * log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Slacks 0, 0.5, 1.5, 3; two features, n = 4.
        let found = svmic(&[2.0, 0.5, 0.5, 2.0], &[1.0, 1.0, -1.0, -1.0], 2);
        let log = 4f64.ln();
        assert!((found - (5.0 + 2.0 * log.powf(1.5))).abs() < 1e-14, "{found}");
        assert_eq!(svmic(&[2.0], &[1.0], 3), 0.0);
    }
}
