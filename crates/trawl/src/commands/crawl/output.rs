//! Output of a run, a file or standard output, and the progress line.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Item, PageFileFormat, SkipReason};
use crawl::{Engine, KeptPage, Pending};
use export::ExportSubject;
use indicatif::{ProgressBar, ProgressStyle};
use journal::Snapshot;
use runner::{CommitOutcome, Sink};

use super::export_file::write_export;
use super::page_folder::PageFolder;
use super::revise::{WrittenItems, revise};
use crate::cli::OutputFormat;

/// Bytes that are buffered before a write: some pages of `markdown` mode.
const BUFFER_BYTES: usize = 128 * 1024;

/// The [`Sink`] of `trawl crawl`.
pub struct ItemOutput {
    out: Box<dyn Write + Send>,
    /// Buffered bytes that are not written yet.
    text: Vec<u8>,
    end: OutputFinish,
    format: OutputFormat,
    skipped: BTreeMap<SkipReason, u64>,
    /// Number of written items.
    written: u64,
    /// Number of written bytes.
    bytes: u64,
    lines: WrittenItems,
    failure: Option<io::Error>,
    line: ProgressBar,
    quiet: bool,
    /// Where the files of pages are written, and which.
    pages: Option<(PageFolder, Vec<PageFileFormat>)>,
}

/// How the output is finished when `inlinks`, depths and orphans are known.
enum OutputFinish {
    /// Items were streamed and cannot be changed.
    Streamed,
    /// Items in this file are updated.
    Patched(PathBuf),
    /// The file is written from the spooled items; `-` is standard output.
    Converted { spool: File, path: String, subject: ExportSubject },
}

impl ItemOutput {
    /// Opens the file; `-` is standard output.
    pub fn open(
        path: &str,
        format: OutputFormat,
        subject: ExportSubject,
        with_line: bool,
        quiet: bool,
    ) -> io::Result<Self> {
        let is_streamed = matches!(format, OutputFormat::Jsonl | OutputFormat::Json);
        // Create the file before the run, so that a path that is not writable fails early.
        let file = if path == "-" { None } else { Some(File::create(path)?) };
        let (out, end): (Box<dyn Write + Send>, OutputFinish) = match file {
            _ if !is_streamed => {
                let spool = tempfile::tempfile()?;
                let path = path.to_owned();
                (Box::new(spool.try_clone()?), OutputFinish::Converted { spool, path, subject })
            }
            None => (Box::new(io::stdout()), OutputFinish::Streamed),
            Some(file) if file.metadata()?.is_file() => {
                (Box::new(file), OutputFinish::Patched(PathBuf::from(path)))
            }
            Some(file) => (Box::new(file), OutputFinish::Streamed),
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
            lines: WrittenItems::default(),
            failure: None,
            line,
            quiet,
            pages: None,
        })
    }

    /// Writes these files of the pages of items to a folder.
    pub fn with_pages(self, pages: PageFolder, formats: Vec<PageFileFormat>) -> Self {
        Self { pages: Some((pages, formats)), ..self }
    }

    /// Writes the files of pages, or the warnings about them if there is no folder.
    fn write_pages(&mut self, kept: &[(usize, Box<KeptPage>)]) -> io::Result<()> {
        for (position, page) in kept {
            if let Some((folder, formats)) = &mut self.pages {
                folder.write(self.written + *position as u64, page, formats)?;
            } else if !self.quiet {
                let url = &page.response.url;
                self.line.suspend(|| {
                    for warning in &page.warnings {
                        eprintln!("trawl: warning: {url}: {warning}");
                    }
                });
            }
        }
        Ok(())
    }

    fn write(&mut self, items: &[Item]) -> io::Result<()> {
        for item in items {
            match (self.format, self.written) {
                (OutputFormat::Json, 0) => self.text.extend_from_slice(b"[\n"),
                (OutputFormat::Json, _) => self.text.extend_from_slice(b",\n"),
                _ => {}
            }
            let from = self.text.len();
            sonic_rs::to_writer(&mut self.text, item).map_err(io::Error::other)?;
            if matches!(self.end, OutputFinish::Patched(_)) {
                self.lines.note(item, self.bytes + from as u64, self.text.len() - from);
            }
            if self.format != OutputFormat::Json {
                self.text.push(b'\n');
            }
            self.written += 1;
            if self.text.len() >= BUFFER_BYTES {
                self.write_text()?;
            }
        }
        self.flush()
    }

    fn write_end(&mut self) -> io::Result<()> {
        match (self.format, self.written) {
            (OutputFormat::Json, 0) => self.text.extend_from_slice(b"[]\n"),
            (OutputFormat::Json, _) => self.text.extend_from_slice(b"\n]\n"),
            _ => {}
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_text()?;
        self.out.flush()
    }

    /// Writes the buffered bytes.
    fn write_text(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.bytes += self.text.len() as u64;
        self.text.clear();
        Ok(())
    }

    /// Asks on the terminal; without a terminal the answer is no.
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

    /// Finishes the output. Returns the first write error.
    pub fn close(mut self, run: &dyn Engine) -> Option<io::Error> {
        if self.failure.is_none() {
            self.failure = self.write_end().err();
        }
        if self.failure.is_none() {
            // The overlay (inlinks, depths, orphans) is complete now.
            let overlay = run.overlay();
            self.failure = match (self.end, &overlay) {
                (OutputFinish::Streamed, _) | (OutputFinish::Patched(_), None) => None,
                (OutputFinish::Patched(path), Some(overlay)) => {
                    revise(&path, &self.lines, overlay).err()
                }
                (OutputFinish::Converted { spool, path, subject }, overlay) => {
                    let overlay = overlay.clone().unwrap_or_default();
                    write_export(spool, &overlay, self.format.into(), &subject, &path).err()
                }
            };
        }
        self.line.finish_and_clear();
        if !self.quiet {
            eprintln!("{}", run.progress());
            if !self.skipped.is_empty() {
                let one = |(reason, count): (&SkipReason, &u64)| format!("{reason} {count}");
                let reasons: Vec<_> = self.skipped.iter().map(one).collect();
                eprintln!("skipped: {}", reasons.join(" · "));
            }
        }
        self.failure
    }
}

#[async_trait]
impl Sink for ItemOutput {
    async fn commit(&mut self, pending: Pending, _snapshot: Option<Snapshot>) -> CommitOutcome {
        for skipped in &pending.skipped {
            *self.skipped.entry(skipped.reason).or_default() += 1;
        }
        let written = self.write_pages(&pending.kept).and_then(|()| self.write(&pending.items));
        match written {
            Ok(()) => CommitOutcome::Stored,
            Err(error) => {
                self.failure = Some(error);
                CommitOutcome::NotStored
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
