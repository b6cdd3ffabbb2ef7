//! ρ₁ and ρ₂ by the paper's grid, λ by cross-validation, on the training rows or a tenth of them.

use anyhow::{Result, bail};
use sparsvm_core::select::{Folds, stratified_split};
use sparsvm_core::solver::RHO_GRID;
use sparsvm_core::{Dataset, Error, Family, PenaltySpec, Problem, Regularizer};

use super::cell::{Choice, Protocol};
use super::clock::{Until, cpu_seconds};
use super::material::{Material, Test, without_empty_columns};
use super::method::{LAMBDA, MAX_ITER, Method, Parameters, Tuning};

/// The share of rows that parameters of large sets are chosen on.
const SUBSAMPLE: f64 = 0.1;
/// Of a cell's time, what choosing may take.
const TIME_SHARE: f64 = 0.4;
/// Iterations of a fit that only serves to choose, on large sets or for a quick look. The winner runs to the
/// end.
const ROUGH_ITERATIONS: usize = 200;

/// What choosing is about.
pub(super) struct Chooser<'a> {
    method: Method,
    penalty: Family,
    protocol: &'a Protocol,
    /// Says how far it is.
    tell: &'a mut (dyn FnMut(&str) + Send),
    /// When it has to be done, by the clock of CPU time.
    end: f64,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(
        (method, penalty): (Method, Family),
        protocol: &'a Protocol,
        tell: &'a mut (dyn FnMut(&str) + Send),
    ) -> Self {
        let share = if protocol.full_grid { 1.0 } else { TIME_SHARE };
        Self { method, penalty, protocol, tell, end: cpu_seconds() + share * protocol.time_limit }
    }

    /// The parameters that the method then runs with.
    pub(super) fn choose(&mut self, material: &Material) -> Result<(Parameters, Choice)> {
        let began = cpu_seconds();
        let on_tenth = material.shape().large && !self.protocol.full_grid;
        let sample = if on_tenth {
            let (rows, _) = stratified_split(material.train.labels(), SUBSAMPLE, self.protocol.seed);
            Some(without_empty_columns(material.train.select_rows(&rows))?)
        } else {
            None
        };
        let data = sample.as_ref().unwrap_or(&material.train);
        let most = if on_tenth || self.protocol.quick { ROUGH_ITERATIONS } else { MAX_ITER };
        let (chosen, tried, candidates) = match self.method.tuning() {
            Tuning::Nothing => (Parameters { lambda: LAMBDA, rho: None }, 1, 1),
            Tuning::Rho => self.rho(data, most)?,
            Tuning::Lambda => self.lambda(data, most)?,
        };
        let rows = if candidates > 1 { data.design().rows() } else { 0 };
        Ok((chosen, Choice { seconds: cpu_seconds() - began, rows, tried, candidates }))
    }

    fn is_late(&self) -> bool {
        cpu_seconds() >= self.end
    }

    /// The pair with the lowest true F.
    fn rho(&mut self, data: &Dataset, most: usize) -> Result<(Parameters, usize, usize)> {
        let grid: Vec<f64> = match self.protocol.quick {
            true => vec![0.1, 1.0, 10.0],
            false => RHO_GRID.to_vec(),
        };
        let pairs: Vec<(f64, f64)> =
            grid.iter().flat_map(|rho1| grid.iter().map(move |rho2| (*rho1, *rho2))).collect();
        let y = data.labels().signs()?;
        let spec = PenaltySpec::new(self.penalty, LAMBDA);
        let problem = Problem::new(data.design(), &y, self.method.loss(), Regularizer::from_spec(&spec)?)?;
        let mut scores = vec![0.0; y.len()];
        let (mut best, mut tried): (Option<(f64, Parameters)>, usize) = (None, 0);
        for (k, rho) in pairs.iter().enumerate() {
            if self.is_late() {
                break;
            }
            (self.tell)(&format!("choosing rho: {} of {} pairs", k + 1, pairs.len()));
            let chosen = Parameters { lambda: LAMBDA, rho: Some(*rho) };
            let solver = self.method.solver(&chosen, most, self.protocol.memory_limit);
            // Without the certificate, which may take longer than a rough fit.
            let objective = match solver.run(&problem, None, &mut Until(self.end)) {
                Ok(found) => problem.objective(&found.w, found.b, &mut scores),
                // A pair that runs away is not chosen.
                Err(Error::Numerical { .. }) => f64::INFINITY,
                Err(error) => return Err(error.into()),
            };
            tried += 1;
            if best.as_ref().is_none_or(|(least, _)| objective < *least) {
                best = Some((objective, chosen));
            }
        }
        match best {
            Some((_, chosen)) => Ok((chosen, tried, pairs.len())),
            None => bail!("no pair of rho was tried in {:.0} s", self.protocol.time_limit),
        }
    }

    /// The λ with the highest mean accuracy on the held-out folds; of equals the largest, which keeps the
    /// fewest features. From the largest down, as weak penalties take longest: those the time does not reach
    /// are not tried.
    fn lambda(&mut self, data: &Dataset, most: usize) -> Result<(Parameters, usize, usize)> {
        let (count, step) = if self.protocol.quick { (3, 2) } else { (5, 1) };
        let lambdas: Vec<f64> = (-18..=4).rev().step_by(step).map(|power| f64::from(power).exp2()).collect();
        let folds = Folds::stratified(data.labels(), count, 1, self.protocol.seed)?;
        let parts: Vec<Fold> =
            folds.iter().map(|(_, _, held)| Fold::new(data, held)).collect::<Result<_>>()?;
        let (mut best, mut tried): (Option<(f64, f64)>, usize) = (None, 0);
        'all: for lambda in &lambdas {
            let mut sum = 0.0;
            for (k, part) in parts.iter().enumerate() {
                if self.is_late() {
                    break 'all;
                }
                let fits = (tried * parts.len() + k + 1, lambdas.len() * parts.len());
                (self.tell)(&format!("choosing lambda: {} of {} fits", fits.0, fits.1));
                sum += self.accuracy(part, *lambda, most)?;
            }
            // The last fit may have been cut short.
            if self.is_late() {
                break;
            }
            tried += 1;
            if best.is_none_or(|(most, _)| sum > most + 1e-12) {
                best = Some((sum, *lambda));
            }
        }
        match best {
            Some((_, lambda)) => Ok((Parameters { lambda, rho: None }, tried, lambdas.len())),
            None => bail!("no lambda was tried in {:.0} s", self.protocol.time_limit),
        }
    }

    fn accuracy(&self, fold: &Fold, lambda: f64, most: usize) -> Result<f64> {
        let chosen = Parameters { lambda, rho: None };
        let solver = self.method.solver(&chosen, most, self.protocol.memory_limit);
        let regularizer = Regularizer::from_spec(&PenaltySpec::new(self.penalty, lambda))?;
        let problem = Problem::new(fold.train.design(), &fold.y, self.method.loss(), regularizer)?;
        match solver.run(&problem, None, &mut Until(self.end)) {
            Ok(found) => Ok(fold.held.accuracy(&found.w, found.b)),
            Err(Error::Numerical { .. }) => Ok(0.0),
            Err(error) => Err(error.into()),
        }
    }
}

/// Rows to fit, and rows to judge the fit by.
struct Fold {
    train: Dataset,
    y: Vec<f64>,
    held: Test,
}

impl Fold {
    fn new(data: &Dataset, held: &[usize]) -> Result<Self> {
        let others: Vec<usize> =
            (0..data.labels().len()).filter(|i| held.binary_search(i).is_err()).collect();
        let train = data.select_rows(&others);
        let y = train.labels().signs()?;
        Ok(Self { held: Test::new(&data.select_rows(held), &train), y, train })
    }
}
