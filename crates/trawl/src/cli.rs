//! Arguments of the command line, parsed by clap. Doc comments of arguments are their help texts.

mod account;
mod audit;
mod common_options;
mod crawl;
mod crawl_flags;
mod data;
mod estimate;
mod extract;
mod format;
mod help;
mod job;
mod key_limits;
mod list;
mod login;
mod mcp;
mod operations;
mod opt_out;
mod page_flags;
mod read;
mod results;
mod run;
mod schedule;
mod server_flags;
mod site_flags;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use account::{AccountCommand, KeyCommand, RetentionArgs};
pub use audit::AuditArgs;
pub use common_options::command;
pub use crawl::{CrawlArgs, ProtectedChoice};
pub use crawl_flags::CrawlFlags;
pub use data::{
    BackupArgs, MigrateArgs, RestoreArgs, SecretCommand, StorageCommand, StorageMoveArgs,
    SupportArgs, VerifyArgs,
};
pub use estimate::{EstimateArgs, MapArgs};
pub use extract::ExtractArgs;
pub use format::OutputFormat;
pub use help::{CompletionsArgs, ExplainArgs};
pub use job::{JobArgs, JobSubcommand, LabelFlags};
pub use key_limits::KeyLimits;
pub use list::{ListArgs, ListCommand};
pub use login::{LoginArgs, LogoutArgs};
pub use mcp::McpArgs;
pub use operations::{DoctorArgs, HealthArgs, ManArgs};
pub use opt_out::{EraseArgs, OptOutCommand};
pub use page_flags::PageFlags;
pub use read::ReadArgs;
pub use results::{ExportArgs, WatchArgs};
pub use run::{RequestFlags, RunArgs};
pub use schedule::{ScheduleArgs, ScheduleCommand};
pub use server_flags::ServerFlags;
pub use site_flags::SiteFlags;

/// Crawls websites: a server with an HTTP API, and single runs on the command line.
#[derive(Debug, Parser)]
#[command(name = "trawl", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "Exit codes: 0 done · 1 no results, or the named object \
    does not exist · 2 invalid command line · 3 could not run (settings, database, port) · \
    130 interrupted.\n\nStart with `trawl serve`, or try `trawl crawl example.com`.")]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: CliCommand,
}

/// Arguments of every command: where the data and the settings are.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
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
    /// Starts a run on a server, shows its progress and writes its results
    Run(Box<RunArgs>),
    /// Saves the API key of a server, so that other commands use it
    Login(LoginArgs),
    /// Deletes the saved API key of a server
    Logout(LogoutArgs),
    /// Reads one page and prints it, here or on a server
    Read(Box<ReadArgs>),
    /// Extracts data from saved pages, without crawling
    Extract(ExtractArgs),
    /// Crawls the built-in sample sites in every mode, without network
    Demo(DemoArgs),
    /// Estimates pages and credits of a run, without starting it
    Estimate(Box<EstimateArgs>),
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
    /// Lists, shows, confirms and aborts jobs
    Job(JobArgs),
    /// Uploads, shows and deletes lists of URLs on a server
    List(ListArgs),
    /// Creates, lists, pauses, resumes and runs schedules
    Schedule(ScheduleArgs),
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
    /// Moves or checks the files of pages in object storage
    #[command(subcommand)]
    Storage(StorageCommand),
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
                | Self::Run(_)
                | Self::Read(_)
                | Self::Extract(_)
                | Self::Demo(_)
                | Self::Estimate(_)
                | Self::Map(_)
                | Self::List(_)
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
    /// Address to listen on; without the API for health and metrics only [default: 127.0.0.1:8080]
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
    /// Workers without the API: runs, webhooks, schedules and purchases of credits
    Worker,
    /// Webhooks, schedules and purchases of credits, without the API and without runs
    Notify,
}

impl ServeRole {
    /// Whether the process serves API, console and MCP.
    pub fn has_api(self) -> bool {
        matches!(self, Self::All | Self::Api)
    }

    /// Whether the process runs jobs.
    pub fn runs_jobs(self) -> bool {
        matches!(self, Self::All | Self::Worker)
    }

    /// Whether the process sends webhooks, starts due schedules and buys credits.
    pub fn notifies(self) -> bool {
        matches!(self, Self::All | Self::Worker | Self::Notify)
    }
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Maximum pages to crawl on each sample site
    #[arg(long, value_name = "N", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub pages: u64,
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
