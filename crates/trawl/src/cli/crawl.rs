//! Arguments of `trawl crawl`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use contract::{PageFileFormat, ScreenshotArea};

use super::{CrawlFlags, OutputFormat, SiteFlags};

#[derive(Debug, Args)]
#[command(after_help = "Items go to standard output as JSON Lines, a progress line to standard \
    error. Loopback addresses may be crawled. A start URL with a path limits the run to that path; \
    --whole-site does not.\n\nExamples:\n  \
    trawl crawl example.com -o pages.md\n  \
    trawl crawl https://example.com/ --mode links\n  \
    trawl crawl http://127.0.0.1:8000/docs/ --mode links -o pages.jsonl\n  \
    trawl crawl https://example.com/ --mode links --max-pages 50 --format json | jq '.[].url'\n  \
    trawl crawl https://example.com/docs/ -o docs.md\n  \
    trawl crawl https://shop.example.com/ --mode products -o products.xlsx\n  \
    trawl crawl --mode markdown --urls pages.txt -o pages.jsonl\n  \
    trawl crawl https://intranet.example.com/ --mode markdown --login login.json -o docs.md\n  \
    trawl crawl --mode contacts example.com example.org --accept-legal-basis\n  \
    trawl crawl --mode contacts --domains list.txt --accept-legal-basis -o companies.xlsx")]
pub struct CrawlArgs {
    /// Start URL; with contacts, any number of domains
    #[arg(value_name = "URL|DOMAIN", required_unless_present_any = ["domains", "urls"])]
    pub targets: Vec<String>,
    /// Mode: links, sitemap, markdown, products or contacts
    #[arg(long, value_name = "MODE", default_value = "markdown")]
    pub mode: String,
    /// Contacts: file with one domain per line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    pub domains: Option<String>,
    /// Links, markdown and products: file with one URL per line, each of which is requested once and
    /// nothing else; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["targets", "domains"])]
    pub urls: Option<String>,
    /// Contacts: confirm a lawful basis for processing personal data
    #[arg(long, alias = "accept_legal_basis")]
    pub accept_legal_basis: bool,
    /// Output file; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// Output format [default: by the file extension, else jsonl]
    #[arg(long, value_enum)]
    pub format: Option<OutputFormat>,
    /// Concurrent requests per host [default: 4]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<String>,
    /// Milliseconds between two requests to one host [default: 100]
    #[arg(long, value_name = "MS")]
    pub delay: Option<String>,
    /// Action when the site is behind bot protection
    #[arg(long, alias = "on_protected", value_enum, default_value_t = ProtectedChoice::Auto)]
    pub on_protected: ProtectedChoice,
    /// Do not show the progress line
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub site: SiteFlags,
    /// JSON file with the login: url, actions and wait_for, as in the API; needs Chromium
    #[arg(long, value_name = "FILE")]
    pub login: Option<PathBuf>,
    /// Files to keep of the page of each result: html, raw_html, screenshot, separated by commas; a
    /// screenshot needs Chromium
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', requires = "files")]
    #[arg(value_parser = PossibleValuesParser::new(PageFileFormat::NAMES))]
    pub formats: Vec<String>,
    /// What format screenshot shows: full_page or viewport
    #[arg(long, alias = "screenshot_area", value_name = "AREA", requires = "formats")]
    #[arg(value_parser = PossibleValuesParser::new(ScreenshotArea::NAMES))]
    pub screenshot_area: Option<String>,
    /// Folder for these files; its index.jsonl names the files of each result
    #[arg(long, value_name = "FOLDER", requires = "formats")]
    pub files: Option<PathBuf>,
    #[command(flatten)]
    pub flags: CrawlFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProtectedChoice {
    /// Continue through the protected tier, if one is configured
    Auto,
    /// Ask on the terminal whether to continue
    Pause,
    /// Stop the run without results of the protected tier
    Fail,
}
