//! Arguments of `trawl schedule`.

use clap::{Args, Subcommand};

use super::{RequestFlags, ServerFlags};

#[derive(Debug, Args)]
pub struct ScheduleArgs {
    #[command(flatten)]
    pub server: ServerFlags,
    #[command(subcommand)]
    pub command: ScheduleCommand,
}

#[derive(Debug, Subcommand)]
pub enum ScheduleCommand {
    /// Lists schedules, newest first
    List {
        /// Only schedules of the account with this e-mail; on this machine only
        #[arg(long)]
        email: Option<String>,
        /// Maximum number of rows
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Creates a schedule on a server
    #[command(after_help = "Examples:\n  \
        trawl schedule create --cron '0 6 * * MON-FRI' --timezone Europe/Berlin example.com\n  \
        trawl schedule create --cron @daily shop.example.com --mode products")]
    Create {
        /// Cron expression: minute, hour, day, month, weekday; or @hourly, @daily, @weekly, @monthly
        #[arg(long, value_name = "CRON")]
        cron: String,
        /// Time zone of the cron expression, for example Europe/Berlin [default: UTC]
        #[arg(long, value_name = "ZONE")]
        timezone: Option<String>,
        /// Name of the schedule [default: the host]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Create the schedule paused
        #[arg(long)]
        paused: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        request: Box<RequestFlags>,
    },
    /// Pauses a schedule; a running job continues
    Pause {
        /// Identifier of the schedule
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Resumes a schedule at its next slot
    Resume {
        /// Identifier of the schedule
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Starts a job of a schedule now, even if it is paused
    Run {
        /// Identifier of the schedule
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Deletes a schedule; its jobs stay
    Delete {
        /// Identifier of the schedule
        #[arg(value_name = "ID")]
        id: String,
    },
}
