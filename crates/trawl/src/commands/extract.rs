//! `trawl extract`: saved pages read as a crawl would read them, without one.

mod batch;
mod record;
mod saved;

use contract::{ExtractionWarning, Mode};
use products::ProductWishes;
use urls::CanonicalUrl;

use super::Exit;
use crate::cli::Extract;
use crate::printing::outln;
use record::Record;
use saved::Saved;

/// Where a page is taken to be found when nobody says it.
const NOWHERE: &str = "http://localhost/";

/// What saved pages can be read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Markdown,
    Links,
    Products(ProductWishes),
    Contacts,
}

pub async fn run(args: Extract) -> anyhow::Result<Exit> {
    let kind = match kind(&args) {
        Ok(kind) => kind,
        Err(problem) => {
            eprintln!("trawl: {problem}");
            return Ok(Exit::Usage);
        }
    };
    let work = move || if args.batch { batch::run(kind) } else { single(kind, &args) };
    tokio::task::spawn_blocking(work).await?
}

fn kind(args: &Extract) -> Result<Kind, String> {
    let built = "markdown, links, products and contacts are";
    match args.mode.parse::<Mode>().ok() {
        Some(Mode::Markdown) => Ok(Kind::Markdown),
        Some(Mode::Links) => Ok(Kind::Links),
        Some(Mode::Products) => Ok(Kind::Products(ProductWishes {
            suppress_contact: args.suppress_contact,
            collect_hidden_prices: args.collect_hidden_prices,
            lessons: false,
        })),
        Some(Mode::Contacts) => Ok(Kind::Contacts),
        Some(Mode::Sitemap) => {
            Err(format!("a page has no sitemap of its own; {built} read from it"))
        }
        None => Err(format!("there is no mode {:?}; {built} built", args.mode)),
    }
}

/// One page, to standard output.
fn single(kind: Kind, args: &Extract) -> anyhow::Result<Exit> {
    let given = args.url.as_deref().unwrap_or(NOWHERE);
    let url = match CanonicalUrl::parse(given) {
        Ok(url) => url,
        Err(problem) => {
            eprintln!("trawl: {given}: {problem}");
            return Ok(Exit::Usage);
        }
    };
    let saved = match Saved::read(&args.file) {
        Ok(saved) => saved,
        Err(problem) => {
            eprintln!("trawl: {}: {problem}", args.file);
            return Ok(Exit::Nothing);
        }
    };
    let record = Record::of(kind, given, &url, &args.file, &saved);
    let text = match &record {
        Record::NoProduct(_) if !args.json => {
            eprintln!("trawl: {given}: the page does not sell one product");
            return Ok(Exit::Nothing);
        }
        Record::Markdown(page) if !args.json && record.is_empty() => {
            let warnings = &page.extraction.warnings;
            let why = if warnings.contains(&ExtractionWarning::NeedsJavascript) {
                "the page shows no text without JavaScript; save it from a browser"
            } else {
                "the page has no text"
            };
            eprintln!("trawl: {given}: {why}");
            return Ok(Exit::Nothing);
        }
        Record::Markdown(page) if !args.json => page.markdown.clone(),
        record => serde_json::to_string_pretty(record)?,
    };
    outln!("{text}");
    Ok(if record.is_empty() { Exit::Nothing } else { Exit::Done })
}
