//! What nobody should do to a program, done to the real one: nothing panics, hangs, takes more memory than it
//! may, lies about what it proved, or leaves half a file. docs/reliability.md says what is promised.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what it expects")]

mod bits;
mod commands;
mod cross;
mod faults;
mod kill;
mod memory;
mod nasty;
mod room;
mod settings;
