//! `trawl crawl`: one run without server, account or credits, by the same loop.

mod made;
mod output;
mod revise;

use std::fmt::Display;
use std::io::IsTerminal;

use anyhow::Context;
use contract::{Clock, Mode, SystemClock};
use crawl::{Crawl as Engine, Plan};
use export::Subject;
use job::Ending;
use site::{Target, TrapRule};
use tokio::sync::watch;
use worker::{CommitLimits, Drove, Stop, drive};

use super::{Exit, fetcher, layers, local};
use crate::cli::{Crawl, Format, OnProtected, Place};
use crate::logging;
use crate::settings::Settings;
use output::Output;

pub async fn run(place: &Place, args: Crawl) -> anyhow::Result<Exit> {
    let flags = [
        ("host_concurrency", "--concurrency", args.concurrency.clone()),
        ("host_delay_ms", "--delay", args.delay.clone()),
    ];
    let layers = layers(place, &flags)?;
    let mut settings = Settings::of(&layers)?;
    local(&mut settings, &layers)?;
    // Standard error belongs to the progress line.
    let log = if settings.log == "info" { "warn" } else { &settings.log };
    logging::start(log, settings.log_json).context("the setting log is no filter")?;

    let mode = match mode(&args.mode) {
        Ok(mode) => mode,
        Err(problem) => {
            eprintln!("trawl: {problem}");
            return Ok(Exit::Usage);
        }
    };
    let start =
        match Target::parse(&args.url, &settings.allow_networks, |name| settings.names.knows(name))
        {
            Ok(start) => start,
            Err(refused) => {
                eprintln!("trawl: {refused}");
                return Ok(Exit::Usage);
            }
        };
    let fetcher = fetcher(&settings)?;
    let equipment = fetcher.equipment();
    let plan = Plan {
        equipment,
        escalates: equipment.tier || args.on_protected == OnProtected::Fail,
        scope: args.scope.into(),
        options: args.options.clone().into(),
        max_pages: args.max_pages,
        concurrency: settings.worker().concurrency,
        host_concurrency: settings.host_concurrency,
        traps: TrapRule::in_year(SystemClock.now().year()),
        retries: settings.retries,
        blocked_domains: settings.blocked_domains.clone(),
        objections: settings.objections(),
        ..Plan::new(start, mode)
    };
    let with_line = !args.quiet && std::io::stderr().is_terminal();
    let format = Format::of(args.format, &args.output);
    let subject = Subject { mode, url: Some(args.url.clone()) };
    let output = Output::open(&args.output, format, subject, with_line, args.quiet)
        .with_context(|| format!("{} cannot be written", args.output))?;
    let (stop, stopped) = watch::channel(Stop::Run);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.send_replace(Stop::Shutdown);
            // Kept open: a closed channel would read as another word to stop.
            std::future::pending::<()>().await;
        }
    });
    let limits =
        CommitLimits { every: std::time::Duration::from_millis(200), ..CommitLimits::default() };
    let on_protected = args.on_protected;
    // On a worker thread, where its requests are too: the main thread only waits.
    let driven = tokio::spawn(async move {
        let (mut crawl, mut output) = (Engine::new(plan), output);
        loop {
            let drove;
            (crawl, output, drove) = drive(crawl, &fetcher, output, limits, stopped.clone()).await;
            match drove {
                Drove::Protected(marker) if goes_on(on_protected, marker, &output) => {
                    let plan = Plan { protected: true, ..crawl.plan().clone() };
                    crawl = crawl.go_on(plan);
                }
                drove => return (crawl, output, drove),
            }
        }
    });
    let (crawl, output, drove) = driven.await.context("the run ended by itself")?;
    let failure = output.close(&crawl);
    match drove {
        _ if failure.is_some() => {
            let Some(failure) = failure else { return Ok(Exit::Setup) };
            if failure.kind() == std::io::ErrorKind::BrokenPipe {
                // Whoever reads has seen enough.
                return Ok(Exit::Done);
            }
            Err(anyhow::Error::new(failure).context(format!("{} cannot be written", args.output)))
        }
        Drove::Protected(marker) => {
            eprintln!(
                "trawl: protected_rate_refused: the site is behind bot protection ({marker}); \
                 --on-protected auto goes on by the protected tier"
            );
            Ok(Exit::Nothing)
        }
        Drove::Finished(Ending::Nothing { code, message }) => {
            eprintln!("trawl: {code}: {message}");
            Ok(Exit::Nothing)
        }
        Drove::Finished(ending @ (Ending::Partial | Ending::Sampled)) => {
            if let Some(error) = ending.error() {
                eprintln!("trawl: {}: {}", error.code, error.message);
            }
            Ok(Exit::Done)
        }
        Drove::Finished(Ending::Complete) | Drove::Boundary | Drove::Unpaid => Ok(Exit::Done),
        Drove::Shutdown | Drove::Lost => Ok(Exit::Interrupted),
    }
}

/// Whether a run goes on by the protected tier.
fn goes_on(on_protected: OnProtected, marker: impl Display, output: &Output) -> bool {
    match on_protected {
        OnProtected::Auto => true,
        OnProtected::Fail => false,
        OnProtected::Pause => output.ask(&format!(
            "The site is behind bot protection ({marker}). Go on by the protected tier? [y/N] "
        )),
    }
}

/// The mode of this name, if the engine runs it.
fn mode(name: &str) -> Result<Mode, String> {
    let built = crawl::MODES.iter().map(|mode| mode.as_str()).collect::<Vec<_>>();
    let built = match built.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => built.join(""),
    };
    match Mode::from_word(name) {
        Some(mode) if crawl::MODES.contains(&mode) => Ok(mode),
        Some(mode) => Err(format!("the mode {mode} is not built yet; {built} are")),
        None => Err(format!("there is no mode {name:?}; {built} are built")),
    }
}
