//! Training and test rows of a set.

use anyhow::Result;
use sparsvm_core::design::{Compressed, Sparse};
use sparsvm_core::select::stratified_split;
use sparsvm_core::{Dataset, Design};
use sparsvm_data::{ReadOptions, Source};

use super::cell::{Protocol, Shape};
use super::set::{Origin, Set};

/// The paper's 9:1.
const TRAIN_SHARE: f64 = 0.9;
/// From here on the smaller factor of FEADMM takes seconds, and a grid of 36 of them hours.
const LARGE: usize = 5_000;

/// What a cell works on.
#[derive(Debug)]
pub(super) struct Material {
    pub(super) train: Dataset,
    /// ±1.
    pub(super) y: Vec<f64>,
    pub(super) test: Test,
}

impl Material {
    pub(super) fn load(set: &Set, protocol: &Protocol) -> Result<Self> {
        let options = ReadOptions { memory_limit: Some(protocol.memory_limit), ..ReadOptions::default() };
        let read = |path: &std::path::PathBuf| sparsvm_data::read(&Source::Path(path.clone()), &options);
        let (train, test) = match &set.origin {
            Origin::BuiltIn(known) => held_out(&known.make(protocol.quick)?, protocol.seed),
            Origin::Files { train, test: None } => held_out(&read(train)?, protocol.seed),
            Origin::Files { train, test: Some(test) } => (read(train)?, read(test)?),
        };
        let y = train.labels().signs()?;
        let test = Test::new(&test, &train);
        Ok(Self { train, y, test })
    }

    pub(super) fn shape(&self) -> Shape {
        let (train, features) = (self.train.design().rows(), self.train.design().cols());
        Shape { train, test: self.test.positive.len(), features, large: train.min(features) >= LARGE }
    }
}

fn held_out(all: &Dataset, seed: u64) -> (Dataset, Dataset) {
    let (train, test) = stratified_split(all.labels(), TRAIN_SHARE, seed);
    (all.select_rows(&train), all.select_rows(&test))
}

/// Rows that a model is tested on.
#[derive(Debug)]
pub(super) struct Test {
    x: Box<dyn Design>,
    /// Whether a row is of the positive class; None for a label that training did not have.
    positive: Vec<Option<bool>>,
}

impl Test {
    pub(super) fn new(test: &Dataset, train: &Dataset) -> Self {
        let known = train.labels().classes();
        let class = |text: &String| known.iter().position(|class| class == text).map(|k| k == 1);
        let of_class: Vec<Option<bool>> = test.labels().classes().iter().map(class).collect();
        let positive = test.labels().codes().iter().map(|&k| of_class[k as usize]).collect();
        let rows: Vec<usize> = (0..test.labels().len()).collect();
        Self { x: test.design().select_rows(&rows), positive }
    }

    /// The share of rows that (w, b) tells right. Features that w does not have are ignored.
    pub(super) fn accuracy(&self, w: &[f64], b: f64) -> f64 {
        let right = |i: usize| {
            let mut score = b;
            self.x.row(i).for_each(|j, value| score += value * w.get(j).copied().unwrap_or(0.0));
            self.positive[i] == Some(score > 0.0)
        };
        let n = self.positive.len();
        (0..n).filter(|&i| right(i)).count() as f64 / n.max(1) as f64
    }
}

/// The same rows without the columns that they do not use: no method that starts at zero ever gives those a
/// weight, and a tenth of the rows of a text may use a tenth of its words.
pub(super) fn without_empty_columns(data: Dataset) -> Result<Dataset> {
    let x = data.design();
    if !x.is_sparse() {
        return Ok(data);
    }
    let mut place = vec![u32::MAX; x.cols()];
    for i in 0..x.rows() {
        x.row(i).for_each(|j, _| place[j] = 0);
    }
    let mut used = 0;
    for place in place.iter_mut().filter(|place| **place == 0) {
        *place = used;
        used += 1;
    }
    let (mut starts, mut at, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..x.rows() {
        x.row(i).for_each(|j, value| {
            at.push(place[j]);
            values.push(value);
        });
        starts.push(at.len());
    }
    let design = Sparse::from_rows(Compressed::new(starts, at, values, (used as usize).max(1))?);
    Ok(Dataset::new(design, data.labels().clone())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparsvm_core::Labels;

    fn sparse(rows: &[&[(u32, f64)]], columns: usize, labels: &[f64]) -> Dataset {
        let mut starts = vec![0];
        rows.iter().for_each(|row| starts.push(starts[starts.len() - 1] + row.len()));
        let at: Vec<u32> = rows.iter().flat_map(|row| row.iter().map(|(j, _)| *j)).collect();
        let values: Vec<f64> = rows.iter().flat_map(|row| row.iter().map(|(_, x)| *x)).collect();
        let design = Sparse::from_rows(Compressed::new(starts, at, values, columns).unwrap());
        Dataset::new(design, Labels::from_numbers(labels)).unwrap()
    }

    #[test]
    fn columns_that_no_row_uses_go() {
        let data = sparse(&[&[(1, 2.0), (5, 3.0)], &[(5, 4.0)]], 9, &[-1.0, 1.0]);
        let small = without_empty_columns(data).unwrap();
        assert_eq!((small.design().rows(), small.design().cols()), (2, 2));
        let mut out = vec![0.0; 2];
        small.design().matvec(&[10.0, 1.0], &mut out);
        assert_eq!(out, [23.0, 4.0]);
    }

    #[test]
    fn accuracy_counts_rows_and_unknown_labels_are_wrong() {
        let train = sparse(&[&[(0, 1.0)], &[(1, 1.0)]], 2, &[-1.0, 1.0]);
        let rows: [&[(u32, f64)]; 4] = [&[(0, 1.0)], &[(1, 1.0)], &[(3, 9.0)], &[(0, 1.0)]];
        let test = Test::new(&sparse(&rows, 4, &[-1.0, 1.0, -1.0, 7.0]), &train);
        assert_eq!(test.accuracy(&[-1.0, 1.0], 0.0), 0.75);
        assert_eq!(test.accuracy(&[0.0, 0.0], 1.0), 0.25);
    }
}
