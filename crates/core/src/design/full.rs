//! Data without a gap is dense, whatever the file that it came from.

use rayon::prelude::*;

use super::{Dense, Design, Slice};

/// Columns that are filled together: their part of a row is some cache lines.
const ABREAST: usize = 32;
/// Bytes of an entry while it is held both ways.
const BOTH: u64 = 12 + 8;

/// A sparse matrix by dense columns, if no entry is missing and at most `limit` bytes are needed on the way. It takes a third
/// of the memory that both halves of a sparse one do and is faster to read, with the same bits.
pub(crate) fn dense_if_full(x: &dyn Design, limit: Option<u64>) -> Option<Dense<'static>> {
    let (n, d) = (x.rows(), x.cols());
    let is_full = x.is_sparse() && n.checked_mul(d) == Some(x.stored());
    if !is_full || limit.is_some_and(|limit| BOTH.saturating_mul(x.stored() as u64) > limit) {
        return None;
    }
    let rows: Vec<&[f64]> = (0..n)
        .map(|i| match x.row(i) {
            Slice::Sparse { values, .. } if values.len() == d => Some(values),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let mut columns = vec![0.0; n * d];
    columns.par_chunks_mut(ABREAST * n.max(1)).enumerate().for_each(|(k, columns)| {
        for (i, row) in rows.iter().enumerate() {
            let row = &row[k * ABREAST..];
            columns[i..].iter_mut().step_by(n).zip(row).for_each(|(to, from)| *to = *from);
        }
    });
    Dense::from_columns(n, d, columns).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Compressed, Sparse};

    fn entries(x: &dyn Design) -> Vec<(usize, usize, f64)> {
        let mut all = Vec::new();
        (0..x.rows()).for_each(|i| x.row(i).for_each(|j, value| all.push((i, j, value))));
        all
    }

    #[test]
    fn the_same_matrix() {
        for (n, d) in [(1, 1), (3, 2), (5, 31), (7, 33), (40, 100), (1, 70)] {
            let starts: Vec<usize> = (0..=n).map(|i| i * d).collect();
            let at: Vec<u32> = (0..n).flat_map(|_| 0..d as u32).collect();
            let values: Vec<f64> = (0..n * d).map(|k| 1.0 + k as f64).collect();
            let x = Sparse::from_rows(Compressed::new(starts, at, values, d).unwrap());
            let dense = dense_if_full(&x, None).unwrap();
            assert_eq!(entries(&dense), entries(&x), "{n} × {d}");
            let bytes = (n * d) as u64 * BOTH;
            assert!(dense_if_full(&x, Some(bytes)).is_some() && dense_if_full(&x, Some(bytes - 1)).is_none());
            assert!(dense_if_full(&dense, None).is_none(), "it is already");
        }
    }

    #[test]
    fn what_has_a_gap_or_is_narrow_stays_as_it_is() {
        let (starts, at) = (vec![0, 2, 3], vec![0, 1, 1]);
        let gap = Compressed::new(starts, at, vec![1.0, 2.0, 4.0], 2).unwrap();
        assert!(dense_if_full(&Sparse::from_rows(gap), None).is_none());
        // In 32 bits it is as small as it gets.
        let narrow = Compressed::new(vec![0, 2], vec![0, 1], vec![1.0f32, 2.0], 2).unwrap();
        assert!(dense_if_full(&Sparse::from_rows(narrow), None).is_none());
        let nothing = Compressed::new(vec![0, 0], Vec::new(), Vec::<f64>::new(), 0).unwrap();
        assert!(dense_if_full(&Sparse::from_rows(nothing), None).is_some_and(|x| x.rows() == 1));
    }
}
