//! Any command line gives settings or an error in words. Lines are made from the options that there are and from
//! values that are out of range, too long or no number at all.

use anyhow::Result;
use clap::{Arg, CommandFactory, FromArgMatches};
use sparsvm_core::Labels;
use sparsvm_core::path::Grid;
use sparsvm_fuzz::mutate::{Draw, NUMBERS};

use super::{BenchCommand, Cli, Command, ObjectiveArgs, ReadArgs, bench, size};

const CASES: u64 = 100_000;

/// A command with so many options has settings of its own.
const MANY: usize = 20;

/// Values that mean something to some option, and others that mean nothing.
const VALUES: [&str; 24] = [
    "0.5",
    "3",
    "1e-4",
    "mcp",
    "l1,scad",
    "mcp,mcp",
    "1.5,3,10",
    "balanced",
    "1=2,-1=nan",
    "=",
    "a=1,a=2",
    "4G",
    "1e9T",
    "99999999999T",
    ".5k",
    "tab",
    "yes",
    "-",
    "x.json",
    "\u{e4}",
    "\u{1b}[31m",
    "--",
    "-1",
    "a,b,,",
];

/// What a line can be made of: the words of a command, and its options.
struct Known {
    words: Vec<String>,
    options: Vec<Arg>,
}

fn known(command: &clap::Command, words: &[String], all: &mut Vec<Known>) {
    all.push(Known { words: words.to_vec(), options: command.get_arguments().cloned().collect() });
    for sub in command.get_subcommands() {
        let mut longer = words.to_vec();
        longer.push(sub.get_name().to_owned());
        known(sub, &longer, all);
    }
}

fn value(draw: &mut Draw, option: &Arg) -> String {
    let names = option.get_possible_values();
    match draw.below(8) {
        0 => draw.pick(&VALUES).to_owned(),
        1 => format!("{},{}", draw.pick(&NUMBERS), draw.pick(&VALUES)),
        _ if !names.is_empty() => names[draw.below(names.len())].get_name().to_owned(),
        // Numbers that are right in form come further than others.
        2..7 => ["0", "1", "-1", "0.5", "18446744073709551615", "1e308", "-0", "3"][draw.below(8)].to_owned(),
        _ => draw.pick(&NUMBERS).to_owned(),
    }
}

/// A line of one of the commands, with some of its options.
fn line(draw: &mut Draw, all: &[Known]) -> Vec<String> {
    // Most of the settings belong to a few commands.
    let rich: Vec<&Known> = all.iter().filter(|known| known.options.len() >= MANY).collect();
    let Known { words, options } =
        if draw.below(4) > 0 { rich[draw.below(rich.len())] } else { &all[draw.below(all.len())] };
    let mut line = words.clone();
    for _ in 0..draw.below(5) {
        let option = &options[draw.below(options.len())];
        match option.get_long() {
            None if draw.below(8) > 0 => {}
            None => line.push(value(draw, option)),
            Some(long) if option.get_action().takes_values() && draw.below(16) > 0 => {
                line.push(format!("--{long}={}", value(draw, option)));
            }
            Some(long) => line.push(format!("--{long}")),
        }
    }
    let needed = options.iter().filter(|option| option.is_positional() && option.is_required_set()).count();
    let given = if draw.below(8) == 0 { draw.below(4) } else { needed };
    line.extend(["data", "model", "out"].map(String::from).into_iter().take(given));
    line
}

#[test]
fn any_command_line_gives_settings_or_an_error() {
    let mut command = Cli::command();
    command.build();
    let mut all = Vec::new();
    known(&command, &["sparsvm".into()], &mut all);
    all.retain(|known| !known.words.contains(&"help".into()));
    let mut counts = [0; 3];
    for case in 0..CASES {
        let mut draw = Draw::new(case);
        let line = line(&mut draw, &all);
        let parsed = command.try_get_matches_from_mut(&line).and_then(|found| Cli::from_arg_matches(&found));
        match parsed {
            // Its text takes longer than the rest.
            Err(error) if case % 16 == 0 => {
                assert!(!error.to_string().trim().is_empty(), "{line:?}");
                counts[0] += 1;
            }
            Err(_) => counts[0] += 1,
            Ok(cli) => match settings(&cli.command) {
                Ok(()) => counts[1] += 1,
                Err(error) => {
                    let text = error.to_string();
                    assert!(!text.is_empty() && !text.contains(char::is_control), "{line:?}: {text:?}");
                    counts[2] += 1;
                }
            },
        }
    }
    // Of each there were enough that something was tried: usage errors, settings, and numbers out of range.
    assert!(counts.iter().all(|count| *count > CASES / 50), "{counts:?}");
}

/// Turns what was given into settings, as the commands do.
fn settings(command: &Command) -> Result<()> {
    match command {
        Command::Train(args) => {
            let read = read(&args.input.read);
            objective(&args.objective)?;
            args.objective.check(args.task)?;
            args.objective.loss(args.task)?;
            args.objective.penalty(args.strength.lambda.unwrap_or(0.1))?;
            args.solver.follows_paths()?;
            args.solver.search()?;
            args.solver.build(args.strength.max_features, read)?;
            args.choice.refuse("nothing is chosen")
        }
        Command::Path(args) => {
            objective(&args.objective)?;
            args.settings()?.grid.lambdas(1.0).map(drop).map_err(Into::into)
        }
        Command::Cv(args) => {
            objective(&args.objective)?;
            args.lambdas.grid(Grid::USUAL)?.lambdas(1.0)?;
            args.lambdas.max_features()?;
            args.stopping.for_choice().map(drop)
        }
        Command::Select(args) => {
            objective(&args.objective)?;
            args.stopping.exact().map(drop)
        }
        Command::Bench(bench::BenchArgs { command: BenchCommand::Paper(args) }) => {
            args.limits.seconds(300.0).map(drop)
        }
        Command::Predict(args) => {
            read(&args.read);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn read(args: &ReadArgs) -> u64 {
    args.options(None, 1 << 20).memory_limit.unwrap_or(0)
}

fn objective(args: &ObjectiveArgs) -> Result<()> {
    let labels = Labels::from_texts(&["1", "-1", "3"]);
    if let Some(weights) = &args.class_weight {
        let weights = weights.apply(&labels, &labels, &[1.0; 3])?;
        assert!(weights.iter().all(|c| *c >= 0.0), "{weights:?}");
    }
    for spec in args.penalties(0.1, &ObjectiveArgs::COMPARED)? {
        assert!(spec.theta.is_finite(), "{spec:?}");
    }
    Ok(())
}

#[test]
fn any_size_is_bytes_or_refused() {
    let files = ["4096", "512M", "4 GiB", "1.5t"].map(|text| text.as_bytes().to_vec());
    for case in 0..CASES {
        let bytes = sparsvm_fuzz::mutate::case(&files, case);
        match size::bytes(&String::from_utf8_lossy(&bytes)) {
            Ok(size) => assert!(size > 0),
            Err(text) => assert!(text.contains("is no size")),
        }
    }
}
