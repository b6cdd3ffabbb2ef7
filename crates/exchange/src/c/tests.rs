//! The header, compiled as strictly as compilers can, against sums in Rust.

use std::path::Path;
use std::process::Command;

use sparsvm_core::calibrate::Sigmoid;
use sparsvm_core::{Goal, Scaling};

use super::{Writer, name_from};
use crate::{Machine, View};

const HOSTILE: [&str; 6] = [
    "a */ int main(void) { return 1; } /* b",
    "ends in a backslash \\",
    "??/\n#error newline",
    "turned \u{202e} round\u{2066}",
    "*\\\n/ é @ \"quoted\" %s",
    "/* // */",
];

fn view<'a>(
    classes: usize,
    indices: &'a [Vec<u32>],
    weights: &'a [Vec<f64>],
    names: &'a [String],
) -> View<'a> {
    let machine = |k: usize| Machine {
        indices: &indices[k],
        weights: &weights[k],
        names: Some(&names[..indices[k].len()]),
        scale_factors: &[],
        intercept: 0.1 * k as f64 - 1.0 / 3.0,
        sigmoid: (classes > 0).then_some(Sigmoid { a: -1.5 + 0.2 * k as f64, c: 0.1 }),
    };
    View {
        goal: if classes == 0 { Goal::Rank } else { Goal::Classify },
        classes: HOSTILE.iter().take(classes).map(|&name| name.to_owned()).collect(),
        machines: (0..if classes > 2 { classes } else { 1 }).map(machine).collect(),
        features: 1000,
        scaling: Scaling::None,
        program: "test".into(),
        about: HOSTILE.map(String::from).to_vec(),
    }
}

/// Whether there is such a compiler; in CI there is.
fn there_is(compiler: &str) -> bool {
    let there = Command::new(compiler).arg("--version").output().is_ok();
    let must = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(there || !must, "there is no {compiler}");
    if !there {
        println!("notice: there is no {compiler} here, so no header is compiled by it");
    }
    there
}

fn compiled(folder: &Path, (compiler, standard, source): (&str, &str, &str)) -> Vec<String> {
    let program = folder.join("program");
    let mut command = Command::new(compiler);
    command.args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-ffp-contract=off"]);
    let done = command.arg(source).arg("-o").arg(&program).arg("-lm").current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let ran = Command::new(program).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap().split('\0').map(str::to_owned).collect()
}

/// Prints everything that the header offers, dense and sparse, parted by zero bytes.
fn program(view: &View<'_>) -> String {
    let mut body = String::new();
    for (suffix, row) in [("", "x"), ("_sparse", "index, value, 3")] {
        body += &format!("m_decisions{suffix}({row}, out); for (i = 0; i < m_MACHINES; ++i) show(out[i]);\n");
        if view.goal == Goal::Rank {
            body += &format!("show(m_score{suffix}({row}));\n");
            continue;
        }
        if view.machines.len() == 1 {
            body += &format!("show(m_decision{suffix}({row}));\n");
        }
        body += &format!("printf(\"%s\", m_classes[m_predict{suffix}({row})]); putchar(0);\n");
        body +=
            &format!("m_probabilities{suffix}({row}, out); for (i = 0; i < m_CLASSES; ++i) show(out[i]);\n");
    }
    format!(
        "#include <stdio.h>\n#include \"m.h\"\n#include \"m.h\"\n\
         static void show(double x) {{ printf(\"%.17g\", x); putchar(0); }}\n\
         int main(void) {{\n\
         static double x[m_FEATURES]; size_t i; double out[8];\n\
         const size_t index[3] = {{999, 5, 3}}; const double value[3] = {{0.7, 99.0, -0.3}};\n\
         x[999] = 0.7; x[3] = -0.3; x[5] = 99.0;\n{body}return 0; }}\n"
    )
}

/// The same from the view alone.
fn expected(view: &View<'_>) -> Vec<String> {
    let row = |j: u32| [(999, 0.7), (3, -0.3)].iter().find(|pair| pair.0 == j).map_or(0.0, |pair| pair.1);
    let of = |machine: &Machine<'_>| {
        let products = machine.indices.iter().zip(machine.weights).map(|(&j, w)| w * row(j));
        products.sum::<f64>() + machine.intercept
    };
    let decisions: Vec<f64> = view.machines.iter().map(of).collect();
    let mut all: Vec<String> = decisions.iter().map(|x| format!("{x:?}")).collect();
    if view.machines.len() == 1 {
        all.push(format!("{:?}", decisions[0]));
    }
    if view.goal == Goal::Classify {
        let alone: Vec<f64> =
            view.machines.iter().zip(&decisions).map(|(m, s)| m.sigmoid.unwrap().probability(*s)).collect();
        let (class, shares) = match decisions[..] {
            [one] => (usize::from(one > 0.0), vec![1.0 - alone[0], alone[0]]),
            _ => {
                let best =
                    (0..decisions.len()).fold(0, |b, k| if decisions[k] > decisions[b] { k } else { b });
                (best, alone.iter().map(|p| p / alone.iter().sum::<f64>()).collect())
            }
        };
        all.push(view.classes[class].clone());
        all.extend(shares.iter().map(|x| format!("{x:?}")));
    }
    all.extend(all.clone());
    all.push(String::new());
    all
}

#[test]
fn strict_compilers_agree_to_the_last_bits() {
    let indices = [vec![0, 3, 999], vec![], vec![3], vec![7, 999]];
    let weights = [vec![1.25, -1e-3, 2.0 / 3.0], vec![], vec![-7e300], vec![5e-324, 0.1]];
    let names = HOSTILE.map(String::from);
    let empty = ([vec![]], [vec![]]);
    for view in [
        view(0, &indices, &weights, &names),
        view(2, &indices, &weights, &names),
        view(2, &empty.0, &empty.1, &names),
        view(4, &indices, &weights, &names),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut header = Vec::new();
        Writer::new(&view, "m").unwrap().write(&mut header).unwrap();
        std::fs::write(folder.path().join("m.h"), header).unwrap();
        let expected = expected(&view);
        for (compiler, standard, source) in
            [("cc", "-std=c99", "m.c"), ("cc", "-std=gnu17", "m.c"), ("c++", "-std=c++11", "m.cpp")]
        {
            if !there_is(compiler) {
                continue;
            }
            std::fs::write(folder.path().join(source), program(&view)).unwrap();
            let found = compiled(folder.path(), (compiler, standard, source));
            assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
            for (found, expected) in found.iter().zip(&expected) {
                match (found.parse::<f64>(), expected.parse::<f64>()) {
                    // Exponentials of two libraries may differ in the last bit; sums may not.
                    (Ok(a), Ok(b)) => assert!((a - b).abs() <= 2e-15 * b.abs().min(1.0), "{a:?} {b:?}"),
                    _ => assert_eq!(found, expected),
                }
            }
        }
    }
}

#[test]
fn names_are_made_for_c() {
    for (file, name) in [
        ("heart_scale.model", "heart_scale"),
        ("2018-news.tar.model", "model_2018_news"),
        ("__x--y__.model", "x_y"),
        (".hidden", "hidden"),
        ("é", "model"),
        ("", "model"),
        ("int", "int"),
    ] {
        assert_eq!(name_from(file), name, "{file:?}");
    }
    assert!(name_from(&"x".repeat(500)).len() <= 40);
    let (indices, weights) = ([vec![0]], [vec![1.0]]);
    let names = ["a".to_owned()];
    let view = view(2, &indices, &weights, &names);
    for bad in ["", "1x", "_x", "a b", "x;", "é"] {
        assert!(Writer::new(&view, bad).unwrap_err().to_string().contains("C"), "{bad}");
    }
    let long = View { classes: vec!["a".repeat(2000), "b".into()], ..view };
    assert!(Writer::new(&long, "m").unwrap_err().to_string().contains("2000 bytes"));
}
