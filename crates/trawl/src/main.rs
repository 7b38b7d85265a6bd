//! The `trawl` binary: command line, settings and the roles of a server.
//!
//! `cli` declares the arguments, `commands` has one file per command, `settings` reads defaults,
//! settings file, environment and flags into one struct. Crawling, storage and the HTTP API are in
//! the other crates. To add a command: a variant of [`cli::CliCommand`] with its arguments, a file
//! in `commands/` with `run`, and a line in `commands::run`. To add a setting: a line in
//! `settings.toml` and a field in the struct of its section.

mod allocator;
mod archive;
mod cli;
mod commands;
mod credentials;
mod exit;
#[cfg(test)]
mod guide_examples;
mod logging;
mod open_files;
mod preconditions;
mod printing;
mod private_files;
mod service_manager;
mod settings;
mod start_url;
mod terminal;
mod tls_files;

use clap::FromArgMatches;

use crate::cli::{Cli, CliCommand};
use crate::exit::Exit;
use crate::open_files::OpenFiles;

fn main() -> std::process::ExitCode {
    allocator::release_memory_at_once();
    let cli = Cli::from_arg_matches(&cli::command().get_matches());
    let cli = cli.unwrap_or_else(|error| error.format(&mut cli::command()).exit());
    if let CliCommand::ReadPages(limits) = &cli.command {
        return commands::read_pages(limits).into();
    }
    if cli.command.stores_data() {
        private_files::restrict_new_files();
    }
    OpenFiles::raise();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("trawl: cannot start the async runtime: {error}");
            return Exit::Setup.into();
        }
    };
    let exit = runtime.block_on(commands::run(cli));
    // Do not wait for blocking tasks that are still running.
    runtime.shutdown_background();
    match exit {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("trawl: {error:#}");
            Exit::after(&error).into()
        }
    }
}
