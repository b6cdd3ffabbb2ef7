//! What a report tells, as one structure: commands fill it, `--out` keeps it, `sparsvm report` reads it back.
//!
//! Parts for which a command has nothing are absent. Whatever comes from a file is text or plain numbers, which
//! the page escapes: a saved run may be edited, and can at worst tell something else.

use serde::{Deserialize, Serialize};

/// Marks our runs.
pub(super) const FORMAT: &str = "sparsvm-run";
/// The version that this code writes and reads.
pub(super) const VERSION: u32 = 1;

/// A run, ready to be shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(super) format: String,
    pub(super) version: u32,
    /// What made it.
    pub(super) program: String,
    /// For a shell, so that it can be made again.
    pub(super) command: String,
    pub(super) headline: Vec<Figure>,
    pub(super) data: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) curves: Option<Curves>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<Lines>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) features: Option<Features>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) held_out: Option<HeldOut>,
    /// What was proved, sentence by sentence.
    pub(super) certificate: Vec<String>,
    /// Name and value.
    pub(super) settings: Vec<(String, String)>,
    /// What went wrong on the way.
    pub(super) failures: Vec<String>,
}

/// One of the few numbers that come first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figure {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) note: String,
}

impl Figure {
    pub(super) fn new(value: impl Into<String>, label: &str, note: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), note: note.into() }
    }
}

/// The data, and what is odd about it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// Its name, as the user wrote it.
    pub(crate) name: String,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Entries that are not 0.
    pub(crate) entries: usize,
    /// Labels and their rows; the second one of two is the positive class.
    pub(crate) classes: Vec<(String, usize)>,
    pub(crate) empty: Odd,
    pub(crate) constant: Odd,
    pub(crate) duplicate: Odd,
}

/// Columns that are odd in one way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Odd {
    pub(crate) count: usize,
    /// Names of the first few.
    pub(crate) first: Vec<String>,
}

/// Score against λ.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Curves {
    /// What the score is, and of which rows.
    pub(super) measure: String,
    /// It is a share, which is told in percent.
    pub(super) percent: bool,
    pub(super) tried: Vec<Tried>,
    /// Candidate and λ, from 0.
    pub(super) best: Option<(usize, usize)>,
    pub(super) chosen: Option<(usize, usize)>,
    /// The score that the rule accepted.
    pub(super) within: Option<f64>,
    /// What the chart shows, in words.
    pub(super) told: String,
}

/// One penalty: arrays with an entry for each λ, from the largest down.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tried {
    pub(super) name: String,
    pub(super) lambda: Vec<f64>,
    pub(super) mean: Vec<Option<f64>>,
    pub(super) se: Vec<Option<f64>>,
    pub(super) kept: Vec<Option<usize>>,
}

/// Coefficients along the path, as [`lines`](super::lines) writes them: arrays with an entry for each feature, the
/// largest coefficient first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Lines {
    pub(super) lambda: Vec<f64>,
    /// Which λ was chosen, from 0.
    pub(super) chosen: Option<usize>,
    /// What the vertical axis shows.
    pub(super) unit: String,
    /// What one step of the codes is worth.
    pub(super) step: f64,
    /// From 1, as in LIBSVM files.
    pub(super) feature: Vec<u32>,
    /// Their names, if they have any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) names: Option<Vec<String>>,
    /// The first λ at which the code begins, from 0; it is 0 before.
    pub(super) start: Vec<usize>,
    pub(super) code: Vec<String>,
    /// Features that are kept somewhere, but have no line, because there are so many.
    pub(super) left_out: usize,
    /// What the chart shows, in words.
    pub(super) told: String,
}

/// Features as a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Features {
    pub(super) told: String,
    /// What frequencies count.
    pub(super) fits: String,
    /// What a weight on scaled columns is, if they are scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scaled: Option<String>,
    pub(super) rows: Vec<Feature>,
}

/// A line of it; whatever all lines lack has no column.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Feature {
    /// From 1, as in LIBSVM files.
    pub(super) index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// In the units of the raw data; 0 if only some fold's model keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scaled: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frequency: Option<f64>,
    /// ±1, or 0 if neither sign is more frequent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sign: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sign_stability: Option<f64>,
    /// The largest λ at which the path keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) enters: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stable: Option<bool>,
}

/// What models say about rows that they never saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HeldOut {
    pub(super) told: String,
    /// Negative, positive.
    pub(super) classes: [String; 2],
    /// By true class, then by prediction.
    pub(super) confusion: [[usize; 2]; 2],
    pub(super) auc: Option<f64>,
    /// Σ (recall gained × precision) over the thresholds.
    pub(super) average_precision: Option<f64>,
    /// False and true positives as the threshold falls.
    pub(super) curve: Vec<(usize, usize)>,
}
