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
/// A process that ends by itself at the limit still has its certificate to compute: the share of the limit,
/// and the seconds, that it gets for that.
const GRACE: (f64, f64) = (0.2, 10.0);
/// On a busy machine a CPU second takes longer; past this multiple something else is wrong.
const WALL: f64 = 4.0;

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
    let patience = limit * (1.0 + GRACE.0) + GRACE.1;
    let (began, mut shape, mut doing) = (Instant::now(), None, String::from("reading the data"));
    // CPU seconds that reading took: they do not count, but have the same limit.
    let mut read = 0.0;
    let mut usage = Usage::of(child);
    loop {
        match heard.recv_timeout(LOOK) {
            Ok(Message::Doing(text)) => {
                tell(&text);
                doing = text;
            }
            Ok(Message::Ready(ready)) => {
                shape = Some(ready);
                read = usage.now().seconds;
            }
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
        let used = usage.now();
        let memory_limit = task.protocol.memory_limit;
        if used.seconds - read > patience || began.elapsed().as_secs_f64() > WALL * patience {
            return Ok(Some((shape, Outcome::Unable(format!("more than {limit} s ({doing})")))));
        }
        if used.memory > memory_limit {
            let why = format!("more than {} MiB of memory ({doing})", memory_limit >> 20);
            return Ok(Some((shape, Outcome::Unable(why))));
        }
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

/// What a process has used.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    /// CPU seconds.
    seconds: f64,
    /// Bytes.
    memory: u64,
}

/// Asks the system about a process.
struct Usage {
    system: System,
    pid: Pid,
}

impl Usage {
    fn of(child: &Child) -> Self {
        Self { system: System::new(), pid: Pid::from_u32(child.id()) }
    }

    /// Nothing, once it has ended.
    fn now(&mut self) -> Used {
        let what = ProcessRefreshKind::nothing().with_memory().with_cpu();
        self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&[self.pid]), true, what);
        self.system.process(self.pid).map_or_else(Used::default, |process| Used {
            seconds: 1e-3 * process.accumulated_cpu_time() as f64,
            memory: process.memory(),
        })
    }
}
