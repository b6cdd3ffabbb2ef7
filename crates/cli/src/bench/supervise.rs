//! The parent of one cell's process: reads what it says, and ends it when time or memory is up.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use super::cell::{Message, Outcome, Record, Shape, Task};
use crate::interrupt;

/// How often time and memory are looked at.
const LOOK: Duration = Duration::from_millis(100);
/// A process that ends by itself at the limit still has its certificate to compute: the share of the limit, and
/// the seconds, that it gets for that.
const GRACE: (f64, f64) = (0.1, 5.0);

/// Runs the task in a process of its own; None after Ctrl-C. `tell` hears what it is doing.
pub(super) fn supervise(task: &Task, tell: &dyn Fn(&str)) -> Result<Option<Record>> {
    let program = std::env::current_exe().context("cannot find this program to start it again")?;
    let mut command = Command::new(program);
    command.args(["bench", "cell"]).arg(serde_json::to_string(task)?);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running { child: command.spawn().context("cannot start a process for a cell")? };
    let heard = listen(&mut running.child)?;
    let outcome = watch(task, &mut running.child, &heard, tell)?;
    Ok(outcome.map(|(shape, outcome)| Record {
        cell: task.cell.clone(),
        protocol: task.protocol.clone(),
        shape,
        outcome,
    }))
}

/// Never outlives whoever waits for it.
struct Running {
    child: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Lines become messages on a thread of their own, so that waiting for them can time out.
fn listen(child: &mut Child) -> Result<Receiver<Message>> {
    let from = child.stdout.take().context("cannot hear the process of a cell")?;
    let (to, heard) = channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(from).lines().map_while(Result::ok);
        let messages = lines.filter_map(|line| serde_json::from_str(&line).ok());
        // Fails once nobody listens any more.
        messages.into_iter().try_for_each(|message| to.send(message)).ok();
    });
    Ok(heard)
}

fn watch(
    task: &Task,
    child: &mut Child,
    heard: &Receiver<Message>,
    tell: &dyn Fn(&str),
) -> Result<Option<(Option<Shape>, Outcome)>> {
    let limit = task.protocol.time_limit;
    let patience = Duration::try_from_secs_f64(limit * (1.0 + GRACE.0) + GRACE.1)?;
    let (mut began, mut shape, mut doing) = (Instant::now(), None, String::from("reading"));
    let mut memory = Memory::of(child);
    loop {
        match heard.recv_timeout(LOOK) {
            Ok(Message::Doing(text)) => {
                tell(&text);
                doing = text;
            }
            // Reading the data has as much time as the rest.
            Ok(Message::Ready(ready)) => (shape, began) = (Some(ready), Instant::now()),
            Ok(Message::Done(measured)) => return Ok(Some((shape, Outcome::Measured(measured)))),
            Ok(Message::Unable(why)) => return Ok(Some((shape, Outcome::Unable(why)))),
            Ok(Message::Broken(why)) => bail!("{why}"),
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.wait()?;
                if interrupt::asked() || is_interrupted(status) {
                    return Ok(None);
                }
                return Ok(Some((shape, Outcome::Unable(died(status, &doing)))));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupt::asked() {
            return Ok(None);
        }
        let why = if began.elapsed() > patience {
            format!("more than {limit:.0} s ({doing})")
        } else if let Some(used) = memory.above(task.protocol.memory_limit) {
            format!(
                "more than {} MiB of memory, with {used} MiB in use ({doing})",
                task.protocol.memory_limit >> 20
            )
        } else {
            continue;
        };
        return Ok(Some((shape, Outcome::Unable(why))));
    }
}

/// True after Ctrl-C, which a terminal sends to all processes: the child may have heard it before us.
fn is_interrupted(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        const SIGINT: i32 = 2;
        status.signal() == Some(SIGINT)
    }
    #[cfg(not(unix))]
    {
        status.code() == Some(interrupt::EXIT_CODE.into())
    }
}

/// What a process leaves that ended without an answer.
fn died(status: ExitStatus, doing: &str) -> String {
    match status.code() {
        Some(code) => format!("the process ended with code {code} ({doing})"),
        None => format!("the process was ended by the system, probably for want of memory ({doing})"),
    }
}

/// The memory of a process.
struct Memory {
    system: System,
    pid: Pid,
}

impl Memory {
    fn of(child: &Child) -> Self {
        Self { system: System::new(), pid: Pid::from_u32(child.id()) }
    }

    /// MiB in use, if these are more than `limit` bytes.
    fn above(&mut self, limit: u64) -> Option<u64> {
        let what = ProcessRefreshKind::nothing().with_memory();
        self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&[self.pid]), true, what);
        let used = self.system.process(self.pid)?.memory();
        (used > limit).then_some(used >> 20)
    }
}
