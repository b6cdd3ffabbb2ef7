//! The data in a few numbers, and columns that say nothing or say it twice.

use std::collections::HashMap;
use std::hash::Hasher;

use sparsvm_core::{Dataset, Design};

use super::run::{Odd, Summary};
use crate::fnv::Fnv;

/// So many odd columns are named.
const NAMED: usize = 8;

/// Looks at every column. To be done before columns are scaled: proportional ones would be the same afterwards.
pub(crate) fn summary(data: &Dataset, name: &str) -> Summary {
    let design = data.design();
    let mut entries = 0;
    let (mut empty, mut constant, mut duplicate) = (Vec::new(), Vec::new(), Vec::new());
    // Columns by hash; the same hash is only a reason to compare.
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    for j in 0..design.cols() {
        let mut hash = Fnv::default();
        let (mut count, mut first, mut same) = (0, None, true);
        design.column(j).for_each(|i, x| {
            if x != 0.0 {
                count += 1;
                same &= *first.get_or_insert(x) == x;
                hash.write_u64(i as u64);
                hash.write_u64(x.to_bits());
            }
        });
        entries += count;
        if count == 0 {
            empty.push(j);
            continue;
        }
        if same && count == design.rows() {
            constant.push(j);
        }
        let alike = seen.entry(hash.finish()).or_default();
        match alike.iter().any(|&k| equal(design, j, k)) {
            true => duplicate.push(j),
            false => alike.push(j),
        }
    }
    let odd = |columns: Vec<usize>| Odd {
        count: columns.len(),
        first: columns.iter().take(NAMED).map(|&j| data.feature_name(j)).collect(),
    };
    let mut classes: Vec<(String, usize)> = data.labels().classes().iter().map(|c| (c.clone(), 0)).collect();
    data.labels().codes().iter().for_each(|&code| classes[code as usize].1 += 1);
    Summary {
        name: name.into(),
        rows: design.rows(),
        columns: design.cols(),
        entries,
        classes,
        empty: odd(empty),
        constant: odd(constant),
        duplicate: odd(duplicate),
    }
}

fn equal(design: &dyn Design, j: usize, k: usize) -> bool {
    let entries = |j: usize| {
        let mut entries = Vec::new();
        design.column(j).for_each(|i, x| {
            if x != 0.0 {
                entries.push((i, x));
            }
        });
        entries
    };
    entries(j) == entries(k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparsvm_core::Labels;
    use sparsvm_core::design::Dense;

    #[test]
    fn odd_columns_are_found() {
        // Columns: good, empty, constant, the first again, the first doubled, the constant again.
        let values =
            [[1.0, 0.0, 3.0, 1.0, 2.0, 3.0], [0.0, 0.0, 3.0, 0.0, 0.0, 3.0], [5.0, 0.0, 3.0, 5.0, 10.0, 3.0]];
        let design = Dense::from_rows(3, 6, values.concat()).unwrap();
        let data = Dataset::new(design, Labels::from_numbers(&[1.0, -1.0, 1.0])).unwrap();
        let found = summary(&data, "x");
        let odd = |names: &[&str]| Odd {
            count: names.len(),
            first: names.iter().map(|&name| name.into()).collect(),
        };
        assert_eq!(found.empty, odd(&["2"]));
        assert_eq!(found.constant, odd(&["3", "6"]));
        assert_eq!(found.duplicate, odd(&["4", "6"]));
        assert_eq!(found.entries, 12);
        assert_eq!(found.classes, [("-1".to_owned(), 1), ("1".to_owned(), 2)]);
    }
}
