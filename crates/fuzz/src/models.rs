//! Model files, ours and LIBLINEAR's: what is read can be used, exported, written and read again.

use std::error::Error;

use sparsvm_core::design::Dense;
use sparsvm_core::{Model, Saved};
use sparsvm_data::Expected;
use sparsvm_exchange::{View, c, csv, liblinear as text, onnx};

use crate::holds;

/// Past this many features nothing is exported: LIBLINEAR's files have a line for each.
const FEATURES: usize = 1 << 8;

/// A model file of ours.
pub(crate) fn model(bytes: &[u8]) -> bool {
    usable(Saved::read(bytes))
}

/// A model file of LIBLINEAR's.
pub(crate) fn liblinear(bytes: &[u8]) -> bool {
    let parsed = match text::read(bytes) {
        Ok(parsed) => parsed,
        Err(fault) => {
            holds::error(&fault);
            return false;
        }
    };
    for vector in &parsed.vectors {
        assert_eq!(vector.indices.len(), vector.weights.len());
        assert!(vector.indices.iter().all(|&j| (j as usize) < parsed.features), "an index past the features");
    }
    usable(parsed.into_model(holds::NAME.into(), "sparsvm".into()))
}

fn usable<E: Error>(found: Result<Saved, E>) -> bool {
    let model = match found {
        Ok(model) => model,
        Err(fault) => {
            holds::error(&fault);
            return false;
        }
    };
    model.machines().iter().for_each(sound);
    let mut file = Vec::new();
    assert!(model.write(&mut file).is_ok(), "cannot be written");
    let again = Saved::read(&file[..]);
    assert!(again.as_ref().is_ok_and(|again| *again == model), "another model is read again: {again:?}");
    let Ok(x) = Dense::from_rows(2, 3, &[1.0, 0.0, -2.0, 0.5, 1.0, 3.0][..]) else { return true };
    let decisions = model.decisions(&x);
    assert_eq!(decisions.len(), model.machines().len(), "decisions");
    let _ = (model.labels(&decisions), model.probabilities(&decisions), Expected::kept_by(&model));
    if model.machines().iter().all(|machine| machine.features <= FEATURES) {
        exported(&model);
    }
    true
}

fn sound(machine: &Model) {
    let ascending = machine.indices.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(ascending && machine.indices.last().is_none_or(|&j| (j as usize) < machine.features), "indices");
    assert_eq!(machine.indices.len(), machine.weights.len(), "weights");
    for k in 0..machine.weights.len() {
        assert!(machine.weights[k].is_finite(), "weight {k}");
        assert!(machine.scaled_weight(k).is_none_or(f64::is_finite), "weight {k} on its scaled column");
        assert!(!machine.feature_name(k).is_empty() || machine.names.is_some(), "name {k}");
    }
    assert!(machine.intercept.is_finite(), "intercept");
}

/// Each format takes the model or says why not.
fn exported(model: &Saved) {
    let view = View::of(model);
    let mut file = Vec::new();
    match text::Writer::new(&view) {
        Err(fault) => holds::error(&fault),
        Ok(writer) => {
            assert!(writer.write(&mut file).is_ok(), "cannot be written for LIBLINEAR");
            let again = text::read(&file[..]);
            assert!(again.is_ok(), "what was written for LIBLINEAR is not read: {again:?}");
        }
    }
    match onnx::Writer::new(&view) {
        Err(fault) => holds::error(&fault),
        Ok(writer) => assert!(writer.write(&mut file).is_ok(), "cannot be written as ONNX"),
    }
    match c::Writer::new(&view, "fuzzed") {
        Err(fault) => holds::error(&fault),
        Ok(writer) => assert!(writer.write(&mut file).is_ok(), "cannot be written as C"),
    }
    match csv::Writer::new(&view) {
        Err(fault) => holds::error(&fault),
        Ok(writer) => assert!(writer.write(&mut file).is_ok(), "cannot be written as CSV"),
    }
}
