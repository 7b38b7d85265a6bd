//! Arguments of the command line, parsed by clap. Doc comments of arguments are their help texts.

mod account;
mod audit;
mod crawl_flags;
mod data;
mod format;
mod help;
mod job;
mod key_limits;
mod mcp;
mod operations;
mod opt_out;
mod read;
mod schedule;
mod site_flags;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use contract::{MarkdownLinks, PageFileFormat};

pub use account::{AccountCommand, KeyCommand, RetentionArgs};
pub use audit::AuditArgs;
pub use crawl_flags::CrawlFlags;
pub use data::{BackupArgs, MigrateArgs, RestoreArgs, SecretCommand, SupportArgs, VerifyArgs};
pub use format::OutputFormat;
pub use help::{CompletionsArgs, ExplainArgs};
pub use job::JobSubcommand;
pub use key_limits::KeyLimits;
pub use mcp::McpArgs;
pub use operations::{DoctorArgs, HealthArgs, ManArgs};
pub use opt_out::{EraseArgs, OptOutCommand};
pub use read::ReadArgs;
pub use schedule::ScheduleCommand;
pub use site_flags::SiteFlags;

/// Crawls websites: a server with an HTTP API, and single runs on the command line.
#[derive(Debug, Parser)]
#[command(name = "trawl", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "Exit codes: 0 done · 1 no results, or the named object \
    does not exist · 2 invalid command line · 3 could not run (settings, database, port) · \
    130 interrupted.\n\nStart with `trawl serve`, or try `trawl crawl URL --mode links`.")]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: CliCommand,
}

/// Arguments of every command: where the data and the settings are.
#[derive(Debug, Clone, Args)]
pub struct GlobalArgs {
    /// Folder of the embedded database [default: ./trawl-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<String>,
    /// Database instead: postgres://user:password@host/name, or sqlite:FILE
    #[arg(long, global = true, value_name = "URL")]
    pub database: Option<String>,
    /// Settings file; `trawl config --default` prints a template
    #[arg(long, global = true, value_name = "FILE", env = "TRAWL_CONFIG")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Starts the server: API and workers in one process
    Serve(ServeArgs),
    /// Runs one crawl in this process, without server, account or credits
    Crawl(Box<CrawlArgs>),
    /// Reads one page and prints it, without server, account or credits
    Read(ReadArgs),
    /// Extracts data from saved pages, without crawling
    Extract(ExtractArgs),
    /// Crawls the built-in sample sites in every mode, without network
    Demo(DemoArgs),
    /// Estimates pages and credits of a run, without starting it
    Estimate(EstimateArgs),
    /// Lists the URLs of a site that can be found in ten seconds
    Map(MapArgs),
    /// Creates, suspends and deletes accounts, grants credits, lists legal-basis acceptances
    #[command(subcommand)]
    Account(AccountCommand),
    /// Creates, lists and revokes API keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Shows the audit log: who changed what, when and from where
    Audit(AuditArgs),
    /// Lists, shows, confirms and aborts jobs of a server
    #[command(subcommand)]
    Job(JobSubcommand),
    /// Lists, pauses, resumes and runs schedules of a server
    #[command(subcommand)]
    Schedule(ScheduleCommand),
    /// Lists and deletes learned templates of product pages
    #[command(subcommand)]
    Template(TemplateCommand),
    /// Manages opt-outs: people and domains whose data is not stored
    #[command(subcommand, alias = "objection")]
    OptOut(OptOutCommand),
    /// Erases a person or a domain from all stored results, and adds an opt-out
    Erase(EraseArgs),
    /// Shows the progress of a job until it ends
    Watch(WatchArgs),
    /// Exports the results of a job to a file
    Export(ExportArgs),
    /// Serves the Model Context Protocol (MCP) on standard input and output
    Mcp(McpArgs),
    /// Explains an error code and its remedy
    Explain(ExplainArgs),
    /// Prints a completion script for a shell
    Completions(CompletionsArgs),
    /// Prints the OpenAPI 3.1 document
    Openapi,
    /// Shows every setting with its value and its origin
    Config(ConfigArgs),
    /// Checks settings, machine, database and Chromium, with a remedy for each problem
    Doctor(DoctorArgs),
    /// Checks whether the server on this machine is ready
    Health(HealthArgs),
    /// Writes a backup of database and secret key to one file, beside a running server
    Backup(BackupArgs),
    /// Restores a backup to an empty data folder
    Restore(RestoreArgs),
    /// Shows or applies pending migrations of the database
    Migrate(MigrateArgs),
    /// Changes the key that encrypts stored secrets
    #[command(subcommand)]
    Secret(SecretCommand),
    /// Writes a file for a support request, without secrets
    Support(SupportArgs),
    /// Checks all stored data: database, ledger, results, logs and files of runs
    Verify(VerifyArgs),
    /// Prints the manual page, or writes the pages of all commands
    Man(ManArgs),
    /// Reads pages from standard input within limits: the child process of a server
    #[command(hide = true)]
    ReadPages(ReadPagesArgs),
}

#[derive(Debug, Args)]
pub struct ReadPagesArgs {
    /// Maximum bytes of memory of this process
    pub memory: u64,
    /// Maximum milliseconds of CPU time for one page
    pub cpu_ms: u64,
}

impl CliCommand {
    /// Whether the command opens the database or the data folder of a service. Its files are then
    /// readable by their owner only; files that a crawl writes have the usual permissions.
    pub fn stores_data(&self) -> bool {
        !matches!(
            self,
            Self::Crawl(_)
                | Self::Read(_)
                | Self::Extract(_)
                | Self::Demo(_)
                | Self::Estimate(_)
                | Self::Map(_)
                | Self::Mcp(_)
                | Self::Explain(_)
                | Self::Completions(_)
                | Self::Openapi
                | Self::Config(_)
                | Self::Health(_)
                | Self::Man(_)
        )
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "The first start creates an account with an API key. On a terminal it prints both; \
    otherwise it writes them to a file in the data folder and prints the name of the file. Every \
    setting can also come from the environment (TRAWL_LISTEN, TRAWL_DATA, …): see `trawl config`."
)]
pub struct ServeArgs {
    /// Address to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// Role of this process in a cluster
    #[arg(long, value_enum, default_value_t = ServeRole::All)]
    pub role: ServeRole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ServeRole {
    /// API and workers in one process
    All,
    /// The API without workers
    Api,
    /// Workers without the API
    Worker,
}

#[derive(Debug, Args)]
#[command(after_help = "Items go to standard output as JSON Lines, a progress line to standard \
    error. Loopback addresses may be crawled.\n\nExamples:\n  \
    trawl crawl https://example.com/ --mode links\n  \
    trawl crawl http://127.0.0.1:8000/docs/ --mode links --specific-route -o pages.jsonl\n  \
    trawl crawl https://example.com/ --mode links --max-pages 50 --format json | jq '.[].url'\n  \
    trawl crawl https://example.com/docs/ --mode markdown --specific-route -o docs.md\n  \
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
    #[arg(long, value_name = "MODE")]
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
    /// Folder for these files; its index.jsonl names the files of each result
    #[arg(long, value_name = "FOLDER", requires = "formats")]
    pub files: Option<PathBuf>,
    #[command(flatten)]
    pub flags: CrawlFlags,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The file may be compressed by gzip. With --batch, standard input has one line \
    {\"url\": …, \"file\": …} per page, and standard output gets one line per page in the same order: \
    the record, or {\"url\": …, \"error\": …}; the exit code is 1 if any page failed. In mode \
    products, a page without a single product gives {\"url\": …, \"product\": null}, which is \
    not a failure in a batch; without --batch the exit code is 1. In mode contacts, a page or vCard \
    file gives the record of that page alone.\n\n\
    Examples:\n  \
    trawl extract --mode markdown --url https://example.com/a page.html\n  \
    curl -s https://example.com/ | trawl extract --mode markdown --url https://example.com/\n  \
    trawl extract --mode markdown --batch < pages.jsonl > texts.jsonl\n  \
    trawl extract --mode products --url https://example.com/lamp lamp.html"
)]
pub struct ExtractArgs {
    /// Mode: markdown, links, products or contacts
    #[arg(long, value_name = "MODE")]
    pub mode: String,
    /// URL of the page; its links are relative to it
    #[arg(long, value_name = "URL", conflicts_with = "batch")]
    pub url: Option<String>,
    /// Read the pages that standard input lists
    #[arg(long, conflicts_with = "file")]
    pub batch: bool,
    /// Print the whole record as JSON instead of its text
    #[arg(long)]
    pub json: bool,
    /// Markdown: keep only the main content; false keeps the whole page without navigation and footer
    #[arg(long, alias = "main_content", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    pub main_content: bool,
    /// Markdown: how links are written
    #[arg(long, value_name = "HOW", value_parser = PossibleValuesParser::new(MarkdownLinks::NAMES),
          default_value = MarkdownLinks::Inline.as_str())]
    pub links: String,
    /// Products: remove the seller's contact details from the description
    #[arg(long, alias = "suppress_contact", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    pub suppress_contact: bool,
    /// Products: keep a price that the page hides behind a price request
    #[arg(long, alias = "collect_hidden_prices")]
    pub collect_hidden_prices: bool,
    /// Saved page; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: String,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The file has the results that exist, also while the job runs.\n\nExamples:\n  \
    trawl export job_… -o pages.xlsx\n  \
    trawl export job_… --format csv | head"
)]
pub struct ExportArgs {
    /// Identifier of the job, as `trawl job list` shows it
    #[arg(value_name = "JOB")]
    pub id: String,
    /// Output file; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// File format [default: by the file extension, else jsonl]
    #[arg(long, value_enum)]
    pub format: Option<OutputFormat>,
    /// csv, parquet: table to write, for example people (contacts) or variants (products)
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    /// json, jsonl: only these top-level members, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub fields: Option<String>,
    // Not a doc comment: rustdoc would read the brackets as a link.
    #[arg(
        long,
        value_name = "COLUMN=VALUE",
        help = "Only items that match, for example 'price[lt]=20' or status_code=404; can be \
                repeated"
    )]
    pub filter: Vec<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 0 when the job completed, with 1 when it failed or was aborted. \
    Interrupting the command does not stop the job."
)]
pub struct WatchArgs {
    /// Identifier of the job, as `trawl job list` shows it
    #[arg(value_name = "JOB")]
    pub id: String,
    /// Print one JSON object per change, for programs
    #[arg(long)]
    pub json: bool,
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

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Maximum pages to crawl on each sample site
    #[arg(long, value_name = "N", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub pages: u64,
}

#[derive(Debug, Args)]
pub struct EstimateArgs {
    /// Start URL of the site to estimate
    #[arg(value_name = "URL")]
    pub url: String,
    /// Mode of the run: links, sitemap, markdown, products or contacts
    #[arg(long, value_name = "MODE")]
    pub mode: String,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MapArgs {
    /// A page of the site, usually its home page
    #[arg(value_name = "URL")]
    pub url: String,
    /// Only URLs with these words in the URL or the title
    #[arg(long, value_name = "WORDS")]
    pub search: Option<String>,
    /// Maximum number of URLs
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=contract::CreateMap::MAX_URLS))]
    pub limit: Option<u64>,
    /// Include pages of subdomains
    #[arg(long)]
    pub include_subdomains: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum TemplateCommand {
    /// Lists the sites that have a learned template
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Deletes the template of a site; the next run learns it again
    Forget {
        /// Site name, as `trawl template list` shows it
        #[arg(value_name = "SITE")]
        site: String,
    },
}

#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
    /// Print the default settings file with comments
    #[arg(long)]
    pub default: bool,
}
