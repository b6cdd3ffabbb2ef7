//! The file: round trips, old versions, and what is refused.

use proptest::prelude::*;

use super::*;
use crate::design::Dense;
use crate::{Family, Solution};

fn solution(w: Vec<f64>, b: f64) -> Solution {
    let certificate = Certificate {
        objective: 0.1,
        loss: 0.05,
        penalty: 0.05,
        lower_bound: 0.1,
        gap: 0.0,
        violation: 0.0,
        complementarity: 0.0,
        imbalance: 0.0,
    };
    Solution {
        w,
        b,
        beta: vec![],
        status: Status::Converged,
        iterations: 1,
        certificate,
        paper_objective: None,
        setup_seconds: 0.0,
        solve_seconds: 0.0,
        global_bound: None,
    }
}

fn model(w: Vec<f64>, b: f64, scaling: Scaling, factors: &[f64]) -> Result<Model> {
    made_for(Goal::Classify, w, b, scaling, factors)
}

/// A machine for each class.
fn several(machines: &[(Vec<f64>, f64)], sigmoid: Option<Sigmoid>) -> Saved {
    let classes: Vec<String> = (0..machines.len()).map(|k| format!("{k}")).collect();
    let machine = |(k, (w, b)): (usize, &(Vec<f64>, f64))| {
        let mut made = model(w.clone(), *b, Scaling::None, &[]).unwrap();
        made.classes = vec![rest_of(&classes[k]), classes[k].clone()];
        made.penalty = made.penalty.map(|penalty| penalty.with_lambda(0.1 * (k + 1) as f64));
        made.provenance.solver = if k == 2 { "other".into() } else { "exact".into() };
        made.with_sigmoid(sigmoid).unwrap()
    };
    let machines = machines.iter().enumerate().map(machine).collect();
    Saved::new(&classes, machines).unwrap()
}

fn text_of(saved: &Saved) -> String {
    let mut text = Vec::new();
    saved.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn made_for(goal: Goal, w: Vec<f64>, b: f64, scaling: Scaling, factors: &[f64]) -> Result<Model> {
    let labels = Labels::from_numbers(&[1.0, 2.0]);
    let trained = Trained {
        goal,
        classes: labels.classes(),
        names: None,
        table: None,
        scaling: (scaling, factors),
        loss: Loss::HuberHinge { delta: 0.3 },
        penalty: PenaltySpec::new(Family::CappedL1, 0.1),
        l2: 0.01,
        provenance: Provenance { program: "test".into(), ..Provenance::default() },
    };
    Model::new(&solution(w, b), trained)
}

proptest! {
    #[test]
    fn round_trip_keeps_every_bit(w in prop::collection::vec(prop_oneof![Just(0.0), any::<f64>()], 1..20), b in any::<f64>()) {
        prop_assume!(b.is_finite() && w.iter().all(|w| w.is_finite()));
        for goal in Goal::ALL {
            let before = made_for(goal, w.clone(), b, Scaling::None, &[]).unwrap();
            let mut text = Vec::new();
            before.write(&mut text).unwrap();
            prop_assert_eq!(Model::read(&text[..]).unwrap(), before);
        }
    }

    #[test]
    fn several_classes_and_sigmoids_keep_every_bit(
        numbers in prop::collection::vec(prop_oneof![Just(0.0), any::<f64>()], 12), a in any::<f64>(), c in any::<f64>()
    ) {
        prop_assume!(a.is_finite() && c.is_finite() && numbers.iter().all(|w| w.is_finite()));
        for sigmoid in [None, Some(Sigmoid { a, c })] {
            let machines: Vec<_> = numbers.chunks(4).map(|w| (w[..3].to_vec(), w[3])).collect();
            let before = several(&machines, sigmoid);
            prop_assert_eq!(Saved::read(text_of(&before).as_bytes()).unwrap(), before.clone());
            let one = Saved::Single(model(machines[0].0.clone(), 0.5, Scaling::None, &[]).unwrap().with_sigmoid(sigmoid).unwrap());
            prop_assert_eq!(Saved::read(text_of(&one).as_bytes()).unwrap(), one);
        }
    }

    #[test]
    fn a_cut_or_changed_file_of_several_classes_is_an_error_or_a_whole_model(cut in 0usize..5000, byte in any::<u8>()) {
        let machine = |k: f64| (vec![k, 0.0, -2.0], 0.5);
        let sigmoid = Some(Sigmoid { a: -1.5, c: 0.25 });
        let mut text = text_of(&several(&[machine(1.0), machine(2.0), machine(3.0)], sigmoid)).into_bytes();
        let cut = cut % (text.len() - 1);
        prop_assert!(Saved::read(&text[..cut]).is_err());
        text[cut] = byte;
        if let Ok(Saved::OneVsRest(read)) = Saved::read(&text[..]) {
            prop_assert!(OneVsRest::new(read.classes().to_vec(), read.machines().to_vec()).is_ok());
        }
    }

    #[test]
    fn a_cut_or_changed_file_is_an_error_or_a_whole_model(cut in 0usize..1000, byte in any::<u8>()) {
        let mut text = Vec::new();
        model(vec![1.5, 0.0, -2.0], 0.5, Scaling::None, &[]).unwrap().write(&mut text).unwrap();
        let cut = cut % (text.len() - 1);
        prop_assert!(Model::read(&text[..cut]).is_err());
        text[cut] = byte;
        if let Ok(read) = Model::read(&text[..]) {
            prop_assert!(read.check().is_ok());
        }
    }
}

#[test]
fn weights_are_in_raw_units() {
    let scaled = model(vec![2.0, 0.0, 3.0], 0.5, Scaling::MaxAbs, &[0.5, 1.0, 10.0]).unwrap();
    assert_eq!((scaled.indices, scaled.weights), (vec![0, 2], vec![1.0, 30.0]));
    assert_eq!(scaled.scale_factors, vec![0.5, 10.0]);
}

#[test]
fn a_classifier_is_written_as_version_1_knows_it() {
    let text = |goal| {
        let mut text = Vec::new();
        made_for(goal, vec![1.5], 0.0, Scaling::None, &[]).unwrap().write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    };
    let (old, new) = (text(Goal::Classify), text(Goal::Rank));
    assert!(old.contains("\"version\": 1,") && !old.contains("task"), "{old}");
    assert!(new.contains("\"version\": 2,") && new.contains("\"task\": \"rank\""), "{new}");
    for (from, to) in [("\"version\": 2", "\"version\": 1"), ("\"rank\"", "\"classify\"")] {
        assert!(Model::read(new.replace(from, to).as_bytes()).is_err());
    }
}

#[test]
fn refusals_name_the_fault() {
    let refused = |text: &str| Model::read(text.as_bytes()).unwrap_err().to_string();
    assert!(refused("").contains("cut off"));
    assert!(refused("solver_type L1R_L2LOSS_SVC").contains("LIBLINEAR"));
    assert!(refused(r#"{"format": "sparsvm-model", "version": 9}"#).contains("version 9"));
    assert!(model(vec![f64::NAN], 0.0, Scaling::None, &[]).is_err());
}

/// As version 0.1 wrote it.
const VERSION_1: &str = r#"{
  "format": "sparsvm-model",
  "version": 1,
  "classes": ["-1","1"],
  "features": 4,
  "intercept": 0.125,
  "indices": [0,3],
  "weights": [1.5,-0.25],
  "scaling": "standard",
  "scale_factors": [0.5,2.0],
  "loss": {
    "name": "hinge"
  },
  "penalty": {
    "family": "mcp",
    "lambda": 0.07,
    "theta": 3.0
  },
  "l2": 0.0,
  "status": "converged",
  "certificate": {
    "objective": 0.2,
    "loss": 0.1,
    "penalty": 0.1,
    "lower_bound": 0.2,
    "gap": 0.00001,
    "violation": 0.0,
    "complementarity": 0.0,
    "imbalance": 0.0
  },
  "provenance": {
    "program": "sparsvm 0.1.0",
    "data": "heart",
    "samples": 270,
    "solver": "exact starts 20, tol 1e-4, max_iter 1000000"
  }
}
"#;

#[test]
fn files_of_older_versions_are_read() {
    let one = Model::read(VERSION_1.as_bytes()).unwrap();
    assert_eq!((&one.classes[..], &one.weights[..]), (&["-1".to_owned(), "1".into()][..], &[1.5, -0.25][..]));
    assert_eq!((one.intercept, one.goal, one.sigmoid), (0.125, Goal::Classify, None));
    let mut again = Vec::new();
    one.write(&mut again).unwrap();
    let value = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&again), value(VERSION_1.as_bytes()));

    let version_2 = VERSION_1
        .replace("\"version\": 1,", "\"version\": 2,\n  \"task\": \"rank\",")
        .replace("[\"-1\",\"1\"]", "[]");
    let two = Model::read(version_2.as_bytes()).unwrap();
    assert_eq!((two.goal, two.classes.len()), (Goal::Rank, 0));
}

#[test]
fn a_sigmoid_and_several_classes_are_version_3() {
    let sigmoid = "\"sigmoid\": {\"a\": -1.5, \"c\": 0.5},\n  \"provenance\"";
    let with = VERSION_1.replace("\"provenance\"", sigmoid);
    assert!(Model::read(with.as_bytes()).unwrap_err().to_string().contains("version 1 knows no sigmoid"));
    let model = Model::read(with.replace("\"version\": 1", "\"version\": 3").as_bytes()).unwrap();
    assert_eq!(model.sigmoid, Some(Sigmoid { a: -1.5, c: 0.5 }));

    let text = text_of(&several(&[(vec![1.0], 0.0), (vec![2.0], 0.0), (vec![0.0], 1.0)], None));
    assert!(text.contains("\"version\": 3") && text.matches("\"loss\": {").count() == 1, "{text}");
    assert_eq!(text.matches("\"solver\"").count(), 2, "{text}");
    for (from, to) in [
        ("\"version\": 3", "\"version\": 2"),
        ("[\"0\",\"1\",\"2\"]", "[\"0\",\"1\"]"),
        ("[\"0\",\"1\",\"2\"]", "[\"0\",\"1\",\"1\"]"),
        ("\"features\": 1", "\"features\": 0"),
    ] {
        assert!(text.contains(from) && Saved::read(text.replace(from, to).as_bytes()).is_err(), "{to}");
    }
    assert!(Model::read(text.as_bytes()).unwrap_err().to_string().contains("3 classes"));
}

#[test]
fn the_largest_value_wins_and_ties_go_to_the_first_class() {
    let sigmoid = Some(Sigmoid { a: -1.0, c: 0.0 });
    let saved = several(&[(vec![1.0, 0.0], 0.0), (vec![0.0, 1.0], 0.0), (vec![0.0, 0.0], 0.5)], sigmoid);
    let x = Dense::from_rows(4, 2, vec![1.0, 1.0, 0.0, 2.0, 0.0, 0.5, -1.0, -1.0]).unwrap();
    let decisions = saved.decisions(&x);
    assert_eq!(decisions, [[1.0, 0.0, 0.0, -1.0], [1.0, 2.0, 0.5, -1.0], [0.5; 4]]);
    assert_eq!(saved.labels(&decisions), ["0", "1", "1", "2"]);
    let right = Labels::from_texts(&["0", "1", "2", "2"]);
    assert_eq!(saved.accuracy(&decisions, &right), 0.75);
    let probabilities = saved.probabilities(&decisions).unwrap();
    let one = |s: f64| 1.0 / (1.0 + (-s).exp());
    let expected = one(0.5) / (one(1.0) + one(1.0) + one(0.5));
    assert!((probabilities[2][0] - expected).abs() < 1e-15);
    // Every class is ruled out.
    let no = vec![vec![-1e9]; 3];
    assert_eq!(saved.probabilities(&no).unwrap(), [[1.0 / 3.0]; 3]);
    assert!(
        several(&[(vec![1.0], 0.0), (vec![2.0], 0.0), (vec![0.0], 1.0)], None).probabilities(&no).is_err()
    );
}

#[test]
fn against_the_rest_every_other_label_is_of_the_rest() {
    let mut saved = model(vec![1.0], 0.0, Scaling::None, &[]).unwrap();
    saved.classes = vec![rest_of("3"), "3".into()];
    let labels = Labels::from_texts(&["1", "2", "3", "3"]);
    assert_eq!(saved.accuracy(&[-1.0, -1.0, 1.0, -1.0], &labels), 0.75);
    assert_eq!(labels.against_rest("3").classes(), ["not 3", "3"]);
    assert_eq!(Labels::from_texts(&["1", "2"]).against_rest("1").classes(), ["2", "1"]);
}

#[test]
fn an_imported_model_says_so_and_claims_nothing() {
    let imported = Imported {
        classes: vec!["-1".into(), "1".into()],
        features: 3,
        intercept: 0.5,
        indices: vec![0, 2],
        weights: vec![1.5, -2.0],
        provenance: Provenance::default(),
    };
    assert!(Model::imported(Imported { weights: vec![f64::NAN, 0.0], ..imported.clone() }).is_err());
    let model = Model::imported(imported).unwrap();
    let mut text = Vec::new();
    model.write(&mut text).unwrap();
    assert_eq!(Model::read(&text[..]).unwrap(), model);
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("\"version\": 3,") && text.contains("\"status\": \"imported\""), "{text}");
    assert!(!text.contains("certificate") && !text.contains("penalty"), "{text}");
    // Neither an old version nor a trained model may lack a certificate.
    for (from, to) in [("\"version\": 3", "\"version\": 2"), ("\"imported\"", "\"converged\"")] {
        assert!(Model::read(text.replace(from, to).as_bytes()).is_err());
    }
}
