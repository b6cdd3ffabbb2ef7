//! What becomes of the intercept b.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::design::{Compressed, Dense, Sparse};
use crate::solver::{Observer, Step};
use crate::{Design, Error, Problem, Result, Start};

/// Whether there is an intercept, and whether it costs anything.
///
/// A free one follows the share of the classes: with fewer rows than features it can lean far to the larger class, since the
/// weights that would hold it back are shrunk and it is not. One that is penalised cannot. Which of them is better for new rows
/// is for cross-validation to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Intercept {
    /// b is not penalised.
    #[default]
    Free,
    /// b costs what the weight of a feature costs that is 1 in every row, with κ = 1: so it is in LIBLINEAR, unless told otherwise.
    Penalised,
    /// b = 0.
    None,
}

impl Intercept {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Free, Self::Penalised, Self::None];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Penalised => "penalised",
            Self::None => "none",
        }
    }

    /// X with a last column of ones if b is penalised: that column's coefficient is b, to the solvers, and a
    /// [`Problem`](Problem::with_intercept) on it tells solutions apart again. Nothing if X will do as it is.
    pub fn columns(self, x: &dyn Design) -> Option<Box<dyn Design>> {
        if self != Self::Penalised {
            return None;
        }
        let (n, d) = (x.rows(), x.cols());
        if !x.is_sparse() {
            let mut columns = vec![0.0; n * (d + 1)];
            for (j, column) in columns.chunks_mut(n.max(1)).enumerate() {
                match j < d {
                    true => x.column(j).for_each(|i, value| column[i] = value),
                    false => column.fill(1.0),
                }
            }
            return Dense::from_columns(n, d + 1, columns).ok().map(|x| Box::new(x) as Box<dyn Design>);
        }
        let entries = x.stored() + n;
        let (mut starts, mut at, mut values) =
            (vec![0], Vec::with_capacity(entries), Vec::with_capacity(entries));
        for i in 0..n {
            x.row(i).for_each(|j, value| {
                at.push(j as u32);
                values.push(value);
            });
            at.push(d as u32);
            values.push(1.0);
            starts.push(at.len());
        }
        Some(Box::new(Sparse::from_rows(Compressed::made(starts, at, values, d + 1))))
    }

    /// κ for these columns.
    #[must_use]
    pub fn factors(self, mut factors: Vec<f64>) -> Vec<f64> {
        factors.extend((self == Self::Penalised).then_some(1.0));
        factors
    }
}

impl fmt::Display for Intercept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Intercept {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|intercept| intercept.name() == text)
            .ok_or_else(|| Error::parameter("intercept", text, "one of free, penalised, none"))
    }
}

/// Nonzero coefficients, ascending.
type Coefficients = Vec<(usize, f64)>;

impl Problem<'_> {
    /// The column of ones whose coefficient is b, if there is one.
    fn constant(&self) -> Option<usize> {
        (self.intercept() == Intercept::Penalised).then(|| self.features() - 1)
    }

    /// d, without a column of ones that stands for b.
    pub fn named_features(&self) -> usize {
        self.constant().unwrap_or_else(|| self.features())
    }

    /// How many features are kept.
    pub(crate) fn count(&self, w: &[(usize, f64)]) -> usize {
        w.iter().filter(|(j, _)| Some(*j) != self.constant()).count()
    }

    /// A solver's coefficients and intercept, as they are meant.
    pub(crate) fn parted(&self, mut w: Coefficients, b: f64) -> (Coefficients, f64) {
        let Some(constant) = self.constant() else { return (w, b) };
        let last = w.pop_if(|(j, _)| *j == constant);
        (w, last.map_or(0.0, |(_, b)| b))
    }

    /// The same with all zeros.
    pub(crate) fn parted_dense(&self, mut w: Vec<f64>, b: f64) -> (Vec<f64>, f64) {
        let Some(constant) = self.constant() else { return (w, b) };
        let b = w[constant];
        w.truncate(constant);
        (w, b)
    }

    /// A start as solvers take it.
    pub(crate) fn joined<'s>(&self, start: &'s Start) -> Cow<'s, Start> {
        if self.constant().is_none() {
            return Cow::Borrowed(start);
        }
        let mut w = start.w.clone();
        w.push(start.b);
        Cow::Owned(Start { w, b: 0.0, beta: start.beta.clone() })
    }
}

/// Shows points as they are meant.
pub(crate) struct Parting<'a> {
    observer: &'a mut dyn Observer,
    constant: Option<usize>,
}

impl<'a> Parting<'a> {
    pub(crate) fn new(problem: &Problem<'_>, observer: &'a mut dyn Observer) -> Self {
        Self { observer, constant: problem.constant() }
    }
}

impl Observer for Parting<'_> {
    fn on_phase(&mut self, phase: &str) {
        self.observer.on_phase(phase);
    }

    fn on_part(&mut self, done: usize, all: usize) {
        self.observer.on_part(done, all);
    }

    fn on_step(&mut self, step: &Step) -> ControlFlow<()> {
        self.observer.on_step(step)
    }

    fn wants_detail(&self) -> bool {
        self.observer.wants_detail()
    }

    fn wants_iterate(&self) -> bool {
        self.observer.wants_iterate()
    }

    fn on_iterate(&mut self, w: &[f64], b: f64) {
        match self.constant {
            Some(constant) => self.observer.on_iterate(&w[..constant], w[constant]),
            None => self.observer.on_iterate(w, b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::{Grid, PathSettings, path};
    use crate::solver::{Exact, Silent, Stopping, solve};
    use crate::{Family, Loss, PenaltySpec, Regularizer};

    /// 24 rows of one class and six of the other, of three features.
    fn data() -> (Vec<f64>, Vec<f64>) {
        let y: Vec<f64> = (0..30).map(|i| if i % 5 == 0 { -1.0 } else { 1.0 }).collect();
        let wave = |k: usize| ((k * k * 37 + 11 * k) % 101) as f64 / 50.0 - 1.0;
        let row = |i: usize| [y[i] * 0.5 + wave(3 * i), 0.3 * y[i] + wave(3 * i + 1), wave(3 * i + 2)];
        ((0..30).flat_map(row).collect(), y)
    }

    fn regularizer(family: Family, lambda: f64) -> Regularizer {
        Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap()
    }

    #[test]
    fn the_constant_costs_what_a_feature_costs_and_is_told_as_b() {
        let (values, y) = data();
        let starts: Vec<usize> = (0..=30).map(|i| 3 * i).collect();
        let at: Vec<u32> = (0..30).flat_map(|_| 0..3).collect();
        let sparse = Sparse::from_rows(Compressed::new(starts, at, values.clone(), 3).unwrap());
        let dense = Dense::from_rows(30, 3, values).unwrap();
        let exact =
            Exact { stopping: Stopping { tol: 1e-9, ..Exact::default().stopping }, ..Exact::default() };
        for family in [Family::L1, Family::Mcp] {
            for x in [&dense as &dyn Design, &sparse] {
                let wide = Intercept::Penalised.columns(x).unwrap();
                let problem = Problem::new(&*wide, &y, Loss::Hinge, regularizer(family, 0.05)).unwrap();
                let plain = solve(&exact, &problem.clone().without_intercept(), None, &mut Silent).unwrap();
                let problem = problem.with_intercept(Intercept::Penalised);
                let found = solve(&exact, &problem, None, &mut Silent).unwrap();
                assert!((&found.w[..], found.b) == (&plain.w[..3], plain.w[3]) && found.b != 0.0);
                let cost = regularizer(family, 0.05).value(&plain.w);
                assert!((found.certificate.penalty - cost).abs() < 1e-12 && problem.named_features() == 3);
                // Begun where it ended it stays there.
                let start = Start { w: found.w.clone(), b: found.b, beta: Some(found.beta.clone()) };
                let again = solve(&exact, &problem, Some(&start), &mut Silent).unwrap();
                assert!((again.b - found.b).abs() < 1e-6 && again.iterations <= found.iterations);
            }
        }
    }

    #[test]
    fn on_a_path_it_is_no_feature() {
        let (values, y) = data();
        let x = Dense::from_rows(30, 3, values).unwrap();
        let wide = Intercept::Penalised.columns(&x).unwrap();
        let problem = Problem::new(&*wide, &y, Loss::Hinge, regularizer(Family::L1, 1.0)).unwrap();
        let problem = problem.with_intercept(Intercept::Penalised);
        for max_features in [None, Some(1)] {
            let grid = Grid::Spaced { count: 12, min_ratio: 0.02 };
            let settings = PathSettings { grid, max_features, ..PathSettings::default() };
            let path = path(&problem, &PenaltySpec::new(Family::L1, 1.0), &settings, &mut Silent).unwrap();
            assert!(path.points.iter().all(|point| point.w.iter().all(|(j, _)| *j < 3)));
            assert!(path.points.iter().any(|point| point.b != 0.0 && point.w.len() == 1));
            assert_eq!(path.points.iter().any(|point| point.w.len() > 1), max_features.is_none());
            assert_eq!(path.points[0].solution(problem.named_features()).w.len(), 3);
        }
    }

    #[test]
    fn names_are_read_back() {
        for intercept in Intercept::ALL {
            assert_eq!(intercept.name().parse::<Intercept>().unwrap(), intercept);
            assert_eq!(
                intercept.factors(vec![2.0]).len(),
                if intercept == Intercept::Penalised { 2 } else { 1 }
            );
        }
        assert!("some".parse::<Intercept>().is_err());
    }
}
