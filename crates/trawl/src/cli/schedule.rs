//! Arguments of `trawl schedule`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum ScheduleCommand {
    /// Lists schedules, newest first
    List {
        /// Only schedules of the account with this e-mail
        #[arg(long)]
        email: Option<String>,
        /// Maximum number of rows
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
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
}
