//! Arguments of `trawl list`.

use clap::{Args, Subcommand};

use super::ServerFlags;

#[derive(Debug, Args)]
#[command(
    after_help = "A list has up to 1,000,000 URLs and is kept for 7 days. `trawl run --urls` \
    uploads a long list too; upload it first to start several jobs over it.\n\nExamples:\n  \
    LIST=$(trawl list upload pages.txt)\n  \
    trawl run --list-id $LIST --mode links -o links.jsonl\n  \
    trawl list delete $LIST"
)]
pub struct ListArgs {
    #[command(flatten)]
    pub server: ServerFlags,
    #[command(subcommand)]
    pub command: ListCommand,
}

#[derive(Debug, Subcommand)]
pub enum ListCommand {
    /// Uploads a file with one URL per line and prints the id of the list
    Upload {
        /// File with one URL per line, or with JSON Lines if it ends in .jsonl or .ndjson; - is
        /// standard input
        #[arg(value_name = "FILE")]
        file: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Shows the number of URLs of a list, and until when jobs can be started over it
    Show {
        /// Identifier of the list, as `trawl list upload` prints it
        #[arg(value_name = "ID")]
        id: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Deletes a list; jobs over it keep their URLs
    Delete {
        /// Identifier of the list, as `trawl list upload` prints it
        #[arg(value_name = "ID")]
        id: String,
    },
}
