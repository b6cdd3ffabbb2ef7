//! CSV with options, which the first bytes choose.

use sparsvm_data::{Expected, Format, Missing, ReadOptions, TableOptions};

use crate::{holds, texts};

/// Columns by name and by number, some of which are there.
const COLUMNS: [&str; 8] = ["", "a", "b", "color", "1", "-1", "3", "label"];

/// Reads the rest as its first four bytes say.
pub(crate) fn csv_options(bytes: &[u8]) -> bool {
    let Some((&[first, second, third, fourth], text)) = bytes.split_first_chunk() else { return false };
    let columns = |byte: u8| -> Vec<String> {
        let both = [byte & 7, (byte >> 3) & 7].map(|k| COLUMNS[k as usize]);
        both.into_iter().filter(|name| !name.is_empty()).map(String::from).collect()
    };
    let label = COLUMNS[(second >> 5) as usize];
    let mut options = ReadOptions {
        unlabelled: first & 0x80 != 0,
        table: TableOptions {
            label: Some(label.to_owned()).filter(|name| !name.is_empty()),
            drop: columns(second & 31),
            one_hot: columns(third),
            missing: [Missing::Refuse, Missing::Mean, Missing::Zero, Missing::DropRows][(first & 3) as usize],
            delimiter: [None, Some(b','), Some(b';'), Some(b' ')][((first >> 2) & 3) as usize],
            header: [None, None, Some(true), Some(false)][((first >> 4) & 3) as usize],
        },
        ..holds::options(Format::Csv)
    };
    if first & 0x40 != 0 {
        options.expected = Some(Expected {
            label: Some("label".into()),
            names: ["a", "color=red", "color=blue"].map(String::from).to_vec(),
            columns: vec![1, 2, 5],
            width: 6,
            fills: (fourth & 1 != 0).then(|| vec![1.0, 0.0, 0.5]),
        });
    }
    let found = texts::in_blocks(text, &options);
    if let Ok(data) = &found
        && let Some(names) = data.names()
    {
        let distinct: std::collections::HashSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "a feature's name stands twice: {names:?}");
    }
    // A table for a model has its width, which a file cannot say.
    match options.expected {
        None => holds::read(found, Format::Csv),
        Some(_) => holds::sound(found).is_some(),
    }
}
