//! The commands, each in its own file, and what they share.

mod acceptances;
mod account;
mod account_state;
mod applications;
mod audit;
mod completions;
mod config;
mod crawl;
mod demo;
mod estimate;
mod explain;
mod export;
mod extract;
mod first_start;
mod job;
mod key;
mod mcp;
mod objection;
mod schedule;
mod secret_key;
mod serve;
mod table_file;
mod template;
mod watch;
mod way_out;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use runner::ReaderLimits;
use store::{AuditOrigin, Store};
use urls::AllowedNetworks;

use crate::cli::{Cli, Command, Place, ReadPages};
use crate::printing::outln;
use crate::private_files;
use crate::settings::{Layers, Settings};
use way_out::{fetcher, receivers, recharger};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done,
    /// It ran, and there was nothing to deliver or nothing of that name.
    Nothing,
    /// The command line is wrong in a way that only a closer look shows.
    Usage,
    /// It could not run.
    Setup,
    /// It was interrupted.
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Nothing => 1,
            Self::Usage => 2,
            Self::Setup => 3,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// Runs a command.
pub async fn run(cli: Cli) -> anyhow::Result<Exit> {
    let place = cli.place;
    match cli.command {
        Command::Serve(args) => serve::run(&place, &args).await,
        Command::Watch(args) => watch::run(&place, &args).await,
        Command::Export(args) => export::run(&place, args).await,
        Command::Crawl(args) => crawl::run(&place, *args).await,
        Command::Extract(args) => extract::run(args).await,
        Command::Demo(args) => demo::run(&args).await,
        Command::Estimate(args) => estimate::run(&place, &args).await,
        Command::Account(command) => account::run(&place, command).await,
        Command::Key(command) => key::run(&place, command).await,
        Command::Audit(args) => audit::run(&place, args).await,
        Command::Job(command) => job::run(&place, command).await,
        Command::Schedule(command) => schedule::run(&place, command).await,
        Command::Template(command) => template::run(&place, command).await,
        Command::OptOut(command) => objection::run(&place, command).await,
        Command::Erase(args) => objection::erase(&place, args).await,
        Command::Mcp(args) => mcp::run(&place, &args).await,
        Command::Explain(args) => Ok(explain::run(&args)),
        Command::Completions(args) => Ok(completions::run(&args)),
        Command::Openapi => {
            print_json(&api::openapi(&settings(&place, &[])?.api()))?;
            Ok(Exit::Done)
        }
        Command::Config(args) => config::run(&place, &args),
        Command::ReadPages(args) => Ok(read_pages(&args)),
    }
}

/// The child process of a server. It has neither settings nor a runtime.
pub fn read_pages(args: &ReadPages) -> Exit {
    let cpu = Duration::from_millis(args.cpu_ms);
    match runner::read_isolated(ReaderLimits { memory: args.memory, cpu }) {
        Ok(()) => Exit::Done,
        Err(error) => {
            eprintln!("trawl: cannot read pages: {error}");
            Exit::Setup
        }
    }
}

type Flag = (&'static str, &'static str, Option<String>);

fn layers(place: &Place, flags: &[Flag]) -> anyhow::Result<Layers> {
    let mut all = vec![
        ("data", "--data", place.data.clone()),
        ("database", "--database", place.database.clone()),
    ];
    all.extend_from_slice(flags);
    Ok(Layers::gather(place.config.as_deref(), environment(), &all)?)
}

/// The environment, less what is not text: no setting is.
fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

fn settings(place: &Place, flags: &[Flag]) -> anyhow::Result<Settings> {
    Ok(Settings::of(&layers(place, flags)?)?)
}

/// The database for an administrative command, beside a server that may be running.
async fn open_store(place: &Place) -> anyhow::Result<(Store, Settings)> {
    let settings = settings(place, &[])?;
    make_data_folder(&settings)?;
    let store = Store::new(settings.store())?;
    store.prepare().await?;
    Ok((store.acting(AuditOrigin::command_line()), settings))
}

fn make_data_folder(settings: &Settings) -> anyhow::Result<()> {
    if !settings.is_embedded() {
        return Ok(());
    }
    let folder = &settings.data;
    let problem = || {
        format!(
            "the data folder {} cannot be written to; choose another with --data or TRAWL_DATA",
            folder.display()
        )
    };
    private_files::create_folder(folder).with_context(problem)?;
    // Permissions lie in more than one way: only writing tells.
    tempfile_in(folder).with_context(problem)
}

fn tempfile_in(folder: &std::path::Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".writable-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(&probe)
}

/// A command without a server may reach loopback: it is the user's own machine.
const LOOPBACK: &str = "127.0.0.0/8,::1/128";

fn local(settings: &mut Settings, layers: &Layers) -> anyhow::Result<()> {
    let allowed = format!("{},{LOOPBACK}", layers.value("allow_networks"));
    settings.allow_networks = AllowedNetworks::parse(allowed.trim_start_matches(','))?;
    Ok(())
}

/// Prints for whoever reads along. A server does not end because nobody does.
fn tell(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        tracing::warn!(%error, "nobody reads what is printed");
    }
}

fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    outln!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}
