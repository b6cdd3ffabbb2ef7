//! What is written is what is read, to the last bit; and fits cannot tell the difference.

use proptest::prelude::*;
use sparsvm_core::design::{Compressed, Dense, Sparse, Width};
use sparsvm_core::solver::{Exact, Silent, solve};
use sparsvm_core::{Dataset, Family, Labels, Loss, PenaltySpec, Problem, Regularizer};

use super::super::{Map, WriteError, write};
use super::{Place, bytes_of, small};
use crate::synthetic::TextLike;
use crate::tests::{Seen, seen};

/// A data set with values rounded to 32 bits, held in 64.
fn rounded(data: &Dataset) -> Seen {
    let mut all = seen(data);
    all.rows.iter_mut().flat_map(|row| &mut row.2).for_each(|(_, x)| *x = f64::from(*x as f32));
    all
}

#[test]
fn everything_comes_back() {
    let place = Place::new();
    let data = small();
    let wide = place.read(&bytes_of(&data, Width::F64)).unwrap();
    assert_eq!(seen(&wide), seen(&data));
    let narrow = place.read(&bytes_of(&data, Width::F32)).unwrap();
    assert_eq!(seen(&narrow), rounded(&data));
    for read in [&wide, &narrow] {
        assert_eq!(
            (read.names(), read.queries(), read.labels()),
            (data.names(), data.queries(), data.labels())
        );
        let mut column = Vec::new();
        read.design().column(0).for_each(|i, x| column.push((i, x)));
        assert_eq!(column.iter().map(|(i, _)| *i).collect::<Vec<_>>(), [0, 2]);
    }
    // What was read writes the same file again.
    assert_eq!(bytes_of(&wide, Width::F64), bytes_of(&data, Width::F64));
    assert_eq!(bytes_of(&narrow, Width::F32), bytes_of(&data, Width::F32));
}

#[test]
fn a_file_says_what_it_is() {
    let place = Place::new();
    let bytes = bytes_of(&small(), Width::F32);
    place.read(&bytes).unwrap();
    let about = Map::open(place.path()).unwrap().about();
    assert_eq!((about.rows, about.columns, about.entries, about.width), (3, 4, 5, Width::F32));
    assert_eq!(about.classes, [("ham".to_owned(), 1), ("spam".to_owned(), 2)]);
    assert_eq!((about.named, about.queries, about.bytes), (true, true, bytes.len() as u64));
}

#[test]
fn several_blocks_come_back() {
    // More than two blocks of positions, so that rows and columns lie across their borders.
    let made = TextLike { rows: 9_000, columns: 300, entries_per_row: 60, ..TextLike::default() };
    let data = made.generate().unwrap().dataset;
    let place = Place::new();
    for width in [Width::F64, Width::F32] {
        let bytes = bytes_of(&data, width);
        let expected = if width == Width::F64 { seen(&data) } else { rounded(&data) };
        assert!(place.read(&bytes).is_ok_and(|read| seen(&read) == expected));
        // One bit in the middle of the last block of row values, far from any other.
        let mut changed = bytes;
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        assert!(place.fault(&changed).contains("the checksum of the bytes from"));
    }
}

#[test]
fn values_too_large_for_32_bits_are_refused_before_anything_is_written() {
    let x = Dense::from_rows(2, 3, &[1.0, 0.0, 2.0, 0.0, -1e39, 1e300][..]).unwrap();
    let data = Dataset::new(x, Labels::from_texts(&["a", "b"])).unwrap();
    let mut bytes = Vec::new();
    let error = write(&data, Width::F32, &mut bytes).unwrap_err();
    assert!(matches!(error, WriteError::Overflow { row: 2, column: 2, value: -1e39 }), "{error}");
    assert!(bytes.is_empty());
    assert!(error.to_string().contains("row 2, feature 2: -1"), "{error}");
    assert!(write(&data, Width::F64, &mut bytes).is_ok());
    // Zeros of a dense matrix are left out.
    assert_eq!(Place::new().read(&bytes).unwrap().design().stored(), 4);
}

#[test]
fn a_failed_write_is_reported() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| std::io::Error::other("disk full"))?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let whole = bytes_of(&small(), Width::F64).len();
    for room in [0, 511, 512, 600, 900, whole - 1] {
        assert!(write(&small(), Width::F64, &mut Full(room)).is_err(), "{room}");
    }
    assert!(write(&small(), Width::F64, &mut Full(whole)).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_matrix_comes_back(
        rows in (1usize..6).prop_flat_map(|d| prop::collection::vec(prop::collection::vec(
            prop_oneof![Just(0.0), Just(-0.0), -1e30..1e30f64, Just(1e-300)], d), 1..8)),
        narrow in any::<bool>(),
    ) {
        let d = rows[0].len();
        let mut starts = vec![0];
        let (mut at, mut values) = (Vec::new(), Vec::new());
        for row in &rows {
            // Some zeros are stored, and stay.
            for (j, x) in row.iter().enumerate().filter(|(_, x)| x.to_bits() != 0) {
                at.push(j as u32);
                values.push(*x);
            }
            starts.push(values.len());
        }
        let labels: Vec<String> = (0..rows.len()).map(|i| (i % 3).to_string()).collect();
        let x = Sparse::from_rows(Compressed::new(starts, at, values, d).unwrap());
        let data = Dataset::new(x, Labels::from_texts(&labels)).unwrap();
        let width = if narrow { Width::F32 } else { Width::F64 };
        let read = Place::new().read(&bytes_of(&data, width)).unwrap();
        prop_assert_eq!(seen(&read), if narrow { rounded(&data) } else { seen(&data) });
    }
}

/// Every bit of a fit.
fn fit(data: &Dataset) -> (Vec<u64>, u64, u64) {
    let y = data.labels().signs().unwrap();
    let regularizer = Regularizer::from_spec(&PenaltySpec::new(Family::Mcp, 0.03)).unwrap();
    let problem = Problem::new(data.design(), &y, Loss::Hinge, regularizer).unwrap();
    let found = solve(&Exact::default(), &problem, None, &mut Silent).unwrap();
    let bits = found.w.iter().map(|w| w.to_bits()).collect();
    (bits, found.b.to_bits(), found.certificate.objective.to_bits())
}

#[test]
fn a_fit_on_a_mapped_file_has_the_same_bits() {
    let made = TextLike { rows: 80, columns: 150, entries_per_row: 12, ..TextLike::default() };
    let mut data = made.generate().unwrap().dataset;
    let place = Place::new();
    let mut wide = place.read(&bytes_of(&data, Width::F64)).unwrap();
    let mut narrow = place.read(&bytes_of(&data, Width::F32)).unwrap();
    // The same numbers as the narrow file has, in 64 bits and in memory.
    let all: Vec<usize> = (0..80).collect();
    let mut plain = rounded_in_memory(&data);
    assert_eq!(fit(&wide), fit(&data));
    assert_eq!(fit(&narrow), fit(&plain));
    assert_ne!(fit(&narrow), fit(&wide));
    assert!(fit(&wide).0.iter().any(|w| f64::from_bits(*w) != 0.0));
    assert_eq!(fit(&narrow.select_rows(&all[20..])), fit(&plain.select_rows(&all[20..])));
    let factors: Vec<f64> = (0..150).map(|j| 0.7 + f64::from(j % 5)).collect();
    for data in [&mut wide, &mut data, &mut narrow, &mut plain] {
        data.scale_columns(&factors);
    }
    assert_eq!(fit(&wide), fit(&data));
    assert_eq!(fit(&narrow), fit(&plain));
}

fn rounded_in_memory(data: &Dataset) -> Dataset {
    let mut starts = vec![0];
    let (mut at, mut values) = (Vec::new(), Vec::new());
    for i in 0..data.design().rows() {
        data.design().row(i).for_each(|j, x| {
            at.push(j as u32);
            values.push(f64::from(x as f32));
        });
        starts.push(values.len());
    }
    let rows = Compressed::new(starts, at, values, data.design().cols()).unwrap();
    Dataset::new(Sparse::from_rows(rows), data.labels().clone()).unwrap()
}

#[test]
fn data_without_labels_is_refused() {
    let x = Dense::from_rows(1, 1, &[1.0][..]).unwrap();
    let data = Dataset::new(x, Labels::unknown(1)).unwrap();
    let mut file = Vec::new();
    let fault = write(&data, Width::F64, &mut file).unwrap_err().to_string();
    assert!(fault.contains("no labels") && file.is_empty(), "{fault}");
}
