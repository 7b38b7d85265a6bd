//! `trawl watch`: shows the progress of a job until it ends. Never changes the job.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::Duration;

use api::ProgressReader;
use contract::{JobError, JobProgress, Status};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal::unix::{SignalKind, signal};

use super::{Exit, job, open_store};
use crate::cli::{GlobalArgs, WatchArgs};
use crate::exit::fail;
use crate::printing::counted;
use crate::terminal::painted_cell;

/// Poll interval; runs store their progress about this often.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

pub async fn run(global: &GlobalArgs, args: &WatchArgs) -> anyhow::Result<Exit> {
    let (store, _) = open_store(global).await?;
    let found = job::find(&store, &args.id).await?;
    let mut progress = ProgressReader::new(store, found.id);
    let mut display = ProgressDisplay::new(args.json);
    // Registered before the first line: Ctrl-C counts from then on, also during a query.
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        exit = show_until_end(&mut progress, &mut display) => exit,
        _ = interrupt.recv() => Ok(display.interrupted(&args.id)),
    }
}

async fn show_until_end(
    progress: &mut ProgressReader,
    display: &mut ProgressDisplay,
) -> anyhow::Result<Exit> {
    let mut is_unavailable = false;
    loop {
        match progress.read().await {
            Ok(Some(look)) => {
                is_unavailable = false;
                match display.show(&look.progress) {
                    Ok(()) => {}
                    // The reader closed the pipe, as `head` does.
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Done),
                    Err(error) => return Err(error.into()),
                }
                if let Some(exit) = exit_of(look.progress.status) {
                    return Ok(exit);
                }
            }
            Ok(None) => fail!(Nothing, "the job was deleted after its retention"),
            Err(error) if error.is_transient() => {
                if !is_unavailable {
                    eprintln!("trawl: waiting for the database: {error}");
                }
                is_unavailable = true;
            }
            Err(error) => return Err(error.into()),
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Shows progress: a bar on a terminal, one line per change otherwise.
pub struct ProgressDisplay {
    json: bool,
    /// Where lines are written: standard error if standard output is for the results.
    to_stderr: bool,
    bar: ProgressBar,
    shown: Option<JobProgress>,
}

impl ProgressDisplay {
    /// A display on standard output.
    pub fn new(json: bool) -> Self {
        Self::with(json, !json && io::stdout().is_terminal() && io::stderr().is_terminal(), false)
    }

    /// A display on standard error, with lines only if that is a terminal.
    pub fn on_stderr(quiet: bool) -> Self {
        Self::with(false, !quiet && io::stderr().is_terminal(), true)
    }

    fn with(json: bool, has_bar: bool, to_stderr: bool) -> Self {
        let bar = if has_bar { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {bar:24} {pos}/{len}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { json, to_stderr, bar, shown: None }
    }

    /// Shows the state of a job, if it has changed.
    pub fn show(&mut self, progress: &JobProgress) -> io::Result<()> {
        let is_last = progress.status.is_final();
        if !self.bar.is_hidden() && !is_last {
            // External links are fetched and are not pages of the site.
            self.bar.set_length(progress.counts.pages.max(progress.fetched));
            self.bar.set_position(progress.fetched);
            self.bar.set_message(message(progress, false));
            return Ok(());
        }
        self.bar.finish_and_clear();
        // A change of the rate alone is no progress.
        let state = JobProgress { rate: None, ..progress.clone() };
        if self.to_stderr || self.shown.as_ref() == Some(&state) {
            return Ok(());
        }
        self.shown = Some(state);
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, progress)?;
        } else {
            let (done, known) = (progress.fetched, progress.counts.pages.max(progress.fetched));
            write!(out, "{done}/{known}  {}", message(progress, true))?;
        }
        writeln!(out)?;
        out.flush()
    }

    /// Ends the display after Ctrl-C.
    pub fn interrupted(&self, job: &str) -> Exit {
        self.bar.finish_and_clear();
        eprintln!("trawl: the job continues; `trawl job abort {job}` stops it");
        Exit::Interrupted
    }

    /// Removes the bar, so that other lines can be written.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// The exit code of a command that waited for a job.
pub fn exit_of(status: Status) -> Option<Exit> {
    match status {
        Status::Completed => Some(Exit::Done),
        Status::Failed | Status::Aborted => Some(Exit::Nothing),
        Status::Queued | Status::Running | Status::AwaitingConfirmation | Status::Paused => None,
    }
}

/// `running  12 results  8.5/s  https://example.com/about`
fn message(progress: &JobProgress, painted: bool) -> String {
    let status = progress.status.as_str();
    let status = if painted { painted_cell(status).into_owned() } else { status.to_owned() };
    let mut parts = vec![status, counted(progress.counts.results, "result", "results")];
    parts.extend(progress.rate.map(|rate| format!("{rate}/s")));
    parts.extend(progress.fetching.first().cloned());
    if progress.batch_ready {
        parts.push("the batch is full; `trawl job confirm --continue-batch` continues".to_owned());
    }
    parts.extend(progress.error.as_ref().map(error_text));
    parts.join("  ")
}

/// The error of a job with the command that explains it.
pub fn error_text(error: &JobError) -> String {
    format!("{code}: {} (see `trawl explain {code}`)", error.message, code = error.code)
}
