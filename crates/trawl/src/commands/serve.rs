//! `trawl serve`: API and workers over one database, until told to stop.

use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use api::{ApiSettings, ApiState, Metrics};
use axum::Router;
use client::Client;
use console::{ConsoleSettings, ConsoleState};
use contract::Door;
use mcp::McpSettings;
use notify::Notifier;
use reader::ReadExecutor;
use runner::ReaderPool;
use runtime::SystemClock;
use store::{Dialect, Store};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use worker::{Timekeeper, Workers};

use super::{
    Exit, fetcher, first_start, layers, make_data_folder, receivers, recharger, secret_key, tell,
};
use crate::cli::{Place, Role, Serve};
use crate::logging;
use crate::private_files;
use crate::settings::Settings;

/// How often a database that is away is asked again.
const RETRY: Duration = Duration::from_millis(500);

pub async fn run(place: &Place, args: &Serve) -> anyhow::Result<Exit> {
    let mut layers = layers(place, &[("listen", "--listen", args.listen.clone())])?;
    let mut settings = Settings::of(&layers)?;
    logging::start(&settings.log, settings.log_json).context("the setting log is no filter")?;
    make_data_folder(&settings)?;
    warn_of_open_folder(&settings);
    layers.put("secret_key", secret_key::find(&settings)?);
    let _alone = hold_data_folder(&settings)?;
    let listener = match args.role {
        Role::All | Role::Api => Some(listen(&settings).await?),
        Role::Worker => None,
    };
    if let Some(listener) = &listener {
        // Port 0 asks for any: links and the crawler's name have to tell which it became.
        layers.put("listen", listener.local_addr()?.to_string());
    }
    settings = Settings::of(&layers)?;
    let metrics = Metrics::install().context("no metrics")?;
    let upkeep = metrics.clone();
    tokio::spawn(async move { upkeep.upkeep().await });
    let store = Store::new(settings.store())?;
    let fetcher = fetcher(&settings)?;
    if let Some(pool) = fetcher.reader().pool().cloned() {
        tokio::spawn(async move { check_isolation(&pool).await });
    }
    let receivers = receivers(&settings)?;
    let recharger = recharger(&settings, &store)?;
    match &listener {
        Some(_) => tell(&format!("Trawl listens on {}\n", settings.public_url)),
        None => tell("Trawl works, without an API\n"),
    }
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(wait_for_signal(stop.clone()));
    let overloaded = Arc::new(AtomicBool::new(false));
    let executor = fetcher.reader().executor().clone();
    tokio::spawn(stop_when_overloaded(executor, Arc::clone(&overloaded), stop.clone()));

    let metrics_listener = match settings.clients.metrics_listen {
        Some(address) => Some(TcpListener::bind(address).await.with_context(|| {
            format!("cannot listen on {address} for the metrics; change TRAWL_METRICS_LISTEN")
        })?),
        None => None,
    };
    let numbers = metrics_listener.map(|listener| {
        let router = api::metrics_router(metrics.clone());
        let inbound = settings.api().inbound;
        tokio::spawn(api::serve(listener, router, inbound, told(stopped.clone())))
    });
    let serving = listener.map(|listener| {
        let protected_tier = fetcher.capabilities().tier;
        let state = ApiState::new(
            store.clone(),
            ApiSettings { protected_tier, ..settings.api() },
            Arc::new(SystemClock),
            Some(metrics),
            Arc::new(fetcher.clone()),
            fetcher.reader().executor().clone(),
            Arc::clone(receivers.resolver()),
        );
        let inbound = settings.api().inbound;
        let router = api::router_with(state.clone(), rooms(state, &store, &settings, &stopped));
        tokio::spawn(api::serve(listener, router, inbound, told(stopped.clone())))
    });
    // The API answers 503 until this is through.
    let mut until_told = stopped.clone();
    let prepared = tokio::select! {
        prepared = prepare(&store, &settings) => prepared,
        _ = until_told.wait_for(|stop| *stop) => Ok(()),
    };
    if prepared.is_ok() && !*stopped.borrow() && args.role != Role::Api {
        let clock = Arc::new(SystemClock);
        let timekeeper =
            Timekeeper::new(store.clone(), Arc::clone(&clock) as _, settings.timekeeper());
        let notifier = Notifier::new(store.clone(), receivers, clock, settings.notifier());
        let workers = Workers::new(store.clone(), fetcher, settings.worker());
        let buying = async {
            if let Some(recharger) = recharger {
                recharger.run(stopped.clone()).await;
            }
        };
        tokio::join!(
            workers.run(stopped.clone()),
            notifier.run(stopped.clone()),
            timekeeper.run(stopped.clone()),
            buying
        );
    }
    if prepared.is_err() {
        stop.send_replace(true);
    }
    for serving in serving.into_iter().chain(numbers) {
        serving.await.context("the API ended by itself")?;
    }
    store.close().await;
    prepared?;
    outcome(&overloaded)
}

/// How a service ends that was stopped: with an error after an overload, so that a supervisor
/// restarts it.
fn outcome(overloaded: &AtomicBool) -> anyhow::Result<Exit> {
    if overloaded.load(Ordering::Acquire) {
        bail!("pages that are never read to their end take too much of this process; restart it");
    }
    Ok(Exit::Done)
}

/// Stops the service when documents whose reading never ends take too many of its threads or too
/// much of its memory: only the end of the process frees them.
async fn stop_when_overloaded(
    executor: ReadExecutor,
    overloaded: Arc<AtomicBool>,
    stop: watch::Sender<bool>,
) {
    executor.overloaded().await;
    tracing::error!(
        overdue = executor.overdue(),
        "readings of pages do not end and take the threads or the memory of all others; stopping, \
         so that the service is restarted"
    );
    // Before the stop: who sees the stop sees its cause.
    overloaded.store(true, Ordering::Release);
    stop.send_replace(true);
}

/// Says early that runs which crash their workers cannot be isolated on this machine.
async fn check_isolation(pool: &ReaderPool) {
    if let Err(error) = pool.check().await {
        tracing::warn!(
            %error,
            "isolated readers cannot be started; pages of runs that crash will be skipped"
        );
    }
}

/// What is served beside the API: each of its rooms is a client of the API itself.
fn rooms(
    state: ApiState,
    store: &Store,
    settings: &Settings,
    stopped: &watch::Receiver<bool>,
) -> Router {
    let api = api::router(state);
    let ApiSettings { limits, inbound, .. } = settings.api();
    let assistants = McpSettings {
        public_url: settings.public_url.clone(),
        body_bytes: inbound.body_bytes,
        body_timeout: inbound.body_timeout,
        closing: stopped.clone(),
    };
    let mcp = mcp::router(Client::here(api.clone(), Door::Mcp), assistants);
    let console = ConsoleState::new(
        Client::here(api, Door::Console),
        store.clone(),
        Arc::new(SystemClock),
        ConsoleSettings {
            public_url: settings.public_url.clone(),
            sources: settings.api().sources,
            trust_forwarded_for: settings.behind_proxy,
            page_size_max: u64::from(limits.page_size_max),
            blocked_domains: settings.blocked_domains.names().map(str::to_owned).collect(),
        },
        stopped.clone(),
    );
    // Tools answer to a credential in a header, which no page of another site can send.
    console::router(console).merge(api::compressed(mcp))
}

/// Brings the tables up to date, however long the database is away.
async fn prepare(store: &Store, settings: &Settings) -> anyhow::Result<()> {
    let mut told = false;
    loop {
        match first_use(store, settings).await {
            Ok(()) => return Ok(()),
            Err(error) if error.downcast_ref().is_some_and(store::StoreError::is_passing) => {
                if !told {
                    tracing::warn!(%error, "waiting for the database");
                }
                told = true;
                tokio::time::sleep(RETRY).await;
            }
            Err(error) => return Err(error),
        }
    }
}

async fn first_use(store: &Store, settings: &Settings) -> anyhow::Result<()> {
    store.prepare().await?;
    store.agree_on_secret_key().await?;
    if store.dialect() == Dialect::Sqlite {
        store.free_all_leases().await?;
    }
    first_start::greet(store, settings).await
}

/// Warns when other users of the machine can look into the data folder.
fn warn_of_open_folder(settings: &Settings) {
    if let Some(mode) = private_files::opened_to_others(&settings.data) {
        let folder = settings.data.display();
        tracing::warn!(
            %folder,
            mode = format!("{mode:04o}"),
            "the data folder can be read by other users of this machine; run `chmod 700 {folder}`"
        );
    }
}

/// On SQLite a server is alone with its data: leases of an earlier one are void.
fn hold_data_folder(settings: &Settings) -> anyhow::Result<Option<File>> {
    if !settings.is_embedded() {
        return Ok(None);
    }
    let path = settings.data.join("serve.lock");
    let file = File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => bail!(
            "another `trawl serve` uses the data folder {}; stop it, or choose another folder \
             with --data or TRAWL_DATA",
            settings.data.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

async fn listen(settings: &Settings) -> anyhow::Result<TcpListener> {
    TcpListener::bind(settings.listen).await.with_context(|| {
        format!(
            "cannot listen on {}; choose another address with --listen or TRAWL_LISTEN",
            settings.listen
        )
    })
}

async fn told(mut stopped: watch::Receiver<bool>) {
    // A closed channel means that the process is ending anyway.
    let _ = stopped.wait_for(|stop| *stop).await;
}

async fn wait_for_signal(stop: watch::Sender<bool>) {
    let mut terminate = match signal(SignalKind::terminate()) {
        Ok(terminate) => terminate,
        Err(error) => {
            tracing::error!(%error, "signals cannot be heard");
            return;
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    tracing::info!("stopping");
    stop.send_replace(true);
    // A second word means now.
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    std::process::exit(130);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use reader::{ReadFailure, ReadSettings};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn readings_that_do_not_end_stop_the_service_with_an_error() {
        let settings = ReadSettings { at_a_time: 1, cpu: Duration::ZERO, memory: 1 << 20 };
        let executor = ReadExecutor::new(settings);
        let overloaded = Arc::new(AtomicBool::new(false));
        let (stop, mut stopped) = watch::channel(false);
        tokio::spawn(stop_when_overloaded(executor.clone(), Arc::clone(&overloaded), stop));
        assert!(matches!(outcome(&overloaded), Ok(Exit::Done)));
        assert_eq!(executor.run(1, || 7).await, Ok(7));
        assert!(!*stopped.borrow(), "a reading that ends stops nothing");

        let (release, released) = mpsc::channel::<()>();
        let read = executor.run(1, move || released.recv().is_ok()).await;
        assert_eq!(read, Err(ReadFailure::Overdue));
        let told = timeout(Duration::from_secs(60), stopped.wait_for(|stop| *stop)).await;
        assert!(told.is_ok_and(|told| told.is_ok()), "the service is stopped");
        let error = outcome(&overloaded).expect_err("an error");
        assert!(error.to_string().contains("restart it"), "{error}");
        release.send(()).expect("the thread waits");
    }
}
