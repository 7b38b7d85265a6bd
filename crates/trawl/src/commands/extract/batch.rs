//! Batch extraction: one line in, one line out, in the same order, on all cores.
//!
//! The reader sends each line to a worker and a result receiver to the writer. Both channels are
//! bounded, so that memory does not grow with the input; a result is written as soon as all
//! results before it are.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use urls::CanonicalUrl;

use super::ExtractKind;
use super::record::ExtractRecord;
use super::saved_page::SavedPage;
use crate::commands::Exit;

/// Pages in progress per core: enough that a large one does not block the others.
const PAGES_PER_CORE: usize = 8;

/// Maximum bytes of an input line.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// An input line: URL and file of a saved page.
#[derive(Deserialize)]
struct BatchLine {
    url: String,
    file: String,
}

/// A line with the channel for its result.
struct BatchTask {
    line: Vec<u8>,
    result: SyncSender<BatchResult>,
}

/// The output line of a page.
struct BatchResult {
    text: String,
    failed: bool,
}

/// Extracts all pages that standard input lists.
pub fn run(kind: ExtractKind) -> anyhow::Result<Exit> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (tasks, waiting) = sync_channel::<BatchTask>(cores);
    let (receivers, results) = sync_channel::<Receiver<BatchResult>>(cores * PAGES_PER_CORE);
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..cores {
        let waiting = waiting.clone();
        thread::spawn(move || work(kind, &waiting));
    }
    let reader = thread::spawn(move || read_lines(&tasks, &receivers));
    match write(&results) {
        Ok(failures) => {
            reader.join().unwrap_or_else(|_| Err(io::Error::other("the input thread panicked")))?;
            Ok(if failures > 0 { Exit::Nothing } else { Exit::Done })
        }
        // The reader of the output closed the pipe. The input thread may still wait; it is left.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(anyhow::Error::new(error).context("cannot write the results")),
    }
}

fn read_lines(
    tasks: &SyncSender<BatchTask>,
    receivers: &SyncSender<Receiver<BatchResult>>,
) -> io::Result<()> {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let mut limited = io::Read::take(&mut input, MAX_LINE_BYTES);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
            skip_line(&mut input)?;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (result, receiver) = sync_channel(1);
        if receivers.send(receiver).is_err() || tasks.send(BatchTask { line, result }).is_err() {
            return Ok(());
        }
    }
}

/// Skips the rest of a line.
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

fn work(kind: ExtractKind, waiting: &Mutex<Receiver<BatchTask>>) {
    loop {
        let task = waiting.lock().recv();
        let Ok(task) = task else { return };
        // The writer may have ended; then the result is not needed.
        let _ = task.result.send(outcome(kind, &task.line));
    }
}

fn outcome(kind: ExtractKind, line: &[u8]) -> BatchResult {
    let named: BatchLine = match serde_json::from_slice(line) {
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
    let saved = match SavedPage::load(&named.file) {
        Ok(saved) => saved,
        Err(problem) => return failure(&url, &format!("{}: {problem}", named.file)),
    };
    // A panic ends one page, not the batch.
    let read = AssertUnwindSafe(|| {
        sonic_rs::to_string(&ExtractRecord::of(kind, &named.url, &parsed, &named.file, &saved))
    });
    match catch_unwind(read) {
        Ok(Ok(text)) => BatchResult { text, failed: false },
        Ok(Err(problem)) => failure(&url, &problem.to_string()),
        Err(_) => failure(&url, "internal error: the page reader panicked"),
    }
}

fn failure(url: &Value, error: &str) -> BatchResult {
    BatchResult { text: json!({"url": url, "error": error}).to_string(), failed: true }
}

/// Writes the results in order. Returns the number of failures.
fn write(results: &Receiver<Receiver<BatchResult>>) -> io::Result<u64> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut failures = 0;
    while let Some(receiver) = next(results, &mut out)? {
        let Some(outcome) = next(&receiver, &mut out)? else { continue };
        failures += u64::from(outcome.failed);
        out.write_all(outcome.text.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(failures)
}

/// Receives the next value; flushes the output before it blocks.
fn next<T>(from: &Receiver<T>, out: &mut impl Write) -> io::Result<Option<T>> {
    if let Ok(next) = from.try_recv() {
        return Ok(Some(next));
    }
    out.flush()?;
    Ok(from.recv().ok())
}
