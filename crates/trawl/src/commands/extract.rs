//! `trawl extract`: reads saved pages as a crawl would read them.

mod batch;
mod record;
mod saved_page;

use contract::{ExtractionWarning, Mode};
use markdown::MarkdownStyle;
use products::ProductOptions;
use urls::CanonicalUrl;

use super::Exit;
use crate::cli::ExtractArgs;
use crate::exit::fail;
use crate::printing::outln;
use record::ExtractRecord;
use saved_page::SavedPage;

/// URL of a page when none is given.
const DEFAULT_URL: &str = "http://localhost/";

/// What is extracted from saved pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExtractKind {
    Markdown(MarkdownStyle),
    Links,
    Products(ProductOptions),
    Contacts,
}

pub async fn run(args: ExtractArgs) -> anyhow::Result<Exit> {
    let kind = kind(&args).map_err(|problem| Exit::Usage.with(problem))?;
    let work = move || if args.batch { batch::run(kind) } else { single(kind, &args) };
    tokio::task::spawn_blocking(work).await?
}

fn kind(args: &ExtractArgs) -> Result<ExtractKind, String> {
    let modes = "markdown, links, products and contacts";
    match args.mode.parse::<Mode>().ok() {
        Some(Mode::Markdown) => Ok(ExtractKind::Markdown(MarkdownStyle {
            main_content: args.main_content,
            links: args
                .links
                .parse()
                .map_err(|_| format!("there is no way of links {:?}", args.links))?,
        })),
        Some(Mode::Links) => Ok(ExtractKind::Links),
        Some(Mode::Products) => Ok(ExtractKind::Products(ProductOptions {
            suppress_contact: args.suppress_contact,
            collect_hidden_prices: args.collect_hidden_prices,
            template_examples: false,
        })),
        Some(Mode::Contacts) => Ok(ExtractKind::Contacts),
        Some(Mode::Sitemap) => {
            Err(format!("mode sitemap does not apply to a single page; the modes are {modes}"))
        }
        None => Err(format!("there is no mode {:?}; the modes are {modes}", args.mode)),
    }
}

/// Reads one page and prints its record.
fn single(kind: ExtractKind, args: &ExtractArgs) -> anyhow::Result<Exit> {
    let given = args.url.as_deref().unwrap_or(DEFAULT_URL);
    let url = CanonicalUrl::parse(given)
        .map_err(|problem| Exit::Usage.with(format!("{given}: {problem}")))?;
    let saved = SavedPage::load(&args.file)
        .map_err(|problem| Exit::Nothing.with(format!("{}: {problem}", args.file)))?;
    let record = ExtractRecord::of(kind, given, &url, &args.file, &saved);
    let text = match &record {
        ExtractRecord::NoProduct(_) if !args.json => {
            fail!(Nothing, "{given}: not a page of a single product");
        }
        ExtractRecord::Markdown(page) if !args.json && record.is_empty() => {
            let warnings = &page.extraction.warnings;
            let why = if warnings.contains(&ExtractionWarning::NeedsJavascript) {
                "the page has no text without JavaScript; save it from a browser"
            } else {
                "the page has no text"
            };
            fail!(Nothing, "{given}: {why}");
        }
        ExtractRecord::Markdown(page) if !args.json => page.markdown.clone(),
        record => serde_json::to_string_pretty(record)?,
    };
    outln!("{text}");
    Ok(if record.is_empty() { Exit::Nothing } else { Exit::Done })
}
