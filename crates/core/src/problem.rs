//! What is minimised, checked once: after this the types are the proof.
//!
//!   F(w,b) = (1/n) Σ_i c_i ℓ(y_i(x_iᵀw + b)) + Σ_j κ_j p_λ(|w_j|) + (μ/2)‖w‖²

use crate::team::{self, Alone, Team};
use crate::{Design, Error, Intercept, Labels, Loss, Regularizer, Result};

/// A borrowed, validated problem.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    x: &'a dyn Design,
    y: &'a [f64],
    caps: Vec<f64>,
    loss: Loss,
    regularizer: Regularizer,
    intercept: Intercept,
    team: &'a dyn Team,
    /// n of the whole team.
    everyone: usize,
    /// Σ c_i/n of the whole team.
    total_cap: f64,
}

impl<'a> Problem<'a> {
    /// A problem with unit sample weights and a free intercept.
    ///
    /// # Errors
    /// If lengths do not match, the data is empty, or a label is not ±1.
    pub fn new(x: &'a dyn Design, y: &'a [f64], loss: Loss, regularizer: Regularizer) -> Result<Self> {
        Self::in_team(x, y, loss, regularizer, &Alone)
    }

    /// The same with rows that are those of one member of a team; samples and weights are counted over all.
    ///
    /// # Errors
    /// As [`new`](Self::new), or [`Error::Team`] if a member is lost.
    pub fn in_team(
        x: &'a dyn Design,
        y: &'a [f64],
        loss: Loss,
        regularizer: Regularizer,
        team: &'a dyn Team,
    ) -> Result<Self> {
        let (n, d) = (x.rows(), x.cols());
        if n == 0 || d == 0 {
            return Err(Error::Empty { rows: n, cols: d });
        }
        if y.len() != n {
            return Err(Error::Length { what: "labels", found: y.len(), expected: n });
        }
        if let Some(&bad) = y.iter().find(|y| y.abs() != 1.0) {
            return Err(Error::parameter("label", bad, "labels of a problem are -1 or +1"));
        }
        regularizer.check_features(d)?;
        let everyone = team::total(team, n as f64) as usize;
        team::check(team)?;
        let caps = vec![1.0 / everyone as f64; n];
        let total_cap = team::total(team, caps.iter().sum());
        Ok(Self { x, y, caps, loss, regularizer, intercept: Intercept::Free, team, everyone, total_cap })
    }

    /// Sets the sample weights c.
    ///
    /// # Errors
    /// Unless there is one a row, each is finite and ≥ 0, and one at least is positive.
    pub fn with_weights(mut self, weights: &[f64]) -> Result<Self> {
        let n = self.samples();
        if weights.len() != n {
            return Err(Error::Length { what: "sample weights", found: weights.len(), expected: n });
        }
        if let Some(&bad) = weights.iter().find(|c| !(**c >= 0.0 && c.is_finite())) {
            return Err(Error::parameter("sample weight", bad, "weights are finite and 0 or more"));
        }
        self.caps = weights.iter().map(|c| c / self.everyone as f64).collect();
        self.total_cap = team::total(self.team, self.caps.iter().sum());
        team::check(self.team)?;
        if self.total_cap == 0.0 && weights.iter().all(|c| *c == 0.0) {
            return Err(Error::parameter("sample weights", "all 0", "one at least must be positive"));
        }
        Ok(self)
    }

    /// Says what becomes of b. If it is penalised, the last column of X has to be the ones that
    /// [`Intercept::columns`] put there.
    #[must_use]
    pub fn with_intercept(self, intercept: Intercept) -> Self {
        Self { intercept, ..self }
    }

    /// Fixes b = 0.
    #[must_use]
    pub fn without_intercept(self) -> Self {
        self.with_intercept(Intercept::None)
    }

    /// The same data and loss under another regulariser.
    ///
    /// # Errors
    /// If its factors do not fit.
    pub fn with_regularizer(&self, regularizer: Regularizer) -> Result<Self> {
        regularizer.check_features(self.features())?;
        Ok(Self { regularizer, ..self.clone() })
    }

    /// The same data, weights, team and regulariser under another loss.
    pub(crate) fn with_loss(&self, loss: Loss) -> Self {
        Self { loss, ..self.clone() }
    }

    /// The same with some of the features only: these columns of `x`, in a design of their own.
    pub(crate) fn with_features<'b>(&self, x: &'b dyn Design, features: &[usize]) -> Problem<'b>
    where
        'a: 'b,
    {
        let regularizer = self.regularizer.of_features(features);
        Problem { x, regularizer, ..self.clone() }
    }

    /// The same data, weights and team under another loss and regulariser.
    pub(crate) fn with_objective(&self, loss: Loss, regularizer: Regularizer) -> Result<Self> {
        Ok(self.with_regularizer(regularizer)?.with_loss(loss))
    }

    /// n: the samples that are held here. Alone they are all there are.
    pub fn samples(&self) -> usize {
        self.y.len()
    }

    /// n of the whole team.
    pub fn samples_of_all(&self) -> usize {
        self.everyone
    }

    /// Those who share the fit.
    pub fn team(&self) -> &'a dyn Team {
        self.team
    }

    /// Replaces sums over the samples that are held here by sums over all.
    pub(crate) fn sum(&self, numbers: &mut [f64]) {
        self.team.sum(numbers);
    }

    /// The same for one number.
    pub(crate) fn total(&self, number: f64) -> f64 {
        team::total(self.team, number)
    }

    /// Σ c_i/n over all samples.
    pub(crate) fn total_cap(&self) -> f64 {
        self.total_cap
    }

    /// d: the columns of X.
    pub fn features(&self) -> usize {
        self.x.cols()
    }

    /// κ, one for each feature.
    pub(crate) fn factors(&self) -> Vec<f64> {
        (0..self.features()).map(|j| self.regularizer.factor(j)).collect()
    }

    /// X.
    pub fn x(&self) -> &'a dyn Design {
        self.x
    }

    /// y ∈ {-1, +1}ⁿ.
    pub fn y(&self) -> &'a [f64] {
        self.y
    }

    /// c_i/n: the weight of each sample in F, and for the hinge the upper bound of its dual β_i.
    pub fn caps(&self) -> &[f64] {
        &self.caps
    }

    /// The most that sample i can pull: the upper end of β_i, ∞ for the squared hinge.
    pub fn most_pull(&self, i: usize) -> f64 {
        if self.caps[i] > 0.0 { self.caps[i] * self.loss.max_pull() } else { 0.0 }
    }

    /// ℓ.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// The regulariser.
    pub fn regularizer(&self) -> &Regularizer {
        &self.regularizer
    }

    /// What becomes of b.
    pub fn intercept(&self) -> Intercept {
        self.intercept
    }

    /// True if b is free, and so a variable of its own.
    pub fn has_intercept(&self) -> bool {
        self.intercept == Intercept::Free
    }

    /// F(w, b), with `scores` of length n as scratch for Xw.
    pub fn objective(&self, w: &[f64], b: f64, scores: &mut [f64]) -> f64 {
        if self.intercept == Intercept::Penalised {
            return self.value(&[w, &[b]].concat(), 0.0, scores);
        }
        self.value(w, b, scores)
    }

    /// The same of all columns of X.
    pub(crate) fn value(&self, w: &[f64], b: f64, scores: &mut [f64]) -> f64 {
        self.x.matvec(w, scores);
        let loss: f64 = scores
            .iter()
            .zip(self.y)
            .zip(&self.caps)
            .map(|((s, y), cap)| cap * self.loss.value(y * (s + b)))
            .sum();
        self.total(loss) + self.regularizer.value(w)
    }
}

/// Multiplies class weights into sample weights: c_i · (weight of i's class).
///
/// `balanced` weighs class k by n / (2 · its total weight), as scikit-learn does.
pub fn balanced_weights(y: &[f64], weights: &[f64]) -> Vec<f64> {
    let total = |sign: f64| y.iter().zip(weights).filter(|(y, _)| **y == sign).map(|(_, c)| c).sum::<f64>();
    let (negative, positive) = (total(-1.0), total(1.0));
    let all = negative + positive;
    let of = |y: f64| if y > 0.0 { all / (2.0 * positive) } else { all / (2.0 * negative) };
    y.iter().zip(weights).map(|(y, c)| if *c == 0.0 { 0.0 } else { c * of(*y) }).collect()
}

/// The same for any number of classes K: class k is weighed by n / (K · its total weight).
pub fn balanced_by_class(labels: &Labels, weights: &[f64]) -> Vec<f64> {
    let mut total = vec![0.0; labels.classes().len()];
    labels.codes().iter().zip(weights).for_each(|(&k, c)| total[k as usize] += c);
    let share = total.iter().sum::<f64>() / total.len().max(1) as f64;
    let of = |(&k, c): (&u32, &f64)| if *c == 0.0 { 0.0 } else { c * share / total[k as usize] };
    labels.codes().iter().zip(weights).map(of).collect()
}
