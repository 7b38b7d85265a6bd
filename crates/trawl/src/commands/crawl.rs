//! `trawl crawl`: one run without server, account or credits, by the same loop.

mod domains;
mod made;
mod output;
mod revise;

use std::fmt::Display;
use std::io::IsTerminal;

use anyhow::Context;
use contract::{Clock, Mode, Options};
use crawl::{CrawlPlan, DomainCrawl, Engine, VisitPlan, VisitTarget};
use export::Subject;
use job::Ending;
use runner::CommitLimits;
use runner::Drove;
use runner::Fetcher;
use runner::Stop;
use runner::drive;
use runtime::SystemClock;
use tokio::sync::watch;
use urls::{CanonicalUrl, Target, TrapRule};

use super::{Exit, fetcher, layers, local};
use crate::cli::{Crawl, Format, OnProtected, Place};
use crate::logging;
use crate::settings::Settings;
use output::Output;

/// What whoever asks for contacts without a word about the law is told.
const NO_LEGAL_BASIS: &str = "mode contacts collects the data of people: say --accept-legal-basis \
    when you have a lawful basis for processing it";

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
    let begun = match begin(&args, mode, &settings)? {
        Ok(begun) => begun,
        Err(problem) => {
            eprintln!("trawl: {problem}");
            return Ok(Exit::Usage);
        }
    };
    let fetcher = fetcher(&settings)?;
    let with_line = !args.quiet && std::io::stderr().is_terminal();
    let format = Format::of(args.format, &args.output);
    let url = match args.targets.as_slice() {
        [one] if one.contains("://") => Some(one.clone()),
        _ => None,
    };
    let output = Output::open(
        &args.output,
        format,
        Subject { mode, url, table: None },
        with_line,
        args.quiet,
    )
    .with_context(|| format!("{} cannot be written", args.output))?;
    let (stop, stopped) = watch::channel(Stop::Run);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.send_replace(Stop::Shutdown);
            // Kept open: a closed channel would read as another word to stop.
            std::future::pending::<()>().await;
        }
    });
    let (failure, drove) = match begun {
        Begun::Site(start) => {
            let crawl = crawl::SiteCrawl::new(site_plan(&args, &settings, &fetcher, start, mode));
            carry_out(crawl, fetcher, output, stopped, args.on_protected).await?
        }
        Begun::DomainCrawl(asked) => {
            let visits = visits(&args, &settings, &fetcher, asked);
            carry_out(visits, fetcher, output, stopped, args.on_protected).await?
        }
    };
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
            eprintln!("trawl: {code}: {message}\ntrawl: `trawl explain {code}` tells what to do");
            Ok(Exit::Nothing)
        }
        Drove::Finished(ending @ (Ending::Partial { .. } | Ending::Sampled)) => {
            if let Some(error) = ending.error() {
                eprintln!("trawl: {}: {}", error.code, error.message);
            }
            Ok(Exit::Done)
        }
        Drove::Finished(Ending::Complete) | Drove::Boundary | Drove::Unpaid => Ok(Exit::Done),
        Drove::Shutdown | Drove::Evicted | Drove::Lost => Ok(Exit::Interrupted),
    }
}

/// What a run begins with.
enum Begun {
    Site(CanonicalUrl),
    DomainCrawl(Vec<VisitTarget>),
}

fn begin(args: &Crawl, mode: Mode, settings: &Settings) -> anyhow::Result<Result<Begun, String>> {
    if mode == Mode::Contacts {
        if !args.accept_legal_basis {
            return Ok(Err(NO_LEGAL_BASIS.to_owned()));
        }
        return Ok(domains::read(args, settings)?.map(Begun::DomainCrawl));
    }
    if args.domains.is_some() {
        return Ok(Err("--domains belongs to mode contacts alone".to_owned()));
    }
    let [target] = args.targets.as_slice() else {
        return Ok(Err(format!("mode {mode} takes one URL; mode contacts takes many domains")));
    };
    let known = |name: &str| settings.names.knows(name);
    let start = Target::parse(target, &settings.allow_networks, known);
    Ok(start.map(Begun::Site).map_err(|refused| refused.to_string()))
}

fn site_plan(
    args: &Crawl,
    settings: &Settings,
    fetcher: &Fetcher,
    start: CanonicalUrl,
    mode: Mode,
) -> CrawlPlan {
    let capabilities = fetcher.capabilities();
    CrawlPlan {
        capabilities,
        escalates: capabilities.tier || args.on_protected == OnProtected::Fail,
        scope: args.scope.into(),
        options: args.options.clone().into(),
        max_pages: args.max_pages,
        concurrency: settings.worker().concurrency,
        host_concurrency: settings.host_concurrency,
        traps: TrapRule::in_year(SystemClock.now().year()),
        retries: settings.retries,
        denylist: settings.denylist(),
        ..CrawlPlan::new(start, mode)
    }
}

fn visits(
    args: &Crawl,
    settings: &Settings,
    fetcher: &Fetcher,
    mut asked: Vec<VisitTarget>,
) -> DomainCrawl {
    let capabilities = fetcher.capabilities();
    let options: Options = args.options.clone().into();
    let sample = options.sample_size.and_then(|size| usize::try_from(size).ok());
    let all = asked.len();
    asked.truncate(sample.unwrap_or(usize::MAX));
    DomainCrawl::new(VisitPlan {
        sampled: asked.len() < all,
        concurrency: settings.visits,
        escalates: capabilities.tier && args.on_protected != OnProtected::Fail,
        capabilities,
        denylist: settings.denylist(),
        ..VisitPlan::new(asked)
    })
}

/// A run that may meet bot protection.
trait Escalating: Engine + Sized {
    /// The run by the protected tier, or without it; none when it ends there.
    fn answered(self, by_tier: bool) -> Result<Self, Self>;
}

impl Escalating for crawl::SiteCrawl {
    fn answered(self, by_tier: bool) -> Result<Self, Self> {
        if !by_tier {
            return Err(self);
        }
        let plan = CrawlPlan { protected: true, ..self.plan().clone() };
        Ok(self.resume_with(plan))
    }
}

impl Escalating for DomainCrawl {
    fn answered(self, by_tier: bool) -> Result<Self, Self> {
        // Without it the others are done, and these are blocked.
        let plan = VisitPlan { protected: by_tier, escalates: false, ..self.plan().clone() };
        Ok(self.resume_with(plan))
    }
}

/// Drives a run to its end, and closes what it wrote.
async fn carry_out<E: Escalating>(
    mut run: E,
    fetcher: Fetcher,
    mut output: Output,
    stopped: watch::Receiver<Stop>,
    on_protected: OnProtected,
) -> anyhow::Result<(Option<std::io::Error>, Drove)> {
    let every = std::time::Duration::from_millis(200);
    let limits = CommitLimits { every, ..CommitLimits::default() };
    // On a worker thread, where its requests are too: the main thread only waits.
    let driven = tokio::spawn(async move {
        loop {
            let drove;
            (run, output, drove) = drive(run, &fetcher, output, limits, stopped.clone()).await;
            let Drove::Protected(marker) = drove else { return (run, output, drove) };
            match run.answered(goes_on(on_protected, marker, &output)) {
                Ok(going_on) => run = going_on,
                Err(ended) => return (ended, output, Drove::Protected(marker)),
            }
        }
    });
    let (run, output, drove) = driven.await.context("the run ended by itself")?;
    Ok((output.close(&run), drove))
}

/// Whether a run goes on by the protected tier.
fn goes_on(on_protected: OnProtected, marker: impl Display, output: &Output) -> bool {
    match on_protected {
        OnProtected::Auto => true,
        OnProtected::Fail => false,
        OnProtected::Pause => output.ask(&format!(
            "Bot protection stands in the way ({marker}). Go on by the protected tier? [y/N] "
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
