//! A file or standard output as the sink of a run, and the progress line beside it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Item, SkipReason};
use crawl::{Engine, Pending};
use export::Subject;
use indicatif::{ProgressBar, ProgressStyle};
use journal::Snapshot;
use runner::Committed;
use runner::Sink;

use super::made::make;
use super::revise::{Written, revise};
use crate::cli::Format;

/// So many bytes are written as soon as they are there: some texts of `markdown` mode.
const ENOUGH_BYTES: usize = 128 * 1024;

pub struct Output {
    out: Box<dyn Write + Send>,
    /// What waits to be written.
    text: Vec<u8>,
    end: End,
    format: Format,
    skipped: BTreeMap<SkipReason, u64>,
    /// Items.
    written: u64,
    /// Bytes that have been written, of items and what stands between them.
    bytes: u64,
    lines: Written,
    failure: Option<io::Error>,
    line: ProgressBar,
    quiet: bool,
}

/// What becomes of the items at the end of a run, when all is known of them.
enum End {
    /// They went where they belong, as they were then.
    Gone,
    /// They are brought up to date in the file.
    Revised(PathBuf),
    /// They wait here, and the file is made of them; `-` is standard output.
    Made { waiting: File, path: String, subject: Subject },
}

impl Output {
    /// Opens the file; `-` is standard output.
    pub fn open(
        path: &str,
        format: Format,
        subject: Subject,
        with_line: bool,
        quiet: bool,
    ) -> io::Result<Self> {
        let is_streamed = matches!(format, Format::Jsonl | Format::Json);
        // Whether it can be written shows before the run, not after it.
        let file = if path == "-" { None } else { Some(File::create(path)?) };
        let (out, end): (Box<dyn Write + Send>, End) = match file {
            _ if !is_streamed => {
                let waiting = tempfile::tempfile()?;
                let path = path.to_owned();
                (Box::new(waiting.try_clone()?), End::Made { waiting, path, subject })
            }
            None => (Box::new(io::stdout()), End::Gone),
            Some(file) if file.metadata()?.is_file() => {
                (Box::new(file), End::Revised(PathBuf::from(path)))
            }
            Some(file) => (Box::new(file), End::Gone),
        };
        let line = if with_line { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {elapsed_precise}  {msg}");
        line.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        line.enable_steady_tick(Duration::from_millis(120));
        Ok(Self {
            out,
            text: Vec::new(),
            end,
            format,
            skipped: BTreeMap::new(),
            written: 0,
            bytes: 0,
            lines: Written::default(),
            failure: None,
            line,
            quiet,
        })
    }

    fn write(&mut self, items: &[Item]) -> io::Result<()> {
        for item in items {
            match (self.format, self.written) {
                (Format::Json, 0) => self.text.extend_from_slice(b"[\n"),
                (Format::Json, _) => self.text.extend_from_slice(b",\n"),
                _ => {}
            }
            let from = self.text.len();
            sonic_rs::to_writer(&mut self.text, item).map_err(io::Error::other)?;
            if matches!(self.end, End::Revised(_)) {
                self.lines.note(item, self.bytes + from as u64, self.text.len() - from);
            }
            if self.format != Format::Json {
                self.text.push(b'\n');
            }
            self.written += 1;
            if self.text.len() >= ENOUGH_BYTES {
                self.write_text()?;
            }
        }
        self.flush()
    }

    fn write_end(&mut self) -> io::Result<()> {
        match (self.format, self.written) {
            (Format::Json, 0) => self.text.extend_from_slice(b"[]\n"),
            (Format::Json, _) => self.text.extend_from_slice(b"\n]\n"),
            _ => {}
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_text()?;
        self.out.flush()
    }

    /// Writes what waits.
    fn write_text(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.bytes += self.text.len() as u64;
        self.text.clear();
        Ok(())
    }

    /// Asks whoever sits at the terminal; nobody there is a no.
    pub fn ask(&self, question: &str) -> bool {
        if !io::stdin().is_terminal() {
            return false;
        }
        self.line.suspend(|| {
            eprint!("{question}");
            let mut answer = String::new();
            let read = io::stdin().read_line(&mut answer);
            read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
        })
    }

    /// Writes what belongs at the end, and tells what went wrong.
    pub fn close(mut self, run: &dyn Engine) -> Option<io::Error> {
        if self.failure.is_none() {
            self.failure = self.write_end().err();
        }
        if self.failure.is_none() {
            // Who links to whom is known now.
            let overlay = run.overlay();
            self.failure = match (self.end, &overlay) {
                (End::Gone, _) | (End::Revised(_), None) => None,
                (End::Revised(path), Some(overlay)) => revise(&path, &self.lines, overlay).err(),
                (End::Made { waiting, path, subject }, overlay) => {
                    let overlay = overlay.clone().unwrap_or_default();
                    make(waiting, &overlay, self.format.into(), &subject, &path).err()
                }
            };
        }
        self.line.finish_and_clear();
        if !self.quiet {
            eprintln!("{}", run.progress());
            if !self.skipped.is_empty() {
                let one = |(reason, count): (&SkipReason, &u64)| format!("{reason} {count}");
                let reasons: Vec<_> = self.skipped.iter().map(one).collect();
                eprintln!("left out: {}", reasons.join(" · "));
            }
        }
        self.failure
    }
}

#[async_trait]
impl Sink for Output {
    async fn commit(&mut self, pending: Pending, _snapshot: Option<Snapshot>) -> Committed {
        for skipped in &pending.skipped {
            *self.skipped.entry(skipped.reason).or_default() += 1;
        }
        match self.write(&pending.items) {
            Ok(()) => Committed::Stored,
            Err(error) => {
                self.failure = Some(error);
                Committed::Lost
            }
        }
    }

    fn observe(&mut self, run: &dyn Engine) {
        if !self.line.is_hidden() {
            let progress = run.progress();
            let at = progress.at.as_deref().unwrap_or_default();
            let at: String = at.chars().take(60).collect();
            self.line.set_message(format!("{progress} · {at}"));
        }
    }
}
