//! The commands, one file each, and their shared helpers.

mod acceptances;
mod account;
mod account_lookup;
mod account_state;
mod applications;
mod audit;
mod backup;
mod completions;
mod config;
mod connection;
mod crawl;
mod demo;
mod doctor;
mod estimate;
mod explain;
mod export;
mod extract;
mod firecrawl_deliveries;
mod first_start;
mod health;
mod job;
mod job_request;
mod key;
mod login;
mod man;
mod map;
mod mcp;
mod migrate;
mod opt_out;
mod outbound;
mod output_file;
mod read;
mod remote;
mod restore;
mod retention;
mod run;
mod schedule;
mod secret;
mod secret_key;
mod serve;
mod site_members;
mod storage;
mod support;
mod template;
mod verify;
mod watch;

use std::io::Write;
use std::sync::Once;
use std::time::Duration;

use anyhow::Context;
use runner::ReaderLimits;
use store::{AuditOrigin, Store};
use urls::AllowedNetworks;

use crate::cli::{Cli, CliCommand, GlobalArgs, ReadPagesArgs};
use crate::exit::{Exit, fail};
use crate::printing::outln;
use crate::private_files;
use crate::settings::{DATABASE_FILE, Layers, Settings};
use connection::ServiceLocation::{Server, ThisMachine};
use connection::{ServerConnection, locate, named_server};
use outbound::{fetcher, mailer, recharger, webhook_client};

pub async fn run(cli: Cli) -> anyhow::Result<Exit> {
    let global = cli.global;
    match cli.command {
        CliCommand::Serve(args) => serve::run(&global, &args).await,
        CliCommand::Watch(args) => match locate(&global, &args.server)? {
            Server(server) => remote::watch(&server, &args).await,
            ThisMachine => watch::run(&global, &args).await,
        },
        CliCommand::Export(args) => match locate(&global, &args.server)? {
            Server(server) => remote::export(&server, &args).await,
            ThisMachine => export::run(&global, args).await,
        },
        CliCommand::Crawl(args) => crawl::run(&global, *args).await,
        CliCommand::Run(args) => run::run(&global, &args).await,
        CliCommand::Login(args) => login::run(&global, args).await,
        CliCommand::Logout(args) => login::logout(&args),
        CliCommand::Read(args) => match named_server(&global, &args.server)? {
            Some(server) => remote::read(&server, &args).await,
            None => read::run(&global, &args).await,
        },
        CliCommand::Extract(args) => extract::run(args).await,
        CliCommand::Demo(args) => demo::run(&args).await,
        CliCommand::Estimate(args) => match named_server(&global, &args.server)? {
            Some(server) => remote::estimate(&server, &args).await,
            None => estimate::run(&global, &args).await,
        },
        CliCommand::Map(args) => match named_server(&global, &args.server)? {
            Some(server) => remote::map(&server, args).await,
            None => map::run(&global, args).await,
        },
        CliCommand::Account(command) => account::run(&global, command).await,
        CliCommand::Key(command) => key::run(&global, command).await,
        CliCommand::Audit(args) => audit::run(&global, args).await,
        CliCommand::Job(args) => match locate(&global, &args.server)? {
            Server(server) => remote::job(&server, args.command).await,
            ThisMachine => job::run(&global, args.command).await,
        },
        CliCommand::List(args) => {
            let server = ServerConnection::open(&global, &args.server)?;
            remote::list(&server, args.command).await
        }
        CliCommand::Schedule(args) => match locate(&global, &args.server)? {
            Server(server) => remote::schedule(&server, args.command).await,
            ThisMachine => schedule::run(&global, args.command).await,
        },
        CliCommand::Template(command) => template::run(&global, command).await,
        CliCommand::OptOut(command) => opt_out::run(&global, command).await,
        CliCommand::Erase(args) => opt_out::erase(&global, args).await,
        CliCommand::Mcp(args) => mcp::run(&global, &args).await,
        CliCommand::Explain(args) => explain::run(&args),
        CliCommand::Completions(args) => Ok(completions::run(&args)),
        CliCommand::Openapi => {
            print_json(&api::openapi(&settings(&global, &[])?.api()))?;
            Ok(Exit::Done)
        }
        CliCommand::Config(args) => config::run(&global, &args),
        CliCommand::Doctor(args) => doctor::run(&global, &args).await,
        CliCommand::Health(args) => health::run(&global, &args).await,
        CliCommand::Man(args) => man::run(&args),
        CliCommand::Backup(args) => backup::run(&global, &args).await,
        CliCommand::Migrate(args) => migrate::run(&global, &args).await,
        CliCommand::Storage(command) => storage::run(&global, &command).await,
        CliCommand::Support(args) => support::run(&global, &args).await,
        CliCommand::Secret(command) => secret::run(&global, &command).await,
        CliCommand::Restore(args) => restore::run(&global, &args).await,
        CliCommand::Verify(args) => verify::run(&global, &args).await,
        CliCommand::ReadPages(args) => Ok(read_pages(&args)),
    }
}

/// Runs the child process of a server that reads pages. It has neither settings nor a runtime.
pub fn read_pages(args: &ReadPagesArgs) -> Exit {
    let cpu = Duration::from_millis(args.cpu_ms);
    match runner::read_isolated(ReaderLimits { memory: args.memory, cpu }) {
        Ok(()) => Exit::Done,
        Err(error) => {
            eprintln!("trawl: cannot read pages: {error}");
            Exit::Setup
        }
    }
}

type FlagValue = (&'static str, &'static str, Option<String>);

fn layers(global: &GlobalArgs, flags: &[FlagValue]) -> anyhow::Result<Layers> {
    let mut all = vec![
        ("data", "--data", global.data.clone()),
        ("database", "--database", global.database.clone()),
    ];
    all.extend_from_slice(flags);
    let layers = Layers::gather(global.config.as_deref(), environment(), &all)?;
    WARN_ONCE.call_once(|| layers.warnings().for_each(|text| eprintln!("trawl: warning: {text}")));
    Ok(layers)
}

/// A command may read the settings more than once.
static WARN_ONCE: Once = Once::new();

/// The environment variables that are valid UTF-8.
fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

fn settings(global: &GlobalArgs, flags: &[FlagValue]) -> anyhow::Result<Settings> {
    Ok(Settings::of(&layers(global, flags)?)?)
}

/// The settings with the secret key of the data folder, if there is one.
fn settings_with_key(global: &GlobalArgs) -> anyhow::Result<Settings> {
    let mut layers = layers(global, &[])?;
    secret_key::load(&mut layers)?;
    Ok(Settings::of(&layers)?)
}

/// Opens the database for an administrative command, which must exist. A server may be running.
async fn open_store(global: &GlobalArgs) -> anyhow::Result<(Store, Settings)> {
    let settings = settings(global, &[])?;
    let file = settings.data.join(DATABASE_FILE);
    if settings.is_embedded() && !file.exists() {
        fail!(
            Setup,
            "there is no database {}; name its folder with --data or TRAWL_DATA, or a server with \
             `trawl login`, --url or TRAWL_URL",
            file.display()
        );
    }
    prepared_store(settings).await
}

/// As [`open_store`], and creates the database if it does not exist.
async fn open_or_create_store(global: &GlobalArgs) -> anyhow::Result<(Store, Settings)> {
    let settings = settings(global, &[])?;
    make_data_folder(&settings)?;
    prepared_store(settings).await
}

async fn prepared_store(settings: Settings) -> anyhow::Result<(Store, Settings)> {
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
            "cannot write to the data folder {}; choose another with --data or TRAWL_DATA",
            folder.display()
        )
    };
    private_files::create_folder(folder).with_context(problem)?;
    // Only a test write shows whether the folder is writable.
    tempfile_in(folder).with_context(problem)
}

fn tempfile_in(folder: &std::path::Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".writable-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(&probe)
}

/// Networks that commands without a server may crawl besides public addresses.
const LOOPBACK: &str = "127.0.0.0/8,::1/128";

fn allow_loopback(settings: &mut Settings, layers: &Layers) -> anyhow::Result<()> {
    let allowed = format!("{},{LOOPBACK}", layers.value("allow_networks"));
    settings.allow_networks = AllowedNetworks::parse(allowed.trim_start_matches(','))?;
    Ok(())
}

/// Prints a message of the server. A closed standard output does not stop the server.
fn announce(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        tracing::warn!(%error, "failed to write to standard output");
    }
}

fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    outln!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}
