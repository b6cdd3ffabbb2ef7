//! `sparsvm predict`.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use sparsvm_core::{Dataset, Goal, Saved};
use sparsvm_data::Source;

use crate::args::PredictArgs;
use crate::atomic::Target;
use crate::lines::{Lines, Wanted};
use crate::progress::Watcher;
use crate::ranked::{self, Ranked};
use crate::{Outcome, interrupt, output, words};

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Of a classifier.
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
    let data = sparsvm_data::read(&args.data, &args.read.options(None, memory_limit))?;
    watcher.finish();
    let decisions = model.decisions(data.design());
    let fill = |to: &mut dyn Write| lines.head(to).and_then(|()| lines.write(to, &decisions));
    match &target {
        Some(target) => target.write(fill)?,
        None if args.output.json => {}
        None => output::print(fill)?,
    }
    let (report, said) = judge(&model, &data, &decisions, &args.data)?;
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

/// How good the predictions are, if that can be told.
fn judge(model: &Saved, data: &Dataset, decisions: &[Vec<f64>], source: &Source) -> Result<(Report, String)> {
    let samples = data.design().rows();
    match (model.goal(), data.queries()) {
        (Goal::Classify, _) => {
            let accuracy = model.accuracy(decisions, data.labels());
            let said = format!("accuracy {}", words::accuracy(accuracy, data.labels(), model.classes()));
            Ok((Report { accuracy: Some(accuracy), ranked: None, samples }, said))
        }
        (Goal::Rank, Some(_)) => {
            let ranked = Ranked::new(&ranked::queries(data, &source.to_string())?, &decisions[0]);
            Ok((Report { accuracy: None, ranked: Some(ranked), samples }, ranked.told()))
        }
        (Goal::Rank, None) => {
            let said = format!(
                "{source} has no query numbers (qid), so the {} cannot be judged",
                words::count(samples, "score")
            );
            Ok((Report { accuracy: None, ranked: None, samples }, said))
        }
    }
}

/// Reads a model file.
pub(crate) fn read_model(path: &Path) -> Result<Saved> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Saved::read(file).with_context(|| path.display().to_string())
}
