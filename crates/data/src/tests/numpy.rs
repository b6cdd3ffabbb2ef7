//! Arrays of NumPy and SciPy, built byte by byte.

use std::io::Write;

use flate2::Crc;
use flate2::write::DeflateEncoder;
use half::f16;
use proptest::prelude::*;
use sparsvm_core::Dataset;

use super::{Seen, read as libsvm, seen};
use crate::{
    Expected, Format, Missing, ReadError, ReadOptions, Source, TableOptions, read, read_from, write,
};

/// Four rows of three numbers that every type holds, but for the sign.
const MATRIX: [[i8; 3]; 4] = [[1, 0, 2], [0, 0, 3], [5, 7, 0], [0, 1, 0]];
const LABELS: [i8; 4] = [1, 0, 1, 0];
const TEXT: &str = "1 1:1 3:2\n0 3:3\n1 1:5 2:7\n0 2:1\n";

/// The bytes of a .npy file.
pub(crate) fn npy(version: u8, descr: &str, fortran: bool, shape: &str, elements: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((text.len() as u16).to_le_bytes()),
        _ => bytes.extend((text.len() as u32).to_le_bytes()),
    }
    bytes.extend(text.bytes());
    bytes.extend(elements);
    bytes
}

/// Whole numbers in a type.
fn elements(descr: &str, numbers: impl IntoIterator<Item = i8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for x in numbers {
        let mut one: Vec<u8> = match &descr[1..] {
            "f2" => f16::from_f64(x.into()).to_le_bytes().to_vec(),
            "f4" => f32::from(x).to_le_bytes().to_vec(),
            "f8" => f64::from(x).to_le_bytes().to_vec(),
            "i1" | "u1" => x.to_le_bytes().to_vec(),
            "i2" | "u2" => i16::from(x).to_le_bytes().to_vec(),
            "i4" | "u4" => i32::from(x).to_le_bytes().to_vec(),
            "i8" | "u8" => i64::from(x).to_le_bytes().to_vec(),
            "b1" => vec![u8::from(x != 0)],
            other => panic!("{other}"),
        };
        if descr.starts_with('>') {
            one.reverse();
        }
        bytes.extend(one);
    }
    bytes
}

fn unicode(width: usize, texts: &[&str]) -> Vec<u8> {
    let padded = texts.iter().flat_map(|text| text.chars().chain(std::iter::repeat('\0')).take(width));
    padded.flat_map(|c| u32::from(c).to_le_bytes()).collect()
}

/// A zip archive.
fn npz(files: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (key, content) in files {
        let mut crc = Crc::new();
        crc.update(content);
        let packed = match deflated {
            true => {
                let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(content).unwrap();
                encoder.finish().unwrap()
            }
            false => content.clone(),
        };
        let name = format!("{key}.npy");
        let mut about = vec![20, 0, 0, 0, if deflated { 8 } else { 0 }, 0, 0, 0, 0x21, 0];
        about.extend(crc.sum().to_le_bytes());
        about.extend((packed.len() as u32).to_le_bytes());
        about.extend((content.len() as u32).to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&about);
        bytes.extend(name.bytes());
        bytes.extend(packed);
    }
    let (start, count) = (bytes.len() as u32, files.len() as u16);
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn rows() -> Vec<i8> {
    MATRIX.iter().flatten().copied().collect()
}

fn columns() -> Vec<i8> {
    (0..3).flat_map(|j| MATRIX.map(|row| row[j])).collect()
}

fn x(descr: &str, fortran: bool) -> Vec<u8> {
    npy(1, descr, fortran, "(4, 3)", &elements(descr, if fortran { columns() } else { rows() }))
}

fn y(descr: &str) -> Vec<u8> {
    npy(1, descr, false, "(4,)", &elements(descr, LABELS))
}

/// A sparse matrix in the format that is asked for; the entries are those of [`TEXT`].
fn sparse(format: &str, index: &str) -> Vec<(&'static str, Vec<u8>)> {
    let list = |numbers: &[i8]| {
        npy(1, index, false, &format!("({},)", numbers.len()), &elements(index, numbers.to_vec()))
    };
    let data = |numbers: &[i8]| {
        npy(1, "<f4", false, &format!("({},)", numbers.len()), &elements("<f4", numbers.to_vec()))
    };
    let mut files = vec![
        ("format", npy(1, "|S3", false, "()", format.as_bytes())),
        ("shape", npy(1, "<i8", false, "(2,)", &elements("<i8", [4, 3]))),
    ];
    files.extend(match format {
        "csr" => vec![
            // Rows are not in order, and the entry 7 comes in two parts, with a zero beside it.
            ("indices", list(&[2, 0, 2, 1, 0, 1, 2, 1])),
            ("indptr", list(&[0, 2, 3, 7, 8])),
            ("data", data(&[2, 1, 3, 4, 5, 3, 0, 1])),
        ],
        "csc" => vec![
            ("indices", list(&[2, 0, 3, 2, 0, 1])),
            ("indptr", list(&[0, 2, 4, 6])),
            ("data", data(&[5, 1, 1, 7, 2, 3])),
        ],
        _ => vec![
            ("row", list(&[3, 0, 2, 2, 1, 0, 2])),
            ("col", list(&[1, 0, 0, 1, 2, 2, 1])),
            ("data", data(&[1, 1, 5, 9, 3, 2, -2])),
        ],
    });
    files
}

fn expected() -> Seen {
    seen(&libsvm(TEXT.as_bytes()).unwrap())
}

fn from(bytes: &[u8], options: &ReadOptions) -> Result<Dataset, ReadError> {
    read_from(bytes, "data", options)
}

fn plain(bytes: &[u8]) -> Result<Dataset, ReadError> {
    from(bytes, &ReadOptions::default())
}

#[track_caller]
fn refused(bytes: &[u8], options: &ReadOptions, words: &[&str]) {
    let told = from(bytes, options).unwrap_err().to_string();
    for word in words {
        assert!(told.contains(word), "no {word:?} in {told}");
    }
}

fn label(column: &str) -> ReadOptions {
    let table = TableOptions { label: Some(column.into()), ..TableOptions::default() };
    ReadOptions { table, ..ReadOptions::default() }
}

const TYPES: [&str; 11] = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"];

#[test]
fn every_type_and_order() {
    for name in TYPES {
        for order in ["<", ">"] {
            for (fortran, deflated) in [(false, true), (true, false)] {
                let descr = format!("{order}{name}");
                let files = [("X", x(&descr, fortran)), ("y", y(&descr))];
                let data = plain(&npz(&files, deflated)).unwrap_or_else(|error| panic!("{descr}: {error}"));
                assert_eq!(seen(&data), expected(), "{descr} {fortran}");
            }
        }
    }
    // Signs and halves.
    let halves: Vec<u8> = [-1.5f64, 6.103_515_625e-5, 65504.0, 5.960_464_477_539_063e-8]
        .iter()
        .flat_map(|&v| f16::from_f64(v).to_be_bytes())
        .collect();
    let data = plain(&npz(&[("X", npy(1, ">f2", false, "(4, 1)", &halves)), ("y", y("|b1"))], true)).unwrap();
    let values: Vec<f64> = seen(&data).rows.iter().map(|row| row.2[0].1).collect();
    assert_eq!(values, [-1.5, 6.103_515_625e-5, 65504.0, 5.960_464_477_539_063e-8]);
    for (descr, bytes) in
        [("<i2", vec![0xfe, 0xff]), (">i4", vec![0xff, 0xff, 0xff, 0xfe]), ("|i1", vec![0xfe])]
    {
        let files =
            [("X", npy(1, descr, false, "(1, 1)", &bytes)), ("y", npy(1, "|u1", false, "(1,)", &[7]))];
        assert_eq!(seen(&plain(&npz(&files, false)).unwrap()).rows[0].2, [(0, -2.0)], "{descr}");
    }
    let bools = npz(
        &[
            ("X", npy(3, "|b1", false, "(2, 2)", &[1, 0, 0, 1])),
            ("y", npy(2, "|b1", false, "(2, 1)", &[0, 1])),
        ],
        true,
    );
    assert_eq!(seen(&plain(&bools).unwrap()), seen(&libsvm(b"0 1:1\n1 2:1\n").unwrap()));
}

#[test]
fn one_array_with_a_column_of_labels() {
    for version in [1, 2, 3] {
        let numbers = MATRIX.iter().zip(LABELS).flat_map(|(row, y)| [row[0], y, row[1], row[2]]);
        let bytes = npy(version, "<f8", false, "(4, 4)", &elements("<f8", numbers));
        assert_eq!(seen(&from(&bytes, &label("2")).unwrap()), expected());
        assert_eq!(seen(&from(&bytes, &label("-3")).unwrap()), expected());
        refused(&bytes, &label("5"), &["--label 5", "4 columns"]);
        refused(&bytes, &ReadOptions::default(), &["no labels", "--labels", "--label -1", "numpy.savez"]);
    }
    let unlabelled = ReadOptions { unlabelled: true, ..ReadOptions::default() };
    for fortran in [false, true] {
        let data = from(&x("<i2", fortran), &unlabelled).unwrap();
        assert!(!data.labels().are_known());
        assert_eq!(data.design().cols(), 3);
    }
}

#[test]
fn what_stands_beside_the_matrix() {
    let names = npy(1, "<U5", false, "(3,)", &unicode(5, &["a", "Größe", "c"]));
    let texts = npy(1, "<U4", false, "(4,)", &unicode(4, &["ja", "nein", "ja", "nein"]));
    let queries = npy(1, "<i4", false, "(4,)", &elements("<i4", [1, 1, 2, 2]));
    let files = [("data", x("<f8", false)), ("target", texts), ("feature_names", names), ("qid", queries)];
    let data = plain(&npz(&files, true)).unwrap();
    assert_eq!(data.names().unwrap(), ["a", "Größe", "c"]);
    assert_eq!(data.queries().unwrap(), [1, 1, 2, 2]);
    assert_eq!(data.labels().classes(), ["ja", "nein"]);
    assert_eq!(data.labels().codes(), [0, 1, 0, 1]);
    // A model finds its features by name.
    let wanted = Expected {
        label: None,
        names: vec!["c".into(), "a".into()],
        columns: vec![0, 4],
        width: 5,
        fills: None,
    };
    let options = ReadOptions { expected: Some(wanted), ..ReadOptions::default() };
    let found = seen(&from(&npz(&files, true), &options).unwrap());
    assert_eq!((found.cols, &found.rows[0].2), (5, &vec![(0, 2.0), (4, 1.0)]));
    let mut sparse = sparse("csr", "<i4");
    sparse.extend([("y", y("<f8")), ("feature_names", files[2].1.clone())]);
    let found = seen(&from(&npz(&sparse, true), &options).unwrap());
    assert_eq!((found.cols, &found.rows[0].2), (5, &vec![(0, 2.0), (4, 1.0)]));
}

#[test]
fn missing_values() {
    let numbers: Vec<u8> = [1.0, f64::NAN, 3.0, 5.0].iter().flat_map(|v: &f64| v.to_le_bytes()).collect();
    let files =
        [("X", npy(1, "<f8", false, "(2, 2)", &numbers)), ("y", npy(1, "|i1", false, "(2,)", &[1, 2]))];
    let bytes = npz(&files, false);
    refused(&bytes, &ReadOptions::default(), &["column 2 has 1 missing"]);
    let treated = |missing| {
        let table = TableOptions { missing, ..TableOptions::default() };
        seen(&from(&bytes, &ReadOptions { table, ..ReadOptions::default() }).unwrap())
    };
    assert_eq!(treated(Missing::Mean).rows[0].2, [(0, 1.0), (1, 5.0)]);
    assert_eq!(treated(Missing::DropRows).rows, [("2".to_owned(), None, vec![(0, 3.0), (1, 5.0)])]);
}

#[test]
fn sparse_matrices_of_scipy() {
    for format in ["csr", "csc", "coo"] {
        for index in ["<i4", "<i8", ">i4", ">i8"] {
            for deflated in [false, true] {
                let mut files = sparse(format, index);
                files.push(("y", y("<i8")));
                let data = plain(&npz(&files, deflated)).unwrap_or_else(|error| panic!("{format}: {error}"));
                assert_eq!(seen(&data), expected(), "{format} {index}");
            }
        }
    }
    // As SciPy saves coordinates of any number of dimensions.
    let mut files = sparse("coo", "<i4");
    let both = [3, 0, 2, 2, 1, 0, 2, 1, 0, 0, 1, 2, 2, 1];
    files.truncate(2);
    files.push(("coords", npy(1, "<i4", false, "(2, 7)", &elements("<i4", both))));
    files.push(("data", npy(1, "<f4", false, "(7,)", &elements("<f4", [1, 1, 5, 9, 3, 2, -2]))));
    files.push(("y", y("<i8")));
    assert_eq!(seen(&plain(&npz(&files, true)).unwrap()), expected());
    files[2].1 = npy(1, "<i4", false, "(2, 7)", &elements("<i4", both.map(|index| index + 1)));
    refused(&npz(&files, true), &ReadOptions::default(), &["coords"]);
    let bare = npz(&sparse("csr", "<i4"), true);
    refused(&bare, &ReadOptions::default(), &["no labels", "--labels"]);
    refused(&bare, &label("1"), &["--label", "sparse matrix"]);
    let wide = ReadOptions { unlabelled: true, features: Some(9), ..ReadOptions::default() };
    assert_eq!(from(&bare, &wide).unwrap().design().cols(), 9);
    refused(&bare, &ReadOptions { features: Some(2), ..wide }, &["3 columns", "2 features"]);
}

#[test]
fn sparse_matrices_that_do_not_fit() {
    let with = |format, key: &str, bytes: Vec<u8>| {
        let mut files = sparse(format, "<i4");
        files.iter_mut().filter(|file| file.0 == key).for_each(|file| file.1 = bytes.clone());
        files.push(("y", y("<f8")));
        npz(&files, true)
    };
    let list = |numbers: &[i8]| {
        npy(1, "<i4", false, &format!("({},)", numbers.len()), &elements("<i4", numbers.to_vec()))
    };
    let options = ReadOptions::default();
    refused(
        &with("csr", "indices", list(&[2, 0, 3, 1, 0, 1, 2, 1])),
        &options,
        &["indices", "element 2", "0 to 2"],
    );
    refused(&with("csr", "indices", list(&[2, 0, -1, 1, 0, 1, 2, 1])), &options, &["indices", "element 2"]);
    refused(&with("csr", "indices", list(&[2, 0])), &options, &["indptr"]);
    refused(&with("csr", "indptr", list(&[0, 2, 3, 8])), &options, &["indptr"]);
    refused(&with("csr", "indptr", list(&[0, 3, 2, 7, 8])), &options, &["indptr"]);
    refused(&with("csr", "indptr", list(&[1, 2, 3, 7, 8])), &options, &["indptr"]);
    refused(&with("coo", "row", list(&[3, 0, 2, 2, 1, 0])), &options, &["one index for each value"]);
    refused(&with("coo", "row", list(&[3, 0, 2, 2, 1, 0, 4])), &options, &["row", "element 6"]);
    refused(&with("csr", "format", npy(1, "|S3", false, "()", b"bsr")), &options, &["`bsr`", "tocsr"]);
    refused(&with("csr", "shape", list(&[4])), &options, &["two sides"]);
    refused(&with("csr", "shape", list(&[4, 0])), &options, &["4 rows and 0 columns"]);
    refused(&with("csr", "shape", list(&[5, 3])), &options, &["indptr"]);
    let nan: Vec<u8> = [f32::NAN; 8].iter().flat_map(|v| v.to_le_bytes()).collect();
    refused(
        &with("csr", "data", npy(1, "<f4", false, "(8,)", &nan)),
        &options,
        &["row 1, column 3 holds NaN"],
    );
    let mut files = sparse("csr", "<i4");
    files.push(("y", npy(1, "|i1", false, "(3,)", &[1, 2, 1])));
    refused(&npz(&files, true), &options, &["4 rows, but y has 3"]);
    files.remove(3);
    refused(&npz(&files, true), &options, &["an array indptr"]);
}

#[test]
fn what_is_no_matrix() {
    let options = ReadOptions { unlabelled: true, ..ReadOptions::default() };
    refused(&npy(1, "<f8", false, "(2,)", &[0; 16]), &options, &["(2,)", "reshape(-1, 1)"]);
    refused(&npy(1, "<f8", false, "(1, 2, 1)", &[0; 16]), &options, &["(1, 2, 1)"]);
    refused(&npy(1, "<f8", false, "()", &[0; 8]), &options, &["()"]);
    refused(&npy(1, "<f8", false, "(0, 5)", &[]), &options, &["nothing in it"]);
    refused(&npy(1, "<f8", false, "(1000000000000000000, 0)", &[]), &options, &["nothing in it"]);
    refused(&npy(1, "|O", false, "(2, 2)", &[0; 16]), &options, &["Python objects", "save_npz"]);
    refused(&npy(1, "<U2", false, "(1, 2)", &[0; 16]), &options, &["texts", "csv"]);
    refused(&npy(1, "<c16", false, "(1, 1)", &[0; 16]), &options, &["complex"]);
    refused(&npy(4, "<f8", false, "(1, 1)", &[0; 8]), &options, &["version 4"]);
    refused(&npy(1, "<f8", false, "(1, 1)", &[0; 9]), &options, &["more bytes follow"]);
    let inf = npy(1, "<f4", false, "(1, 2)", &[0, 0, 0, 0, 0, 0, 0x80, 0x7f]);
    refused(&inf, &options, &["column 2 holds `inf` in row 1", "--drop 2"]);
    refused(&npz(&[("Z", x("<f8", false))], true), &options, &["no array X", "`Z`", "savez"]);
    refused(&npz(&[("notes", b"hello world".to_vec())], true), &options, &["no array X"]);
    refused(&npz(&[("X", b"hello world".to_vec())], true), &options, &["array X", "no NumPy array"]);
    let twice = [("X", x("<f8", false)), ("y", y("<f8"))];
    refused(&npz(&twice, true), &label("1"), &["in column 1", "leave out --label"]);
    let short = [("X", x("<f8", false)), ("y", npy(1, "|i1", false, "(3,)", &[1, 2, 1]))];
    refused(&npz(&short, true), &options, &["4 rows", "3 values"]);
    let texts = [("X", x("<f8", false)), ("y", y("<f8")), ("feature_names", y("<f8"))];
    refused(&npz(&texts, true), &options, &["feature_names", "texts were expected"]);
}

#[test]
fn hostile_sizes_take_no_memory() {
    let options = ReadOptions { unlabelled: true, ..ReadOptions::default() };
    let limited = ReadOptions { memory_limit: Some(1 << 20), ..options.clone() };
    let side = "4000000000";
    for (shape, fortran) in [
        (format!("({side}, {side}000)"), false),
        (format!("({side}, {side})"), true),
        (format!("(1, {side})"), false),
        (format!("({side}, 1)"), true),
        ("(18446744073709551615, 18446744073709551615)".to_owned(), false),
    ] {
        let bytes = npy(1, "<f8", fortran, &shape, &[0; 64]);
        assert!(from(&bytes, &options).is_err(), "{shape}");
        assert!(from(&bytes, &limited).is_err(), "{shape}");
        // A file tells by its size that this cannot be.
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        let told = read(&Source::from(file.path().to_owned()), &options).unwrap_err().to_string();
        assert!(told.contains("truncated or damaged") || told.contains("4294967295"), "{told}");
        refused(&npz(&[("X", bytes)], true), &options, &["X"]);
    }
    let mut files = sparse("csr", "<i4");
    let shape: Vec<u8> = [4_000_000_000u64, 4_000_000_000].iter().flat_map(|v| v.to_le_bytes()).collect();
    files[1].1 = npy(1, "<u8", false, "(2,)", &shape);
    refused(&npz(&files, true), &limited, &["4000000000 rows", "--memory-limit"]);
    // A small archive that unpacks to much: 16 MB of ones.
    let bomb = npz(&[("X", npy(1, "|i1", false, "(16000, 1000)", &vec![1; 16_000_000]))], true);
    assert!(bomb.len() < 100_000);
    refused(&bomb, &ReadOptions { memory_limit: Some(4 << 20), ..options }, &["--memory-limit"]);
    refused(&x("<f8", false), &ReadOptions { memory_limit: Some(10), ..limited }, &["limit"]);
}

#[test]
fn files_cut_anywhere() {
    let mut csr = sparse("csr", "<i4");
    csr.push(("y", y("<f8")));
    for bytes in [
        npz(&[("X", x("<f8", false)), ("y", y("<f8"))], false),
        npz(&[("X", x("<f8", true)), ("y", y("<f8"))], true),
        npz(&csr, true),
    ] {
        plain(&bytes).unwrap();
        for len in 0..bytes.len() {
            assert!(plain(&bytes[..len]).is_err(), "{len} of {}", bytes.len());
        }
    }
    for fortran in [false, true] {
        let options = label("1");
        let bytes = x("<i4", fortran);
        from(&bytes, &options).unwrap();
        for len in 0..bytes.len() {
            assert!(from(&bytes[..len], &options).is_err(), "{len} of {}", bytes.len());
        }
        refused(&bytes[..bytes.len() - 1], &options, &["npy", "truncated"]);
    }
}

/// Damage to the elements is found by the sum; elsewhere nothing may panic.
#[test]
fn files_with_bytes_changed() {
    let mut csr = sparse("csr", "<i4");
    csr.push(("y", y("<f8")));
    let whole = [
        npz(&[("X", x("<f8", false)), ("y", y("<f8"))], false),
        npz(&[("X", x("<f2", true)), ("y", y("<f8"))], true),
        npz(&csr, false),
        npz(&sparse("coo", "<i8"), true),
        x("<f8", true),
        x("|i1", false),
    ];
    let options = ReadOptions { unlabelled: true, memory_limit: Some(64 << 20), ..ReadOptions::default() };
    let mut state = 7u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for round in 0..4_000 {
        let mut bytes = whole[round % whole.len()].clone();
        for _ in 0..1 + draw(3) {
            let at = draw(bytes.len());
            bytes[at] = if draw(2) == 0 { draw(256) as u8 } else { bytes[at] ^ (1 << draw(8)) };
        }
        let _ = from(&bytes, &options);
    }
    let mut bytes = whole[0].clone();
    let at = bytes.windows(8).position(|eight| eight == 7f64.to_le_bytes()).unwrap();
    bytes[at] ^= 1;
    refused(&bytes, &options, &["npz", "checksum"]);
}

fn written(data: &Dataset, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(data, format, &mut bytes).unwrap();
    bytes
}

#[test]
fn what_cannot_be_written_is_refused() {
    let data = libsvm(TEXT.as_bytes()).unwrap();
    for format in [Format::Npy, Format::MatrixMarket] {
        let told = write(&data, format, &mut Vec::new()).unwrap_err().to_string();
        assert!(told.contains("labels") && told.contains("choose npz"), "{told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_is_read(
        table in prop::collection::vec((0usize..3, 0u64..9, prop::collection::btree_map(0usize..40, -1e300..1e300f64, 0..9)), 1..30),
        kind in 0usize..3,
        (named, with_queries) in any::<(bool, bool)>(),
    ) {
        let classes = [["-1", "1", "3"], ["0.5", "-1e300", "7"], ["no", "yes", "1"]][kind];
        let mut starts = vec![0];
        let (mut columns, mut values) = (Vec::new(), Vec::<f64>::new());
        for (_, _, entries) in &table {
            columns.extend(entries.iter().filter(|(_, x)| **x != 0.0).map(|(&j, _)| j as u32));
            values.extend(entries.values().filter(|x| **x != 0.0));
            starts.push(values.len());
        }
        let labels: Vec<&str> = table.iter().map(|row| classes[row.0]).collect();
        let design = sparsvm_core::design::Compressed::new(starts, columns, values, 40).unwrap();
        let design = sparsvm_core::design::Sparse::from_rows(design);
        let mut data = Dataset::new(design, sparsvm_core::Labels::from_texts(&labels)).unwrap();
        if named {
            data = data.with_names((0..40).map(|j| format!("ñ{j}")).collect()).unwrap();
        }
        if with_queries {
            data = data.with_queries(table.iter().map(|row| row.1).collect()).unwrap();
        }
        let bytes = written(&data, Format::Npz);
        let back = plain(&bytes).unwrap();
        prop_assert_eq!(seen(&back), seen(&data));
        prop_assert_eq!(back.names(), data.names());
        prop_assert_eq!(&bytes, &written(&back, Format::Npz));
        let bare = ReadOptions { unlabelled: true, ..ReadOptions::default() };
        let rows: Vec<_> = seen(&data).rows.into_iter().map(|row| row.2).collect();
        if !named && !with_queries {
            let n = table.len();
            let data = data.with_labels(sparsvm_core::Labels::unknown(n)).unwrap();
            for format in [Format::Npy, Format::MatrixMarket] {
                let back = from(&written(&data, format), &bare).unwrap();
                let back = back.with_labels(sparsvm_core::Labels::from_texts(&labels)).unwrap();
                let found: Vec<_> = seen(&back).rows.into_iter().map(|row| row.2).collect();
                prop_assert_eq!(&found, &rows, "{}", format);
                prop_assert_eq!(back.design().cols(), 40);
            }
        }
    }
}
