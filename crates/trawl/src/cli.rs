//! The command line.

mod account;
mod audit;
mod comfort;
mod format;
mod key_limits;
mod law;
mod schedule;
mod switches;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use account::{Account, Key};
pub use audit::Audit;
pub use comfort::{Completions, Explain, Mcp};
pub use format::Format;
pub use key_limits::KeyLimits;
pub use law::{Erase, ObjectionCommand};
pub use schedule::Schedule;
pub use switches::{OptionFlags, ScopeFlags};

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
    /// Reads saved pages as a crawl would, without one
    Extract(Extract),
    /// Shows a run and its results on a small site that it serves itself
    Demo(Demo),
    /// Tells what a run would find and cost, without starting it
    Estimate(Estimate),
    /// Creates, suspends and deletes accounts, grants credits, lists what they accepted
    #[command(subcommand)]
    Account(Account),
    /// Creates, lists and revokes API keys
    #[command(subcommand)]
    Key(Key),
    /// Shows the audit log: who changed what, when and from where
    Audit(Audit),
    /// Looks at the jobs of a server
    #[command(subcommand)]
    Job(Job),
    /// Looks at the schedules of a server, stops them and starts them
    #[command(subcommand)]
    Schedule(Schedule),
    /// Looks at what was learned about the product pages of sites
    #[command(subcommand)]
    Template(Template),
    /// Keeps the list of who objects to being kept
    #[command(subcommand)]
    OptOut(ObjectionCommand),
    /// Removes a person or a domain from all stored results, and adds the objection
    Erase(Erase),
    /// Shows the progress of a job until it is over
    Watch(Watch),
    /// Writes the results of a job into a file
    Export(Export),
    /// Lets an assistant use a server: the Model Context Protocol on standard input and output
    Mcp(Mcp),
    /// Tells what an error code means and what to do about it
    Explain(Explain),
    /// Prints a script by which a shell completes this command
    Completions(Completions),
    /// Prints the OpenAPI 3.1 document
    Openapi,
    /// Shows every setting with its value and where it came from
    Config(Config),
    /// Reads pages from standard input under limits: the child process of a server
    #[command(hide = true)]
    ReadPages(ReadPages),
}

#[derive(Debug, Args)]
pub struct ReadPages {
    /// Bytes of memory that this process may take
    pub memory: u64,
    /// Milliseconds of CPU time for one page
    pub cpu_ms: u64,
}

impl Command {
    /// Whether the command opens the database or the data folder of a service: then its files
    /// are for its own user. Files that a crawl writes for its user have the usual permissions.
    pub fn stores_data(&self) -> bool {
        !matches!(
            self,
            Self::Crawl(_)
                | Self::Extract(_)
                | Self::Demo(_)
                | Self::Estimate(_)
                | Self::Mcp(_)
                | Self::Explain(_)
                | Self::Completions(_)
                | Self::Openapi
                | Self::Config(_)
        )
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "On its first start it creates an account with an API key. It prints both on a \
    terminal; otherwise it writes them to a file in the data folder and prints its name. Every setting can also come from the environment (TRAWL_LISTEN, TRAWL_DATA, …): see \
    `trawl config`."
)]
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
    trawl crawl https://example.com/ --mode links --max-pages 50 --format json | jq '.[].url'\n  \
    trawl crawl https://example.com/docs/ --mode markdown --specific-route -o docs.md\n  \
    trawl crawl https://shop.example.com/ --mode products -o products.xlsx\n  \
    trawl crawl --mode contacts example.com example.org --accept-legal-basis\n  \
    trawl crawl --mode contacts --domains list.txt --accept-legal-basis -o companies.xlsx")]
pub struct Crawl {
    /// Where to start; with contacts, any number of domains
    #[arg(value_name = "URL|DOMAIN", required_unless_present = "domains")]
    pub targets: Vec<String>,
    /// What to deliver: links, sitemap, markdown, products or contacts
    #[arg(long, value_name = "MODE")]
    pub mode: String,
    /// Contacts: a file with a domain a line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    pub domains: Option<String>,
    /// Contacts: you have a lawful basis for processing the data of the people in them
    #[arg(long, alias = "accept_legal_basis")]
    pub accept_legal_basis: bool,
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
#[command(
    after_help = "The file may be packed by gzip. With --batch, standard input holds a line \
    {\"url\": …, \"file\": …} a page and standard output gets a line a page in the same order: \
    the whole record, or {\"url\": …, \"error\": …}; it ends with 1 when any page failed. In mode \
    products a page that does not sell one product gives {\"url\": …, \"product\": null}, which is \
    no failure; a single such page ends with 1. In mode contacts a page or a vCard file gives the \
    record that it alone would make.\n\n\
    Examples:\n  \
    trawl extract --mode markdown --url https://example.com/a page.html\n  \
    curl -s https://example.com/ | trawl extract --mode markdown --url https://example.com/\n  \
    trawl extract --mode markdown --batch < pages.jsonl > texts.jsonl\n  \
    trawl extract --mode products --url https://example.com/lamp lamp.html"
)]
pub struct Extract {
    /// What to read: markdown, links, products or contacts
    #[arg(long, value_name = "MODE")]
    pub mode: String,
    /// Where the page was found; its links are relative to it
    #[arg(long, value_name = "URL", conflicts_with = "batch")]
    pub url: Option<String>,
    /// Read the pages that standard input names
    #[arg(long, conflicts_with = "file")]
    pub batch: bool,
    /// The whole record as JSON instead of the text alone
    #[arg(long)]
    pub json: bool,
    /// Products: strip the seller's contact details from the description
    #[arg(long, alias = "suppress_contact", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    pub suppress_contact: bool,
    /// Products: keep a price that the page does not show because it sells on request
    #[arg(long, alias = "collect_hidden_prices")]
    pub collect_hidden_prices: bool,
    /// The page; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: String,
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
    /// csv: the table to write, as people (contacts) or variants (products)
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
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

#[derive(Debug, Subcommand)]
pub enum Template {
    /// Lists the sites that runs have learned a template of
    List {
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Forgets the template of a site: the next run over it learns anew
    Forget {
        /// The site, as `trawl template list` names it
        #[arg(value_name = "SITE")]
        site: String,
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
