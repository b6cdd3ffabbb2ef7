//! Files that Rust writes and `tests/python/test_export.py` gives to LIBLINEAR and onnxruntime: models of three
//! classes and calibrated ones. After a change that is meant, `SPARSVM_BLESS=1 cargo test -p sparsvm-exchange`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what it expects")]

use std::path::PathBuf;

use sparsvm_core::calibrate::Sigmoid;
use sparsvm_core::{Goal, Scaling};
use sparsvm_exchange::{Machine, View, liblinear, onnx};

const INDICES: [&[u32]; 3] = [&[0, 3], &[], &[3, 8]];
const WEIGHTS: [&[f64]; 3] = [&[0.1, -2.5], &[], &[1.0 / 3.0, -0.7]];
const INTERCEPTS: [f64; 3] = [0.0, 0.125, -0.2];
const SIGMOIDS: [Sigmoid; 3] =
    [Sigmoid { a: -1.5, c: 0.2 }, Sigmoid { a: -2.0, c: 0.0 }, Sigmoid { a: -0.3, c: -0.4 }];

fn view(classes: &[&str], calibrated: bool, names: &'static [String]) -> View<'static> {
    let machine = |k: usize| Machine {
        indices: INDICES[k],
        weights: WEIGHTS[k],
        names: Some(&names[..INDICES[k].len()]),
        scale_factors: &[],
        intercept: INTERCEPTS[k],
        sigmoid: calibrated.then_some(SIGMOIDS[k]),
    };
    View {
        goal: Goal::Classify,
        classes: classes.iter().map(|&class| class.to_owned()).collect(),
        machines: (0..if classes.len() == 2 { 1 } else { classes.len() }).map(machine).collect(),
        features: 10,
        scaling: Scaling::None,
        program: "sparsvm test".into(),
        about: vec!["By hand".into()],
    }
}

fn compare(name: &str, written: &[u8]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    if std::env::var_os("SPARSVM_BLESS").is_some() {
        std::fs::write(&path, written).unwrap();
    }
    let golden = std::fs::read(&path).unwrap_or_default();
    assert!(golden == written, "{name} is not as it was: set SPARSVM_BLESS=1 if that is meant");
}

#[test]
fn files_are_as_they_were() {
    let names: &'static [String] = Box::leak(Box::new(["first".to_owned(), "sec\"ond".to_owned()]));
    let three = ["-1", "4", "7"];
    let mut text = Vec::new();
    liblinear::Writer::new(&view(&three, false, names)).unwrap().write(&mut text).unwrap();
    compare("three.liblinear", &text);
    for (name, classes, calibrated) in [
        ("three.onnx", &three[..], false),
        ("three-named-calibrated.onnx", &["a", "b", "ç"][..], true),
        ("two-calibrated.onnx", &["0", "1"][..], true),
    ] {
        let mut bytes = Vec::new();
        onnx::Writer::new(&view(classes, calibrated, names)).unwrap().write(&mut bytes).unwrap();
        compare(name, &bytes);
    }
}
