//! Writes and opens .spv files and prints how long that took, as JSON.
//!
//! `spv_speed make ROWS COLUMNS ENTRIES_PER_ROW 64|32 OUT`, `spv_speed convert IN 64|32 OUT`, `spv_speed open FILE`

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use sparsvm_core::Dataset;
use sparsvm_core::design::Width;
use sparsvm_data::synthetic::TextLike;
use sparsvm_data::{ReadOptions, Source, read, spv};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["make", rows, columns, entries, width, out] => {
            let (rows, columns, entries_per_row) = (rows.parse()?, columns.parse()?, entries.parse()?);
            let made = TextLike { rows, columns, entries_per_row, ..TextLike::default() };
            write(&made.generate()?.dataset, width, out)
        }
        ["convert", from, width, out] => {
            write(&read(&Source::from(from), &ReadOptions::default())?, width, out)
        }
        ["open", path] => open(Path::new(path)),
        _ => Err("usage: spv_speed make|convert|open …".into()),
    }
}

fn write(data: &Dataset, width: &str, out: &str) -> Outcome {
    let width = if width == "32" { Width::F32 } else { Width::F64 };
    let start = Instant::now();
    let mut to = BufWriter::new(File::create(out)?);
    spv::write(data, width, &mut to)?;
    to.flush()?;
    writeln!(io::stdout(), "{{\"write_seconds\": {:.3}}}", start.elapsed().as_secs_f64())?;
    Ok(())
}

fn open(path: &Path) -> Outcome {
    let start = Instant::now();
    let mut map = spv::Map::open(path)?;
    let opened = start.elapsed().as_secs_f64();
    map.verify()?;
    let verified = start.elapsed().as_secs_f64() - opened;
    let about = map.about();
    let data = map.into_dataset()?;
    writeln!(
        io::stdout(),
        "{{\"open_seconds\": {opened:.6}, \"verify_seconds\": {verified:.3}, \"bytes\": {}, \"entries\": {}}}",
        about.bytes,
        data.design().stored()
    )?;
    Ok(())
}
