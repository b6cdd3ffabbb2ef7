//! What is written as a table is read back to the last bit, whatever the format.

use proptest::prelude::*;
use sparsvm_core::Dataset;

use super::seen;
use crate::{Format, ReadOptions, TableOptions, read_from, write};

fn written(data: &Dataset, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(data, format, &mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8], table: TableOptions) -> Dataset {
    read_from(bytes, "t", &ReadOptions { table, ..ReadOptions::default() }).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_same_bits_in_every_format(
        rows in prop::collection::vec(
            (0usize..3, prop::collection::vec(prop_oneof![Just(0.0), any::<f64>()], 4)), 1..30),
        kind in 0usize..3,
    ) {
        let labels = [["1", "-1", "1"], ["0.5", "2", "-0.25"], ["up", "down", "it's, \"so\""]][kind];
        let finite = |x: f64| if x.is_finite() { x } else { 1.0 };
        let mut csv = String::from("way,a,b,\"c, d\",e\n");
        for (label, row) in &rows {
            let cells: Vec<String> = row.iter().map(|&x| format!("{:?}", finite(x))).collect();
            csv += &format!("\"{}\",{}\n", labels[*label].replace('"', "\"\""), cells.join(","));
        }
        let options = TableOptions { label: Some("way".into()), ..TableOptions::default() };
        let data = read(csv.as_bytes(), options.clone());
        for format in [Format::Parquet, Format::Arrow, Format::Csv] {
            let again = read(&written(&data, format), options.clone());
            prop_assert_eq!(seen(&again), seen(&data));
            prop_assert_eq!((again.names(), again.table()), (data.names(), data.table()));
        }
    }
}

#[test]
fn libsvm_text_becomes_a_table() {
    let data = super::read(b"1 qid:3 1:0.5 3:2\n-1 qid:4 2:1e-3\n").unwrap();
    for format in [Format::Parquet, Format::Arrow] {
        let again = read(
            &written(&data, format),
            TableOptions { drop: vec!["qid".into()], ..TableOptions::default() },
        );
        assert_eq!(again.names().unwrap(), ["x1", "x2", "x3"]);
        assert_eq!(again.table().unwrap().label.as_deref(), Some("label"));
        let rows = |data: &Dataset| seen(data).rows.into_iter().map(|row| (row.0, row.2)).collect::<Vec<_>>();
        assert_eq!(rows(&again), rows(&data));
        let queries = read(
            &written(&data, format),
            TableOptions { label: Some("qid".into()), ..TableOptions::default() },
        );
        assert_eq!(queries.labels().classes(), ["3", "4"]);
    }
}

#[test]
fn what_makes_no_table_is_refused() {
    let wide = super::read(b"1 40000:2\n").unwrap();
    let twice = read(
        b"y,label,a\n1,2,3\n0,1,2\n",
        TableOptions { label: Some("1".into()), ..TableOptions::default() },
    );
    assert_eq!(twice.names().unwrap()[0], "label");
    for format in [Format::Parquet, Format::Arrow] {
        let told = write(&wide, format, &mut Vec::new()).unwrap_err().to_string();
        assert!(told.contains("40000 columns") && told.contains("choose libsvm"), "{told}");
        assert!(write(&twice, format, &mut Vec::new()).is_ok());
    }
    // Without a table the label is called label.
    let named =
        super::read(b"1 1:2 2:1\n0 1:1\n").unwrap().with_names(vec!["a".into(), "label".into()]).unwrap();
    let told = write(&named, Format::Parquet, &mut Vec::new()).unwrap_err().to_string();
    assert!(told.contains("two columns would be called label"), "{told}");
}

/// A disk that is full.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_says_why() {
    let data = super::read(b"1 1:2\n-1 1:3\n").unwrap();
    for format in [Format::Parquet, Format::Arrow] {
        let error = write(&data, format, &mut Full).unwrap_err();
        let crate::WriteError::Io(error) = error else { panic!("{error}") };
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{format}");
    }
}
