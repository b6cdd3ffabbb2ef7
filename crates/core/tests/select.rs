//! Choosing a model: nothing leaks, any number of threads, planted features.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what it expects")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sparsvm_core::design::Dense;
use sparsvm_core::path::{Grid, PathSettings, path};
use sparsvm_core::select::{
    Alone, CvSettings, Folds, Host, Inner, Place, Procedure, Recipe, Rule, Score, Selector,
    StabilitySettings, Variant, choose, cross_validate, cross_validate_one_vs_rest, fold_tol, nested_cv,
    stability_selection, svmic,
};
use sparsvm_core::solver::Silent;
use sparsvm_core::{
    Dataset, Error, Family, Intercept, Labels, PenaltySpec, Problem, Regularizer, Result, Scaling,
};

const N: usize = 60;
const D: usize = 20;

/// Uniform numbers in (-1, 1).
fn values(seed: u32) -> Vec<f64> {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 24) * 2.0 - 1.0
    };
    (0..N * D).map(|_| uniform()).collect()
}

/// The first two features tell the label, up to a few rows.
fn labels(x: &[f64]) -> Vec<f64> {
    let sign = |i: usize| if (x[i * D] - 0.8 * x[i * D + 1] > 0.0) != (i % 15 == 7) { 1.0 } else { -1.0 };
    (0..N).map(sign).collect()
}

fn data_of(x: &[f64], y: &[f64]) -> Dataset {
    Dataset::new(Dense::from_rows(N, D, x.to_vec()).unwrap(), Labels::from_numbers(y)).unwrap()
}

fn data() -> Dataset {
    let x = values(1);
    data_of(&x, &labels(&x))
}

fn settings(families: &[Family]) -> CvSettings {
    let penalties: Vec<PenaltySpec> = families.iter().map(|family| PenaltySpec::new(*family, 0.0)).collect();
    let variants = Variant::each(&penalties, &[Intercept::Free, Intercept::Penalised]);
    CvSettings { variants, ..CvSettings::new(penalties[0]) }
}

fn scaled() -> Recipe {
    Recipe { scaling: Scaling::Standard, balanced: true, ..Recipe::default() }
}

/// The same data with the held-out rows blown up, shuffled and labelled the other way round.
fn disturbed(held: &[usize]) -> Dataset {
    let mut x = values(1);
    let mut y = labels(&x);
    for (k, &i) in held.iter().enumerate() {
        x[i * D..(i + 1) * D]
            .iter_mut()
            .enumerate()
            .for_each(|(j, x)| *x = 1e6 * (1.0 + (j * k) as f64) - *x);
        y[i] = -y[i];
    }
    data_of(&x, &y)
}

#[test]
fn a_fold_learns_nothing_from_the_rows_that_are_held_out() {
    let folds = Folds::stratified(data().labels(), 5, 1, 3).unwrap();
    let cv = |data: &Dataset| {
        cross_validate(data, &scaled(), &settings(&[Family::Mcp, Family::L1]), &folds, &Alone).unwrap()
    };
    let clean = cv(&data());
    for (k, (_, _, held)) in folds.iter().enumerate() {
        let wild = cv(&disturbed(held));
        for (a, b) in clean.candidates.iter().zip(&wild.candidates) {
            assert_ne!(a.lambda_max, b.lambda_max, "the disturbance reaches the whole data");
            let points = a.folds[k].points.iter().zip(&b.folds[k].points);
            assert_eq!(a.folds[k].points.len(), b.folds[k].points.len());
            for (clean, wild) in points {
                assert_eq!((&clean.w, clean.b.to_bits()), (&wild.w, wild.b.to_bits()), "fold {k}");
            }
            assert!(a.folds[k].points.iter().any(|point| point.w.len() > 1));
        }
    }
}

/// In every fold, and on all rows.
#[test]
fn an_intercept_that_is_penalised_is_a_feature_that_is_one_everywhere() {
    let x = values(1);
    let y = labels(&x);
    let wide: Vec<f64> = x.chunks(D).flat_map(|row| row.iter().copied().chain([1.0])).collect();
    let wide = Dataset::new(Dense::from_rows(N, D + 1, wide).unwrap(), Labels::from_numbers(&y)).unwrap();
    let folds = Folds::stratified(data().labels(), 5, 1, 3).unwrap();
    let cv = |data: &Dataset, intercept: Intercept| {
        let variant = Variant { penalty: PenaltySpec::new(Family::L1, 0.0), intercept };
        cross_validate(data, &Recipe::default(), &CvSettings::new(variant), &folds, &Alone).unwrap()
    };
    let (ours, plain) = (cv(&data(), Intercept::Penalised), cv(&wide, Intercept::None));
    let parts = |found: &sparsvm_core::select::CrossValidation| {
        let candidate = found.candidates[0].clone();
        candidate.folds.into_iter().chain([candidate.whole]).collect::<Vec<_>>()
    };
    for (ours, plain) in parts(&ours).iter().zip(&parts(&plain)) {
        assert_eq!(ours.points.len(), plain.points.len());
        for (ours, plain) in ours.points.iter().zip(&plain.points) {
            assert!(ours.w.iter().all(|(j, _)| (*j as usize) < D) && plain.b == 0.0);
            let of_features = plain.w.iter().filter(|(j, _)| (*j as usize) < D);
            assert!(of_features.eq(&ours.w));
            let of_constant = plain.w.iter().find(|(j, _)| *j as usize == D).map_or(0.0, |(_, w)| *w);
            assert_eq!(of_constant, ours.b);
            ours.decisions.iter().zip(&plain.decisions).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        }
        assert!(ours.points.iter().any(|point| point.b != 0.0));
    }
}

fn procedure() -> Procedure {
    Procedure {
        settings: settings(&[Family::Mcp]),
        score: Score::Accuracy,
        rule: Rule::OneSe,
        inner: Inner { folds: 4, repeats: 1, seed: 5, groups: None },
    }
}

#[test]
fn an_outer_fold_s_choice_learns_nothing_from_its_rows() {
    let outer = Folds::stratified(data().labels(), 3, 1, 9).unwrap();
    let nested = |data: &Dataset| nested_cv(data, &scaled(), &procedure(), &outer, &Alone).unwrap();
    let clean = nested(&data());
    assert!(clean.mean.unwrap() > 0.7 && clean.se.unwrap() < 0.2, "{:?}", clean.scores);
    for (k, (_, _, held)) in outer.iter().enumerate() {
        let (a, b) = (clean.outer[k].clone().unwrap(), nested(&disturbed(held)).outer[k].clone().unwrap());
        assert_eq!((a.variant, a.w, a.b.to_bits()), (b.variant, b.w, b.b.to_bits()), "outer fold {k}");
        assert_ne!(a.decisions, b.decisions);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let folds = Folds::stratified(data().labels(), 5, 2, 3).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let settings = settings(&[Family::Mcp, Family::L1]);
            let mut found = cross_validate(&data(), &scaled(), &settings, &folds, &Alone).unwrap();
            // The clock is no result.
            let paths = found.candidates.iter_mut().flat_map(|candidate| &mut candidate.path.points);
            paths.for_each(|point| point.seconds = 0.0);
            (found, stability(&data(), Selector::AtMost(3)))
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn curves_are_what_the_folds_say() {
    let folds = Folds::stratified(data().labels(), 5, 1, 3).unwrap();
    let found = cross_validate(&data(), &scaled(), &settings(&[Family::Mcp]), &folds, &Alone).unwrap();
    let (curve, candidate) = (&found.curves(Score::Accuracy)[0], &found.candidates[0]);
    let y = data().labels().signs().unwrap();
    for (k, point) in curve.points.iter().enumerate().filter(|(_, point)| point.folds == 5) {
        let of = |(held, part): (&[usize], &sparsvm_core::select::Part)| {
            let right =
                held.iter().zip(&part.points[k].decisions).filter(|(i, s)| (**s > 0.0) == (y[**i] > 0.0));
            right.count() as f64 / held.len() as f64
        };
        let scores: Vec<f64> = folds.iter().map(|fold| fold.2).zip(&candidate.folds).map(of).collect();
        assert!((point.mean.unwrap() - scores.iter().sum::<f64>() / 5.0).abs() < 1e-15);
        let whole = &candidate.path.points[k];
        // Hinge, balanced weights: the criterion counts every row once.
        assert_eq!(point.features, Some(whole.w.len()));
        let slack = svmic(&candidate.whole.points[k].decisions, &y, 0);
        let log = (N as f64).ln();
        let expected = slack + log.powf(1.5) * whole.w.len() as f64;
        assert!((point.criterion.unwrap() - expected).abs() < 1e-9);
    }
    let place = choose(&found.curves(Score::Auc), Rule::OneSe).unwrap().chosen;
    let selected = found.selected(place);
    assert!(selected[..2].iter().all(|f| f.feature < 2 && f.frequency() == 1.0 && f.sign_stability() == 1.0));
    let first = selected.iter().find(|f| f.feature == 0).unwrap();
    assert_eq!((first.sign(), first.fits), (1, 5));
    assert!(found.held_out_decisions(place).iter().all(Option::is_some));
    assert!(found.held_out_decisions(Place { candidate: 7, lambda: 0 }).iter().all(Option::is_none));
}

/// A weaker λ has no score in every fold, so it could not be chosen.
#[test]
fn the_path_on_all_data_goes_no_further_than_the_shortest_fold() {
    let folds = Folds::stratified(data().labels(), 5, 1, 3).unwrap();
    let mut is_shorter = false;
    for most in 2..12 {
        let settings = CvSettings { max_features: Some(most), ..settings(&[Family::L1]) };
        let found = cross_validate(&data(), &scaled(), &settings, &folds, &Alone).unwrap();
        let candidate = &found.candidates[0];
        let shortest = candidate.folds.iter().map(|part| part.points.len()).min().unwrap();
        assert!(candidate.path.points.len() <= shortest, "{most} features");
        assert_eq!(candidate.path.points.len(), candidate.whole.points.len());
        // All data keep no more than that, so it was not their own number of features that ended the path.
        is_shorter |= candidate.path.points.len() == shortest && shortest < 25;
        assert_eq!(found.curves(Score::Accuracy)[0].points.len(), 25);
    }
    assert!(is_shorter);
}

/// The models of a fold are those of a path on its training rows to the rougher tolerance, bit for bit.
#[test]
fn folds_of_many_rows_are_fitted_to_their_own_tolerance() {
    let (n, d) = (1_000, 20);
    let x: Vec<f64> = (0..20u32).flat_map(|seed| values(seed + 1)).take(n * d).collect();
    let sign = |i: usize| if (x[i * d] - x[i * d + 1] > 0.0) != (i % 7 == 3) { 1.0 } else { -1.0 };
    let y: Vec<f64> = (0..n).map(sign).collect();
    let data = Dataset::new(Dense::from_rows(n, d, x).unwrap(), Labels::from_numbers(&y)).unwrap();
    let folds = Folds::stratified(data.labels(), 3, 1, 0).unwrap();
    let recipe = Recipe::default();
    let found = cross_validate(&data, &recipe, &settings(&[Family::L1]), &folds, &Alone).unwrap();
    let (_, _, held) = folds.iter().next().unwrap();
    let rows: Vec<usize> = (0..n).filter(|i| !held.contains(i)).collect();
    let training = data.select_rows(&rows);
    let y = training.labels().signs().unwrap();
    let spec = PenaltySpec::new(Family::L1, 1.0);
    let problem =
        Problem::new(training.design(), &y, recipe.loss, Regularizer::from_spec(&spec).unwrap()).unwrap();
    let models = |tol: f64| {
        let mut exact = recipe.exact.clone();
        exact.stopping.tol = tol;
        let settings = PathSettings { grid: CvSettings::GRID, max_features: None, exact };
        let path = path(&problem, &spec, &settings, &mut Silent).unwrap();
        let small = |w: &[(usize, f64)]| w.iter().map(|&(j, w)| (j as u32, w)).collect::<Vec<_>>();
        path.points.iter().map(|point| small(&point.w)).collect::<Vec<_>>()
    };
    let of_fold: Vec<Vec<(u32, f64)>> =
        found.candidates[0].folds[0].points.iter().map(|point| point.w.clone()).collect();
    let tol = recipe.exact.stopping.tol;
    assert_eq!(of_fold, models(fold_tol(tol, n)));
    assert_ne!(of_fold, models(tol));
}

/// Labels that no feature says anything about: from the first feature on a model only learns its rows by heart. One path with
/// two classes, and the paths of three in step.
#[test]
fn a_costly_path_ends_once_it_is_past_its_best() {
    let (n, d) = (2_000, 1_500);
    let x: Vec<f64> = (0..).flat_map(|seed| values(7 * seed + 1)).take(n * d).collect();
    let folds_of = |labels: &Labels| Folds::stratified(labels, 2, 1, 0).unwrap();
    let of = |classes: usize| {
        let y: Vec<f64> = (0..n).map(|i| (i * i % 11 % classes) as f64).collect();
        Dataset::new(Dense::from_rows(n, d, x.clone()).unwrap(), Labels::from_numbers(&y)).unwrap()
    };
    let (two, three) = (of(2), of(3));
    let lambdas = CvSettings { grid: Grid::Spaced { count: 40, min_ratio: 0.01 }, ..settings(&[Family::L1]) };
    let found = cross_validate(&two, &Recipe::default(), &lambdas, &folds_of(two.labels()), &Alone).unwrap();
    let lengths: Vec<usize> = found.candidates[0].folds.iter().map(|part| part.points.len()).collect();
    assert!(lengths.iter().all(|&points| points < 40), "{lengths:?}");
    assert_eq!(found.candidates[0].path.points.len(), lengths.iter().copied().min().unwrap());
    let found =
        cross_validate_one_vs_rest(&three, &Recipe::default(), &lambdas, &folds_of(three.labels()), &Alone)
            .unwrap();
    let parts = found.candidates[0].folds.iter().flatten();
    let lengths: Vec<usize> = parts.map(|part| part.points.len()).collect();
    assert!(lengths.iter().all(|&points| points < 40), "{lengths:?}");
    let shortest = lengths.iter().copied().min().unwrap();
    assert!(found.candidates[0].paths.iter().all(|path| path.points.len() == shortest));
}

#[test]
fn a_fold_that_fails_is_reported_and_the_others_count() {
    let x = values(1);
    // One row of the positive class: the fold that holds it out has one class left.
    let y: Vec<f64> = (0..N).map(|i| if i == 4 { 1.0 } else { -1.0 }).collect();
    let data = data_of(&x, &y);
    let folds = Folds::stratified(data.labels(), 5, 1, 0).unwrap();
    let found = cross_validate(&data, &Recipe::default(), &settings(&[Family::L1]), &folds, &Alone).unwrap();
    let failures = found.failures();
    assert_eq!(failures.len(), found.candidates.len(), "one fold of each: {failures:?}");
    assert!(found.curves(Score::Accuracy)[0].points.iter().all(|point| point.folds <= 4));
    assert!(choose(&found.curves(Score::Accuracy), Rule::Min).is_ok());
    // No fold has rows of both classes, in training and among the held-out ones.
    assert!(choose(&found.curves(Score::Auc), Rule::Min).unwrap_err().to_string().contains("accuracy"));
    assert!(choose(&found.curves(Score::Auc), Rule::Bic).is_ok());
}

fn stability(data: &Dataset, selector: Selector) -> sparsvm_core::select::Stability {
    let settings = StabilitySettings {
        variant: PenaltySpec::new(Family::L1, 0.0).into(),
        pairs: 20,
        selector,
        threshold: 0.75,
        seed: 1,
        grid: sparsvm_core::path::Grid::default(),
    };
    stability_selection(data, &scaled(), &settings, &Alone).unwrap()
}

#[test]
fn stability_selection_finds_what_was_planted() {
    let found = stability(&data(), Selector::AtMost(3));
    let stable: Vec<u32> = found.stable().map(|f| f.feature).collect();
    assert!(stable.len() == 2 && stable.contains(&0) && stable.contains(&1), "{stable:?}");
    assert_eq!((found.halves, found.q), (40, 3.0));
    assert!(found.mean_selected <= 3.0 && (found.bound() - 9.0 / (0.5 * D as f64)).abs() < 1e-12);
    let signs: Vec<i8> =
        [0, 1].map(|j| found.features.iter().find(|f| f.feature == j).unwrap().sign()).into();
    assert_eq!(signs, [1, -1]);
    let at = stability(&data(), Selector::AtLambda(0.2));
    assert_eq!(at.q, at.mean_selected);
    let [none, more] =
        [10.0, 0.02].map(|lambda| stability(&data(), Selector::AtLambda(lambda)).mean_selected);
    assert!(none == 0.0 && 0.0 < at.mean_selected && at.mean_selected < more, "{none} {} {more}", at.q);
    let bad = StabilitySettings {
        variant: PenaltySpec::new(Family::L1, 0.0).into(),
        pairs: 2,
        selector: Selector::AtMost(3),
        threshold: 0.5,
        seed: 1,
        grid: sparsvm_core::path::Grid::default(),
    };
    assert!(stability_selection(&data(), &scaled(), &bad, &Alone).is_err());
}

/// Keeps cells in memory, and stops after so many.
#[derive(Default)]
struct Memory {
    cells: Mutex<std::collections::BTreeMap<String, String>>,
    kept: AtomicUsize,
    most: Option<usize>,
}

impl Host for Memory {
    fn wants_stop(&self) -> bool {
        self.most.is_some_and(|most| self.kept.load(Ordering::Relaxed) >= most)
    }

    fn find(&self, name: &str) -> Option<String> {
        self.cells.lock().unwrap().get(name).cloned()
    }

    fn keep(&self, name: &str, text: &str) -> Result<()> {
        self.kept.fetch_add(1, Ordering::Relaxed);
        self.cells.lock().unwrap().insert(name.into(), text.into());
        Ok(())
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_bits() {
    let outer = Folds::stratified(data().labels(), 3, 1, 9).unwrap();
    let nested = |host: &dyn Host| nested_cv(&data(), &scaled(), &procedure(), &outer, host);
    let whole = nested(&Alone).unwrap();
    // In each outer fold, a path of each variant on each inner fold and one on all of its rows.
    let cells = 3 * procedure().settings.variants.len() * (4 + 1);
    let mut host = Memory { most: Some(4), ..Memory::default() };
    assert_eq!(nested(&host).unwrap_err(), Error::Interrupted);
    let early = host.cells.lock().unwrap().len();
    assert!((4..cells).contains(&early), "{early}");
    host.most = None;
    host.kept = AtomicUsize::new(0);
    assert_eq!(nested(&host).unwrap(), whole);
    assert_eq!(host.kept.load(Ordering::Relaxed), cells - early);
    // What cannot be read is made anew.
    host.cells.lock().unwrap().values_mut().for_each(|text| text.truncate(10));
    assert_eq!(nested(&host).unwrap(), whole);
}
