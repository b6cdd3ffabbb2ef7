//! Features that are too light to be kept are left out of sparse problems: nothing else may change, to the last bit. Searches that
//! are compared are short: where a limit of work ends one, it counts what was scanned.
#![allow(clippy::unwrap_used)]

mod support;

use std::ops::ControlFlow;

use faer::MatMut;
use sparsvm_core::design::{Compressed, Design, Side, Slice, Sparse};
use sparsvm_core::path::{Grid, PathPoint, PathSettings, lambda_max, path};
use sparsvm_core::solver::{Exact, Observer, Silent, Step, solve};
use sparsvm_core::{Family, Loss, PenaltySpec, Problem, Regularizer, Start};
use support::Lcg;

const ROWS: usize = 1500;
const FEATURES: usize = 12_000;
const ENTRIES: usize = 60;

/// Like words: a few features are common and most are rare (and small, so that even weak penalties find them too light);
/// the labels come from common ones.
fn text() -> (Vec<Vec<(u32, f64)>>, Vec<f64>) {
    let mut random = Lcg(5);
    let mut rows = Vec::new();
    let mut y = Vec::new();
    for _ in 0..ROWS {
        let word = |random: &mut Lcg| (FEATURES as f64).powf(random.uniform()) as u32 - 1;
        let mut words: Vec<u32> = (0..2 * ENTRIES).map(|_| word(&mut random)).collect();
        words.sort_unstable();
        words.dedup();
        let size = |j: u32| if j < 1000 { 0.13 } else { 5e-4 };
        let row: Vec<(u32, f64)> = words.iter().map(|&j| (j, (0.5 + random.uniform()) * size(j))).collect();
        let score: f64 =
            row.iter().filter(|(j, _)| *j < 30).map(|&(j, x)| x * (f64::from(j % 5) - 2.0)).sum();
        y.push(if score + 0.1 * random.normal() > -0.05 { 1.0 } else { -1.0 });
        rows.push(row);
    }
    (rows, y)
}

/// The same numbers, held by rows or by columns.
fn both(rows: &[Vec<(u32, f64)>]) -> [Sparse<'static>; 2] {
    let mut columns = vec![Vec::new(); FEATURES];
    for (i, row) in rows.iter().enumerate() {
        row.iter().for_each(|&(j, x)| columns[j as usize].push((i as u32, x)));
    }
    let compressed = |vectors: &[Vec<(u32, f64)>], across| {
        let mut starts = vec![0];
        starts.extend(vectors.iter().scan(0, |end, v| {
            *end += v.len();
            Some(*end)
        }));
        let at: Vec<u32> = vectors.iter().flatten().map(|entry| entry.0).collect();
        let values: Vec<f64> = vectors.iter().flatten().map(|entry| entry.1).collect();
        Compressed::new(starts, at, values, across).unwrap()
    };
    [Sparse::from_rows(compressed(rows, FEATURES)), Sparse::from_columns(compressed(&columns, ROWS))]
}

/// By columns, of which but few can be chosen, as where a margin is widened: so none is left out.
#[derive(Debug)]
struct Whole(Sparse<'static>);

impl Design for Whole {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn cols(&self) -> usize {
        self.0.cols()
    }

    fn stored(&self) -> usize {
        self.0.stored()
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn matvec(&self, v: &[f64], out: &mut [f64]) {
        self.0.matvec(v, out);
    }

    fn rmatvec(&self, u: &[f64], out: &mut [f64]) {
        self.0.rmatvec(u, out);
    }

    fn column(&self, j: usize) -> Slice<'_> {
        self.0.column(j)
    }

    fn row(&self, i: usize) -> Slice<'_> {
        self.0.row(i)
    }

    fn gram(&self, side: Side, out: MatMut<'_, f64>) {
        self.0.gram(side, out);
    }

    fn scale_columns(&mut self, factors: &[f64]) {
        self.0.scale_columns(factors);
    }

    fn has_rows(&self) -> bool {
        self.0.has_rows()
    }

    fn select_columns(&self, columns: &[usize]) -> Option<Box<dyn Design + '_>> {
        if columns.len() < 100 { self.0.select_columns(columns) } else { None }
    }

    fn select_rows(&self, rows: &[usize]) -> Box<dyn Design> {
        self.0.select_rows(rows)
    }
}

/// The same numbers by rows and by columns, of which features are left out, and with all of them.
fn three(rows: &[Vec<(u32, f64)>]) -> [Box<dyn Design>; 3] {
    let [by_rows, by_columns] = both(rows);
    let [_, whole] = both(rows);
    [Box::new(by_rows), Box::new(by_columns), Box::new(Whole(whole))]
}

fn regularizer(family: Family, lambda: f64, uneven: bool) -> Regularizer {
    let plain = Regularizer::from_spec(&PenaltySpec::new(family, lambda)).unwrap();
    if !uneven {
        return plain;
    }
    let factors = (0..FEATURES).map(|j| if j == 3 { 0.0 } else { 0.5 + (j % 7) as f64 / 4.0 }).collect();
    plain.with_factors(factors).unwrap().with_l2(1e-4).unwrap()
}

#[test]
fn fits_are_the_same_by_rows_by_columns_and_with_all_features() {
    let (rows, y) = text();
    let weights: Vec<f64> = (0..ROWS).map(|i| [1.0, 0.5, 2.0, 0.0][i % 4]).collect();
    let cases = [
        (Loss::Hinge, Family::L1, 2e-3, false, 20),
        (Loss::Hinge, Family::L1, 4e-3, true, 20),
        (Loss::HuberHinge { delta: 2.0 }, Family::L1, 1e-3, false, 20),
        (Loss::SquaredHinge, Family::L1, 2e-2, false, 20),
        (Loss::SquaredHinge, Family::L1, 2e-2, true, 20),
        (Loss::Hinge, Family::Mcp, 2e-2, false, 20),
        (Loss::Hinge, Family::Mcp, 2e-2, false, 1),
        (Loss::HuberHinge { delta: 2.0 }, Family::Lsp, 6e-3, true, 1),
    ];
    for (loss, family, lambda, uneven, starts) in cases {
        for intercept in [true, false] {
            let what = format!("{loss} {family} {lambda} {uneven} {intercept} {starts}");
            let fits = three(&rows).map(|x| {
                let mut problem = Problem::new(&*x, &y, loss, regularizer(family, lambda, uneven)).unwrap();
                if uneven {
                    problem = problem.with_weights(&weights).unwrap();
                }
                if !intercept {
                    problem = problem.without_intercept();
                }
                let exact = Exact { starts, ..Exact::default() };
                let found = solve(&exact, &problem, None, &mut Silent).unwrap();
                assert!(found.certificate.within(1e-4), "{what}: {:?}", found.certificate);
                (found.w, found.b, found.beta, found.certificate, x)
            });
            let [narrow @ .., whole] = fits;
            assert!(whole.0.iter().filter(|w| **w != 0.0).count() > 3, "{what}");
            for (w, b, beta, certificate, _) in &narrow {
                assert!((w, b, beta) == (&whole.0, &whole.1, &whole.2), "{what}");
                assert_eq!(*certificate, whole.3, "{what}");
            }
            let [by_rows, by_columns] = narrow.map(|fit| fit.4);
            assert!(!by_rows.has_columns() && !by_columns.has_rows(), "{what}: the other half was made");
        }
    }
}

/// From a start all features are used, and w = 0 is where a fit without one begins.
#[test]
fn a_fit_from_nothing_is_the_same() {
    let (rows, y) = text();
    let [x, _] = both(&rows);
    let nothing = Start { w: vec![0.0; FEATURES], b: 0.0, beta: None };
    for (loss, lambda) in
        [(Loss::Hinge, 2e-3), (Loss::HuberHinge { delta: 2.0 }, 1e-3), (Loss::SquaredHinge, 2e-2)]
    {
        let problem = Problem::new(&x, &y, loss, regularizer(Family::L1, lambda, false)).unwrap();
        let narrow = solve(&Exact::default(), &problem, None, &mut Silent).unwrap();
        let whole = solve(&Exact::default(), &problem, Some(&nothing), &mut Silent).unwrap();
        if loss == Loss::SquaredHinge {
            // Features may come and go on the way.
            let (a, b) = (narrow.certificate.objective, whole.certificate.objective);
            assert!((a - b).abs() < 1e-6 * b, "{a} {b}");
        } else {
            assert!(narrow.w == whole.w && narrow.b == whole.b && narrow.beta == whole.beta, "{loss}");
        }
    }
}

/// Twenty rows far on the wrong side of the first feature share one that would be too light if they were not.
#[test]
fn what_was_left_out_wrongly_comes_back() {
    const SHARED: u32 = 500;
    let (mut rows, _) = text();
    let y: Vec<f64> = (0..ROWS).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    for (i, row) in rows.iter_mut().enumerate() {
        row.retain(|(j, _)| *j >= 1000);
        let is_wrong = i % 2 == 0 && i < 40;
        row.extend((1..60).map(|j| (j, 1e-5)));
        row.push((0, if is_wrong { -3.0 } else { y[i] }));
        if is_wrong {
            row.push((SHARED, 0.7));
        }
        row.sort_by_key(|(j, _)| *j);
    }
    let [x, _] = both(&rows);
    let problem = Problem::new(&x, &y, Loss::SquaredHinge, regularizer(Family::L1, 0.05, false)).unwrap();
    let found = solve(&Exact::default(), &problem, None, &mut Silent).unwrap();
    assert!(found.certificate.within(1e-4), "{:?}", found.certificate);
    assert!(found.w[SHARED as usize] > 0.0 && x.has_columns(), "{}", found.nonzeros());
}

#[test]
fn paths_are_the_same_by_rows_by_columns_and_with_all_features() {
    let (rows, y) = text();
    let grids = [Grid::Spaced { count: 8, min_ratio: 0.4 }, Grid::Given(vec![0.02, 0.01, 0.005, 0.003])];
    for (loss, family) in
        [(Loss::Hinge, Family::L1), (Loss::Hinge, Family::Mcp), (Loss::SquaredHinge, Family::L1)]
    {
        let spec = PenaltySpec::new(family, 1.0);
        for grid in &grids {
            let what = format!("{loss} {family} {grid:?}");
            let settings = PathSettings { grid: grid.clone(), ..PathSettings::default() };
            let [by_rows, by_columns, whole] = three(&rows).map(|x| {
                let problem = Problem::new(&*x, &y, loss, regularizer(family, 1.0, false)).unwrap();
                let found = path(&problem, &spec, &settings, &mut Silent).unwrap();
                assert!(!x.has_columns() || !x.has_rows(), "{what}: the other half was made");
                // This one looks at all features.
                assert_eq!(found.lambda_max, lambda_max(&problem, &spec, &mut Silent).unwrap(), "{what}");
                found
            });
            let point = |p: &PathPoint| (p.lambda, p.w.clone(), p.b, p.beta.clone(), p.certificate);
            for narrow in [by_rows, by_columns] {
                assert!(narrow.points.iter().map(point).eq(whole.points.iter().map(point)), "{what}");
            }
            assert!(whole.points.last().unwrap().w.len() > 3, "{what}");
        }
    }
}

/// Equal pulls of the many negative rows say that the first feature enters early; pulls of those of them that have it
/// balance it exactly, so that only the small ones enter, later than a path allows for when it leaves features out.
#[test]
fn a_path_that_begins_too_late_starts_again() {
    let (mut rows, _) = text();
    let y: Vec<f64> = (0..ROWS).map(|i| if i < 10 { 1.0 } else { -1.0 }).collect();
    for (i, row) in rows.iter_mut().enumerate() {
        row.retain(|(j, _)| *j >= 1000);
        row.extend((1..60).map(|j| (j, 5e-4)));
        if i < 110 {
            row.push((0, 1.0));
        }
        row.sort_by_key(|(j, _)| *j);
    }
    let [x, whole] = both(&rows);
    let spec = PenaltySpec::new(Family::L1, 1.0);
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::L1, 1.0, false)).unwrap();
    let settings =
        PathSettings { grid: Grid::Spaced { count: 3, min_ratio: 0.55 }, ..PathSettings::default() };
    let found = path(&problem, &spec, &settings, &mut Silent).unwrap();
    assert!(x.has_columns(), "it was not too late");
    let problem = Problem::new(&whole, &y, Loss::Hinge, regularizer(Family::L1, 1.0, false)).unwrap();
    assert_eq!(found.lambda_max, lambda_max(&problem, &spec, &mut Silent).unwrap());
    assert!(found.points.iter().all(|point| point.certificate.within(1e-4)));
    assert!(!found.points.last().unwrap().w.is_empty());
}

#[test]
fn observers_see_all_features() {
    struct Longest(usize);
    impl Observer for Longest {
        fn on_step(&mut self, _step: &Step) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }

        fn wants_iterate(&self) -> bool {
            true
        }

        fn on_iterate(&mut self, w: &[f64], _b: f64) {
            assert_eq!(w.len(), FEATURES);
            self.0 = self.0.max(w.iter().rposition(|w| *w != 0.0).unwrap_or(0));
        }
    }
    let (rows, y) = text();
    let [x, _] = both(&rows);
    let problem = Problem::new(&x, &y, Loss::Hinge, regularizer(Family::L1, 2e-3, false)).unwrap();
    let mut longest = Longest(0);
    let found = solve(&Exact::default(), &problem, None, &mut longest).unwrap();
    assert!(!x.has_columns());
    assert_eq!(Some(longest.0), found.w.iter().rposition(|w| *w != 0.0));
}
