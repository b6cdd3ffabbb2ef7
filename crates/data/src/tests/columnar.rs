//! Parquet and Arrow: what is read, and what is refused and how.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Decimal256Array, DictionaryArray, Float16Array, Float32Array,
    Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, LargeStringArray, NullArray, RecordBatch,
    StringArray, StringViewArray, StructArray, TimestampMicrosecondArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow_buffer::i256;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use sparsvm_core::Dataset;

use super::seen;
use crate::table::place::Place;
use crate::{Expected, Missing, ReadError, ReadOptions, Source, TableOptions, read_from, table};

pub(super) fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

pub(super) fn parquet(batch: &RecordBatch, compression: Compression, group: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(group))
        .build();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// Batches of so many rows.
fn cut(batch: &RecordBatch, rows: usize) -> Vec<RecordBatch> {
    (0..batch.num_rows().max(1))
        .step_by(rows)
        .map(|from| batch.slice(from, rows.min(batch.num_rows() - from)))
        .collect()
}

pub(super) fn ipc_file(batch: &RecordBatch, options: IpcWriteOptions, rows: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    cut(batch, rows).iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

pub(super) fn ipc_stream(batch: &RecordBatch, rows: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    cut(batch, rows).iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// The table in every format, in parts of two rows.
fn forms(batch: &RecordBatch) -> [(&'static str, Vec<u8>); 3] {
    [
        ("parquet", parquet(batch, Compression::SNAPPY, 2)),
        ("file", ipc_file(batch, IpcWriteOptions::default(), 2)),
        ("stream", ipc_stream(batch, 2)),
    ]
}

fn label(column: &str) -> TableOptions {
    TableOptions { label: Some(column.into()), ..TableOptions::default() }
}

fn read(bytes: &[u8], table: TableOptions) -> Result<Dataset, ReadError> {
    read_from(bytes, "t", &ReadOptions { table, ..ReadOptions::default() })
}

/// Labels and rows of a table, which are the same in every format.
fn rows(batch: &RecordBatch, options: &TableOptions) -> (Vec<String>, Vec<(String, Vec<f64>)>) {
    let mut all = forms(batch).map(|(form, bytes)| {
        let data = read(&bytes, options.clone()).unwrap_or_else(|error| panic!("{form}: {error}"));
        let names = data.names().unwrap().to_vec();
        let seen = seen(&data);
        let dense = |entries: Vec<(usize, f64)>| {
            let mut row = vec![0.0; seen.cols];
            entries.into_iter().for_each(|(j, x)| row[j] = x);
            row
        };
        (names, seen.rows.into_iter().map(|(label, _, entries)| (label, dense(entries))).collect::<Vec<_>>())
    });
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
    std::mem::take(&mut all[0])
}

/// The refusal of a table, which is the same in every format.
fn refused(batch: &RecordBatch, options: &TableOptions) -> String {
    let all = forms(batch).map(|(_, bytes)| read(&bytes, options.clone()).unwrap_err().to_string());
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
    all[0].clone()
}

fn strings(texts: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(texts.to_vec()))
}

#[test]
fn numbers_of_every_type() {
    let halves = [1.5, -2.0].map(|x: f32| {
        <arrow_array::types::Float16Type as arrow_array::ArrowPrimitiveType>::Native::from_f32(x)
    });
    let digits = [12_345_678_901_234_567_890_123_i128, -5];
    let columns: Vec<(&str, ArrayRef, [f64; 2])> = vec![
        ("i8", Arc::new(Int8Array::from(vec![-128, 127])), [-128.0, 127.0]),
        ("i16", Arc::new(Int16Array::from(vec![-300, 300])), [-300.0, 300.0]),
        ("i32", Arc::new(Int32Array::from(vec![1 << 30, -1])), [1_073_741_824.0, -1.0]),
        ("i64", Arc::new(Int64Array::from(vec![(1 << 53) + 1, -7])), [9_007_199_254_740_992.0, -7.0]),
        ("u8", Arc::new(UInt8Array::from(vec![255, 0])), [255.0, 0.0]),
        ("u16", Arc::new(UInt16Array::from(vec![65535, 0])), [65535.0, 0.0]),
        ("u32", Arc::new(UInt32Array::from(vec![u32::MAX, 1])), [4_294_967_295.0, 1.0]),
        ("u64", Arc::new(UInt64Array::from(vec![u64::MAX, 1])), [18_446_744_073_709_551_615.0, 1.0]),
        ("f16", Arc::new(Float16Array::from(halves.to_vec())), [1.5, -2.0]),
        ("f32", Arc::new(Float32Array::from(vec![0.1, -0.5])), [f64::from(0.1f32), -0.5]),
        ("f64", Arc::new(Float64Array::from(vec![0.1, 1e300])), [0.1, 1e300]),
        ("bool", Arc::new(BooleanArray::from(vec![true, false])), [1.0, 0.0]),
        (
            "decimal",
            Arc::new(Decimal128Array::from(digits.to_vec()).with_precision_and_scale(38, 5).unwrap()),
            [123_456_789_012_345_678.901_23, -0.00005],
        ),
        (
            "wide decimal",
            Arc::new(
                Decimal256Array::from(digits.map(i256::from_i128).to_vec())
                    .with_precision_and_scale(60, 2)
                    .unwrap(),
            ),
            [123_456_789_012_345_678_901.23, -0.05],
        ),
    ];
    let expected: Vec<Vec<f64>> = (0..2).map(|i| columns.iter().map(|c| c.2[i]).collect()).collect();
    let mut named: Vec<(&str, ArrayRef)> =
        columns.iter().map(|(name, array, _)| (*name, array.clone())).collect();
    named.push(("y", Arc::new(Int64Array::from(vec![1, 0]))));
    let (names, found) = rows(&table(named), &label("y"));
    assert_eq!(names.len(), columns.len());
    assert_eq!(found, [("1".into(), expected[0].clone()), ("0".into(), expected[1].clone())]);
}

#[test]
fn labels_of_every_type() {
    let x = || ("x", Arc::new(Int8Array::from(vec![1, 2, 3])) as ArrayRef);
    let dictionary: DictionaryArray<Int8Type> = vec!["no", "yes", "no"].into_iter().collect();
    let labels: [(ArrayRef, [&str; 3]); 10] = [
        (Arc::new(Int32Array::from(vec![1, -1, 1])), ["1", "-1", "1"]),
        (Arc::new(UInt64Array::from(vec![1, 0, 1])), ["1", "0", "1"]),
        (Arc::new(Float64Array::from(vec![1.0, -0.0, 0.0])), ["1", "0", "0"]),
        (Arc::new(Float32Array::from(vec![0.1, 2.5, 0.1])), ["0.1", "2.5", "0.1"]),
        (Arc::new(BooleanArray::from(vec![true, false, true])), ["1", "0", "1"]),
        (
            Arc::new(Decimal128Array::from(vec![150, 0, 150]).with_precision_and_scale(9, 2).unwrap()),
            ["1.5", "0", "1.5"],
        ),
        (strings(&[Some("no"), Some(" yes "), Some("no")]), ["no", "yes", "no"]),
        (Arc::new(LargeStringArray::from(vec!["a", "b", "+1"])), ["a", "b", "1"]),
        (
            Arc::new(StringViewArray::from(vec!["a longer text than fits", "b", "c"])),
            ["a longer text than fits", "b", "c"],
        ),
        (Arc::new(dictionary), ["no", "yes", "no"]),
    ];
    for (array, expected) in labels {
        let kind = array.data_type().clone();
        let (_, found) = rows(&table(vec![x(), ("y", array)]), &label("y"));
        let found: Vec<&str> = found.iter().map(|row| row.0.as_str()).collect();
        assert_eq!(found, expected, "{kind}");
    }
}

#[test]
fn categories_and_dictionaries() {
    let mut colors = StringDictionaryBuilder::<Int8Type>::new();
    for color in [Some("red"), Some("blue"), None, Some("red")] {
        colors.append_option(color);
    }
    let batch = table(vec![
        ("y", Arc::new(Int64Array::from(vec![1, 0, 1, 0]))),
        ("color", Arc::new(colors.finish())),
        ("zip", Arc::new(Int32Array::from(vec![7, 8, 7, 9]))),
    ]);
    let options =
        TableOptions { one_hot: vec!["color".into(), "zip".into()], missing: Missing::Zero, ..label("y") };
    let (names, found) = rows(&batch, &options);
    assert_eq!(names, ["color=blue", "color=red", "zip=7", "zip=8", "zip=9"]);
    assert_eq!(found[0].1, [0.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(found[2].1, [0.0, 0.0, 1.0, 0.0, 0.0]);
    let text = refused(&batch, &label("y"));
    assert!(text.contains("column color holds `red` in row 1"), "{text}");
    assert!(text.contains("--one-hot color") && text.contains("--drop color"), "{text}");
}

#[test]
fn texts_where_numbers_should_be_are_named_by_row() {
    let y = Arc::new(Int64Array::from(vec![1, 0, 1, 0, 1]));
    let batch = table(vec![("y", y), ("a", strings(&[None, None, None, Some("1.5"), Some("x")]))]);
    let text = refused(&batch, &label("y"));
    assert!(text.contains("column a holds `1.5 as text` in row 4"), "{text}");
    let infinite = Arc::new(Float64Array::from(vec![0.0, f64::INFINITY]));
    let text =
        refused(&table(vec![("y", Arc::new(Int8Array::from(vec![1, 0]))), ("a", infinite)]), &label("y"));
    assert!(text.contains("column a holds `inf` in row 2, which is not a finite number"), "{text}");
}

#[test]
fn missing_values() {
    let batch = table(vec![
        ("y", strings(&[Some("1"), Some("0"), Some("1"), Some("0")])),
        ("a", Arc::new(Int32Array::from(vec![Some(1), Some(3), None, Some(5)]))),
        ("b", Arc::new(Float64Array::from(vec![f64::NAN, 4.0, 6.0, 0.0]))),
        ("c", strings(&[Some("x"), None, Some("z"), Some("x")])),
    ]);
    let with = |missing| TableOptions { missing, one_hot: vec!["c".into()], ..label("y") };
    let told = refused(&batch, &with(Missing::Refuse));
    for part in
        ["column a has 1 missing values, the first in row 3", "column b", "column c", "--missing mean"]
    {
        assert!(told.contains(part), "{told}");
    }
    let csv = "y,a,b,c\n1,1,,x\n0,3,4,?\n1,NA,6,z\n0,5,0,x\n";
    for missing in [Missing::Mean, Missing::Zero, Missing::DropRows] {
        let as_csv = read(csv.as_bytes(), with(missing)).unwrap();
        for (form, bytes) in forms(&batch) {
            let data = read(&bytes, with(missing)).unwrap();
            assert_eq!(seen(&data), seen(&as_csv), "{form}, {missing}");
            assert_eq!((data.names(), data.table()), (as_csv.names(), as_csv.table()), "{form}, {missing}");
        }
    }
    let unlabelled =
        table(vec![("y", strings(&[Some("1"), None])), ("a", Arc::new(Int8Array::from(vec![1, 2])))]);
    assert!(refused(&unlabelled, &label("y")).contains("1 rows have no label, the first is row 2"));
}

#[test]
fn other_types_are_refused_only_where_they_are_used() {
    let nested =
        StructArray::from(RecordBatch::try_from_iter([("in", strings(&[Some("a"), None]))]).unwrap());
    let batch = table(vec![
        ("y", Arc::new(Int8Array::from(vec![1, 0]))),
        ("when\t", Arc::new(TimestampMicrosecondArray::from(vec![1, 2]))),
        ("deep", Arc::new(nested)),
        ("a", Arc::new(Int8Array::from(vec![3, 4]))),
    ]);
    let text = refused(&batch, &label("y"));
    assert!(
        text.contains(r"column when\t is of type timestamp") && text.contains(r"--drop when\t"),
        "{text}"
    );
    assert!(text.contains("1 columns more"), "{text}");
    assert!(refused(&batch, &label("when\t")).contains("write the labels as numbers or texts"));
    let drop = TableOptions { drop: vec!["when\t".into(), "deep".into()], ..label("y") };
    assert_eq!(rows(&batch, &drop).1[1], ("0".into(), vec![4.0]));
    let index = table(vec![
        ("y", Arc::new(Int8Array::from(vec![1, 0]))),
        ("__index_level_0__", Arc::new(Int64Array::from(vec![5, 6]))),
    ]);
    assert!(
        refused(&index, &label("y")).contains("an index that pandas wrote: say --drop __index_level_0__")
    );
    let empty = table(vec![("y", Arc::new(Int8Array::from(vec![1]))), ("n", Arc::new(NullArray::new(1)))]);
    assert!(refused(&empty, &label("y")).contains("column n is of type null"));
}

#[test]
fn a_model_takes_what_it_wants() {
    let batch = table(vec![
        ("note", strings(&[Some("hello"), None, Some("you")])),
        ("c", strings(&[Some("x"), Some("z"), None])),
        ("a", Arc::new(Int64Array::from(vec![2, 3, 4]))),
    ]);
    let expected = |names: &[&str], columns: &[u32]| Expected {
        label: Some("y".into()),
        names: names.iter().map(ToString::to_string).collect(),
        columns: columns.to_vec(),
        width: 6,
        fills: None,
    };
    for (form, bytes) in forms(&batch) {
        let with =
            |expected| ReadOptions { expected: Some(expected), unlabelled: true, ..ReadOptions::default() };
        let data = read_from(&bytes[..], "t", &with(expected(&["a", "c=x"], &[4, 1]))).unwrap();
        let entries = |data: &Dataset, i| {
            let mut entries = Vec::new();
            data.design().row(i).for_each(|j, x| entries.push((j, x)));
            entries
        };
        assert_eq!(entries(&data, 0), [(1, 1.0), (4, 2.0)], "{form}");
        assert_eq!(entries(&data, 2), [(4, 4.0)], "{form}");
        // A model without features still tells how many rows there are.
        let data = read_from(&bytes[..], "t", &with(expected(&[], &[]))).unwrap();
        assert_eq!((data.design().rows(), data.design().cols()), (3, 6), "{form}");
    }
}

/// A table that is large enough for several of everything.
pub(super) fn large(rows: usize, columns: usize) -> RecordBatch {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut all: Vec<(String, ArrayRef)> = vec![(
        "y".into(),
        Arc::new(StringArray::from_iter_values(
            (0..rows).map(|_| if next().is_multiple_of(2) { "up" } else { "down" }),
        )),
    )];
    for j in 0..columns {
        let cell =
            |x: u64| (!x.is_multiple_of(5)).then_some(if x.is_multiple_of(3) { 0.0 } else { x as f64 / 1e5 });
        let numbers: Vec<Option<f64>> = (0..rows).map(|_| cell(next())).collect();
        all.push((format!("f{j}"), Arc::new(Float64Array::from(numbers))));
    }
    table(all.iter().map(|(name, array)| (name.as_str(), array.clone())).collect())
}

#[test]
fn threads_parts_and_row_groups_do_not_matter() {
    let batch = large(1000, 9);
    let options = TableOptions { missing: Missing::Mean, ..label("y") };
    let expected = seen(&read(&parquet(&batch, Compression::UNCOMPRESSED, 1000), options.clone()).unwrap());
    assert_eq!(expected.rows.len(), 1000);
    let read_options = ReadOptions { table: options.clone(), ..ReadOptions::default() };
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for group in [1, 37, 100, 1000] {
            let place = Place::of_bytes(parquet(&batch, Compression::SNAPPY, group));
            for cells in [1, 1000, 1 << 22] {
                let data =
                    pool.install(|| table::parquet::read_in(&place, "t", &read_options, cells)).unwrap();
                assert_eq!(seen(&data), expected, "{threads} threads, {group} rows, {cells} cells");
            }
            for bytes in [ipc_file(&batch, IpcWriteOptions::default(), group), ipc_stream(&batch, group)] {
                let data = pool.install(|| read(&bytes, options.clone())).unwrap();
                assert_eq!(seen(&data), expected, "{threads} threads, batches of {group} rows");
            }
        }
    }
}

#[test]
fn every_compression() {
    let batch = large(300, 3);
    let options = TableOptions { missing: Missing::Zero, ..label("y") };
    let expected = seen(&read(&ipc_stream(&batch, 300), options.clone()).unwrap());
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        let data = read(&parquet(&batch, compression, 70), options.clone()).unwrap();
        assert_eq!(seen(&data), expected, "{compression}");
    }
    for compression in [arrow_ipc::CompressionType::LZ4_FRAME, arrow_ipc::CompressionType::ZSTD] {
        let with = IpcWriteOptions::default().try_with_compression(Some(compression)).unwrap();
        assert_eq!(
            seen(&read(&ipc_file(&batch, with, 70), options.clone()).unwrap()),
            expected,
            "{compression:?}"
        );
    }
}

#[test]
fn files_pipes_and_compressed_files() {
    let batch = large(50, 2);
    let options = ReadOptions {
        table: TableOptions { missing: Missing::Zero, ..label("y") },
        ..ReadOptions::default()
    };
    let folder = tempfile::tempdir().unwrap();
    for (form, bytes) in forms(&batch) {
        let expected = seen(&read_from(&bytes[..], "t", &options).unwrap());
        let plain = folder.path().join("plain");
        std::fs::write(&plain, &bytes).unwrap();
        assert_eq!(seen(&crate::read(&Source::from(plain), &options).unwrap()), expected, "{form}");
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).unwrap();
        let packed = folder.path().join("packed");
        std::fs::write(&packed, gzip.finish().unwrap()).unwrap();
        assert_eq!(seen(&crate::read(&Source::from(packed), &options).unwrap()), expected, "{form}");
    }
}

#[test]
fn an_arrow_file_is_what_its_list_says() {
    // Polars writes the schema behind the magic word without its length.
    let mut bytes = ipc_file(&large(50, 2), IpcWriteOptions::default(), 20);
    let options = TableOptions { missing: Missing::Zero, ..label("y") };
    let expected = seen(&read(&bytes, options.clone()).unwrap());
    bytes[8..80].fill(7);
    assert_eq!(seen(&read(&bytes, options).unwrap()), expected);
}

#[test]
fn dropped_columns_are_never_decoded() {
    let batch = large(100, 3);
    let mut bytes = parquet(&batch, Compression::SNAPPY, 50);
    let about = parquet::file::metadata::ParquetMetaDataReader::new()
        .parse_and_finish(&bytes::Bytes::from(bytes.clone()))
        .unwrap();
    for group in about.row_groups() {
        let (from, len) = group.column(2).byte_range();
        bytes[from as usize..(from + len) as usize].fill(0xff);
    }
    let options = TableOptions { missing: Missing::Zero, ..label("y") };
    let told = read(&bytes, options.clone()).unwrap_err().to_string();
    assert!(told.contains("the Parquet data cannot be decoded"), "{told}");
    let data = read(&bytes, TableOptions { drop: vec!["f1".into()], ..options }).unwrap();
    assert_eq!(data.names().unwrap(), ["f0", "f2"]);
}

#[test]
fn memory_is_limited() {
    let batch = large(20_000, 20);
    for (form, bytes) in [
        ("parquet", parquet(&batch, Compression::SNAPPY, 5000)),
        ("file", ipc_file(&batch, IpcWriteOptions::default(), 5000)),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        std::fs::write(&path, &bytes).unwrap();
        let options = |limit| ReadOptions {
            memory_limit: Some(limit),
            table: TableOptions { missing: Missing::Zero, ..label("y") },
            ..ReadOptions::default()
        };
        let source = Source::from(path);
        let told = crate::read(&source, &options(1 << 20)).unwrap_err().to_string();
        assert!(told.contains("--memory-limit"), "{form}: {told}");
        assert!(crate::read(&source, &options(1 << 24)).is_ok(), "{form}");
    }
}

#[test]
fn tables_without_rows_or_columns() {
    let batch =
        table(vec![("y", Arc::new(Int8Array::from(vec![1]))), ("a", Arc::new(Int8Array::from(vec![1])))]);
    assert!(refused(&batch.slice(0, 0), &label("y")).contains("no rows"));
    let only = table(vec![("y", Arc::new(Int8Array::from(vec![1, 0])))]);
    assert!(!refused(&only, &label("y")).is_empty());
}
