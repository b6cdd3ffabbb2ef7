//! What is minimised: penalty, loss, weights. The penalty's strength stands apart: a path tries many.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use sparsvm_core::penalty::Family;
use sparsvm_core::{Goal, Intercept, Loss, PenaltySpec};

use super::ClassWeight;
use super::data::named;

/// Of --theta, where one penalty is fitted.
pub(crate) const THETA: &str = "Shape of the penalty; for lp the exponent p, 0 < p < 1 [default: scad 3.7, mcp 3, lsp 1, \
                                capped-l1 1, lp 0.5]";
/// Of --loss, where nothing is ranked.
pub(crate) const LOSS: &str = "What a row costs that is not beyond the margin, with slack s = max(0, 1 - y(x·w + b)): hinge \
                               s, squared-hinge s², huber-hinge s²/(2 delta) up to delta and then s - delta/2 [default: \
                               hinge]";

/// How strong the penalty is.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Objective")]
pub(crate) struct StrengthArgs {
    /// Strength of the penalty, 0 or more: a larger one keeps fewer features [default: chosen by
    /// cross-validation; with --task rank, --start or a solver other than exact the paper's 2^-6]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) lambda: Option<f64>,

    /// Keep at most this many features: follows the path of 100 lambdas from the largest down to 0.01 of
    /// it, as `sparsvm path` does, and takes the model with the lowest loss among those that keep no more.
    /// Unless the penalty is l1, up to eight fits at other lambdas, most of them stronger than the path's, are compared
    /// as well: they take a few times as long as the path, and tell the classes apart better with as few features.
    /// With more than two labels this is for each of them, with a lambda of its own
    #[arg(long, value_name = "K", conflicts_with = "lambda")]
    pub(crate) max_features: Option<usize>,
}

impl StrengthArgs {
    /// The paper's 2⁻⁶.
    pub(crate) const LAMBDA: f64 = 0.015625;
}

/// Penalty and loss.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Objective")]
pub(crate) struct ObjectiveArgs {
    /// What a weight w costs. l1 is convex and shrinks every weight; the others level off, so that large
    /// weights are left alone and fewer features are kept. Cross-validation takes several, such as
    /// mcp,scad,l1 [default: mcp; where lambda is chosen by cross-validation mcp,l1]
    #[arg(long, value_name = "NAME", value_delimiter = ',',
          value_parser = named::<Family>(&Family::ALL.map(Family::name)))]
    pub(crate) penalty: Vec<Family>,

    /// Shape of the penalty; for lp the exponent p, 0 < p < 1. Cross-validation takes several, such as 1.5,3,10
    /// [default: scad 3.7, mcp 3, lsp 1, capped-l1 1, lp 0.5]
    #[arg(long, value_name = "X", value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) theta: Vec<f64>,

    /// Adds a ridge part (X/2)‖w‖² (elastic net), 0 or more
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) l2: f64,

    /// What a row costs that is not beyond the margin, with slack s = max(0, 1 - y(x·w + b)): hinge s,
    /// squared-hinge s², huber-hinge s²/(2 delta) up to delta and then s - delta/2
    /// [default: hinge, or squared-hinge with --task rank]
    #[arg(long, value_name = "NAME",
          value_parser = named::<Loss>(&["hinge", "squared-hinge", "huber-hinge"]))]
    pub(crate) loss: Option<Loss>,

    /// Width of huber-hinge's quadratic part, more than 0 [default: 2]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) delta: Option<f64>,

    /// Whether the intercept b is free; or penalised like the weight of a feature that is 1 in every row (as
    /// LIBLINEAR has it), so that it cannot lean far to the larger class where rows are few; or none, 0.
    /// Cross-validation takes several, such as free,penalised [default: free; where lambda is chosen by
    /// cross-validation and there are more features than rows, of which there are less than 1000, free,penalised]
    #[arg(long, value_name = "NAME", value_delimiter = ',',
          value_parser = named::<Intercept>(&Intercept::ALL.map(Intercept::name)))]
    pub(crate) intercept: Vec<Intercept>,

    /// Fix the intercept b at 0: --intercept none
    #[arg(long, conflicts_with = "intercept")]
    pub(crate) no_intercept: bool,

    /// How much the rows of a class count, such as -1=1,+1=5 (labels as in DATA; others count 1), or
    /// `balanced`: all classes count the same
    #[arg(long, value_name = "LABEL=W,…|balanced", allow_hyphen_values = true)]
    pub(crate) class_weight: Option<ClassWeight>,

    /// File with one number a line: how much each row of DATA counts (c_i, 0 or more)
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,

    /// File with the factor k_j of each feature's penalty (0 leaves it unpenalised): one number a line for
    /// all features, or lines `INDEX FACTOR` for some of them, while the others have 1
    #[arg(long, value_name = "FILE")]
    pub(crate) penalty_factors: Option<PathBuf>,
}

impl ObjectiveArgs {
    /// What cross-validation compares: MCP where few features do, ℓ1 where it takes many weak ones.
    pub(crate) const COMPARED: [Family; 2] = [Family::Mcp, Family::L1];

    /// The one penalty at a strength, checked.
    pub(crate) fn penalty(&self, lambda: f64) -> Result<PenaltySpec> {
        match self.penalties(lambda, &[Family::Mcp])?[..] {
            [spec] => Ok(spec),
            _ => bail!(
                "several values of --penalty or --theta can only be told apart by cross-validation: give one of \
                 each, or leave --lambda and --max-features out (train), or use `sparsvm cv`"
            ),
        }
    }

    /// What becomes of b, where one model is fitted.
    pub(crate) fn one_intercept(&self) -> Result<Intercept> {
        match self.intercepts(&[Intercept::Free])?[..] {
            [intercept] => Ok(intercept),
            _ => bail!(
                "several values of --intercept can only be told apart by cross-validation: give one of them, or leave \
                 --lambda and --max-features out (train), or use `sparsvm cv`"
            ),
        }
    }

    /// The same where several are compared: those that are asked for, or the usual ones.
    pub(crate) fn intercepts(&self, usual: &[Intercept]) -> Result<Vec<Intercept>> {
        let all = match (self.no_intercept, &self.intercept[..]) {
            (true, _) => vec![Intercept::None],
            (false, []) => usual.to_vec(),
            (false, given) => given.to_vec(),
        };
        match all.iter().enumerate().find(|(k, one)| all[..*k].contains(one)) {
            Some((_, twice)) => bail!("--intercept names {twice} twice: leave one of them out"),
            None => Ok(all),
        }
    }

    /// Every penalty with every θ at a strength, checked; ℓ1 has no θ.
    pub(crate) fn penalties(&self, lambda: f64, usual: &[Family]) -> Result<Vec<PenaltySpec>> {
        let families = if self.penalty.is_empty() { usual.to_vec() } else { self.penalty.clone() };
        if !self.theta.is_empty() && families.iter().all(|family| *family == Family::L1) {
            bail!("--theta means nothing to --penalty l1: leave it out, or choose another penalty");
        }
        let mut specs: Vec<PenaltySpec> = Vec::new();
        for family in families {
            let spec = PenaltySpec::new(family, lambda);
            let shaped = self.theta.iter().map(|theta| PenaltySpec { theta: *theta, ..spec });
            match family == Family::L1 || self.theta.is_empty() {
                true => specs.push(spec),
                false => specs.extend(shaped),
            }
        }
        for (k, spec) in specs.iter().enumerate() {
            spec.build()?;
            if specs[..k].contains(spec) {
                bail!(
                    "--penalty and --theta name {} twice: leave one of them out",
                    crate::words::shape(spec)
                );
            }
        }
        Ok(specs)
    }

    /// Refuses what means nothing to a task.
    pub(crate) fn check(&self, goal: Goal) -> Result<()> {
        let of_rows =
            [("--class-weight", self.class_weight.is_some()), ("--weights", self.weights.is_some())];
        match of_rows.into_iter().find(|(_, given)| *given) {
            Some((option, _)) if goal == Goal::Rank => {
                bail!("{option} means nothing to --task rank, where every pair counts the same: leave it out")
            }
            _ if goal == Goal::Rank && !self.intercept.is_empty() => {
                bail!(
                    "--intercept means nothing to --task rank, where b says nothing about pairs: leave it out"
                )
            }
            _ => Ok(()),
        }
    }

    /// The loss, with its δ. Rankings are usually learned with the squared hinge.
    pub(crate) fn loss(&self, goal: Goal) -> Result<Loss> {
        let usual = match goal {
            Goal::Classify => Loss::Hinge,
            Goal::Rank => Loss::SquaredHinge,
        };
        match (self.loss.unwrap_or(usual), self.delta) {
            (Loss::HuberHinge { .. }, Some(delta)) => Ok(Loss::huber(delta)?),
            (loss, None) => Ok(loss),
            (loss, Some(_)) => {
                bail!("--delta means nothing to --loss {loss}: leave it out, or add --loss huber-hinge")
            }
        }
    }
}
