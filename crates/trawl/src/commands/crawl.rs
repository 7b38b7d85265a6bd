//! `trawl crawl`: one run without server, account or credits, with the same `drive` loop.

mod domains;
mod export_file;
mod output;
mod page_folder;
mod revise;
mod text_list;
mod url_list;

use std::fmt::Display;
use std::io::IsTerminal;
use std::sync::Arc;

use anyhow::Context;
use contract::{Clock, ErrorCode, JobError, Mode, SiteAccess};
use crawl::{Capabilities, CrawlPlan, DomainCrawl, Engine, VisitPlan, VisitTarget};
use export::ExportSubject;
use job::RunEnding;
use runner::{CommitLimits, Fetcher, PageFetch, RunAccess, RunOutcome, RunSignal, drive};
use runtime::SystemClock;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use urls::{CanonicalUrl, Target, TrapRule};

use super::{Exit, allow_loopback, fetcher, layers, site_members};
use crate::cli::{CrawlArgs, GlobalArgs, OutputFormat, ProtectedChoice};
use crate::exit::fail;
use crate::logging;
use crate::settings::Settings;
use crate::start_url::{announce_route, route_of, with_scheme};
use output::ItemOutput;
use page_folder::PageFolder;

pub use text_list::read as read_text_list;

/// Isolates the state of the browser; the process has one run.
const RUN: &str = "crawl";

pub const NO_LEGAL_BASIS: &str = "mode contacts collects personal data: pass --accept-legal-basis to confirm \
    that you have a lawful basis for processing it";

pub async fn run(global: &GlobalArgs, mut args: CrawlArgs) -> anyhow::Result<Exit> {
    let flags = [
        ("host_concurrency", "--concurrency", args.concurrency.clone()),
        ("host_delay_ms", "--delay", args.delay.clone()),
    ];
    let layers = layers(global, &flags)?;
    let mut settings = Settings::of(&layers)?;
    allow_loopback(&mut settings, &layers)?;
    // Standard error shows the progress line: log warnings only, unless configured otherwise.
    let log = if settings.log == "info" { "warn" } else { &settings.log };
    logging::start(log, settings.log_json).context("the setting log is not a valid log filter")?;

    let usage = |problem: String| Exit::Usage.with(problem);
    let mode = mode(&args.mode).map_err(usage)?;
    if mode.visits_domains() && !args.formats.is_empty() {
        fail!(
            Usage,
            "--formats has no effect in mode {mode}: its records are made of several pages"
        );
    }
    let start = crawl_start(&args, mode, &settings)?.map_err(usage)?;
    if let CrawlStart::Site(url) = &start {
        stay_below_path(&mut args, url);
    }
    let starts = match &start {
        CrawlStart::Site(start) => std::slice::from_ref(start),
        CrawlStart::UrlList(urls) => urls,
        CrawlStart::DomainCrawl(targets) => match targets.as_slice() {
            [VisitTarget::Url(url)] => std::slice::from_ref(url),
            _ => &[],
        },
    };
    let access = {
        let run = site_members::AccessOfRun {
            login: args.login.as_deref(),
            formats: &args.formats,
            screenshot_area: args.screenshot_area.as_deref(),
        };
        site_members::access(&args.site, run, starts, &settings)?
    };
    let fetcher = fetcher_with_access(fetcher(&settings)?, &access, starts, &settings).await?;
    let formats = access.formats;
    let with_line = !args.quiet && std::io::stderr().is_terminal();
    let format =
        OutputFormat::of(args.format, &args.output).map_err(|unknown| Exit::Usage.with(unknown))?;
    if !format.suits(mode) {
        fail!(Usage, "llms.txt lists pages of mode markdown, and the mode is {mode}");
    }
    if format.needs_raw_pages() {
        fail!(
            Usage,
            "`trawl crawl` writes no web archive: `trawl run URL -o FILE` runs a job on a server and \
             writes it; --formats raw_html --files FOLDER keeps the pages of this run"
        );
    }
    let url = match args.targets.as_slice() {
        [one] if one.contains("://") || !mode.visits_domains() => {
            Some(with_scheme(one).into_owned())
        }
        _ => None,
    };
    let output = ItemOutput::open(
        &args.output,
        format,
        ExportSubject { schema: registry::item_schema(mode), url, table: None },
        with_line,
        args.quiet,
    )
    .with_context(|| format!("cannot write {}", args.output))?;
    let output = match &args.files {
        Some(folder) => {
            let pages = PageFolder::create(folder.clone())
                .with_context(|| format!("cannot write the folder {}", folder.display()))?;
            output.with_pages(pages, formats)
        }
        None => output,
    };
    let (stop, stopped) = watch::channel(RunSignal::Continue);
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    tokio::spawn(async move {
        if interrupt.recv().await.is_some() {
            stop.send_replace(RunSignal::Shutdown);
            // Keep the channel open: a closed channel would be read as another stop.
            std::future::pending::<()>().await;
        }
    });
    let (failure, drove) = match start {
        CrawlStart::Site(start) => {
            let plan = site_plan(&args, &settings, &fetcher, CrawlPlan::new(start));
            let crawl = registry::site_crawl(mode, plan)?;
            drive_to_end(crawl, fetcher, output, stopped, args.on_protected).await?
        }
        CrawlStart::UrlList(urls) => {
            let seeds = CrawlPlan::listed(urls).context("the list contains no URL")?;
            let plan = CrawlPlan {
                escalates: fetcher.capabilities().tier
                    && args.on_protected != ProtectedChoice::Fail,
                ..site_plan(&args, &settings, &fetcher, seeds)
            };
            let crawl = registry::site_crawl(mode, plan)?;
            drive_to_end(crawl, fetcher, output, stopped, args.on_protected).await?
        }
        CrawlStart::DomainCrawl(asked) => {
            let visits = visits(&args, &settings, &fetcher, asked);
            drive_to_end(visits, fetcher, output, stopped, args.on_protected).await?
        }
    };
    match failure {
        // The reader closed the pipe, as `head` does.
        Some(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(Exit::Done),
        Some(error) => {
            return Err(error).with_context(|| format!("cannot write {}", args.output));
        }
        None => {}
    }
    match drove {
        RunOutcome::Protected(marker) => fail!(
            Nothing,
            "protected_rate_refused: the site is behind bot protection ({marker}); \
             --on-protected auto continues through the protected tier"
        ),
        RunOutcome::Finished(RunEnding::Nothing(JobError { code, message, .. })) => {
            fail!(Nothing, "{code}: {message}\ntrawl: `trawl explain {code}` shows the remedy")
        }
        RunOutcome::Finished(
            ending @ (RunEnding::Partial { .. }
            | RunEnding::Sampled
            | RunEnding::PageLimit
            | RunEnding::CreditLimit),
        ) => {
            if let Some(error) = ending.error() {
                eprintln!("trawl: {}: {}", error.code, error.message);
            }
            Ok(Exit::Done)
        }
        RunOutcome::Finished(RunEnding::Complete)
        | RunOutcome::BatchBoundary
        | RunOutcome::OutOfCredits => Ok(Exit::Done),
        RunOutcome::Shutdown | RunOutcome::Evicted | RunOutcome::Abandoned => Ok(Exit::Interrupted),
        RunOutcome::Failed(error) => {
            Err(anyhow::Error::new(error).context("the crawl failed because of an internal error"))
        }
    }
}

/// Limits the run to the path of its start URL, unless the flags say otherwise.
fn stay_below_path(args: &mut CrawlArgs, start: &CanonicalUrl) {
    let flags = args.flags.clone().starting_at(start);
    let is_narrowed = flags.scope.specific_route && !args.flags.scope.specific_route;
    args.flags = flags;
    if let Some(route) = route_of(start.as_str())
        && is_narrowed
        && !args.quiet
    {
        announce_route(&route);
    }
}

/// The fetcher of the run, after its login.
async fn fetcher_with_access(
    fetcher: Fetcher,
    access: &SiteAccess,
    starts: &[CanonicalUrl],
    settings: &Settings,
) -> anyhow::Result<Fetcher> {
    if (access.always_renders() || access.login.is_some()) && !fetcher.capabilities().browser {
        fail!(Usage, "rendering needs Chromium; install it, or set TRAWL_CHROMIUM to its path")
    }
    let fetcher = fetcher.with_page_fetch(Arc::new(PageFetch::of_run(access, RUN)));
    let Some(start) = starts.first().filter(|_| access.has_secrets()) else { return Ok(fetcher) };
    let access = RunAccess::of_request(start.clone(), RUN, access)
        .map_err(|message| Exit::Usage.with(message))?;
    if access.login_url().is_some_and(|url| settings.denylist().covers(url)) {
        fail!(Usage, "the host of the login is in blocked_domains");
    }
    // On a worker thread, like the requests: the main thread only waits.
    let ready = tokio::spawn(fetcher.with_access(Arc::new(access)));
    match ready.await.context("the task of the login panicked")? {
        Ok(fetcher) => Ok(fetcher),
        Err(error) => {
            let code = ErrorCode::LoginFailed;
            fail!(Nothing, "{code}: {error}\ntrawl: `trawl explain {code}` shows the remedy")
        }
    }
}

/// Start of a run: a site, a list of URLs or a list of domains.
enum CrawlStart {
    Site(CanonicalUrl),
    UrlList(Vec<CanonicalUrl>),
    DomainCrawl(Vec<VisitTarget>),
}

fn crawl_start(
    args: &CrawlArgs,
    mode: Mode,
    settings: &Settings,
) -> anyhow::Result<Result<CrawlStart, String>> {
    if let Some(path) = &args.urls {
        return match Mode::LISTS.contains(&mode) {
            true => Ok(url_list::read(path, args, settings)?.map(CrawlStart::UrlList)),
            false => Ok(Err(format!(
                "--urls is only valid in the modes links, markdown and products, not in {mode}"
            ))),
        };
    }
    if mode.visits_domains() {
        if !args.accept_legal_basis {
            return Ok(Err(NO_LEGAL_BASIS.to_owned()));
        }
        return Ok(domains::read(args, settings)?.map(CrawlStart::DomainCrawl));
    }
    if args.domains.is_some() {
        return Ok(Err("--domains is only valid in mode contacts".to_owned()));
    }
    let [target] = args.targets.as_slice() else {
        return Ok(Err(format!("mode {mode} takes one URL; mode contacts takes many domains")));
    };
    let known = |name: &str| settings.names.knows(name);
    let start = Target::parse(&with_scheme(target), &settings.allow_networks, known);
    Ok(start.map(CrawlStart::Site).map_err(|refused| refused.to_string()))
}

fn site_plan(
    args: &CrawlArgs,
    settings: &Settings,
    fetcher: &Fetcher,
    seeds: CrawlPlan,
) -> CrawlPlan {
    let capabilities = capabilities(args, fetcher);
    CrawlPlan {
        capabilities,
        escalates: capabilities.tier || args.on_protected == ProtectedChoice::Fail,
        scope: args.flags.scope.clone(),
        options: args.flags.options.clone(),
        max_pages: args.flags.options.max_pages,
        concurrency: settings.worker().concurrency,
        host_concurrency: settings.host_concurrency,
        traps: TrapRule::in_year(SystemClock.now().year()),
        retries: settings.retries,
        denylist: settings.denylist(),
        ..seeds
    }
}

/// What the run can do; with `--render never` it has no browser.
fn capabilities(args: &CrawlArgs, fetcher: &Fetcher) -> Capabilities {
    let all = fetcher.capabilities();
    Capabilities { browser: all.browser && args.site.render != "never", ..all }
}

fn visits(
    args: &CrawlArgs,
    settings: &Settings,
    fetcher: &Fetcher,
    mut asked: Vec<VisitTarget>,
) -> DomainCrawl {
    let capabilities = capabilities(args, fetcher);
    let sample = args.flags.options.sample_size.and_then(|size| usize::try_from(size).ok());
    let all = asked.len();
    asked.truncate(sample.unwrap_or(usize::MAX));
    registry::domain_crawl(VisitPlan {
        sampled: asked.len() < all,
        concurrency: settings.visits,
        escalates: capabilities.tier && args.on_protected != ProtectedChoice::Fail,
        capabilities,
        denylist: settings.denylist(),
        ..VisitPlan::new(asked)
    })
}

/// A run that can continue after it met bot protection.
trait ContinueProtected: Engine + Sized {
    /// Continues through the protected tier or without it; `Err` if the run ends here.
    fn after_protection(self, by_tier: bool) -> Result<Self, Self>;
}

impl ContinueProtected for crawl::SiteCrawl {
    fn after_protection(self, by_tier: bool) -> Result<Self, Self> {
        if self.is_listed() {
            // As for domains: without the tier, the protected pages are reported as blocked.
            let plan = CrawlPlan { protected: by_tier, escalates: false, ..self.plan().clone() };
            return Ok(self.resume_with(plan));
        }
        if !by_tier {
            return Err(self);
        }
        let plan = CrawlPlan { protected: true, ..self.plan().clone() };
        Ok(self.resume_with(plan))
    }
}

impl ContinueProtected for DomainCrawl {
    fn after_protection(self, by_tier: bool) -> Result<Self, Self> {
        // Without the tier, the other domains continue and the protected ones are reported as
        // blocked.
        let plan = VisitPlan { protected: by_tier, escalates: false, ..self.plan().clone() };
        Ok(self.resume_with(plan))
    }
}

/// Drives a run to its end and closes its output.
async fn drive_to_end<E: ContinueProtected>(
    mut run: E,
    fetcher: Fetcher,
    mut output: ItemOutput,
    stopped: watch::Receiver<RunSignal>,
    on_protected: ProtectedChoice,
) -> anyhow::Result<(Option<std::io::Error>, RunOutcome)> {
    let every = std::time::Duration::from_millis(200);
    let limits = CommitLimits { every, ..CommitLimits::default() };
    // On a worker thread, like its requests: the main thread only waits.
    let driven = tokio::spawn(async move {
        loop {
            let drove;
            (run, output, drove) = drive(run, &fetcher, output, limits, stopped.clone()).await;
            let RunOutcome::Protected(marker) = drove else { return (run, output, drove) };
            match run.after_protection(continues_protected(on_protected, marker, &output)) {
                Ok(continued) => run = continued,
                Err(ended) => return (ended, output, RunOutcome::Protected(marker)),
            }
        }
    });
    let (run, output, drove) = driven.await.context("the task of the run panicked")?;
    Ok((output.close(&run), drove))
}

/// Whether the run continues through the protected tier.
fn continues_protected(
    on_protected: ProtectedChoice,
    marker: impl Display,
    output: &ItemOutput,
) -> bool {
    match on_protected {
        ProtectedChoice::Auto => true,
        ProtectedChoice::Fail => false,
        ProtectedChoice::Pause => output.ask(&format!(
            "The site is behind bot protection ({marker}). Continue through the protected tier? [y/N] "
        )),
    }
}

/// The mode with this name.
fn mode(name: &str) -> Result<Mode, String> {
    name.parse::<Mode>().map_err(|_| {
        let all: Vec<_> = Mode::ALL.iter().map(|mode| mode.as_str()).collect();
        format!("there is no mode {name:?}; the modes are {}", all.join(", "))
    })
}
