//! Many pages: a line in, a line out, in the same order, on all cores.
//!
//! Lines are handed to workers as they come, and each leaves a place in the line of results.
//! Both lines are short, so that memory does not grow with the input, and a result goes out
//! as soon as those before it have.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde::Deserialize;
use serde_json::{Value, json};
use urls::CanonicalUrl;

use super::Kind;
use super::record::Record;
use super::saved::Saved;
use crate::commands::Exit;

/// Pages under way for each core: enough that a large one does not keep the others waiting.
const AHEAD: usize = 8;

/// No line names more than this.
const LONGEST_LINE: u64 = 1 << 20;

/// A page that is to be read.
#[derive(Deserialize)]
struct Named {
    url: String,
    file: String,
}

/// A line, and where its result goes.
struct Task {
    line: Vec<u8>,
    result: SyncSender<Outcome>,
}

/// What came of a line.
struct Outcome {
    text: String,
    failed: bool,
}

/// Reads what standard input names.
pub fn run(kind: Kind) -> anyhow::Result<Exit> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (tasks, waiting) = sync_channel::<Task>(cores);
    let (places, results) = sync_channel::<Receiver<Outcome>>(cores * AHEAD);
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..cores {
        let waiting = waiting.clone();
        thread::spawn(move || work(kind, &waiting));
    }
    let reader = thread::spawn(move || hand_out(&tasks, &places));
    match write(&results) {
        Ok(failures) => {
            reader.join().unwrap_or_else(|_| Err(io::Error::other("the reader failed")))?;
            Ok(if failures > 0 { Exit::Nothing } else { Exit::Done })
        }
        // Whoever reads has seen enough. The reader may still wait for input: it is left.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(anyhow::Error::new(error).context("the results cannot be written")),
    }
}

fn hand_out(tasks: &SyncSender<Task>, places: &SyncSender<Receiver<Outcome>>) -> io::Result<()> {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let mut limited = io::Read::take(&mut input, LONGEST_LINE);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
            skip_line(&mut input)?;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (result, place) = sync_channel(1);
        if places.send(place).is_err() || tasks.send(Task { line, result }).is_err() {
            return Ok(());
        }
    }
}

/// Passes over what is left of a line.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

fn work(kind: Kind, waiting: &Mutex<Receiver<Task>>) {
    loop {
        let task = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(task) = task else { return };
        // Whoever does not wait any more does not want it.
        let _ = task.result.send(outcome(kind, &task.line));
    }
}

fn outcome(kind: Kind, line: &[u8]) -> Outcome {
    let named: Named = match serde_json::from_slice(line) {
        Ok(named) => named,
        Err(problem) => {
            let url = serde_json::from_slice::<Value>(line).ok();
            let url = url.and_then(|value| value.get("url").cloned()).unwrap_or_default();
            return failure(&url, &format!("the line is not {{\"url\", \"file\"}}: {problem}"));
        }
    };
    let url = Value::from(named.url.as_str());
    let parsed = match CanonicalUrl::parse(&named.url) {
        Ok(parsed) => parsed,
        Err(problem) => return failure(&url, &problem.to_string()),
    };
    let saved = match Saved::read(&named.file) {
        Ok(saved) => saved,
        Err(problem) => return failure(&url, &format!("{}: {problem}", named.file)),
    };
    // A fault of ours is the end of one page, not of all.
    let read = AssertUnwindSafe(|| {
        sonic_rs::to_string(&Record::of(kind, &named.url, &parsed, &named.file, &saved))
    });
    match catch_unwind(read) {
        Ok(Ok(text)) => Outcome { text, failed: false },
        Ok(Err(problem)) => failure(&url, &problem.to_string()),
        Err(_) => failure(&url, "the page could not be read, by a fault of ours"),
    }
}

fn failure(url: &Value, error: &str) -> Outcome {
    Outcome { text: json!({"url": url, "error": error}).to_string(), failed: true }
}

/// Writes the results in their order. Gives how many of them are failures.
fn write(results: &Receiver<Receiver<Outcome>>) -> io::Result<u64> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut failures = 0;
    while let Some(place) = next(results, &mut out)? {
        let Some(outcome) = next(&place, &mut out)? else { continue };
        failures += u64::from(outcome.failed);
        out.write_all(outcome.text.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(failures)
}

/// What comes next, if anything does. What was written goes out before it is waited for.
fn next<T>(from: &Receiver<T>, out: &mut impl Write) -> io::Result<Option<T>> {
    if let Ok(next) = from.try_recv() {
        return Ok(Some(next));
    }
    out.flush()?;
    Ok(from.recv().ok())
}
