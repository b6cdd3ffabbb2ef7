//! Where the hinge's multipliers go along a path.
//!
//! As long as the same features are kept and the same samples lie on the margin, w stands still and the multipliers are linear
//! in the strength of the penalty: two points tell the third. Where features come and go such a guess may be further off than
//! none, so it is made if the last one would have been nearer.

use crate::{Loss, Problem};

/// The last two points of a path, and what was expected at the last.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    before: Option<(f64, Vec<f64>)>,
    last: Option<(f64, Vec<f64>)>,
    expected: Option<Vec<f64>>,
    /// True unless that was further off than the point before.
    is_nearer: bool,
}

impl Ahead {
    /// What the multipliers may be at this strength, if two points tell.
    pub(super) fn look(&mut self, problem: &Problem<'_>, strength: f64) -> Option<Vec<f64>> {
        let (Some((first, from)), Some((second, to))) = (&self.before, &self.last) else { return None };
        let share = (strength - second) / (second - first);
        if !share.is_finite() {
            return None;
        }
        let line = from.iter().zip(to).map(|(from, to)| to + share * (to - from));
        let expected: Vec<f64> = line.zip(problem.caps()).map(|(a, cap)| a.clamp(0.0, *cap)).collect();
        self.expected = Some(expected.clone());
        self.is_nearer.then_some(expected)
    }

    /// The multipliers that were found at this strength.
    pub(super) fn pass(&mut self, problem: &Problem<'_>, strength: f64, pulls: &[f64]) {
        if problem.loss() != Loss::Hinge {
            return;
        }
        self.is_nearer = match (self.expected.take(), &self.last) {
            (Some(expected), Some((_, last))) => {
                let off = |guess: &[f64]| guess.iter().zip(pulls).map(|(a, b)| (a - b) * (a - b)).sum();
                let mut off = [off(&expected), off(last)];
                problem.sum(&mut off);
                off[0] <= off[1]
            }
            _ => true,
        };
        self.before = self.last.replace((strength, pulls.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Dense;
    use crate::{Family, PenaltySpec, Regularizer};

    #[test]
    fn two_points_tell_the_third_while_that_is_nearer() {
        let x = Dense::from_columns(3, 1, vec![1.0, 2.0, -1.0]).unwrap();
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::L1, 0.1)).unwrap();
        let problem = Problem::new(&x, &[1.0, -1.0, 1.0], Loss::Hinge, regularizer).unwrap();
        let mut ahead = Ahead::default();
        assert_eq!(ahead.look(&problem, 1.0), None);
        ahead.pass(&problem, 1.0, &[0.3, 0.1, 0.2]);
        assert_eq!(ahead.look(&problem, 0.8), None);
        ahead.pass(&problem, 0.8, &[0.2, 0.1, 0.25]);
        // On a line, but not below nothing nor above a whole pull.
        let near = |a: &[f64], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(&ahead.look(&problem, 0.6).unwrap(), [0.1, 0.1, 0.3]));
        assert!(near(&ahead.look(&problem, 0.2).unwrap(), [0.0, 0.1, 1.0 / 3.0]));
        // It went back, so no guess would have been nearer, …
        ahead.pass(&problem, 0.6, &[0.3, 0.1, 0.2]);
        assert_eq!(ahead.look(&problem, 0.5), None);
        // … and now the guess that was not made would have been.
        ahead.pass(&problem, 0.5, &[0.33, 0.1, 0.18]);
        assert!(ahead.look(&problem, 0.4).is_some());
        assert_eq!(ahead.look(&problem, f64::NAN), None);
    }
}
