//! `sparsvm convert`: any format into any other.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use sparsvm_core::Dataset;
use sparsvm_core::design::Width;
use sparsvm_data::{Format, WriteError, spv};

use crate::args::{ConvertArgs, ValueType};
use crate::atomic::Target;
use crate::progress::Watcher;
use crate::{Outcome, interrupt, output, words};

/// Endings of compressed files that are read but not written.
const NOT_WRITTEN: [&str; 4] = ["bz2", "xz", "zst", "zstd"];

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let to_stdout = args.out == Path::new("-");
    let format = format(args, to_stdout)?;
    let extension = args.out.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if NOT_WRITTEN.contains(&extension.as_str()) {
        bail!(
            "{}: .{extension} is read but not written: use .gz, or compress the file yourself",
            args.out.display()
        );
    }
    let zipped = extension == "gz";
    if zipped && !is_text(format) {
        bail!("{}: {format} data is not compressed as a whole: leave .gz out", args.out.display());
    }
    if args.values == ValueType::F32 && format != Format::Spv {
        bail!("--values f32 is for .spv only: leave it out");
    }
    let memory_limit = args.resources.claim()?;
    let target = match to_stdout {
        true => None,
        false => Some(Target::new(&args.out, std::slice::from_ref(&args.input))?),
    };
    interrupt::listen(false)?;
    let mut watcher = Watcher::new(args.quiet);
    watcher.phase(&format!("reading {}", args.input));
    let data = read(args, format, memory_limit)?;
    watcher.phase(&format!("writing {}", args.out.display()));
    let mut unfit = None;
    let fill = |to: &mut (dyn Write + Send)| {
        write(&data, (format, args.values), zipped, to).map_err(|error| match error {
            WriteError::Io(error) => error,
            other => {
                unfit = Some(other);
                io::ErrorKind::InvalidData.into()
            }
        })
    };
    let written = match &target {
        Some(target) => target.write(fill),
        None => output::print(fill),
    };
    watcher.finish();
    if let Some(unfit) = unfit {
        return Err(unfit).with_context(|| format!("cannot write {}", args.out.display()));
    }
    written?;
    if let Some(target) = target.filter(|_| !args.quiet) {
        let x = data.design();
        let shape = format!("{}, {}", words::count(x.rows(), "row"), words::count(x.cols(), "feature"));
        let entries = words::count(x.stored(), "entry");
        output::print(|to| writeln!(to, "written  {}: {shape}, {entries}", target.shown()))?;
    }
    Ok(Outcome::Done)
}

/// Where there is no place for labels, none are asked for; where there are some, the writer does not lose them silently.
fn read(args: &ConvertArgs, format: Format, memory_limit: u64) -> Result<Dataset> {
    let mut options = args.read.options(args.features, memory_limit);
    options.unlabelled = args.matrix_only || !format.holds_labels();
    let data = sparsvm_data::read(&args.input, &options)?;
    Ok(if args.matrix_only { data.matrix_only() } else { data })
}

fn format(args: &ConvertArgs, to_stdout: bool) -> Result<Format> {
    match args.to.or_else(|| Format::of_name(&args.out)) {
        Some(Format::Spv | Format::Npz | Format::Parquet) if to_stdout => {
            bail!("this format is written to a file, not to standard output: give OUT a name")
        }
        Some(format) => Ok(format),
        None => {
            let names = Format::ALL.map(Format::name).join(", ");
            bail!("{}: the name does not say what to write: give --to, one of {names}", args.out.display())
        }
    }
}

fn is_text(format: Format) -> bool {
    matches!(format, Format::Libsvm | Format::Csv | Format::MatrixMarket)
}

fn write(
    data: &Dataset,
    (format, values): (Format, ValueType),
    zipped: bool,
    to: &mut (dyn Write + Send),
) -> Result<(), WriteError> {
    match (format, values) {
        (Format::Spv, ValueType::F32) => Ok(spv::write(data, Width::F32, to).map_err(io::Error::from)?),
        _ if zipped => {
            let mut zip = GzEncoder::new(to, Compression::default());
            sparsvm_data::write(data, format, &mut zip)?;
            zip.finish()?;
            Ok(())
        }
        _ => sparsvm_data::write(data, format, to),
    }
}
