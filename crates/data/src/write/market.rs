//! Matrix Market text: the entries of the matrix. Labels, names and query numbers have no place in it.

use std::io::Write;

use sparsvm_core::Dataset;

use super::{WriteError, refuse_more_than_matrix};
use crate::Format;

pub(super) fn write(data: &Dataset, to: &mut dyn Write) -> Result<(), WriteError> {
    refuse_more_than_matrix(data, Format::MatrixMarket, "npz, libsvm or csv")?;
    let x = data.design();
    let mut entries = 0u64;
    for i in 0..x.rows() {
        x.row(i).for_each(|_, value| entries += u64::from(value != 0.0));
    }
    writeln!(to, "%%MatrixMarket matrix coordinate real general\n{} {} {entries}", x.rows(), x.cols())?;
    let mut lines = String::new();
    for i in 0..x.rows() {
        lines.clear();
        x.row(i).for_each(|j, value| {
            if value != 0.0 {
                lines += &format!("{} {} {value:?}\n", i + 1, j + 1);
            }
        });
        to.write_all(lines.as_bytes())?;
    }
    Ok(())
}
