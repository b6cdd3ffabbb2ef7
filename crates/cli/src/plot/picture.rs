//! What there is to see: a line for each feature that is ever kept.

use std::collections::BTreeMap;

use sparsvm_core::{Model, Scaling};

use crate::fit::Followed;
use crate::load::Loaded;
use crate::words;

/// So many lines are named and coloured; the others are thin and grey.
pub(super) const MOST_NAMED: usize = 15;
/// Longer names are cut.
const LONGEST_NAME: usize = 28;

/// A path, ready to be drawn.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(super) title: String,
    pub(super) subtitle: String,
    /// What the vertical axis shows.
    pub(super) unit: &'static str,
    /// From the largest λ down.
    pub(super) lambdas: Vec<f64>,
    /// Features that are kept at each λ.
    pub(super) kept: Vec<usize>,
    /// Those with small coefficients first, so that large ones are drawn over them; named ones last.
    pub(super) lines: Vec<Line>,
    /// What the names at the lines' ends are.
    pub(super) names_are: &'static str,
}

/// A feature's coefficient along the path.
#[derive(Debug)]
pub(super) struct Line {
    /// (which λ, value) where it is not 0, from the zero before to the zero after that.
    pub(super) stretches: Vec<Vec<(usize, f64)>>,
    /// Shown at the end, if this is one of the few.
    pub(super) name: Option<String>,
}

impl Line {
    /// The coefficients, at least those that are not 0.
    fn values(&self) -> impl Iterator<Item = f64> {
        self.stretches.iter().flatten().map(|(_, value)| *value)
    }

    /// The last of them: 0 if the feature has left.
    pub(super) fn end(&self) -> f64 {
        self.values().last().unwrap_or(0.0)
    }

    fn size(&self) -> f64 {
        self.values().map(f64::abs).fold(0.0, f64::max)
    }
}

impl Picture {
    pub(crate) fn new(followed: &Followed, loaded: &Loaded) -> Self {
        let (models, task) = (&followed.models, &loaded.task);
        let lines = lines(models);
        let ridge = if task.l2 > 0.0 { format!(" + l2 {}", task.l2) } else { String::new() };
        let (rows, features) = (loaded.data.design().rows(), loaded.data.design().cols());
        let mut subtitle = format!(
            "{} loss + {}{ridge}; {}, {}",
            task.loss,
            words::shape(&task.penalty),
            words::count(rows, "row"),
            words::count(features, "feature")
        );
        let named = lines.iter().filter(|line| line.name.is_some()).count();
        if named > 0 && lines.len() > named {
            subtitle += &format!("; the {named} largest at the end are named");
        }
        let file = task.data_name.rsplit(['/', '\\']).next().unwrap_or_default();
        Self {
            title: format!("{}: coefficients along the path", shortened(file, 60)),
            subtitle,
            unit: match task.scaling {
                Scaling::None => "coefficient",
                Scaling::Standard => "coefficient per standard deviation",
                Scaling::MaxAbs => "coefficient per largest value",
            },
            lambdas: followed.path.points.iter().map(|point| point.lambda).collect(),
            kept: models.iter().map(|model| model.indices.len()).collect(),
            names_are: if loaded.data.names().is_some() { "" } else { "feature" },
            lines,
        }
    }

    /// The least and the largest coefficient; 0 is always between them.
    pub(super) fn range(&self) -> (f64, f64) {
        let values = self.lines.iter().flat_map(Line::values);
        values.fold((0.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)))
    }
}

/// The lines of all features, on the scaled columns if they were scaled.
fn lines(models: &[Model]) -> Vec<Line> {
    let mut of_feature: BTreeMap<u32, Vec<(usize, f64)>> = BTreeMap::new();
    for (k, model) in models.iter().enumerate() {
        for (at, &j) in model.indices.iter().enumerate() {
            let value = model.scaled_weight(at).unwrap_or(model.weights[at]);
            of_feature.entry(j).or_default().push((k, value));
        }
    }
    let mut lines: Vec<Line> = of_feature
        .into_values()
        .map(|values| Line { stretches: stretches(&values, models.len()), name: None })
        .collect();
    if let Some(last) = models.last() {
        name_largest(&mut lines, last);
    }
    // A stable sort: the same input, the same picture.
    lines.sort_by(|a, b| a.name.is_some().cmp(&b.name.is_some()).then(a.size().total_cmp(&b.size())));
    lines
}

/// `lines` are still in the order of their features, and so are those that `last` keeps.
fn name_largest(lines: &mut [Line], last: &Model) {
    let kept = lines.iter_mut().filter(|line| line.end() != 0.0);
    let mut kept: Vec<(&mut Line, String)> =
        kept.enumerate().map(|(k, line)| (line, last.feature_name(k))).collect();
    kept.sort_by(|a, b| b.0.end().abs().total_cmp(&a.0.end().abs()));
    for (line, name) in kept.into_iter().take(MOST_NAMED) {
        line.name = Some(shortened(&name, LONGEST_NAME));
    }
}

/// Cuts where the coefficient is 0, and adds the zeros around; `count` is the number of λ.
fn stretches(values: &[(usize, f64)], count: usize) -> Vec<Vec<(usize, f64)>> {
    let pieces = values.chunk_by(|before, after| before.0 + 1 == after.0);
    let around = pieces.map(|piece| {
        let mut points = Vec::with_capacity(piece.len() + 2);
        points.extend(piece.first().filter(|(k, _)| *k > 0).map(|(k, _)| (k - 1, 0.0)));
        points.extend_from_slice(piece);
        points.extend(piece.last().filter(|(k, _)| k + 1 < count).map(|(k, _)| (k + 1, 0.0)));
        points
    });
    around.collect()
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_from_zero_and_go_back_to_it() {
        assert_eq!(stretches(&[(2, 1.0)], 5), [[(1, 0.0), (2, 1.0), (3, 0.0)]]);
        assert_eq!(stretches(&[(0, 1.0), (1, 2.0)], 2), [[(0, 1.0), (1, 2.0)]]);
        assert_eq!(
            stretches(&[(0, 1.0), (2, 2.0), (3, 3.0)], 5),
            [vec![(0, 1.0), (1, 0.0)], vec![(1, 0.0), (2, 2.0), (3, 3.0), (4, 0.0)]]
        );
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("äbcd", 3), "äb…");
    }
}
