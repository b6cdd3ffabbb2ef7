//! LIBSVM text. Numbers are written so that they are read back to the last bit.

use std::io::Write;

use sparsvm_core::Dataset;

use super::{WriteError, label};
use crate::Format;

pub(super) fn write(data: &Dataset, to: &mut dyn Write) -> Result<(), WriteError> {
    let number = |class: &&String| class.parse::<f64>().is_ok_and(f64::is_finite);
    if let Some(class) = data.labels().classes().iter().find(|class| !number(class)) {
        let why =
            format!("its labels are numbers, and one here is {class}: choose another format, such as csv");
        return Err(WriteError::Unfit { format: Format::Libsvm, why });
    }
    let x = data.design();
    let mut last = false;
    for i in 0..x.rows() {
        let mut line = match label(data, i) {
            "" => String::from("0"),
            label => label.to_owned(),
        };
        if let Some(queries) = data.queries() {
            line += &format!(" qid:{}", queries[i]);
        }
        x.row(i).for_each(|j, value| {
            if value != 0.0 {
                line += &format!(" {}:{value:?}", j + 1);
                last |= j + 1 == x.cols();
            }
        });
        // The number of features is that of the largest index: the last row names it if no other does.
        if i + 1 == x.rows() && !last {
            line += &format!(" {}:0", x.cols());
        }
        line.push('\n');
        to.write_all(line.as_bytes())?;
    }
    Ok(())
}
