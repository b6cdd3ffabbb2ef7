//! Which point of a curve is taken.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::curve::{Curve, CurvePoint};
use crate::{Error, Result};

/// Means that differ by less are the same: they are sums of the same numbers in another order.
const SAME: f64 = 1e-12;

/// The rules, as `--rule` names them. All of them break ties toward fewer features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Rule {
    /// The highest mean score, that is, the least error.
    #[serde(rename = "min")]
    Min,
    /// Of the candidate with the highest mean score, the fewest features with a mean within one standard error
    /// of it (that one's, over the scores of all repeats).
    #[default]
    #[serde(rename = "1se")]
    OneSe,
    /// The least SVMIC_H of the path on all data; no fold is looked at.
    #[serde(rename = "bic")]
    Bic,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Min, Self::OneSe, Self::Bic];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::OneSe => "1se",
            Self::Bic => "bic",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.name() == text)
            .ok_or_else(|| Error::parameter("rule", text, "one of min, 1se, bic"))
    }
}

/// A point of some curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Which curve.
    pub candidate: usize,
    /// Which of its λ, from the largest down.
    pub lambda: usize,
}

/// What a rule found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The highest mean score; nothing if no fold has a score.
    pub best: Option<Place>,
    /// What is taken.
    pub chosen: Place,
}

/// Applies a rule to the curves of all candidates. Only λ at which every fold has a score can be chosen by
/// it; folds that have none anywhere are passed over.
///
/// # Errors
/// If there is nothing to choose from.
pub fn choose(curves: &[Curve], rule: Rule) -> Result<Choice> {
    let scored =
        places(curves, |point, full| point.folds == full && point.mean.is_some() && point.features.is_some());
    let best = first(&scored, |a, b| score(b).total_cmp(&score(a)));
    let chosen = match rule {
        Rule::Bic => {
            let judged = places(curves, |point, _| point.criterion.is_some());
            let criterion = |point: &CurvePoint| point.criterion.unwrap_or(f64::INFINITY);
            first(&judged, |a, b| criterion(a).total_cmp(&criterion(b)))
        }
        Rule::Min => best,
        Rule::OneSe => best.and_then(|(place, top)| {
            let least = score(top) - top.slack.unwrap_or(0.0) - SAME;
            let is_near = |(at, point): &&(Place, &CurvePoint)| {
                at.candidate == place.candidate && score(point) >= least
            };
            let near: Vec<_> = scored.iter().filter(is_near).copied().collect();
            first(&near, |a, b| a.features.cmp(&b.features).then(score(b).total_cmp(&score(a))))
        }),
    };
    match chosen {
        Some((chosen, _)) => Ok(Choice { best: best.map(|(place, _)| place), chosen }),
        None => Err(Error::Numerical {
            what: "no lambda has a score in every fold, so none can be chosen".into(),
            remedy: "take fewer folds, another score (accuracy is always defined), or the rule bic",
        }),
    }
}

/// The points that can be used; `usable` also hears how many folds have a score somewhere on the curve.
fn places(curves: &[Curve], usable: fn(&CurvePoint, usize) -> bool) -> Vec<(Place, &CurvePoint)> {
    let mut places = Vec::new();
    for (candidate, curve) in curves.iter().enumerate() {
        let full = curve.points.iter().map(|point| point.folds).max().unwrap_or(0);
        let kept = curve.points.iter().enumerate().filter(|(_, point)| usable(point, full));
        places.extend(kept.map(|(lambda, point)| (Place { candidate, lambda }, point)));
    }
    places
}

/// To so many digits that sums in another order are the same.
fn score(point: &CurvePoint) -> f64 {
    (point.mean.unwrap_or(f64::NEG_INFINITY) / SAME).round() * SAME
}

/// The first in this order; of equals the one with the fewest features, then the largest λ, then the first
/// candidate.
fn first<'a>(
    places: &[(Place, &'a CurvePoint)],
    order: impl Fn(&CurvePoint, &CurvePoint) -> Ordering,
) -> Option<(Place, &'a CurvePoint)> {
    let full = |a: &(Place, &CurvePoint), b: &(Place, &CurvePoint)| {
        let fewer = a.1.features.cmp(&b.1.features);
        let tie = fewer.then(a.0.lambda.cmp(&b.0.lambda)).then(a.0.candidate.cmp(&b.0.candidate));
        order(a.1, b.1).then(tie)
    };
    places.iter().copied().min_by(full)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, PenaltySpec};

    /// (features, mean, se, criterion) from the largest λ down.
    fn curve(points: &[(usize, f64, f64, f64)]) -> Curve {
        let point = |(k, &(features, mean, se, criterion)): (usize, &(usize, f64, f64, f64))| CurvePoint {
            lambda: 1.0 / (k + 1) as f64,
            features: Some(features),
            mean: Some(mean),
            se: Some(se),
            slack: Some(se),
            folds: 5,
            criterion: Some(criterion),
        };
        Curve {
            variant: PenaltySpec::new(Family::Mcp, 1.0).into(),
            points: points.iter().enumerate().map(point).collect(),
        }
    }

    #[track_caller]
    fn takes(curves: &[Curve], rule: Rule, place: (usize, usize)) {
        let chosen = choose(curves, rule).unwrap().chosen;
        assert_eq!((chosen.candidate, chosen.lambda), place, "{rule}");
    }

    #[test]
    fn one_standard_error_goes_toward_fewer_features() {
        let curve =
            [curve(&[(0, 0.5, 0.1, 9.0), (3, 0.86, 0.05, 3.0), (9, 0.9, 0.05, 4.0), (20, 0.87, 0.05, 8.0)])];
        takes(&curve, Rule::Min, (0, 2));
        takes(&curve, Rule::OneSe, (0, 1));
        takes(&curve, Rule::Bic, (0, 1));
        assert_eq!(choose(&curve, Rule::OneSe).unwrap().best.unwrap().lambda, 2);
    }

    #[test]
    fn fewer_features_need_not_be_at_the_larger_lambda() {
        // A nonconvex path may drop features as λ falls.
        let curve = [curve(&[(8, 0.88, 0.05, 1.0), (9, 0.9, 0.05, 1.0), (3, 0.87, 0.05, 1.0)])];
        takes(&curve, Rule::OneSe, (0, 2));
        takes(&curve, Rule::Bic, (0, 2));
    }

    #[test]
    fn the_best_one_s_error_counts_not_the_others() {
        let curve = [curve(&[(1, 0.8, 0.5, 1.0), (5, 0.9, 0.02, 1.0)])];
        takes(&curve, Rule::OneSe, (0, 1));
    }

    #[test]
    fn one_standard_error_is_given_away_for_lambda_not_for_the_penalty() {
        let sparse = curve(&[(1, 0.87, 0.05, 1.0), (2, 0.89, 0.05, 1.0)]);
        let better = curve(&[(4, 0.85, 0.05, 1.0), (6, 0.88, 0.05, 1.0), (12, 0.9, 0.05, 1.0)]);
        takes(&[sparse.clone(), better.clone()], Rule::OneSe, (1, 0));
        takes(&[better, sparse.clone()], Rule::OneSe, (0, 0));
        // Of penalties with the same score, that of fewer features.
        let level = curve(&[(4, 0.89, 0.05, 1.0)]);
        takes(&[level, sparse], Rule::OneSe, (1, 0));
    }

    #[test]
    fn ties_go_to_fewer_features_then_to_the_better_score_and_the_larger_lambda() {
        let tied = curve(&[(7, 0.9, 0.0, 1.0), (4, 0.9, 0.0, 1.0), (4, 0.9, 0.0, 1.0)]);
        takes(std::slice::from_ref(&tied), Rule::Min, (0, 1));
        // 0.1 + 0.2 is not 0.3, but the same score.
        let rounded = curve(&[(7, 0.1 + 0.2, 0.0, 1.0), (4, 0.3, 0.0, 1.0)]);
        takes(&[rounded], Rule::Min, (0, 1));
        let better = curve(&[(4, 0.86, 0.05, 1.0), (4, 0.88, 0.05, 1.0), (6, 0.9, 0.05, 1.0)]);
        takes(&[better], Rule::OneSe, (0, 1));
        let sparser = curve(&[(9, 0.7, 0.0, 2.0), (2, 0.9, 0.0, 1.0)]);
        takes(&[tied, sparser], Rule::Min, (1, 1));
    }

    #[test]
    fn a_lambda_that_a_fold_did_not_reach_is_not_chosen() {
        let mut short = curve(&[(2, 0.8, 0.01, 1.0), (3, 0.99, 0.01, 1.0)]);
        short.points[1].folds = 4;
        takes(std::slice::from_ref(&short), Rule::Min, (0, 0));
        short.points.iter_mut().for_each(|point| (point.mean, point.folds) = (None, 0));
        assert!(choose(std::slice::from_ref(&short), Rule::OneSe).is_err());
        takes(&[short], Rule::Bic, (0, 0));
    }
}
