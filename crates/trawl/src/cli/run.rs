//! Arguments of `trawl run`, and those that make a job request.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use contract::{IfBusy, OnProtected, PageFileFormat, ScreenshotArea, WebhookFormat};

use super::{CrawlFlags, LabelFlags, OutputFormat, ServerFlags, SiteFlags};

#[derive(Debug, Args)]
#[command(
    after_help = "The job runs on the server and continues when this command is interrupted. \
    The job id goes to standard output, progress to standard error; with -o - the results go to \
    standard output instead. Exits with 0 when the job completed, with 1 when it failed, was aborted \
    or waits for a confirmation.\n\nA start URL with a path limits the run to that path; \
    --whole-site does not.\n\nExamples:\n  \
    trawl run example.com\n  \
    trawl run https://example.com/docs/ -o docs.md\n  \
    trawl run shop.example.com --mode products --sample-size 20 -o products.xlsx\n  \
    trawl run --mode contacts example.com example.org --accept-legal-basis --detach\n  \
    trawl run --urls pages.txt -o - | jq .title\n  \
    trawl run example.com --name 'Before the relaunch' --tag relaunch --webhook https://hooks.example.com/in"
)]
pub struct RunArgs {
    #[command(flatten)]
    pub request: RequestFlags,
    /// Write the results to this file at the end; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Output format [default: by the file extension, else jsonl]
    #[arg(long, value_enum, requires = "output")]
    pub format: Option<OutputFormat>,
    /// Do not wait for the end of the job
    #[arg(long, short, conflicts_with = "output")]
    pub detach: bool,
    /// Print JSON for programs: the created job, then one object per change
    #[arg(long)]
    pub json: bool,
    /// Do not show the progress line
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub labels: LabelFlags,
    /// What happens if the account has another run on this site: queue or reject
    #[arg(long, alias = "if_busy", value_name = "HOW", default_value = "queue")]
    #[arg(value_parser = PossibleValuesParser::new(IfBusy::NAMES))]
    pub if_busy: String,
    /// HTTPS URL that gets the events of this job
    #[arg(long, value_name = "URL")]
    pub webhook: Option<String>,
    /// Type of events for --webhook, as job.completed; repeat for more [default: all]
    #[arg(long = "webhook-event", alias = "webhook_event", value_name = "EVENT")]
    #[arg(requires = "webhook")]
    pub webhook_events: Vec<String>,
    /// Key of the signatures of --webhook, from 32 to 200 characters [default: the server makes one
    /// and shows it once]
    #[arg(long, alias = "webhook_secret", value_name = "SECRET", requires = "webhook")]
    pub webhook_secret: Option<String>,
    /// Header of every delivery to --webhook, as 'Name: value'; repeat for more
    #[arg(long = "webhook-header", alias = "webhook_header", value_name = "HEADER")]
    #[arg(requires = "webhook")]
    pub webhook_headers: Vec<String>,
    /// Form of the deliveries to --webhook: event or firecrawl [default: event]
    #[arg(long, alias = "webhook_format", value_name = "FORMAT", requires = "webhook")]
    #[arg(value_parser = PossibleValuesParser::new(WebhookFormat::NAMES))]
    pub webhook_format: Option<String>,
    /// Send each result to --webhook too; with --webhook-format firecrawl
    #[arg(long, alias = "webhook_results", requires = "webhook_format")]
    pub webhook_results: bool,
    /// Reuse the job of an earlier call with the same key and arguments
    #[arg(long, value_name = "TEXT")]
    pub idempotency_key: Option<String>,
    #[command(flatten)]
    pub server: ServerFlags,
}

/// The members of a job request as flags, for `trawl run` and `trawl schedule create`.
#[derive(Debug, Args)]
pub struct RequestFlags {
    /// Start URL; with contacts, any number of domains
    #[arg(value_name = "URL|DOMAIN", required_unless_present_any = ["domains", "urls", "list_id"])]
    pub targets: Vec<String>,
    /// Mode: links, sitemap, markdown, products or contacts
    #[arg(long, value_name = "MODE", default_value = "markdown")]
    pub mode: String,
    /// Contacts: file with one domain per line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    pub domains: Option<String>,
    /// Links, markdown and products: file with one URL per line, each of which is requested once;
    /// - is standard input. A long list is uploaded first
    #[arg(long, value_name = "FILE", conflicts_with_all = ["targets", "domains"])]
    pub urls: Option<String>,
    /// Links, markdown and products: id of a list that `trawl list upload` has printed, as lst_…
    #[arg(long, alias = "list_id", value_name = "ID")]
    #[arg(conflicts_with_all = ["targets", "domains", "urls"])]
    pub list_id: Option<String>,
    /// Contacts: confirm a lawful basis for processing personal data
    #[arg(long, alias = "accept_legal_basis")]
    pub accept_legal_basis: bool,
    /// Action when the site is behind bot protection [default: auto with --max-credit-per-unit, else
    /// pause]
    #[arg(long, alias = "on_protected", value_name = "ACTION")]
    #[arg(value_parser = PossibleValuesParser::new(OnProtected::NAMES))]
    pub on_protected: Option<String>,
    /// Maximum credits per unit that `auto` accepts
    #[arg(long, alias = "max_credit_per_unit", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(i64).range(1..))]
    pub max_credit_per_unit: Option<i64>,
    /// Maximum concurrent requests of the job
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub concurrency: Option<u64>,
    /// Milliseconds between two requests of the job
    #[arg(long, alias = "delay_ms", value_name = "MS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub delay_ms: Option<u64>,
    #[command(flatten)]
    pub site: SiteFlags,
    /// JSON file with the login: url, actions and wait_for, as in the API
    #[arg(long, value_name = "FILE")]
    pub login: Option<PathBuf>,
    /// Files that the server keeps of the page of each result, separated by commas
    #[arg(long, value_name = "FORMATS", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(PageFileFormat::NAMES))]
    pub formats: Vec<String>,
    /// What format screenshot shows: full_page or viewport
    #[arg(long, alias = "screenshot_area", value_name = "AREA", requires = "formats")]
    #[arg(value_parser = PossibleValuesParser::new(ScreenshotArea::NAMES))]
    pub screenshot_area: Option<String>,
    /// Take pages from the cache of the server that are at most this many seconds old
    #[arg(long, alias = "max_age", value_name = "SECONDS")]
    pub max_age: Option<u64>,
    /// Notes of the caller that come back with the job, as JSON: '{"run_id": "7"}'
    #[arg(long, value_name = "JSON")]
    pub external: Option<String>,
    #[command(flatten)]
    pub flags: CrawlFlags,
}
