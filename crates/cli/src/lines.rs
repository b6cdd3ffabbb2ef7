//! What `predict` writes: a line for each row, from the decision values of a block of rows.

use std::io::{self, Write};

use anyhow::Result;
use sparsvm_core::{Goal, Saved};

/// What a line holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Labels,
    /// One value for two classes and for a ranking, else one for each class.
    Decisions,
    /// The label, and the probability of each class, as LIBLINEAR's `predict -b 1` writes them.
    Probabilities,
}

/// Turns blocks of rows into lines.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    model: &'a Saved,
    wanted: Wanted,
    /// Between what stands in a line: a space, or a tab where labels have spaces in them ("not 3").
    gap: &'static str,
}

impl<'a> Lines<'a> {
    /// Refuses what the model cannot tell; a ranking always writes its scores.
    pub(crate) fn new(model: &'a Saved, wanted: Wanted) -> Result<Self> {
        if wanted == Wanted::Probabilities {
            model.probabilities(&vec![Vec::new(); model.machines().len()])?;
        }
        let wanted = if model.goal() == Goal::Rank { Wanted::Decisions } else { wanted };
        let gap = if model.classes().iter().any(|class| class.contains(' ')) { "\t" } else { " " };
        Ok(Self { model, wanted, gap })
    }

    /// What comes before the first row.
    pub(crate) fn head(&self, to: &mut dyn Write) -> io::Result<()> {
        match self.wanted {
            Wanted::Probabilities => {
                writeln!(to, "labels{}{}", self.gap, self.model.classes().join(self.gap))
            }
            Wanted::Labels | Wanted::Decisions => Ok(()),
        }
    }

    /// The lines of a block of rows, from [`Saved::decisions`].
    pub(crate) fn write(&self, to: &mut dyn Write, decisions: &[Vec<f64>]) -> io::Result<()> {
        let values = |to: &mut dyn Write, columns: &[Vec<f64>], i: usize, mut gap: &'static str| {
            for column in columns {
                write!(to, "{gap}{:?}", column[i])?;
                gap = self.gap;
            }
            writeln!(to)
        };
        match self.wanted {
            Wanted::Labels => {
                self.model.labels(decisions).into_iter().try_for_each(|label| writeln!(to, "{label}"))
            }
            Wanted::Decisions => {
                (0..decisions.first().map_or(0, Vec::len)).try_for_each(|i| values(to, decisions, i, ""))
            }
            Wanted::Probabilities => {
                let columns = self.model.probabilities(decisions).map_err(io::Error::other)?;
                let labels = self.model.labels(decisions);
                labels.into_iter().enumerate().try_for_each(|(i, label)| {
                    write!(to, "{label}")?;
                    values(to, &columns, i, self.gap)
                })
            }
        }
    }
}
