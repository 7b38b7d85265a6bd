//! `trawl doctor`: checks settings, machine, database and Chromium, with a remedy for each problem.
//!
//! One file per subject in `doctor/`, each with functions that return a [`Finding`]. No check
//! changes anything: no file is created, no migration applied, no key generated.

mod chromium;
mod database;
mod finding;
mod machine;
mod mail;
mod network;
mod storage;
mod tls;

use std::time::Duration;

use super::{Exit, health, layers, print_json, secret_key};
use crate::cli::{DoctorArgs, GlobalArgs};
use crate::logging;
use crate::printing::outln;
use crate::settings::{ListenAddress, ListenSettings, Settings};
pub use finding::{Finding, Verdict};

pub async fn run(global: &GlobalArgs, args: &DoctorArgs) -> anyhow::Result<Exit> {
    // The reason why Chromium does not start is in the log.
    logging::start("error", false)?;
    let findings = match layers(global, &[]) {
        Ok(mut layers) => match Settings::of(&layers) {
            Ok(settings) => {
                let finding = secret_key_of(&settings);
                // What is wrong with the key is a finding.
                let _ = secret_key::load(&mut layers);
                let settings = Settings::of(&layers)?;
                let mut findings = vec![Finding::ok("settings", "all values are valid"), finding];
                findings.extend(check(&settings, &args.host).await);
                findings
            }
            Err(error) => vec![invalid_settings(&error)],
        },
        Err(error) => vec![invalid_settings(&error)],
    };
    match args.json {
        true => print_json(&findings)?,
        false => findings.iter().for_each(print_finding),
    }
    let has_failed = findings.iter().any(|finding| finding.verdict == Verdict::Failed);
    Ok(if has_failed { Exit::Setup } else { Exit::Done })
}

/// All checks with valid settings. `host` is a name to look up.
pub async fn check(settings: &Settings, host: &str) -> Vec<Finding> {
    let mut findings = vec![machine::clock(), machine::open_files()];
    findings.extend(machine::data_folder(settings));
    findings.extend(database::check(settings).await);
    findings.extend(storage::check(settings).await);
    findings.push(network::dns(settings, host).await);
    findings.push(chromium::check(settings).await);
    findings.extend(network::proxy_headers(settings));
    findings.extend(tls::check(settings));
    findings.extend(mail::check(settings).await);
    findings.push(listener(&settings.listening).await);
    findings
}

fn invalid_settings(error: &impl std::fmt::Display) -> Finding {
    let remedy = "correct the setting; `trawl config --default` prints all settings with comments";
    Finding::failed("settings", error, remedy)
}

/// What is found about the secret key of the settings or of the data folder.
fn secret_key_of(settings: &Settings) -> Finding {
    let check = "secret key";
    if let Ok(Some(_)) = secret_key::unfinished(settings) {
        let remedy =
            "stop the server and run `trawl secret rotate` again; both keys are used until then";
        return Finding::warning(check, "its rotation is not finished", remedy);
    }
    match secret_key::existing(settings) {
        Ok(Some(_)) => Finding::ok(check, "present"),
        Ok(None) if settings.is_embedded() => {
            Finding::ok(check, "none yet; the first start generates it in the data folder")
        }
        Ok(None) => {
            let remedy = "generate one with `openssl rand -hex 32` and set TRAWL_SECRET_KEY to it on \
                          each node";
            Finding::failed(check, "none is set, and nodes share this database", remedy)
        }
        Err(error) => {
            let remedy = "restore the file from a backup, or set TRAWL_SECRET_KEY to the key";
            Finding::failed(check, format_args!("{error:#}"), remedy)
        }
    }
}

/// Whether a server answers on the first configured address, or could start there.
async fn listener(listening: &ListenSettings) -> Finding {
    let check = "listener";
    let listen = listening.first();
    let address = health::reachable(listen);
    match health::readiness(listening, Duration::from_secs(3)).await {
        Ok(200) => Finding::ok(check, format_args!("a server at {address} is ready")),
        Ok(503) => Finding::warning(
            check,
            format_args!("a server at {address} is running and not ready"),
            "its log says why; it waits for the database until it can be reached",
        ),
        Ok(status) => taken(listen, format_args!("HTTP status {status}")),
        Err(error) => match is_free(listen).await {
            true => Finding::ok(check, format_args!("{listen} is free; no server is running")),
            false => taken(listen, format_args!("{error:#}")),
        },
    }
}

async fn is_free(listen: &ListenAddress) -> bool {
    match listen {
        ListenAddress::Tcp(address) => tokio::net::TcpListener::bind(address).await.is_ok(),
        // The start replaces a socket on which no process answers.
        ListenAddress::Unix(path) => tokio::net::UnixStream::connect(path).await.is_err(),
    }
}

fn taken(listen: &ListenAddress, answer: std::fmt::Arguments<'_>) -> Finding {
    Finding::failed(
        "listener",
        format_args!("{listen} cannot be used, and its program is no Trawl server ({answer})"),
        "choose another address with --listen or TRAWL_LISTEN, or stop the other program",
    )
}

fn print_finding(finding: &Finding) {
    let Finding { check, verdict, detail, remedy } = finding;
    outln!("{:8} {check:14} {detail}", verdict.as_str());
    if let Some(remedy) = remedy {
        outln!("{:8} {:14} -> {remedy}", "", "");
    }
}
