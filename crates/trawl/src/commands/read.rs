//! `trawl read`: reads one page without server, account or credits, as `POST /v1/pages` does.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context;
use contract::{Clock, Credits, Item, Mode, PageAnswer, PageId, PageOptions, ReadPage, comma_list};
use pages::{DeliveredPage, PageCall, PageOutcome, PageService};
use runtime::SystemClock;
use serde_json::{Value, json};
use urls::Target;

use super::crawl::NO_LEGAL_BASIS;
use super::{Exit, allow_loopback, fetcher, job_request, layers, print_json, site_members};
use crate::cli::{GlobalArgs, ProtectedChoice, ReadArgs};
use crate::exit::fail;
use crate::logging;
use crate::printing::print;
use crate::settings::Settings;
use crate::start_url::with_scheme;

pub async fn run(global: &GlobalArgs, args: &ReadArgs) -> anyhow::Result<Exit> {
    let mode = page_mode(args)?;
    let layers = layers(global, &[])?;
    let mut settings = Settings::of(&layers)?;
    allow_loopback(&mut settings, &layers)?;
    // Standard error has warnings only, unless configured otherwise.
    let log = if settings.log == "info" { "warn" } else { &settings.log };
    logging::start(log, settings.log_json).context("the setting log is not a valid log filter")?;
    let known = |name: &str| settings.names.knows(name);
    let input = with_scheme(&args.url).into_owned();
    let url = Target::parse(&input, &settings.allow_networks, known)
        .map_err(|refused| Exit::Usage.with(refused))?;
    let request = request(args, mode, &settings)?;
    let id = PageId::new(SystemClock.now(), rand::random());
    let call = PageCall {
        id: id.clone(),
        account: String::new(),
        mode,
        url: url.clone(),
        input,
        options: args.options.0.clone().into(),
        access: request.access(),
        with_links: args.json,
        accepts_protected: args.on_protected == ProtectedChoice::Auto,
        learned: None,
        denylist: settings.denylist(),
        opt_outs_version: 0,
        within: Duration::from_millis(args.timeout_ms),
    };
    let service = PageService::new(fetcher(&settings)?, settings.retries);
    if request.access().always_renders() && !service.has_browser() {
        fail!(Usage, "rendering needs Chromium; install it, or set TRAWL_CHROMIUM to its path")
    }
    // On a worker thread, like the requests: the main thread only waits.
    let reading = tokio::spawn(async move { service.read(call).await });
    let page = match reading.await.context("the task of the page panicked")? {
        PageOutcome::Delivered(page) => *page,
        PageOutcome::NotDelivered(failure) => {
            let code = failure.code;
            fail!(
                Nothing,
                "{code}: {}\ntrawl: `trawl explain {code}` shows the remedy",
                failure.message
            )
        }
        PageOutcome::Protected { marker } => fail!(
            Nothing,
            "protected_rate_refused: the site is behind bot protection ({marker}); \
             --on-protected auto continues through the protected tier"
        ),
        PageOutcome::ActionFailed { message, .. } => fail!(Nothing, "action_failed: {message}"),
        PageOutcome::Internal(cause) => {
            anyhow::bail!("the page failed because of an internal error: {cause}")
        }
    };
    for warning in &page.warnings {
        eprintln!("trawl: warning: {warning}");
    }
    let mut is_printed = false;
    for (path, content) in [
        (&args.screenshot, &page.screenshot),
        (&args.html, &page.html),
        (&args.raw_html, &page.raw_html),
    ] {
        let (Some(path), Some(content)) = (path, content) else { continue };
        if path.as_os_str() == "-" {
            std::io::stdout()
                .write_all(&content.body)
                .context("cannot write to standard output")?;
            is_printed = true;
        } else {
            std::fs::write(path, &content.body)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    if is_printed {
        return Ok(Exit::Done);
    }
    print_page(args.json, id, url.to_string(), mode, page)?;
    Ok(Exit::Done)
}

/// The mode of the page, if the arguments are complete for it.
pub fn page_mode(args: &ReadArgs) -> anyhow::Result<Mode> {
    let mode = args.mode.parse::<Mode>().ok().filter(|mode| Mode::PAGES.contains(mode));
    let Some(mode) = mode else {
        let all = comma_list(Mode::PAGES);
        fail!(Usage, "a page cannot be read in mode {:?}; the modes are {all}", args.mode)
    };
    if mode.requires_legal_basis() && !args.accept_legal_basis {
        fail!(Usage, "{NO_LEGAL_BASIS}");
    }
    Ok(mode)
}

/// The request of the arguments, checked as a body of `POST /v1/pages`.
fn request(args: &ReadArgs, mode: Mode, settings: &Settings) -> anyhow::Result<ReadPage> {
    site_members::page_request(&request_body(args, mode)?, settings)
}

/// The body of `POST /v1/pages`.
pub fn request_body(args: &ReadArgs, mode: Mode) -> anyhow::Result<Value> {
    let files = [
        ("html", args.html.is_some()),
        ("raw_html", args.raw_html.is_some()),
        ("screenshot", args.screenshot.is_some()),
    ];
    let files = files.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name);
    let mut body = json!({
        "url": with_scheme(&args.url),
        "mode": mode,
        "legal_basis_accepted": args.accept_legal_basis,
        "formats": std::iter::once("item").chain(files).collect::<Vec<_>>(),
    });
    let options = job_request::changed(&args.options.0, &PageOptions::default())?;
    if options.as_object().is_some_and(|options| !options.is_empty()) {
        body["options"] = options;
    }
    if args.viewport {
        body["screenshot_area"] = "viewport".into();
    }
    for (name, value) in site_members::members(&args.site)? {
        body[name] = value;
    }
    Ok(body)
}

fn print_page(
    json: bool,
    page_id: PageId,
    url: String,
    mode: Mode,
    page: DeliveredPage,
) -> anyhow::Result<()> {
    if let (Item::Markdown(text), false) = (&page.item, json) {
        print_text(&text.markdown);
        return Ok(());
    }
    let mut item: Value = serde_json::to_value(&page.item)?;
    if let Some(overlay) = &page.overlay {
        overlay.apply(0, &mut item);
    }
    if !json {
        return print_json(&item);
    }
    print_json(&PageAnswer {
        page_id,
        url,
        mode,
        item: Some(item),
        metadata: page.metadata,
        links: Some(page.links),
        html: None,
        raw_html: None,
        screenshot: None,
        warnings: page.warnings,
        cached: false,
        fetched_at: page.fetched_at,
        credits_used: Credits::ZERO,
        protected: page.protected,
    })
}

/// Prints the text of a page with one line break at its end.
pub fn print_text(markdown: &str) {
    print(format_args!("{}\n", markdown.trim_end()));
}
