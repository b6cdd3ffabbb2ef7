//! Linear models to and from other systems.
//!
//! A [`Saved`](sparsvm_core::Saved) model is seen as a [`View`], which every format is written from: one machine for
//! two classes or a ranking, or one machine a class. Each format is made in two steps: `new` refuses what the
//! format cannot say, before there is a file; `write` then fails only if the writer does.
//!
//! ```
//! # fn model() -> sparsvm_core::Result<sparsvm_core::Saved> {
//! #     sparsvm_core::Model::imported(sparsvm_core::model::Imported {
//! #         classes: vec!["-1".into(), "1".into()],
//! #         features: 3,
//! #         intercept: 0.5,
//! #         indices: vec![0, 2],
//! #         weights: vec![1.5, -2.0],
//! #         provenance: Default::default(),
//! #     })
//! #     .map(sparsvm_core::Saved::Single)
//! # }
//! use sparsvm_exchange::{View, liblinear};
//!
//! let model = model()?;
//! let mut file = Vec::new();
//! liblinear::Writer::new(&View::of(&model))?.write(&mut file)?;
//! let back = liblinear::read(&file[..])?;
//! assert_eq!(back.vectors[0].weights, model.machines()[0].weights);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod c;
pub mod csv;
mod error;
pub mod liblinear;
pub mod onnx;
mod view;

pub use error::{Error, Result};
pub use view::{Machine, View};
