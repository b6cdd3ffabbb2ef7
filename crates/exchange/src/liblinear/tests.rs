//! Round trips, LIBLINEAR's own rule, damaged and hostile files.

use proptest::prelude::*;
use sparsvm_core::{Goal, Scaling};

use super::{Writer, read};
use crate::{Machine, View};

/// Three classes over five features.
const INDICES: [&[u32]; 3] = [&[0, 3], &[], &[3, 4]];
const WEIGHTS: [&[f64]; 3] = [&[0.1, -2.5e-300], &[], &[1.0 / 3.0, -7.0]];
const THREE: [&str; 3] = ["-1", "4", "7"];

fn view<'a>(classes: &[&str], machines: usize) -> View<'a> {
    let machine = |k: usize| Machine {
        indices: INDICES[k],
        weights: WEIGHTS[k],
        names: None,
        scale_factors: &[],
        intercept: k as f64 / 7.0,
        sigmoid: None,
    };
    View {
        goal: if classes.is_empty() { Goal::Rank } else { Goal::Classify },
        classes: classes.iter().map(|&class| class.to_owned()).collect(),
        machines: (0..machines).map(machine).collect(),
        features: 5,
        scaling: Scaling::None,
        program: "test".into(),
        about: Vec::new(),
    }
}

fn text(view: &View<'_>) -> String {
    let mut text = Vec::new();
    Writer::new(view).unwrap().write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn fault(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn two_classes_have_the_positive_label_first() {
    let text = text(&view(&["-1", "1.0"], 1));
    let head = "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 5\nbias -1\nw\n";
    assert_eq!(text, format!("{head}0.1 \n0 \n0 \n-2.5e-300 \n0 \n"));
    let saved = read(text.as_bytes()).unwrap().into_model("m".into(), "p".into()).unwrap();
    let model = &saved.machines()[0];
    assert_eq!((&model.classes[..], model.intercept), (&["-1".to_owned(), "1".to_owned()][..], 0.0));
    assert_eq!((&model.indices[..], &model.weights[..]), (INDICES[0], WEIGHTS[0]));
}

#[test]
fn three_classes_come_back_to_the_last_bit() {
    let view = view(&THREE, 3);
    let parsed = read(text(&view).as_bytes()).unwrap();
    assert_eq!((parsed.labels, parsed.features), (vec![-1, 4, 7], 5));
    for (vector, machine) in parsed.vectors.iter().zip(&view.machines) {
        assert_eq!((&vector.indices[..], &vector.weights[..]), (machine.indices, machine.weights));
        assert_eq!(vector.intercept, machine.intercept);
    }
}

#[test]
fn what_liblinear_cannot_hold_is_refused() {
    let refused = |view: &View<'_>| Writer::new(view).unwrap_err().to_string();
    assert!(refused(&view(&["cat", "dog"], 1)).contains("`cat`"));
    assert!(refused(&view(&["0", "0.5"], 1)).contains("`0.5`"));
    assert!(refused(&view(&["0", "3e9"], 1)).contains("`3e9`"));
    assert!(refused(&view(&[], 1)).contains("ranks"));
    let wide = View { features: 1 << 31, ..view(&["0", "1"], 1) };
    assert!(refused(&wide).contains("too many"));
    for (classes, machines) in [(&THREE[..], 1), (&THREE[..2], 2), (&THREE[..1], 1)] {
        assert!(refused(&view(classes, machines)).contains("inconsistent"));
    }
}

#[test]
fn bias_and_crammer_singer_are_understood() {
    let parsed = read(
        &b"solver_type MCSVM_CS\nnr_class 2\nlabel 3 5\nnr_feature 1\nbias 2\nw\n1 -1 \n0.5 -0.5 \n"[..],
    );
    let parsed = parsed.unwrap();
    assert_eq!((parsed.vectors.len(), parsed.vectors[0].intercept), (1, 1.0));
    let saved = parsed.into_model("m".into(), "p".into()).unwrap();
    let model = &saved.machines()[0];
    assert_eq!((model.label(1.0), model.label(0.0)), ("3", "5"));
}

#[test]
fn faults_name_line_and_remedy() {
    let good = text(&view(&THREE, 3));
    for (from, to, parts) in [
        ("solver_type L2R_L1LOSS_SVC_DUAL", "solver_type L2R_L2LOSS_SVR", ["line 1", "classifier"]),
        ("solver_type", "{\"format\":", ["line 1", "head"]),
        ("nr_class 3", "nr_class 1", ["line 2", "2 or more"]),
        ("nr_class 3", "nr_class 4", ["line 6", "3 labels"]),
        ("label -1 4 7", "label -1 4 4", ["line 6", "different"]),
        ("label -1 4 7", "label -1 a 7", ["line 3", "whole numbers"]),
        ("nr_feature 5", "nr_feature -5", ["line 4", "whole number"]),
        ("nr_feature 5", "nr_feature 4294967295", ["line 13", "cut off"]),
        ("nr_feature 5", "nr_feature 4", ["line 12", "more lines"]),
        ("bias 1\n", "", ["line 5", "`bias` is missing"]),
        ("bias 1", "bias inf", ["line 5", "finite"]),
        ("-2.5e-300", "nan", ["line 10", "`nan`"]),
        ("-2.5e-300", "1e999", ["line 10", "`1e999`"]),
        ("0 0 0 \n", "0 0 \n", ["line 8", "2 numbers"]),
        ("w\n", "", ["line 6", "`0.1`"]),
    ] {
        let said = fault(&good.replacen(from, to, 1));
        assert!(parts.iter().all(|part| said.contains(part)), "{from:?} → {to:?}: {said}");
    }
    assert!(fault("").contains("`w`"));
    let huge = "solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 1\nbias 1e308\nw\n1\n1e308\n";
    assert!(fault(huge).contains("line 8: the intercept"), "{}", fault(huge));
    let saved = read(good.as_bytes()).unwrap().into_model("m".into(), "p".into()).unwrap();
    assert_eq!(saved.classes(), ["-1", "4", "7"]);
    assert_eq!(text(&View::of(&saved)), good);
}

proptest! {
    #[test]
    fn weights_survive_to_the_last_bit(w in prop::collection::vec(any::<f64>(), 1..20), b in any::<f64>()) {
        prop_assume!(b.is_finite() && w.iter().all(|w| w.is_finite() && *w != 0.0));
        let indices: Vec<u32> = (0..w.len() as u32).collect();
        let mut view = view(&["0", "1"], 1);
        view.features = w.len() + 2;
        view.machines[0].indices = &indices;
        view.machines[0].weights = &w;
        view.machines[0].intercept = b;
        let parsed = read(text(&view).as_bytes()).unwrap();
        prop_assert_eq!(&parsed.vectors[0].weights, &w);
        prop_assert_eq!(parsed.vectors[0].intercept, b);
    }

    #[test]
    fn a_mutated_file_is_refused_or_a_whole_model(
        places in prop::collection::vec((0usize..1000, any::<u8>()), 1..4), cut in prop::option::of(0usize..1000)
    ) {
        let mut bytes = text(&view(&THREE, 3)).into_bytes();
        for (at, byte) in places {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut % bytes.len());
        }
        match read(&bytes[..]) {
            Ok(parsed) => {
                prop_assert!(parsed.vectors.len() == parsed.labels.len() || parsed.labels.len() == 2);
                prop_assert!(parsed.vectors.iter().all(|v| v.intercept.is_finite() && v.indices.len() == v.weights.len()
                    && v.indices.iter().all(|&j| (j as usize) < parsed.features)
                    && v.weights.iter().all(|w| w.is_finite())));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
