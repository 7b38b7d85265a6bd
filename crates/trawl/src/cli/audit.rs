//! Arguments of `trawl audit`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Entries are written with the change that they describe and are kept for \
    audit_days. Without --account, entries of all accounts and of the service are shown.\n\n\
    Examples:\n  \
    trawl audit --account ada@example.com --action key.revoked\n  \
    trawl audit --from 2026-11-01 --json | jq .\n  \
    trawl audit --follow")]
pub struct AuditArgs {
    /// Only entries of this account, by e-mail or identifier
    #[arg(long, value_name = "ACCOUNT")]
    pub account: Option<String>,
    /// Only this action, for example session.refused
    #[arg(long)]
    pub action: Option<String>,
    /// From this date or date-time, inclusive
    #[arg(long, value_name = "DATE")]
    pub from: Option<String>,
    /// Up to this date or date-time, exclusive
    #[arg(long, value_name = "DATE")]
    pub to: Option<String>,
    /// Number of entries, newest first
    #[arg(long, default_value_t = 50)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub limit: u64,
    /// Print new entries until interrupted
    #[arg(long, conflicts_with_all = ["to", "limit"])]
    pub follow: bool,
    /// Print one JSON object per line, for programs
    #[arg(long)]
    pub json: bool,
}
