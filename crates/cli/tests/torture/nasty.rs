//! Data that no solver likes, and data that is none.

use std::fmt::Write as _;

/// A published constant and nothing else: the same numbers everywhere.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.bits() as f64 / (1u64 << 31) as f64
    }
}

/// Labelled rows with features whose columns have these sizes; the first two tell the label, with some noise.
pub(crate) fn rows(n: usize, sizes: &[f64]) -> String {
    let mut draw = Draw(7);
    let mut text = String::new();
    for i in 0..n {
        let x: Vec<f64> = sizes.iter().map(|_| 2.0 * draw.unit() - 1.0).collect();
        let positive = (x[0] - 0.7 * x[1 % x.len()] > 0.0) != (i % 9 == 8);
        text += if positive { "+1" } else { "-1" };
        x.iter().zip(sizes).enumerate().for_each(|(j, (x, size))| {
            write!(text, " {}:{:e}", j + 1, x * size).unwrap();
        });
        text.push('\n');
    }
    text
}

/// Ordinary rows.
pub(crate) fn ordinary() -> String {
    rows(60, &[1.0; 6])
}

/// Rows that are read, however ugly: name and content.
pub(crate) fn readable() -> Vec<(&'static str, String)> {
    let mut duplicated = String::new();
    for i in 0..20 {
        duplicated += ["-1", "+1"][i % 2];
        (1..=1000).for_each(|j| write!(duplicated, " {j}:{}", (i * 37 % 100) as f64 / 100.0 - 0.3).unwrap());
        duplicated.push('\n');
    }
    let sparse = |i: usize| format!("{} 5:{} 900:{}\n", ["-1", "+1"][i % 2], i % 3, (i * 7 % 5) as f64 - 2.0);
    let yes = |i: usize| format!("{},{},{}\n", ["no", "yes"][i % 2], i % 3, i * 7 % 5);
    let far = |i: usize| format!("{},{}e300,{}e-300\n", ["no", "yes"][i % 2], i % 3, i * 7 % 5);
    vec![
        ("one-row", "+1 1:1\n".into()),
        ("two-rows", "+1 1:1\n-1 1:2\n".into()),
        ("one-feature", rows(30, &[1.0])),
        ("zero-rows", "+1\n-1\n+1\n-1\n".into()),
        ("explicit-zeros", "+1 1:0\n-1 2:0\n+1\n-1\n".into()),
        ("empty-columns", (0..20).map(sparse).collect()),
        ("one-class", "+1 1:1\n+1 1:2\n+1 2:3\n".into()),
        ("opposite", "+1 1:1 2:3\n-1 1:1 2:3\n".into()),
        ("three-classes", (0..18).map(|i| format!("{} 1:{} 2:{}\n", i % 3, i % 3, i * 7 % 5)).collect()),
        ("duplicated", duplicated),
        ("large", rows(30, &[1e150; 4])),
        ("small", rows(30, &[1e-150; 4])),
        ("mixed", rows(30, &[1e150, 1e-150, 1.0, 1e75])),
        ("very-large", rows(30, &[1e300; 4])),
        ("largest", "+1 1:1.7e308 2:-1.7e308\n-1 1:-1.7e308 2:1.7e308\n+1 1:1.7e308\n-1 2:1.7e308\n".into()),
        ("denormal", rows(30, &[5e-322; 4])),
        ("far-labels", "1e300 1:1\n-1e300 1:2\n1e300 1:3\n-1e300 2:1\n".into()),
        ("words.csv", "label,a,b\n".to_owned() + &(0..20).map(yes).collect::<String>()),
        ("far.csv", "label,a,b\n".to_owned() + &(0..20).map(far).collect::<String>()),
        ("one-row.csv", "label,a\nyes,1\n".into()),
    ]
}

/// What must be refused: name, content, and a part of what is said.
pub(crate) const REFUSED: [(&str, &str, &str); 12] = [
    ("empty", "", "no rows"),
    ("blank", "\n\n# nothing\n\n", "no rows"),
    ("nan", "+1 1:nan\n-1 1:1\n", "line 1"),
    ("inf", "+1 1:1\n-1 1:inf\n", "line 2"),
    ("minus-inf", "+1 1:-Inf\n-1 1:1\n", "line 1"),
    ("too-large", "+1 1:1e309\n-1 1:1\n", "line 1"),
    ("words", "yes 1:1\nno 1:2\n", "line 1, column 1"),
    ("far-index", "+1 1:1\n-1 4294967296:1\n", "line 2"),
    ("binary", "\u{0}\u{1}\u{2}\u{ff}\u{0}\n", "line 1"),
    ("header.csv", "label,a,b\n", "no rows"),
    ("inf.csv", "label,a,b\n1,inf,2\n0,1,3\n", "inf"),
    ("short.csv", "label,a,b\n1,2\n0,1,3\n", "line 2"),
];
