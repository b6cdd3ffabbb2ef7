//! Random matrices survive being written and read.

use std::fmt::Write;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::{read_in, seen};
use crate::ReadOptions;

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        (-100_000i32..100_000).prop_map(|x| f64::from(x) / 1000.0),
        Just(1.0),
        Just(0.0),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_written_is_read(
        rows in vec((-3i8..3, 0u64..9, btree_map(1u32..5_000, value(), 0..12)), 1..30),
        (zero_based, with_queries, exponents) in any::<(bool, bool, bool)>(),
        backwards in any::<bool>(),
        block_bytes in 1usize..400,
    ) {
        let mut text = String::new();
        for (label, query, entries) in &rows {
            write!(text, "{label}").unwrap();
            if with_queries {
                write!(text, " qid:{query}").unwrap();
            }
            let mut entries: Vec<_> = entries.iter().collect();
            if backwards {
                entries.reverse();
            }
            for (column, value) in entries {
                let index = column + u32::from(!zero_based);
                if exponents { write!(text, " {index}:{value:e}") } else { write!(text, " {index}:{value}") }.unwrap();
            }
            text.push('\n');
        }
        let options = ReadOptions { zero_based, features: Some(6_000), ..ReadOptions::default() };
        let data = read_in(text.as_bytes(), &options, block_bytes).unwrap();
        let seen = seen(&data);
        prop_assert_eq!(seen.cols, 6_000);
        prop_assert_eq!(seen.rows.len(), rows.len());
        for ((label, query, entries), found) in rows.iter().zip(&seen.rows) {
            prop_assert_eq!(&label.to_string(), &found.0);
            prop_assert_eq!(with_queries.then_some(*query), found.1);
            let kept: Vec<(usize, u64)> =
                entries.iter().filter(|(_, x)| **x != 0.0).map(|(&j, x)| (j as usize, x.to_bits())).collect();
            let got: Vec<(usize, u64)> = found.2.iter().map(|&(j, x)| (j, x.to_bits())).collect();
            prop_assert_eq!(kept, got);
        }
    }

    /// Whatever the bytes are and however they are cut, the outcome is the same and nothing panics.
    #[test]
    fn any_bytes_in_any_blocks(
        text in "([-+]?[01x] |[1-3]:[0-9.]{1,4} |qid:1 |#|\n|\r|\t|,|:|\u{e9}| ){0,60}",
        block_bytes in 1usize..40,
    ) {
        let options = ReadOptions::default();
        let show = |block_bytes| match read_in(text.as_bytes(), &options, block_bytes) {
            Ok(data) => format!("{:?}", seen(&data)),
            Err(error) => error.to_string(),
        };
        prop_assert_eq!(show(block_bytes), show(1 << 16));
    }
}
