//! Cross-validation of several classes: nothing leaks, any number of threads, and each class is its binary problem.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what it expects")]

mod support;

use sparsvm_core::path::Grid;
use sparsvm_core::select::{
    Alone, CvSettings, Folds, OneVsRestCv, Place, Recipe, Rule, Score, choose, cross_validate,
    cross_validate_one_vs_rest,
};
use sparsvm_core::{Dataset, Family, Labels, PenaltySpec, Scaling};
use support::{Lcg, dense};

const N: usize = 60;

/// Rows around three centres, which the first three of eight features tell apart.
fn rows() -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut rows = Lcg(5).matrix(N, 8, 0.0);
    let y: Vec<f64> = (0..N).map(|i| (i % 3) as f64).collect();
    rows.iter_mut().enumerate().for_each(|(i, row)| row[i % 3] += 2.5);
    (rows, y)
}

fn data_of((rows, y): &(Vec<Vec<f64>>, Vec<f64>)) -> Dataset {
    Dataset::new(dense(rows), Labels::from_numbers(y)).unwrap()
}

fn settings() -> CvSettings {
    let grid = Grid::Spaced { count: 8, min_ratio: 0.02 };
    CvSettings { grid, ..CvSettings::new(PenaltySpec::new(Family::L1, 0.0)) }
}

fn recipe() -> Recipe {
    Recipe { scaling: Scaling::Standard, ..Recipe::default() }
}

fn run(data: &Dataset, folds: &Folds) -> OneVsRestCv {
    cross_validate_one_vs_rest(data, &Recipe { balanced: true, ..recipe() }, &settings(), folds, &Alone)
        .unwrap()
}

#[test]
fn a_fold_learns_nothing_from_the_rows_that_are_held_out() {
    let all = rows();
    let folds = Folds::stratified(data_of(&all).labels(), 4, 1, 3).unwrap();
    let clean = run(&data_of(&all), &folds);
    for (k, (_, _, held)) in folds.iter().enumerate() {
        let (mut x, mut y) = all.clone();
        for &i in held {
            x[i].iter_mut().enumerate().for_each(|(j, x)| *x = 1e6 * (1.0 + j as f64) - *x);
            y[i] = (y[i] + 1.0) % 3.0;
        }
        let wild = run(&data_of(&(x, y)), &folds);
        let (a, b) = (&clean.candidates[0], &wild.candidates[0]);
        assert_ne!(a.lambda_max, b.lambda_max, "the disturbance reaches the whole data");
        for (clean, wild) in a.folds[k].iter().zip(&b.folds[k]) {
            assert_eq!(clean.points.len(), 8);
            for (clean, wild) in clean.points.iter().zip(&wild.points) {
                assert_eq!((&clean.w, clean.b.to_bits()), (&wild.w, wild.b.to_bits()), "fold {k}");
            }
            assert!(clean.points.iter().any(|point| !point.w.is_empty()));
        }
    }
}

#[test]
fn each_class_is_its_binary_problem_at_the_common_lambdas() {
    let data = data_of(&rows());
    let folds = Folds::stratified(data.labels(), 4, 1, 3).unwrap();
    let found = cross_validate_one_vs_rest(&data, &recipe(), &settings(), &folds, &Alone).unwrap();
    let candidate = &found.candidates[0];
    assert_eq!(candidate.lambdas[0], candidate.lambda_max);
    for (k, class) in ["0", "1", "2"].into_iter().enumerate() {
        let binary = data_of(&rows()).with_labels(data.labels().against_rest(class)).unwrap();
        let given = CvSettings { grid: Grid::Given(candidate.lambdas.clone()), ..settings() };
        let alone = cross_validate(&binary, &recipe(), &given, &folds, &Alone).unwrap();
        assert_eq!(candidate.whole[k], alone.candidates[0].whole);
    }
    // The curve is what the largest of the held-out values says.
    let place = Place { candidate: 0, lambda: 5 };
    let held_out = found.held_out_decisions(place);
    let mut scores = Vec::new();
    for (_, _, held) in folds.iter() {
        let right = |i: usize| {
            let values: Vec<f64> = held_out.iter().map(|of_class| of_class[i].unwrap()).collect();
            values.iter().all(|value| *value <= values[data.labels().codes()[i] as usize])
        };
        scores.push(held.iter().filter(|&&i| right(i)).count() as f64 / held.len() as f64);
    }
    let curves = found.curves(Score::Accuracy);
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    assert!((curves[0].points[5].mean.unwrap() - mean).abs() < 1e-12 && mean > 0.8, "{mean}");
    let union: std::collections::BTreeSet<u32> =
        candidate.whole.iter().flat_map(|part| part.points[5].w.iter().map(|pair| pair.0)).collect();
    assert_eq!(curves[0].points[5].features, Some(union.len()));
    assert!(choose(&curves, Rule::Bic).is_ok());
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let data = data_of(&rows());
    let folds = Folds::stratified(data.labels(), 4, 1, 3).unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut found = pool.install(|| run(&data, &folds));
        // The clock is no result.
        let paths = found.candidates.iter_mut().flat_map(|candidate| &mut candidate.paths);
        paths.flat_map(|path| &mut path.points).for_each(|point| point.seconds = 0.0);
        found
    };
    assert_eq!(with(1), with(3));
}
