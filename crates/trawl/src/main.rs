//! The binary: settings, commands and roles. What the commands do lives elsewhere.

mod allocator;
mod cli;
mod commands;
mod logging;
mod open_files;
mod printing;
mod private_files;
mod settings;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::commands::Exit;
use crate::open_files::OpenFiles;

fn main() -> std::process::ExitCode {
    allocator::release_memory_at_once();
    let cli = Cli::parse();
    if let Command::ReadPages(limits) = &cli.command {
        return commands::read_pages(limits).into();
    }
    if cli.command.stores_data() {
        private_files::restrict_new_files();
    }
    OpenFiles::raise();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("trawl: no threads to run on: {error}");
            return Exit::Setup.into();
        }
    };
    let exit = runtime.block_on(commands::run(cli));
    // Whatever still blocks somewhere must not hold up the end.
    runtime.shutdown_background();
    match exit {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("trawl: {error:#}");
            Exit::Setup.into()
        }
    }
}
