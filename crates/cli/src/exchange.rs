//! `sparsvm export` and `sparsvm import`: files around the formats of `sparsvm-exchange`.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use sparsvm_core::Saved;
use sparsvm_data::Source;
use sparsvm_exchange::{View, c, csv, liblinear, onnx};

use crate::args::{ExportArgs, ExportFormat, ImportArgs, ImportFormat};
use crate::atomic::Target;
use crate::predict::read_model;
use crate::{Outcome, output, words};

pub(crate) fn export(args: &ExportArgs) -> Result<Outcome> {
    if args.name.is_some() && args.to != ExportFormat::C {
        bail!("--name is for --to c only: leave it out");
    }
    let target = match args.out == Path::new("-") {
        true if args.to == ExportFormat::Onnx && io::stdout().is_terminal() => {
            bail!("ONNX is no text for a terminal: give OUT a file name, or pipe it on");
        }
        true => None,
        false => Some(Target::new(&args.out, &[Source::Path(args.model.clone())])?),
    };
    let model = read_model(&args.model)?;
    let view = View::of(&model);
    let shown = || args.model.display().to_string();
    let put = |fill: &dyn Fn(&mut (dyn Write + Send)) -> io::Result<()>| match &target {
        Some(target) => target.write(fill),
        None => output::print(fill),
    };
    match args.to {
        ExportFormat::Liblinear => {
            let writer = liblinear::Writer::new(&view).with_context(shown)?;
            put(&|to| writer.write(to))?;
        }
        ExportFormat::Onnx => {
            let writer = onnx::Writer::new(&view).with_context(shown)?;
            put(&|to| writer.write(to))?;
        }
        ExportFormat::C => {
            let file = args.model.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let name = args.name.clone().unwrap_or_else(|| c::name_from(&file));
            let writer = c::Writer::new(&view, &name).with_context(shown)?;
            put(&|to| writer.write(to))?;
        }
        ExportFormat::Csv => {
            let writer = csv::Writer::new(&view).with_context(shown)?;
            put(&|to| writer.write(to))?;
        }
    }
    told(target.filter(|_| !args.quiet).as_ref(), &model)
}

pub(crate) fn import(args: &ImportArgs) -> Result<Outcome> {
    let target = Target::new(&args.model, std::slice::from_ref(&args.input))?;
    let shown = || args.input.to_string();
    let from: Box<dyn Read> = match &args.input {
        Source::Stdin => Box::new(io::stdin()),
        Source::Path(path) => {
            Box::new(File::open(path).with_context(|| format!("cannot open {}", path.display()))?)
        }
    };
    let program = concat!("sparsvm ", env!("CARGO_PKG_VERSION")).to_owned();
    let model = match args.from {
        ImportFormat::Liblinear => liblinear::read(from)
            .and_then(|parsed| parsed.into_model(shown(), program))
            .with_context(shown)?,
    };
    target.write(|to| model.write(to))?;
    told(Some(&target).filter(|_| !args.quiet), &model)
}

fn told(target: Option<&Target>, model: &Saved) -> Result<Outcome> {
    if let Some(target) = target {
        let kept = View::of(model).kept();
        let kept = format!("{kept} of {}", words::count(model.machines()[0].features, "feature"));
        output::print(|to| writeln!(to, "written  {}: {kept}", target.shown()))?;
    }
    Ok(Outcome::Done)
}
