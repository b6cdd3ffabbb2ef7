//! `train --probability`: sigmoids from decision values of rows that a model has not seen.

use anyhow::{Context, Result, bail};
use sparsvm_core::calibrate::Sigmoid;
use sparsvm_core::select::Folds;
use sparsvm_core::{Error, Labels};

use crate::fit::{Task, fit};
use crate::load::Loaded;
use crate::plan::Plan;
use crate::progress::Watcher;

/// Parts of the rows where no choice of λ has held out any.
const FOLDS: usize = 5;

/// For each problem what was held out: one decision value a row, if there is one.
pub(crate) type HeldOut = Vec<Vec<Option<f64>>>;

/// Every class needs rows on both sides of a fold.
pub(crate) fn check(labels: &Labels, data: &str) -> Result<()> {
    let (class, rows) = smallest(labels);
    if rows < 2 {
        bail!(
            "{data}: --probability puts rows aside, and class {class} has only one: give more rows of it, or \
             leave --probability out"
        );
    }
    Ok(())
}

/// The class with the fewest rows.
fn smallest(labels: &Labels) -> (&str, usize) {
    let mut rows = vec![0; labels.classes().len()];
    labels.codes().iter().for_each(|&k| rows[k as usize] += 1);
    let fewest = labels.classes().iter().zip(rows).min_by_key(|(_, rows)| *rows);
    fewest.map_or(("", 0), |(class, rows)| (class.as_str(), rows))
}

/// Fits what will be fitted to all rows without each of five parts of them.
pub(crate) fn by_folds(loaded: &Loaded, plan: &Plan, seed: u64, quiet: bool) -> Result<Vec<Sigmoid>> {
    let (data, labels) = (&loaded.data, loaded.data.labels());
    check(labels, &loaded.task.data_name)?;
    let folds = Folds::stratified(labels, FOLDS.min(smallest(labels).1), 1, seed)?;
    let problems = if labels.classes().len() > 2 { labels.classes().len() } else { 1 };
    let mut held_out: HeldOut = vec![vec![None; labels.len()]; problems];
    let mut watcher = Watcher::new(quiet);
    for (_, k, held) in folds.iter() {
        watcher.fold(k, folds.count());
        let rows: Vec<usize> = (0..labels.len()).filter(|i| held.binary_search(i).is_err()).collect();
        let weights = loaded.task.weights.as_ref().map(|all| rows.iter().map(|&i| all[i]).collect());
        let task = Task { weights, ..loaded.task.clone() };
        let fitted = fit(&mut data.select_rows(&rows), &task, plan, None, &mut watcher)
            .with_context(|| format!("--probability, fold {} of {}", k + 1, folds.count()))?;
        if crate::interrupt::asked() {
            return Err(Error::Interrupted.into());
        }
        let unseen = data.design().select_rows(held);
        for (of_problem, fitted) in held_out.iter_mut().zip(&fitted) {
            let decisions = fitted.model.decisions(&*unseen);
            held.iter().zip(decisions).for_each(|(&i, s)| of_problem[i] = Some(s));
        }
    }
    watcher.finish();
    from_held_out(&held_out, labels, &loaded.task)
}

/// A sigmoid for each problem.
pub(crate) fn from_held_out(held_out: &HeldOut, labels: &Labels, task: &Task) -> Result<Vec<Sigmoid>> {
    let one = |(k, decisions): (usize, &Vec<Option<f64>>)| {
        let y = labels.signs_of(if held_out.len() == 1 { 1 } else { k });
        let seen: Vec<usize> = (0..y.len()).filter(|&i| decisions[i].is_some()).collect();
        let scores: Vec<f64> = decisions.iter().flatten().copied().collect();
        let y: Vec<f64> = seen.iter().map(|&i| y[i]).collect();
        if [-1.0, 1.0].iter().any(|sign| !y.contains(sign)) {
            bail!(
                "{}: no held-out row of a class has a decision value, so there are no probabilities: take fewer \
                 --folds, or leave --probability out",
                task.data_name
            );
        }
        let weight = |&i: &usize| task.weights.as_ref().map_or(1.0, |all| all[i]);
        let weights: Vec<f64> = seen.iter().map(weight).collect();
        Ok(Sigmoid::fit(&scores, &y, &weights)?)
    };
    held_out.iter().enumerate().map(one).collect()
}
