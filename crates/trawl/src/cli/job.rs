//! Arguments of `trawl job`.

use clap::{Args, Subcommand};

use super::ServerFlags;

#[derive(Debug, Args)]
pub struct JobArgs {
    #[command(flatten)]
    pub server: ServerFlags,
    #[command(subcommand)]
    pub command: JobSubcommand,
}

/// Name and tags of a job.
#[derive(Debug, Clone, Args)]
pub struct LabelFlags {
    /// Name of the job in lists; an empty text is no name
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Tag of the job, by which `trawl job list --tag` filters; repeat for more
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum JobSubcommand {
    /// Lists jobs, newest first
    List {
        /// Only jobs of the account with this e-mail; on this machine only
        #[arg(long)]
        email: Option<String>,
        /// Only jobs with this status
        #[arg(long)]
        status: Option<String>,
        /// Only jobs of this mode
        #[arg(long)]
        mode: Option<String>,
        /// Only jobs with this tag
        #[arg(long)]
        tag: Option<String>,
        /// Only jobs whose URL or name contains this text
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
        /// Maximum number of rows
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Shows all details of one job
    Show {
        /// Identifier of the job, as `trawl job list` shows it
        #[arg(value_name = "ID")]
        id: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Sets the name and the tags of a job
    Label {
        /// Identifier of the job, as `trawl job list` shows it
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        labels: LabelFlags,
        /// Remove all tags of the job
        #[arg(long, conflicts_with = "tags")]
        no_tags: bool,
    },
    /// Confirms a job that waits: full batch, protected site, missing credits
    Confirm {
        /// Identifier of the job, as `trawl job list` shows it
        #[arg(value_name = "ID")]
        id: String,
        /// Continue with the next batch
        #[arg(long, alias = "continue_batch")]
        continue_batch: bool,
        /// Raise the maximum credits per unit
        #[arg(long, alias = "max_credit_per_unit", value_name = "N")]
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        max_credit_per_unit: Option<i64>,
        /// Raise the budget of the job, if it has one
        #[arg(long, alias = "max_credits", value_name = "N")]
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        max_credits: Option<i64>,
    },
    /// Aborts a job; its paid results stay readable
    Abort {
        /// Identifier of the job, as `trawl job list` shows it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Deletes a finished job with its results; its credits stay charged
    Delete {
        /// Identifier of the job, as `trawl job list` shows it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Explains why a job delivered, skipped or never found a URL
    Explain {
        /// Identifier of the job, as `trawl job list` shows it
        #[arg(value_name = "ID")]
        id: String,
        /// The URL, or a path of the site
        #[arg(value_name = "URL")]
        url: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Lists the URLs that a job skipped, with reasons
    Skipped {
        /// Identifier of the job, as `trawl job list` shows it
        #[arg(value_name = "ID")]
        id: String,
        /// Only URLs with this skip reason
        #[arg(long)]
        reason: Option<String>,
        /// Maximum number of rows
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}
