//! Models that another program trained.

use super::format::{FORMAT, version_of};
use super::{Model, Provenance};
use crate::{Goal, Result, Scaling, Status};

/// A binary classifier that another program trained.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The two labels: negative, positive.
    pub classes: Vec<String>,
    /// d.
    pub features: usize,
    /// b.
    pub intercept: f64,
    /// The features whose weight is not 0, 0-based, ascending.
    pub indices: Vec<u32>,
    /// Their weights, in the units of the raw data.
    pub weights: Vec<f64>,
    /// The file that it comes from, and the program that reads it.
    pub provenance: Provenance,
}

impl Model {
    /// A model that another program trained: nothing is known of its objective, and nothing is proved.
    ///
    /// # Errors
    /// [`Error::Model`] if it is inconsistent, or a number is not finite.
    pub fn imported(from: Imported) -> Result<Self> {
        let model = Self {
            format: FORMAT.into(),
            version: version_of(Goal::Classify, true),
            goal: Goal::Classify,
            classes: from.classes,
            features: from.features,
            intercept: from.intercept,
            indices: from.indices,
            weights: from.weights,
            names: None,
            label: None,
            fills: None,
            scaling: Scaling::None,
            scale_factors: Vec::new(),
            loss: None,
            penalty: None,
            l2: None,
            status: Status::Imported,
            certificate: None,
            sigmoid: None,
            provenance: from.provenance,
        };
        model.check()?;
        Ok(model)
    }
}
