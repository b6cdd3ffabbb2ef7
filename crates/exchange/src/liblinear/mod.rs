//! LIBLINEAR's text models: a head of `name value` lines, `w`, and a line of weights for each feature.
//!
//! Of two classes there is one vector, which speaks for the first label; of more there is one for each label.
//! With a bias B ≥ 0 a last line holds the weights of a feature that is always B.

mod read;
mod write;

#[cfg(test)]
mod tests;

pub use read::{Parsed, Vector, read};
pub use write::Writer;
