//! The command line.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use contract::{Options, Scope};
use site::{LanguageTag, LanguageTagError};

/// Crawls websites: a server with an HTTP API, and single runs on the command line.
#[derive(Debug, Parser)]
#[command(name = "trawl", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "Exit codes: 0 done · 1 it ran and found nothing, or what was asked for \
    is not there · 2 the command line is wrong · 3 it could not run (settings, database, port) · \
    130 interrupted.\n\nStart with `trawl serve`, or try `trawl crawl URL --mode links`.")]
pub struct Cli {
    #[command(flatten)]
    pub place: Place,
    #[command(subcommand)]
    pub command: Command,
}

/// Where the data is. The same for every command.
#[derive(Debug, Clone, Args)]
pub struct Place {
    /// The folder of the embedded database [default: ./trawl-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<String>,
    /// Another database: postgres://user:password@host/name, or sqlite:FILE
    #[arg(long, global = true, value_name = "URL")]
    pub database: Option<String>,
    /// A settings file; `trawl config --default` prints one to begin with
    #[arg(long, global = true, value_name = "FILE", env = "TRAWL_CONFIG")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Starts the server: API and workers in one process
    Serve(Serve),
    /// Runs one crawl here and now, without server, account or credits
    Crawl(Box<Crawl>),
    /// Shows a run and its results on a small site that it serves itself
    Demo(Demo),
    /// Tells what a run would find and cost, without starting it
    Estimate(Estimate),
    /// Creates accounts, grants credits, lists accounts
    #[command(subcommand)]
    Account(Account),
    /// Creates API keys
    #[command(subcommand)]
    Key(Key),
    /// Looks at the jobs of a server
    #[command(subcommand)]
    Job(Job),
    /// Shows the progress of a job until it is over
    Watch(Watch),
    /// Writes the results of a job into a file
    Export(Export),
    /// Prints the OpenAPI 3.1 document
    Openapi,
    /// Shows every setting with its value and where it came from
    Config(Config),
}

#[derive(Debug, Args)]
#[command(after_help = "On its first start it creates an account with an API key and prints both \
    once. Every setting can also come from the environment (TRAWL_LISTEN, TRAWL_DATA, …): see \
    `trawl config`.")]
pub struct Serve {
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// What this process does
    #[arg(long, value_enum, default_value_t = Role::All)]
    pub role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// API and workers
    All,
    /// Only the API
    Api,
    /// Only workers
    Worker,
}

#[derive(Debug, Args)]
#[command(after_help = "Items go to standard output as JSON Lines, a progress line to standard \
    error. Loopback addresses may be crawled: it is your machine.\n\nExamples:\n  \
    trawl crawl https://example.com/ --mode links\n  \
    trawl crawl http://127.0.0.1:8000/docs/ --mode links --specific-route -o pages.jsonl\n  \
    trawl crawl https://example.com/ --mode links --max-pages 50 --format json | jq '.[].url'")]
pub struct Crawl {
    /// Where to start
    #[arg(value_name = "URL")]
    pub url: String,
    /// What to deliver: links or sitemap (others follow)
    #[arg(long, value_name = "MODE")]
    pub mode: String,
    /// Where items go; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// How items are written [default: as the file's name says, else jsonl]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Requests to one host at a time [default: 4]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<String>,
    /// Milliseconds between two requests to one host [default: 100]
    #[arg(long, value_name = "MS")]
    pub delay: Option<String>,
    /// Stop after that many pages
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_pages: Option<u64>,
    /// What to do when the site is behind bot protection
    #[arg(long, alias = "on_protected", value_enum, default_value_t = OnProtected::Auto)]
    pub on_protected: OnProtected,
    /// No progress line
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub scope: ScopeFlags,
    #[command(flatten)]
    pub options: OptionFlags,
}

#[derive(Debug, Args)]
#[command(after_help = "The file holds what there is, also while the job runs.\n\nExamples:\n  \
    trawl export job_… -o pages.xlsx\n  \
    trawl export job_… --format csv | head")]
pub struct Export {
    /// The job
    #[arg(value_name = "JOB")]
    pub id: String,
    /// Where it goes; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// What the file is [default: as its name says, else jsonl]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Ends with 0 when the job completed, with 1 when it failed or was aborted. \
    Interrupting it leaves the job alone."
)]
pub struct Watch {
    /// The job
    #[arg(value_name = "JOB")]
    pub id: String,
    /// A line of JSON a change, for programs
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnProtected {
    /// Go on by the protected tier, where there is one
    Auto,
    /// Ask on the terminal
    Pause,
    /// End the run
    Fail,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One item a line
    Jsonl,
    /// One array
    Json,
    /// A table with commas
    Csv,
    /// A Markdown document, or a table in one
    Md,
    /// A sitemap of the pages that can be indexed
    Xml,
    /// A workbook
    Xlsx,
}

impl Format {
    /// The format that was asked for, or that the name of a file tells.
    pub fn of(asked: Option<Self>, path: &str) -> Self {
        let by_name = || {
            let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
            Self::value_variants().iter().copied().find(|format| {
                format.to_possible_value().is_some_and(|value| value.get_name() == ending)
            })
        };
        asked.or_else(by_name).unwrap_or(Self::Jsonl)
    }
}

impl From<Format> for export::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Jsonl => Self::Jsonl,
            Format::Json => Self::Json,
            Format::Csv => Self::Csv,
            Format::Md => Self::Markdown,
            Format::Xml => Self::Xml,
            Format::Xlsx => Self::Xlsx,
        }
    }
}

/// The switches of `scope`, by their names in the API.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Scope")]
pub struct ScopeFlags {
    /// Only the given URL, nothing linked from it
    #[arg(long, alias = "one_page")]
    one_page: bool,
    /// Stay under the path of the start URL
    #[arg(long, alias = "specific_route")]
    specific_route: bool,
    /// Also the hosts below the start host
    #[arg(long, alias = "include_subdomains")]
    include_subdomains: bool,
    /// Record links that leave the site
    #[arg(long, alias = "include_external")]
    include_external: bool,
    /// Also deliver what answered 400 or more, or could not be fetched
    #[arg(long, alias = "include_broken")]
    include_broken: bool,
    /// Also deliver pages that no page links to
    #[arg(long, alias = "include_orphan")]
    include_orphan: bool,
    /// Record images
    #[arg(long, alias = "include_images")]
    include_images: bool,
    /// Record files
    #[arg(long, alias = "include_files")]
    include_files: bool,
    /// The sitemap's URLs join the crawl
    #[arg(long, alias = "include_sitemap")]
    include_sitemap: bool,
    /// Treat ?a=1 variants as distinct URLs
    #[arg(long, alias = "include_query_strings")]
    include_query_strings: bool,
}

impl From<ScopeFlags> for Scope {
    fn from(flags: ScopeFlags) -> Self {
        Self {
            one_page: flags.one_page,
            specific_route: flags.specific_route,
            include_subdomains: flags.include_subdomains,
            include_external: flags.include_external,
            include_broken: flags.include_broken,
            include_orphan: flags.include_orphan,
            include_images: flags.include_images,
            include_files: flags.include_files,
            include_sitemap: flags.include_sitemap,
            include_query_strings: flags.include_query_strings,
        }
    }
}

/// The members of `options`, by their names in the API.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options")]
pub struct OptionFlags {
    /// Keep only pages in this language
    #[arg(long, alias = "preferred_language", value_name = "LANG", value_parser = language)]
    preferred_language: Option<String>,
    /// Keep every language variant
    #[arg(long, alias = "all_languages")]
    all_languages: bool,
    /// Compare region tags too
    #[arg(long, alias = "region_aware")]
    region_aware: bool,
    /// Treat URLs with no language marker as default-language leaks
    #[arg(long, alias = "strict_default_language")]
    strict_default_language: bool,
    /// Seed from the sitemap instead of following links
    #[arg(long, alias = "sitemap_first")]
    sitemap_first: bool,
    /// Follow the links that are found
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set, default_value_t = true)]
    discovery: bool,
    /// Reuse a learned per-site template
    #[arg(long, alias = "use_template_extraction", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    use_template_extraction: bool,
    /// Strip the seller's contact details from descriptions
    #[arg(long, alias = "suppress_contact", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    suppress_contact: bool,
    /// Keep prices hidden behind a price-on-request flow
    #[arg(long, alias = "collect_hidden_prices")]
    collect_hidden_prices: bool,
    /// Stop after that many results
    #[arg(long, alias = "sample_size", value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..))]
    sample_size: Option<u64>,
}

/// A name that a payment provider gave to something.
fn provider_name(text: &str) -> Result<String, &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.is_empty() || text.len() > 255 || !text.chars().all(plain) {
        return Err("letters, digits and underscores, as the payment provider shows it");
    }
    Ok(text.to_owned())
}

fn language(text: &str) -> Result<String, LanguageTagError> {
    LanguageTag::parse(text).map(|tag| tag.to_string())
}

impl From<OptionFlags> for Options {
    fn from(flags: OptionFlags) -> Self {
        Self {
            preferred_language: flags.preferred_language,
            all_languages: flags.all_languages,
            region_aware: flags.region_aware,
            strict_default_language: flags.strict_default_language,
            sitemap_first: flags.sitemap_first,
            discovery: flags.discovery,
            use_template_extraction: flags.use_template_extraction,
            suppress_contact: flags.suppress_contact,
            collect_hidden_prices: flags.collect_hidden_prices,
            sample_size: flags.sample_size,
        }
    }
}

#[derive(Debug, Args)]
pub struct Demo {
    /// How many pages the site has
    #[arg(long, value_name = "N", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub pages: u64,
}

#[derive(Debug, Args)]
pub struct Estimate {
    /// The site
    #[arg(value_name = "URL")]
    pub url: String,
    /// What the run would deliver
    #[arg(long, value_name = "MODE")]
    pub mode: String,
    /// For programs
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Account {
    /// Creates an account; prints a password unless one comes in
    Create {
        /// Its e-mail
        #[arg(long)]
        email: String,
        /// Read the password from standard input instead of making one
        #[arg(long)]
        password_stdin: bool,
        /// Credits to begin with
        #[arg(long, default_value_t = 0, value_name = "N")]
        #[arg(value_parser = clap::value_parser!(i64).range(0..=1_000_000_000_000))]
        credits: i64,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Adds credits to an account
    Grant {
        /// Its e-mail
        #[arg(long)]
        email: String,
        /// How many
        #[arg(value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1_000_000_000_000))]
        credits: i64,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Notes by what an account pays when it tops up by itself
    Payment {
        /// Its e-mail
        #[arg(long)]
        email: String,
        /// The payment provider's name for the customer, as cus_…
        #[arg(long, value_name = "ID", value_parser = provider_name)]
        customer: String,
        /// The payment provider's name for the payment method, as pm_…
        #[arg(long, value_name = "ID", value_parser = provider_name)]
        method: String,
    },
    /// Lists the accounts with their balances
    List {
        /// For programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Creates an API key and prints its secret, once
    Create {
        /// The e-mail of the account
        #[arg(long)]
        email: String,
        /// A label for the key list
        #[arg(long, default_value = "API key")]
        name: String,
        /// The channel that will call with it
        #[arg(long, default_value = "direct")]
        source: String,
        /// Make a key_test_ key instead of a key_live_ one
        #[arg(long)]
        test: bool,
        /// For programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum Job {
    /// Lists jobs, newest first
    List {
        /// Only this account's
        #[arg(long)]
        email: Option<String>,
        /// Only with this status
        #[arg(long)]
        status: Option<String>,
        /// How many
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Shows one job with all that is known of it
    Show {
        /// Its identifier
        #[arg(value_name = "ID")]
        id: String,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Answers what a job waits for: a full batch, a protected site, an empty purse
    Confirm {
        /// Its identifier
        #[arg(value_name = "ID")]
        id: String,
        /// Start the next batch
        #[arg(long, alias = "continue_batch")]
        continue_batch: bool,
        /// Raise the ceiling of credits a unit
        #[arg(long, alias = "max_credit_per_unit", value_name = "N")]
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        max_credit_per_unit: Option<i64>,
    },
    /// Stops a job; what was paid for stays
    Abort {
        /// Its identifier
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Shows the URLs that a job left out, and why
    Skipped {
        /// The job's identifier
        #[arg(value_name = "ID")]
        id: String,
        /// Only for this reason
        #[arg(long)]
        reason: Option<String>,
        /// How many
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// For programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct Config {
    /// For programs
    #[arg(long)]
    pub json: bool,
    /// Print the commented file of defaults instead
    #[arg(long)]
    pub default: bool,
}
