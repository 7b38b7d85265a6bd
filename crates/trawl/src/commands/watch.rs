//! `trawl watch`: a job's progress until it is over. The job is left alone, whatever happens
//! here.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::Duration;

use api::{ProgressReader, ProgressSnapshot};
use contract::{JobProgress, Status};
use indicatif::{ProgressBar, ProgressStyle};

use super::{Exit, job, open_store};
use crate::cli::{Place, Watch};

/// A run writes down where it is about this often.
const LOOK_EVERY: Duration = Duration::from_secs(1);

pub async fn run(place: &Place, args: &Watch) -> anyhow::Result<Exit> {
    let (store, _) = open_store(place).await?;
    let Some(found) = job::find(&store, &args.id).await? else { return Ok(Exit::Nothing) };
    let mut watch = ProgressReader::new(store, found.id);
    let mut screen = Screen::new(args.json);
    let mut is_away = false;
    loop {
        match watch.read().await {
            Ok(Some(look)) => {
                is_away = false;
                match screen.show(&look) {
                    Ok(()) => {}
                    // Whoever reads has seen enough.
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
            Ok(None) => {
                eprintln!("trawl: the job is not kept any longer");
                return Ok(Exit::Nothing);
            }
            Err(error) if error.is_passing() => {
                if !is_away {
                    eprintln!("trawl: waiting for the database: {error}");
                }
                is_away = true;
            }
            Err(error) => return Err(error.into()),
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = tokio::signal::ctrl_c() => {
                screen.bar.finish_and_clear();
                eprintln!("trawl: the job goes on; `trawl job abort` would stop it");
                return Ok(Exit::Interrupted);
            }
        }
    }
}

/// Where progress is shown: a bar for people, a line a change for everybody else.
struct Screen {
    json: bool,
    bar: ProgressBar,
    shown: Option<i64>,
}

impl Screen {
    fn new(json: bool) -> Self {
        let is_seen = !json && io::stdout().is_terminal() && io::stderr().is_terminal();
        let bar = if is_seen { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {bar:24} {pos}/{len}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { json, bar, shown: None }
    }

    fn show(&mut self, look: &ProgressSnapshot) -> io::Result<()> {
        let ProgressSnapshot { revision, progress } = look;
        let is_last = progress.status.is_final();
        if !self.bar.is_hidden() && !is_last {
            // Links that leave the site are looked at and are no pages of it.
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
        parts.push(
            "the batch is full; `trawl job confirm --continue-batch` starts the next".to_owned(),
        );
    }
    parts.extend(progress.error.as_ref().map(|error| {
        format!("{code}: {} (see `trawl explain {code}`)", error.message, code = error.code)
    }));
    parts.join("  ")
}
