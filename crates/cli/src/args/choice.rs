//! How λ is chosen: options that `train` and `cv` share.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use sparsvm_core::select::{Folds, Rule, Score};

use super::data::named;

/// Folds, rule and score.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Choice of lambda")]
pub(crate) struct ChoiceArgs {
    /// Hold out the rows in this many parts, each with the same share of each class [default: 5]
    #[arg(long, value_name = "K")]
    pub(crate) folds: Option<usize>,

    /// Draw the folds this many times and average [default: as often as 200 rows are judged, but at most 5
    /// times: 1 from 200 rows on, 5 with less than 50]
    #[arg(long, value_name = "R")]
    pub(crate) repeats: Option<usize>,

    /// Which lambda is taken: min, the one with the highest mean score; 1se, of its penalty the fewest features with a
    /// mean score within one standard error of that; bic, the least SVMIC_H (an information criterion for SVMs,
    /// which looks at no fold). Ties go to fewer features [default: 1se]
    #[arg(long, value_name = "NAME", value_parser = named::<Rule>(&Rule::ALL.map(Rule::name)))]
    pub(crate) rule: Option<Rule>,

    /// What is measured on the rows that are held out: accuracy; balanced, its mean over the classes; auc,
    /// the area under the ROC curve; f1; mcc, Matthews' correlation. Of more than two classes auc and f1 are the
    /// mean of each against the others [default: accuracy]
    #[arg(long, value_name = "NAME", value_parser = named::<Score>(&Score::ALL.map(Score::name)))]
    pub(crate) score: Option<Score>,

    /// Keep every finished path in this folder (made if it is not there), and go on from what is in it: after
    /// a power cut or Ctrl-C the same command goes on, and ends with the same figures. --score and --rule may
    /// change from run to run, all else must stay. What `sparsvm cv` kept serves `sparsvm train` too, if its
    /// lambdas and folds are the same
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) resume: Option<PathBuf>,
}

impl ChoiceArgs {
    /// K folds.
    pub(crate) const FOLDS: usize = 5;

    pub(crate) fn count(&self) -> usize {
        self.folds.unwrap_or(Self::FOLDS)
    }

    /// R, for so many rows.
    pub(crate) fn repeats(&self, rows: usize) -> usize {
        self.repeats.unwrap_or_else(|| Folds::usual_repeats(rows))
    }

    pub(crate) fn rule(&self) -> Rule {
        self.rule.unwrap_or_default()
    }

    pub(crate) fn score(&self) -> Score {
        self.score.unwrap_or_default()
    }

    /// Refuses these options where nothing is chosen.
    pub(crate) fn refuse(&self, why: &str) -> Result<()> {
        let given = [
            ("--folds", self.folds.is_some()),
            ("--repeats", self.repeats.is_some()),
            ("--rule", self.rule.is_some()),
            ("--score", self.score.is_some()),
            ("--resume", self.resume.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option} is about choosing lambda, but {why}: leave one of them out"),
            None => Ok(()),
        }
    }
}
