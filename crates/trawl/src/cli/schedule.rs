//! `trawl schedule`: the clocks of a server, for its operator.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Schedule {
    /// Lists schedules, newest first
    List {
        /// Only this account's
        #[arg(long)]
        email: Option<String>,
        /// How many
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Stops a schedule from starting anything; a run that is under way goes on
    Pause {
        /// Its identifier
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Lets a schedule go on, with its next slot from now
    Resume {
        /// Its identifier
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Starts a run of a schedule now, paused or not
    Run {
        /// Its identifier
        #[arg(value_name = "ID")]
        id: String,
    },
}
