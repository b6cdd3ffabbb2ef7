//! One NumPy array: the matrix with its zeros. Labels, names and query numbers have no place in it.

use std::io::Write;

use sparsvm_core::Dataset;

use super::{WriteError, refuse_more_than_matrix};
use crate::Format;

/// Past this many cells an array with its zeros helps nobody.
const MOST_CELLS: u64 = 1 << 32;

pub(super) fn write(data: &Dataset, to: &mut dyn Write) -> Result<(), WriteError> {
    refuse_more_than_matrix(data, Format::Npy, "npz, csv or spv")?;
    let x = data.design();
    let cells = x.rows() as u64 * x.cols() as u64;
    if cells > MOST_CELLS {
        let why = format!("an array has a cell for each zero, {cells} here: choose npz, libsvm or spv");
        return Err(WriteError::Unfit { format: Format::Npy, why });
    }
    to.write_all(&header("<f8", &[x.rows(), x.cols()]))?;
    let mut row = vec![0; 8 * x.cols()];
    for i in 0..x.rows() {
        row.fill(0);
        // A zero is written as the positive one.
        x.row(i).for_each(|j, value| {
            if value != 0.0 {
                row[8 * j..8 * j + 8].copy_from_slice(&value.to_le_bytes());
            }
        });
        to.write_all(&row)?;
    }
    Ok(())
}

/// All that comes before the elements, in version 1 and padded to 64 bytes as NumPy does.
pub(super) fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    let shape = sides.join(", ") + if sides.len() == 1 { "," } else { "" };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Magic, version and length take 10 bytes, and a newline ends it.
    let len = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text.extend(std::iter::repeat_n(' ', len - 1 - text.len()));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    // At most two sides of twenty digits: it is far below 2^16.
    bytes.extend((len as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes
}
