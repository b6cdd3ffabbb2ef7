//! Choosing the model: cross-validation, rules, an information criterion, nested cross-validation, and
//! stability selection.
//!
//! [`Folds`] say which rows are held out, a [`Recipe`] what is fitted to the others. [`cross_validate`]
//! follows a path in each training fold; its [`Curve`]s say what a [`Score`] makes of every λ, and a [`Rule`]
//! takes one of them ([`choose`]). [`nested_cv`] measures that whole procedure, [`stability_selection`] finds
//! the features that halves of the data agree on. More than two classes have a path each, with the same λ
//! ([`cross_validate_one_vs_rest`]). A [`Host`] watches, stops, and keeps what is finished.
//! `docs/maths.md` has the formulas.
//!
//! ```
//! use sparsvm_core::design::Dense;
//! use sparsvm_core::select::{Alone, CvSettings, Folds, Recipe, Rule, Score, choose, cross_validate};
//! use sparsvm_core::{Dataset, Family, Labels, PenaltySpec};
//!
//! // Twelve samples of two features; the first one tells the classes apart.
//! let values: Vec<f64> = (0..12)
//!     .flat_map(|i| [if i % 2 == 0 { 1.0 } else { -1.0 } + 0.1 * (i % 3) as f64, (i % 5) as f64])
//!     .collect();
//! let labels: Vec<f64> = (0..12).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
//! let data = Dataset::new(Dense::from_rows(12, 2, values)?, Labels::from_numbers(&labels))?;
//! let folds = Folds::stratified(data.labels(), 3, 1, 0)?;
//! let settings = CvSettings::new(PenaltySpec::new(Family::Mcp, 0.0));
//! let found = cross_validate(&data, &Recipe::default(), &settings, &folds, &Alone)?;
//! let curves = found.curves(Score::Accuracy);
//! let chosen = choose(&curves, Rule::OneSe)?.chosen;
//! assert_eq!(curves[0].points[chosen.lambda].features, Some(1));
//! # Ok::<(), sparsvm_core::Error>(())
//! ```

mod criterion;
mod cross_validate;
mod curve;
mod features;
mod folds;
mod host;
mod nested;
mod one_vs_rest;
mod past_best;
mod random;
mod recipe;
mod rule;
mod score;
mod score_several;
mod stability;
mod variant;

pub use criterion::svmic;
pub use cross_validate::{Candidate, CrossValidation, CvSettings, cross_validate};
pub use curve::{Curve, CurvePoint};
pub use features::Selected;
pub use folds::{Fold, Folds, stratified_split};
pub use host::{Alone, Host};
pub use nested::{Inner, NestedCv, OuterFold, Procedure, nested_cv};
pub use one_vs_rest::{OneVsRestCandidate, OneVsRestCv, cross_validate_one_vs_rest};
pub use recipe::{Part, PartPoint, Recipe, fold_tol};
pub use rule::{Choice, Place, Rule, choose};
pub use score::Score;
pub use stability::{Selector, Stability, StabilitySettings, stability_selection};
pub use variant::Variant;
