//! Data that needs no folder: real measurements that are embedded, and two generated sets of the shapes that
//! the paper is about.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use sparsvm_core::{Dataset, Scaling};
use sparsvm_data::synthetic::{DenseGaussian, TextLike};

use crate::demo::data::breast_cancer;

/// A set that is always at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BuiltIn {
    /// 569 tumours, 30 measurements, columns scaled to standard deviation 1.
    BreastCancer,
    /// Dense, d ≫ n, as gene expressions are.
    Gaussian,
    /// Sparse, d ≫ n, as texts are.
    TextLike,
}

impl BuiltIn {
    pub(super) const ALL: [Self; 3] = [Self::BreastCancer, Self::Gaussian, Self::TextLike];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::BreastCancer => "breast-cancer",
            Self::Gaussian => "gaussian",
            Self::TextLike => "text-like",
        }
    }

    /// The data, with fewer rows and columns for a quick look.
    pub(super) fn make(self, quick: bool) -> Result<Dataset> {
        Ok(match self {
            Self::BreastCancer => {
                let mut data = breast_cancer()?;
                let factors = Scaling::Standard.factors(data.design());
                data.scale_columns(&factors);
                data
            }
            Self::Gaussian => {
                let (rows, columns) = if quick { (150, 600) } else { (300, 3_000) };
                let shape = DenseGaussian { rows, columns, informative: 6, ..DenseGaussian::default() };
                shape.generate()?.dataset
            }
            Self::TextLike => {
                let (rows, columns) = if quick { (1_000, 4_000) } else { (4_000, 20_000) };
                TextLike { rows, columns, ..TextLike::default() }.generate()?.dataset
            }
        })
    }
}
