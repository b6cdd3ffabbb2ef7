//! `sparsvm predict`: rows in, lines out, block by block in constant memory.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use sparsvm_core::{Dataset, Design, Goal, Saved};
use sparsvm_data::{Expected, Missing, ReadError, ReadOptions, Source, StreamError};

use crate::args::PredictArgs;
use crate::atomic::Target;
use crate::lines::{Lines, Wanted};
use crate::progress::Watcher;
use crate::ranked::{self, Ranked};
use crate::{Outcome, interrupt, json_file, memory, output, words};

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Of a classifier, if the labels are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
    /// Of a ranking, if there are queries.
    #[serde(flatten)]
    ranked: Option<Ranked>,
    samples: usize,
}

pub(crate) fn run(args: &PredictArgs) -> Result<Outcome> {
    let to_stdout = args.out.as_deref().is_some_and(|path| path == Path::new("-"));
    if to_stdout && args.output.json {
        bail!(
            "predictions and --json cannot both go to standard output: give OUT a file name, or leave it out"
        );
    }
    if args.read.missing == Some(Missing::DropRows) {
        bail!(
            "--missing drop-rows: predict writes a line for every row: say --missing zero, or leave it out"
        );
    }
    let memory_limit = args.resources.claim()?;
    let model_source = Source::Path(args.model.clone());
    let target = match args.out.as_deref() {
        Some(path) if !to_stdout => Some(Target::new(path, &[args.data.clone(), model_source])?),
        _ => None,
    };
    interrupt::listen(false)?;

    let model = read_model(&args.model)?;
    let wanted = match (args.decision, args.probability) {
        (true, _) => Wanted::Decisions,
        (_, true) => Wanted::Probabilities,
        _ => Wanted::Labels,
    };
    let lines = Lines::new(&model, wanted).with_context(|| args.model.display().to_string())?;
    let mut watcher = Watcher::new(args.output.quiet);
    watcher.phase(&format!("reading {}", args.data));
    let options = ReadOptions {
        expected: Expected::kept_by(&model),
        unlabelled: true,
        ..args.read.options(None, memory_limit)
    };
    let predicting =
        Predicting::new(&model, lines, memory_limit).with_context(|| args.model.display().to_string())?;
    let mut fault = None;
    let mut judged = Judged::default();
    let mut fill = |to: &mut (dyn Write + Send)| {
        let done = match model.goal() {
            Goal::Classify => predicting.stream(&args.data, &options, &mut judged, to),
            // Rows of a query may stand anywhere, so all of them are there before a ranking is judged.
            Goal::Rank => predicting.whole(&args.data, &options, &mut judged, to),
        };
        done.map_err(|error| match error {
            StreamError::Taken(error) => error,
            StreamError::Read(error) => {
                fault = Some(error);
                io::ErrorKind::InvalidData.into()
            }
        })
    };
    let written = match &target {
        Some(target) => target.write(fill),
        None if args.output.json => fill(&mut io::sink()).map_err(Into::into),
        None => output::print(fill),
    };
    watcher.finish();
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    written?;
    let (report, said) = judged.told(&model, &args.data)?;
    if args.output.json {
        output::json(&report)?;
    } else if !args.output.quiet {
        match target {
            Some(_) => output::print(|to| writeln!(to, "{said}"))?,
            None => output::note(&said),
        }
    }
    Ok(Outcome::Done)
}

/// A model, ready for blocks of rows.
struct Predicting<'a> {
    model: &'a Saved,
    lines: Lines<'a>,
    /// The weights of each machine, once for all blocks.
    dense: Vec<Vec<f64>>,
}

/// What came of a block.
struct Block {
    text: Vec<u8>,
    samples: usize,
    /// Of labels that are known.
    right: Option<usize>,
    classes: Vec<String>,
}

impl<'a> Predicting<'a> {
    /// The weights of a file that is small may take much memory: a single number says how far they reach.
    fn new(model: &'a Saved, lines: Lines<'a>, memory_limit: u64) -> Result<Self> {
        let needed = model.machines().iter().map(|machine| 8 * machine.known() as u64).sum();
        memory::check("the model's weights", needed, memory_limit, "retrain it on data with fewer features")?;
        let dense = model.machines().iter().map(|machine| machine.dense_weights(machine.known())).collect();
        Ok(Self { model, lines, dense })
    }

    fn decisions(&self, x: &dyn Design) -> Vec<Vec<f64>> {
        let machines = self.model.machines().iter().zip(&self.dense);
        machines.map(|(machine, w)| machine.decisions_by(w, x)).collect()
    }

    fn block(&self, data: &Dataset) -> Block {
        let decisions = self.decisions(data.design());
        let mut text = Vec::new();
        // Writing to memory does not fail.
        self.lines.write(&mut text, &decisions).ok();
        let labels = data.labels();
        let right = labels.are_known().then(|| self.model.right(&decisions, labels));
        Block { text, samples: labels.len(), right, classes: labels.classes().to_vec() }
    }

    fn stream(
        &self,
        source: &Source,
        options: &ReadOptions,
        judged: &mut Judged,
        to: &mut (dyn Write + Send),
    ) -> Result<(), StreamError> {
        self.lines.head(to)?;
        let work = |data: &Dataset| self.block(data);
        sparsvm_data::stream(source, options, work, |block: Block| {
            to.write_all(&block.text)?;
            // Whoever waits at the other end of a pipe need not wait for more rows.
            to.flush()?;
            judged.add(block);
            Ok(())
        })?;
        // Before the file has its name.
        match judged.samples {
            0 => Err(ReadError::Empty { name: source.to_string() }.into()),
            _ => Ok(()),
        }
    }

    fn whole(
        &self,
        source: &Source,
        options: &ReadOptions,
        judged: &mut Judged,
        to: &mut (dyn Write + Send),
    ) -> Result<(), StreamError> {
        let data = sparsvm_data::read(source, options)?;
        let decisions = self.decisions(data.design());
        self.lines.write(to, &decisions)?;
        judged.samples = data.design().rows();
        judged.scores = data.queries().is_some().then_some((data, decisions));
        Ok(())
    }
}

/// How good the predictions are, as far as that can be told.
#[derive(Default)]
struct Judged {
    samples: usize,
    right: usize,
    unknown: bool,
    classes: BTreeSet<String>,
    /// Of a ranking whose rows have queries.
    scores: Option<(Dataset, Vec<Vec<f64>>)>,
}

impl Judged {
    fn add(&mut self, block: Block) {
        self.samples += block.samples;
        self.right += block.right.unwrap_or(0);
        self.unknown |= block.right.is_none();
        self.classes.extend(block.classes);
    }

    fn told(&self, model: &Saved, source: &Source) -> Result<(Report, String)> {
        let samples = self.samples;
        let nothing = Report { accuracy: None, ranked: None, samples };
        match (model.goal(), &self.scores) {
            (Goal::Classify, _) if self.unknown => {
                Ok((nothing, format!("{}; their labels are not known", words::count(samples, "row"))))
            }
            (Goal::Classify, _) => {
                let accuracy = self.right as f64 / samples as f64;
                let classes: Vec<&String> = self.classes.iter().collect();
                let said = words::accuracy((self.right, samples), &classes, model.classes());
                Ok((Report { accuracy: Some(accuracy), ..nothing }, format!("accuracy {said}")))
            }
            (Goal::Rank, Some((data, decisions))) => {
                let ranked = Ranked::new(&ranked::queries(data, &source.to_string())?, &decisions[0]);
                Ok((Report { ranked: Some(ranked), ..nothing }, ranked.told()))
            }
            (Goal::Rank, None) => {
                let scores = words::count(samples, "score");
                Ok((
                    nothing,
                    format!("{source} has no query numbers (qid), so the {scores} cannot be judged"),
                ))
            }
        }
    }
}

/// Reads a model file.
pub(crate) fn read_model(path: &Path) -> Result<Saved> {
    Saved::read(json_file::open(path)?).with_context(|| path.display().to_string())
}
