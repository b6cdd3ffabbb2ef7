//! LIBSVM text. Numbers are written so that they are read back to the last bit.

use std::fmt::Write as _;
use std::io::Write;

use rayon::prelude::*;
use sparsvm_core::Dataset;

use super::{WriteError, label};
use crate::Format;

/// Rows that are put into words at a time.
const CHUNK_ROWS: usize = 1 << 14;

pub(super) fn write(data: &Dataset, to: &mut dyn Write) -> Result<(), WriteError> {
    let number = |class: &&String| class.parse::<f64>().is_ok_and(f64::is_finite);
    if let Some(class) = data.labels().classes().iter().find(|class| !number(class)) {
        let why =
            format!("its labels are numbers, and one here is {class}: choose another format, such as csv");
        return Err(WriteError::Unfit { format: Format::Libsvm, why });
    }
    let x = data.design();
    let rows: Vec<usize> = (0..x.rows()).collect();
    for some in rows.chunks(CHUNK_ROWS) {
        let lines: Vec<String> = some.par_iter().map(|&i| line(data, i)).collect();
        lines.iter().try_for_each(|line| to.write_all(line.as_bytes()))?;
    }
    Ok(())
}

fn line(data: &Dataset, i: usize) -> String {
    let x = data.design();
    let mut line = match label(data, i) {
        "" => String::from("0"),
        label => label.to_owned(),
    };
    if let Some(queries) = data.queries() {
        line += &format!(" qid:{}", queries[i]);
    }
    let mut last = 0;
    x.row(i).for_each(|j, value| {
        if value != 0.0 {
            // Writing to a string does not fail.
            write!(line, " {}:{value:?}", j + 1).ok();
            last = j + 1;
        }
    });
    // The number of features is that of the largest index: the first row names it.
    if i == 0 && last < x.cols() {
        write!(line, " {}:0", x.cols()).ok();
    }
    line.push('\n');
    line
}
