//! Score against λ.

use sparsvm_core::select::{Choice, Curve, CurvePoint, Score};

use crate::choose::at;
use crate::load::Loaded;
use crate::plot::{Axis, Chart, Panel, Series};
use crate::words;

/// A curve for each penalty, the band of one standard error around that of the chosen one, and what was
/// chosen.
pub(super) fn chart(loaded: &Loaded, curves: &[Curve], choice: Choice, score: Score) -> Chart {
    let mean = |point: &CurvePoint| point.mean.map(|mean| (point.lambda, mean));
    let mut series: Vec<Series> = Vec::new();
    for (style, curve) in curves.iter().enumerate() {
        let points = curve.points.iter().filter_map(mean).collect();
        series.push(Series {
            name: words::variant(&curve.variant),
            style,
            points,
            joined: true,
            marked: false,
        });
    }
    let chosen = &curves[choice.chosen.candidate];
    for (name, side) in [("one standard error", -1.0), ("one standard error", 1.0)] {
        let edge = |p: &CurvePoint| p.mean.zip(p.se).map(|(mean, se)| (p.lambda, mean + side * se));
        let points = chosen.points.iter().filter_map(edge).collect();
        series.push(Series { name: name.into(), style: curves.len(), points, joined: true, marked: false });
    }
    let point = at(curves, choice.chosen);
    let name = format!("chosen: {}", words::count(point.features.unwrap_or(0), "feature"));
    let points = mean(point).into_iter().collect();
    series.push(Series { name, style: curves.len() + 1, points, joined: false, marked: true });
    let data = loaded.task.data_name.rsplit(['/', '\\']).next().unwrap_or_default();
    Chart {
        title: format!("{data}: {score} of rows that were held out"),
        subtitle: format!("{} loss; the mean over the folds", loaded.task.loss),
        columns: 1,
        panels: vec![Panel {
            title: String::new(),
            x: Axis { name: "lambda".into(), logarithmic: true, bounds: (0.0, f64::INFINITY) },
            y: Axis { name: score.name().into(), logarithmic: false, bounds: (-1.0, 1.0) },
            series,
            otherwise: "no score".into(),
            named_inside: false,
        }],
    }
}
