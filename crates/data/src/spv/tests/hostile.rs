//! Files whose checksums are right and whose content is not.

use sparsvm_core::design::{Dense, Width};
use sparsvm_core::{Dataset, Labels};
use twox_hash::XxHash3_64;

use super::super::layout::{BLOCK_BYTES, HEADER_BYTES, HEADER_SUM, Kind, Layout};
use super::super::write::index_sum;
use super::{Place, bytes_of, small};

/// A file with right checksums for whatever it holds.
fn sealed(mut file: Vec<u8>, layout: &Layout) -> Vec<u8> {
    let sum = XxHash3_64::oneshot(&file[..HEADER_SUM]);
    file[HEADER_SUM..HEADER_BYTES].copy_from_slice(&sum.to_le_bytes());
    let mut index = Vec::new();
    for section in &layout.sections {
        let (from, to) = (section.offset as usize, (section.offset + section.padded()) as usize);
        for block in file[from..to].chunks(BLOCK_BYTES as usize) {
            index.extend(XxHash3_64::oneshot(block).to_le_bytes());
        }
    }
    index.extend(index_sum(&index, &file[..HEADER_BYTES]).to_le_bytes());
    file.truncate(layout.index as usize);
    file.extend(index);
    file
}

/// The fault of the small file with some bytes of a section replaced.
fn fault(width: Width, kind: Kind, at: usize, bytes: &[u8]) -> String {
    let mut file = bytes_of(&small(), width);
    let layout = Layout::read(&file).unwrap();
    let from = layout.section(kind).unwrap().offset as usize + at;
    file[from..from + bytes.len()].copy_from_slice(bytes);
    Place::new().fault(&sealed(file, &layout))
}

#[test]
fn sealing_alone_changes_nothing() {
    let file = bytes_of(&small(), Width::F64);
    let layout = Layout::read(&file).unwrap();
    assert_eq!(sealed(file.clone(), &layout), file);
}

#[test]
fn wrong_numbers_are_refused() {
    let (four, eight) = (|x: u32| x.to_le_bytes(), |x: u64| x.to_le_bytes());
    let wide = |kind, at, bytes: &[u8]| fault(Width::F64, kind, at, bytes);
    let narrow = |kind, at, bytes: &[u8]| fault(Width::F32, kind, at, bytes);
    // Rows are {0, 2}, {} and {0, 1, 3} of four columns.
    let cases = [
        (wide(Kind::RowPositions, 4, &four(4)), "row 0, counting from 0, has the position 4 of 4"),
        (
            wide(Kind::RowPositions, 16, &four(u32::MAX)),
            "row 2, counting from 0, has the position 4294967295",
        ),
        (wide(Kind::RowPositions, 4, &four(0)), "row 0, counting from 0, has positions that do not ascend"),
        (wide(Kind::RowPositions, 12, &four(3)), "row 2, counting from 0, has positions that do not ascend"),
        (wide(Kind::ColumnPositions, 4, &four(3)), "column 0, counting from 0, has the position 3 of 3"),
        (wide(Kind::RowStarts, 8, &eight(6)), "pointer 1, counting from 0, is above the next"),
        (wide(Kind::RowStarts, 8, &eight(u64::MAX)), "pointer 1, counting from 0, is above the next"),
        (wide(Kind::RowStarts, 16, &eight(1)), "pointer 1, counting from 0, is above the next"),
        (wide(Kind::RowStarts, 0, &eight(1)), "do not lead from 0 to 5"),
        (wide(Kind::RowStarts, 24, &eight(4)), "do not lead from 0 to 5"),
        (wide(Kind::ColumnStarts, 32, &eight(9)), "do not lead from 0 to 5"),
        (wide(Kind::RowValues, 8, &f64::NAN.to_le_bytes()), "row 0, counting from 0, has the value NaN"),
        (
            wide(Kind::ColumnValues, 8, &f64::INFINITY.to_le_bytes()),
            "column 0, counting from 0, has the value inf",
        ),
        (narrow(Kind::RowValues, 4, &f32::NAN.to_le_bytes()), "row 0, counting from 0, has the value NaN"),
        (narrow(Kind::ColumnValues, 8, &f32::NEG_INFINITY.to_le_bytes()), "has the value -inf"),
        // The columns are a matrix, but another one.
        (wide(Kind::ColumnValues, 8, &9f64.to_le_bytes()), "rows and columns hold different matrices"),
        (wide(Kind::ColumnPositions, 8, &four(1)), "rows and columns hold different matrices"),
        (wide(Kind::ColumnStarts, 24, &eight(3)), "rows and columns hold different matrices"),
        (wide(Kind::Codes, 4, &four(2)), "row 1, counting from 0, has code 2 of 2 classes"),
        (wide(Kind::Codes, 4, &four(1)), "0 rows are of class \"ham\", but 1 are promised"),
        (wide(Kind::Classes, 0, &eight(7)), "1 rows are of class \"ham\", but 7 are promised"),
        (wide(Kind::Classes, 16, &eight(99)), "text 0, counting from 0, has no place"),
        (wide(Kind::Classes, 16, &eight(u64::MAX)), "text 0, counting from 0, has no place"),
        (wide(Kind::Classes, 24, &eight(6)), "more than its texts"),
        (wide(Kind::Classes, 32, &[0xff]), "text 0, counting from 0, is not UTF-8"),
        (wide(Kind::Names, 8, &eight(0)), "text 1, counting from 0, has no place"),
        (wide(Kind::Names, 32, &[0xff]), "text 0, counting from 0, is not UTF-8"),
        (wide(Kind::Codes, 12, &[1]), "not filled up with zeros"),
    ];
    for (fault, expected) in cases {
        assert!(fault.contains(expected), "expected {expected}: {fault}");
        assert!(fault.contains("convert the original data again"), "{fault}");
    }
}

#[test]
fn a_header_with_impossible_numbers_is_refused() {
    let whole = bytes_of(&small(), Width::F64);
    let layout = Layout::read(&whole).unwrap();
    // File length, rows, columns, entries, value bytes, block bytes, classes, index, sections, table.
    for at in (12..504).step_by(4) {
        for number in [0u32, 1, 7, 1 << 20, u32::MAX] {
            let mut file = whole.clone();
            file[at..at + 4].copy_from_slice(&number.to_le_bytes());
            if file != whole {
                let fault = Place::new().fault(&sealed(file, &layout));
                // The number of classes, and the bytes of texts, may only be seen to be wrong in the section.
                let part = match at {
                    56 | 112 => "x.spv, classes: ",
                    208 => "x.spv, feature names: ",
                    _ => "x.spv, header: ",
                };
                let parts = [part, "x.spv, header: ", "x.spv, end of the file: "];
                assert!(parts.iter().any(|part| fault.contains(part)), "{at}: {fault}");
            }
        }
    }
}

#[test]
fn other_versions_are_named() {
    let mut file = bytes_of(&small(), Width::F64);
    let layout = Layout::read(&file).unwrap();
    file[8] = 2;
    let fault = Place::new().fault(&sealed(file, &layout));
    assert!(fault.contains("version 2, but this program reads version 1"), "{fault}");
}

#[test]
fn a_class_that_stands_twice_is_refused() {
    let data =
        Dataset::new(Dense::from_rows(2, 1, &[1.0, 2.0][..]).unwrap(), Labels::from_texts(&["aa", "bb"]));
    let mut file = bytes_of(&data.unwrap(), Width::F64);
    let layout = Layout::read(&file).unwrap();
    let texts = layout.section(Kind::Classes).unwrap().offset as usize + 32;
    assert_eq!(&file[texts..texts + 4], b"aabb");
    file[texts + 2..texts + 4].copy_from_slice(b"aa");
    let fault = Place::new().fault(&sealed(file, &layout));
    assert!(fault.contains("the class \"aa\" stands twice"), "{fault}");
}
