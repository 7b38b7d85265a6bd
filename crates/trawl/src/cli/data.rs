//! Arguments of the commands that back up, restore and check the data of a service.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(
    after_help = "Works beside a running server, which it neither blocks nor slows down much. FILE \
    gets the database and the secret key of the data folder; only its owner can read it, and an \
    older backup of the same name is replaced when the new one is complete. The disk of FILE needs \
    room for two copies of the database meanwhile.\n\nExamples:\n  \
    trawl backup --data /var/lib/trawl /backup/trawl.tar.zst\n  \
    trawl restore --data /var/lib/trawl /backup/trawl.tar.zst"
)]
pub struct BackupArgs {
    /// File to write, usually NAME.tar.zst
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Overwrites nothing: the data folder must be empty or missing. Unfinished runs \
    continue at the next start of a server, after their last commit of the backup. A backup of a \
    newer release is refused."
)]
pub struct RestoreArgs {
    /// Backup of `trawl backup`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Changes nothing, and works beside a running server. Reads everything: pages of \
    the database, references, the ledger of each account, and results, logs and files of each run \
    with their checksums.\n\nExits with 0 when all data is consistent, with 1 when some is damaged, \
    and with 3 when it could not be checked."
)]
pub struct VerifyArgs {
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Changes the key that encrypts secrets of webhooks, jobs and schedules
    #[command(
        after_help = "With the key file of a data folder: stop the server, run this, start it. \
        With TRAWL_SECRET_KEY: set TRAWL_NEXT_SECRET_KEY to a new key on each node and restart them; \
        run this; set TRAWL_SECRET_KEY to the new key, remove the other and restart them. Stored \
        secrets can be read at any time, also if the command is killed: repeat it."
    )]
    Rotate,
}

#[derive(Debug, Subcommand)]
pub enum StorageCommand {
    /// Moves the files of runs to the place that the servers write to
    #[command(
        after_help = "Works beside running servers. Set TRAWL_STORAGE to the new place on each node, and \
        TRAWL_STORAGE_ALSO to the old one unless it is the database; restart them; then run this with \
        the same settings. It can be interrupted and repeated. Files of page calls are not moved: their \
        links work for minutes.\n\nExamples:\n  \
        TRAWL_STORAGE=s3://crawl/trawl trawl storage move --to s3://crawl/trawl\n  \
        TRAWL_STORAGE=db TRAWL_STORAGE_ALSO=s3://crawl/trawl trawl storage move --to db"
    )]
    Move(StorageMoveArgs),
    /// Reads all objects and checks them against the rows that refer to them
    #[command(
        after_help = "Changes nothing, and works beside running servers. `trawl verify` includes it.\n\n\
        Exits with 0 when all files can be read, with 1 when some are missing or damaged, and with 3 \
        when they could not be checked."
    )]
    Verify(VerifyArgs),
}

#[derive(Debug, Args)]
pub struct StorageMoveArgs {
    /// The new place, as TRAWL_STORAGE: db, file:/folder, s3://…, gs://… or az://…
    #[arg(long, value_name = "URL")]
    pub to: String,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The first start of a release applies them as well; this command separates the two. \
    With SQLite, stop the server before --apply. With PostgreSQL, nodes of the release before keep \
    working if all pending migrations expand the schema.\n\nA database of a newer release is refused \
    before anything changes, unless that release only expanded the schema."
)]
#[group(required = true, multiple = false)]
pub struct MigrateArgs {
    /// Show pending migrations without applying them
    #[arg(long)]
    pub plan: bool,
    /// Apply pending migrations
    #[arg(long)]
    pub apply: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Contains: settings that differ from the defaults, with secrets, opt-outs and lists \
    of domains hidden; release, machine, the findings of `trawl doctor`, numbers of rows, and counts of \
    the errors of jobs in the last seven days. No e-mail address, URL or message. Lines of --log are \
    copied as they are: they can name hosts and URLs.\n\nExample:\n  \
    journalctl -u trawl -p warning -n 500 > trawl.log; trawl support --log trawl.log -o support.json"
)]
pub struct SupportArgs {
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Log of the server, of which warnings and errors are copied
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Host name whose DNS lookup is checked
    #[arg(long, value_name = "HOST", default_value = "example.com")]
    pub host: String,
}
