//! Arguments of the commands for operators of a machine: `trawl doctor`, `health`, `man`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "Changes nothing. Run it as the user and with the settings of the server, for \
    example: sudo -u trawl trawl doctor --config /etc/trawl/trawl.toml --data /var/lib/trawl\n\n\
    Exits with 0 when no check failed, else with 3. Warnings do not fail."
)]
pub struct DoctorArgs {
    /// Host name whose DNS lookup is checked
    #[arg(long, value_name = "HOST", default_value = "example.com")]
    pub host: String,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 0 when GET /readyz returns 200, else with 1. For health checks of \
    containers that have no shell."
)]
pub struct HealthArgs {
    /// Address of the server [default: the setting listen]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// Maximum milliseconds to wait for the response
    #[arg(long, value_name = "MS", default_value_t = 3_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub timeout_ms: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  trawl man | man -l -\n  trawl man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder to write one page per command to; without it, the page of trawl is printed
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}
