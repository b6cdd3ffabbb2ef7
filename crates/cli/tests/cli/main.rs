//! The command line as people use it: the real binary, as a process, in temporary folders.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what it expects")]

mod bench;
mod cv;
mod demo;
mod exact;
mod export;
mod failures;
mod feadmm;
mod folder;
mod global;
mod inspect;
mod intercept;
mod interrupt;
mod labels;
mod path;
mod plot;
mod predict;
mod rank;
mod report;
mod select;
mod several;
mod shell;
mod solvers;
mod spv;
mod tables;
mod train;
