//! `sparsvm bench`: the paper's experiment and its complexity claims, in one command each.
//!
//! Which data ([`catalogue`], [`set`], [`built_in`]) and which methods ([`method`]) make the cells ([`cell`])
//! of the tables. [`paper`] runs each in a process of its own ([`supervise`] outside, [`child`] inside, which
//! reads [`material`], chooses parameters, [`choose`], and fits under the eyes of [`curve`]), keeps the
//! answers in a [`folder`], and tells them ([`report`]) as [`table`], [`figure`] and [`page`], beside what
//! was [`published`].

mod built_in;
mod catalogue;
mod cell;
mod child;
mod choose;
mod clock;
mod curve;
mod figure;
mod folder;
mod material;
mod method;
mod page;
mod paper;
mod progress;
mod published;
mod report;
mod row;
mod scaling;
mod set;
mod supervise;
mod table;

use anyhow::Result;

use crate::Outcome;
use crate::args::{BenchArgs, BenchCommand};

pub(crate) fn run(args: &BenchArgs) -> Result<Outcome> {
    match &args.command {
        BenchCommand::Paper(args) => paper::run(args),
        BenchCommand::Scaling(args) => scaling::run(args),
        BenchCommand::Cell { task } => child::run(task).map(|()| Outcome::Done),
    }
}
