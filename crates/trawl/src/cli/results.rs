//! Arguments of `trawl export` and `trawl watch`.

use clap::Args;

use super::{OutputFormat, ServerFlags};

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
    /// Only items that contain this text in one of their text columns, in upper or lower case
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    #[command(flatten)]
    pub server: ServerFlags,
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
    #[command(flatten)]
    pub server: ServerFlags,
}
