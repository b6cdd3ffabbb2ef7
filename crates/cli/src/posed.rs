//! A task on data whose columns are scaled: problems and models of it, for two classes or for each of several.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use sparsvm_core::model::{Provenance, Trained, rest_of};
use sparsvm_core::rank::{Queries, Ranking};
use sparsvm_core::{
    Dataset, Design, Goal, Model, PenaltySpec, Problem, Regularizer, Scaling, Solution, Start,
};

use crate::fit::Task;
use crate::ranked::{self, Ranked};

/// What the rows are labelled with.
pub(crate) enum Target {
    /// ±1, and what the model calls the two: negative, positive.
    Signs(Vec<f64>, Vec<String>),
    Grades(Queries),
}

impl Target {
    /// One problem for two classes and for a ranking, else one for each class.
    pub(crate) fn all(data: &Dataset, task: &Task) -> Result<Vec<Self>> {
        let labels = data.labels();
        Ok(match task.goal {
            Goal::Rank => vec![Self::Grades(ranked::queries(data, &task.data_name)?)],
            Goal::Classify if labels.classes().len() > 2 => {
                let classes = labels.classes().iter().enumerate();
                classes.map(|(k, c)| Self::Signs(labels.signs_of(k), vec![rest_of(c), c.clone()])).collect()
            }
            Goal::Classify => {
                let signs = labels.signs().with_context(|| task.data_name.clone())?;
                vec![Self::Signs(signs, labels.classes().to_vec())]
            }
        })
    }

    /// What the model calls its classes; a ranking names none.
    fn classes(&self) -> &[String] {
        match self {
            Self::Signs(_, classes) => classes,
            Self::Grades(_) => &[],
        }
    }
}

/// A task on data whose columns are scaled.
pub(crate) struct Posed<'a> {
    pub(crate) data: &'a mut Dataset,
    /// With a column for the intercept, if it is penalised.
    wide: Option<Box<dyn Design>>,
    task: &'a Task,
    regularizer: Regularizer,
    /// Empty without scaling.
    scale_factors: Vec<f64>,
}

impl<'a> Posed<'a> {
    /// Scales the data in place.
    pub(crate) fn new(data: &'a mut Dataset, task: &'a Task) -> Result<Self> {
        let mut regularizer = Regularizer::from_spec(&task.penalty)?.with_l2(task.l2)?;
        if let Some(factors) = &task.factors {
            regularizer = regularizer.with_factors(task.intercept.factors(factors.clone()))?;
        }
        let scale_factors = match task.scaling {
            Scaling::None => Vec::new(),
            scaling => {
                let factors = scaling.factors(data.design());
                data.scale_columns(&factors);
                factors
            }
        };
        let wide = task.intercept.columns(data.design());
        Ok(Self { data, wide, task, regularizer, scale_factors })
    }

    /// Lets the rows go if columns are all that is `wanted` for such a problem; the seconds that took. Rankings work by rows, and a
    /// penalised intercept has copied them.
    pub(crate) fn turn_if(&mut self, target: &Target, wanted: impl Fn(&Problem<'_>) -> bool) -> Result<f64> {
        let clock = Instant::now();
        if let (Target::Signs(y, _), None) = (target, &self.wide)
            && wanted(&self.problem(y)?)
        {
            self.data.turn_to_columns();
        }
        Ok(clock.elapsed().as_secs_f64())
    }

    pub(crate) fn problem<'b>(&'b self, y: &'b [f64]) -> Result<Problem<'b>> {
        let x = self.wide.as_deref().unwrap_or(self.data.design());
        let mut problem = Problem::new(x, y, self.task.loss, self.regularizer.clone())?;
        if let Some(weights) = &self.task.weights {
            problem = problem.with_weights(weights)?;
        }
        Ok(problem.with_intercept(self.task.intercept))
    }

    pub(crate) fn ranking<'b>(&'b self, queries: &'b Queries) -> Result<Ranking<'b>> {
        let (design, regularizer) = (self.data.design(), self.regularizer.clone());
        let ranking = Ranking::new(design, queries, self.task.loss, regularizer)
            .with_context(|| self.task.data_name.clone())?;
        Ok(ranking.with_memory_limit(self.task.memory_limit))
    }

    pub(crate) fn ranked(&self, target: &Target, w: &[f64]) -> Option<Ranked> {
        let Target::Grades(queries) = target else { return None };
        let mut scores = vec![0.0; self.data.design().rows()];
        self.data.design().matvec(w, &mut scores);
        Some(Ranked::new(queries, &scores))
    }

    pub(crate) fn model(
        &self,
        target: &Target,
        solution: &Solution,
        penalty: PenaltySpec,
        solver: String,
    ) -> Result<Model> {
        let provenance = Provenance {
            program: concat!("sparsvm ", env!("CARGO_PKG_VERSION")).into(),
            data: self.task.data_name.clone(),
            samples: self.data.design().rows(),
            solver,
        };
        let trained = Trained {
            goal: self.task.goal,
            classes: target.classes(),
            names: self.data.names(),
            table: self.data.table(),
            scaling: (self.task.scaling, &self.scale_factors),
            loss: self.task.loss,
            penalty,
            l2: self.task.l2,
            provenance,
        };
        Ok(Model::new(solution, trained)?)
    }

    /// A model's coefficients in the units of the scaled columns.
    pub(crate) fn start_from(&self, target: &Target, model: &Model) -> Result<Start> {
        let (known, d) = (model.features, self.data.design().cols());
        if known > d {
            bail!(
                "--start: the model knows {known} features, but {} has {d}: give --features {known} if they \
                 are the same ones",
                self.task.data_name
            );
        }
        if model.goal != self.task.goal {
            bail!("--start: the model was trained with --task {}: give one of the same task", model.goal);
        }
        let classes = target.classes();
        if model.goal == Goal::Classify && model.classes != classes {
            bail!(
                "--start: the model tells {} from {}, but the labels in {} are {}",
                model.classes[0],
                model.classes[1],
                self.task.data_name,
                classes.join(" and ")
            );
        }
        let mut w = model.dense_weights(d);
        w.iter_mut().zip(&self.scale_factors).for_each(|(w, factor)| *w /= factor);
        Ok(Start { w, b: model.intercept, beta: None })
    }
}

#[cfg(test)]
mod tests {
    use sparsvm_core::design::{Compressed, Sparse};
    use sparsvm_core::solver::{Exact, Feadmm, Solver};
    use sparsvm_core::{Family, Intercept, Labels, Loss};

    use super::*;

    /// 20 rows of two entries each: the features of which one is set for either class, and one of `rare` others.
    fn data(rare: usize) -> Dataset {
        let at: Vec<u32> = (0..20u32).flat_map(|i| [i % 2, 2 + i % rare as u32]).collect();
        let rows = Compressed::new((0..=20).map(|i| 2 * i).collect::<Vec<_>>(), at, vec![1.0; 40], 2 + rare);
        let labels = Labels::from_numbers(&(0..20).map(|i| f64::from(i % 2)).collect::<Vec<_>>());
        Dataset::new(Sparse::from_rows(rows.unwrap()), labels).unwrap()
    }

    fn task(family: Family, intercept: Intercept) -> Task {
        Task {
            goal: Goal::Classify,
            penalty: PenaltySpec::new(family, 0.1),
            l2: 0.0,
            factors: None,
            loss: Loss::Hinge,
            weights: None,
            intercept,
            scaling: Scaling::None,
            memory_limit: u64::MAX,
            data_name: "data".into(),
        }
    }

    #[test]
    fn rows_go_where_columns_are_all_that_is_looked_at() {
        let exact: &dyn Solver = &Exact::default();
        let cases = [
            (exact, Family::Mcp, Intercept::Free, 18, false),
            (exact, Family::L1, Intercept::Free, 3, false),
            // Few entries a feature, and a convex problem.
            (exact, Family::L1, Intercept::Free, 18, true),
            // Its columns are a copy.
            (exact, Family::Mcp, Intercept::Penalised, 18, true),
            (&Feadmm::default(), Family::Mcp, Intercept::Free, 3, true),
        ];
        for (solver, family, intercept, rare, stay) in cases {
            let (mut data, task) = (data(rare), task(family, intercept));
            let target = Target::all(&data, &task).unwrap().remove(0);
            let mut posed = Posed::new(&mut data, &task).unwrap();
            posed.turn_if(&target, |problem| solver.wants_columns_only(problem)).unwrap();
            assert_eq!(data.design().has_rows(), stay, "{} {family:?} {intercept} {rare}", solver.name());
            assert_eq!(data.design().has_columns(), !stay);
        }
    }
}
