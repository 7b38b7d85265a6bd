//! `trawl watch`: shows the progress of a job until it ends. Never changes the job.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::Duration;

use api::{ProgressReader, ProgressSnapshot};
use contract::{JobProgress, Status};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal::unix::{SignalKind, signal};

use super::{Exit, job, open_store};
use crate::cli::{GlobalArgs, WatchArgs};
use crate::exit::fail;

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
        _ = interrupt.recv() => {
            display.bar.finish_and_clear();
            eprintln!("trawl: the job continues; `trawl job abort` stops it");
            Ok(Exit::Interrupted)
        }
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
                match display.show(&look) {
                    Ok(()) => {}
                    // The reader closed the pipe, as `head` does.
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Done),
                    Err(error) => return Err(error.into()),
                }
                match look.progress.status {
                    Status::Completed => return Ok(Exit::Done),
                    Status::Failed | Status::Aborted => return Ok(Exit::Nothing),
                    Status::Queued
                    | Status::Running
                    | Status::AwaitingConfirmation
                    | Status::Paused => {}
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
struct ProgressDisplay {
    json: bool,
    bar: ProgressBar,
    shown: Option<i64>,
}

impl ProgressDisplay {
    fn new(json: bool) -> Self {
        let on_terminal = !json && io::stdout().is_terminal() && io::stderr().is_terminal();
        let bar = if on_terminal { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {bar:24} {pos}/{len}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { json, bar, shown: None }
    }

    fn show(&mut self, look: &ProgressSnapshot) -> io::Result<()> {
        let ProgressSnapshot { revision, progress } = look;
        let is_last = progress.status.is_final();
        if !self.bar.is_hidden() && !is_last {
            // External links are fetched and are not pages of the site.
            self.bar.set_length(progress.counts.pages.max(progress.fetched));
            self.bar.set_position(progress.fetched);
            self.bar.set_message(message(progress));
            return Ok(());
        }
        self.bar.finish_and_clear();
        if self.shown.replace(*revision) == Some(*revision) {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, progress)?;
        } else {
            let (done, known) = (progress.fetched, progress.counts.pages.max(progress.fetched));
            write!(out, "{done}/{known}  {}", message(progress))?;
        }
        writeln!(out)?;
        out.flush()
    }
}

/// `running  12 results  8.5/s  https://example.com/about`
fn message(progress: &JobProgress) -> String {
    let mut parts =
        vec![progress.status.to_string(), format!("{} results", progress.counts.results)];
    parts.extend(progress.rate.map(|rate| format!("{rate}/s")));
    parts.extend(progress.fetching.first().cloned());
    if progress.batch_ready {
        parts.push("the batch is full; `trawl job confirm --continue-batch` continues".to_owned());
    }
    parts.extend(progress.error.as_ref().map(|error| {
        format!("{code}: {} (see `trawl explain {code}`)", error.message, code = error.code)
    }));
    parts.join("  ")
}
