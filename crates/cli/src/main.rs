//! `sparsvm`: sparse linear support vector machines from the shell.
//!
//! Text → arguments ([`args`]) → work (one file a command) → words or JSON ([`output`]). What a command
//! ends with is decided here and nowhere else: 0 it worked, 1 a bad input or setting (one line on standard
//! error), 2 a usage error, 130 after Ctrl-C.

mod args;
mod atomic;
mod bench;
mod calibration;
mod cells;
mod choose;
mod convert;
mod cv;
mod demo;
mod exchange;
mod files;
mod fit;
mod fnv;
mod folder;
mod host;
mod inspect;
mod interrupt;
mod json_file;
mod lines;
mod load;
mod memory;
mod number_file;
mod output;
mod page;
mod path;
mod plan;
mod plot;
mod posed;
mod predict;
mod progress;
mod ranked;
mod report;
mod select;
mod several;
mod shell;
mod trace;
mod train;
mod words;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// How a command ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// Ctrl-C; what there was has been written.
    Interrupted,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Train(args) => train::run(&args),
        Command::Path(args) => path::run(&args),
        Command::Cv(args) => cv::run(&args),
        Command::Select(args) => select::run(&args),
        Command::Report(args) => page::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Export(args) => exchange::export(&args),
        Command::Import(args) => exchange::import(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(interrupt::EXIT_CODE),
        // Whoever reads our output has seen enough (`sparsvm predict … | head`).
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::FAILURE
        }
    }
}
