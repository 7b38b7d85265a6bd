//! `trawl serve`: API and workers on one database, until a signal stops them.

mod listeners;
mod role_listener;

use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use api::{ApiSettings, ApiState, ConnectionLimits, Metrics};
use axum::Router;
use client::Client;
use console::{ConsoleSettings, ConsoleState, ShownSetting};
use contract::{CallOrigin, Clock, Mode};
use firecrawl::FirecrawlSettings;
use mcp::McpSettings;
use notify::Notifier;
use pages::PageService;
use reader::ReadExecutor;
use runner::{PageCache, ReaderPool};
use runtime::SystemClock;
use store::{Dialect, NodeName, Store};
use telemetry::TraceExporter;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use worker::{Scheduler, Workers};

use super::firecrawl_deliveries::FirecrawlDeliveries;
use super::{
    Exit, fetcher, first_start, layers, mailer, make_data_folder, recharger, secret_key,
    webhook_client,
};
use crate::cli::{GlobalArgs, ServeArgs, ServeRole};
use crate::logging;
use crate::preconditions;
use crate::private_files;
use crate::service_manager::ServiceManager;
use crate::settings::Settings;
use crate::tls_files;
use role_listener::{announce_role, listen_as};

/// Interval between connection attempts while the database is unavailable.
const DATABASE_RETRY: Duration = Duration::from_millis(500);

pub async fn run(global: &GlobalArgs, args: &ServeArgs) -> anyhow::Result<Exit> {
    let mut layers = layers(global, &[("listen", "--listen", args.listen.clone())])?;
    let mut settings = Settings::of(&layers)?;
    let exporter = start_logging(&settings)?;
    preconditions::check_clock(SystemClock.now())?;
    make_data_folder(&settings)?;
    if settings.is_embedded() {
        preconditions::check_free_space(&settings.data)?;
    }
    warn_of_readable_folder(&settings);
    // Before the key is read: a rotation takes the same lock.
    let _lock = lock_data_folder(&settings)?;
    secret_key::find(&settings)?;
    secret_key::load(&mut layers)?;
    let has_api = args.role.has_api();
    let listeners = listen_as(args, &settings).await?;
    if let (Some(listeners), true) = (&listeners, has_api) {
        // public_url and user agent need the actual port.
        layers.replace("listen", listeners.shown());
    }
    settings = Settings::of(&layers)?;
    let metrics = Metrics::install().context("cannot install the metrics recorder")?;
    let exporting = exporter.map(|exporter| {
        let flush = CancellationToken::new();
        (tokio::spawn(exporter.run(flush.clone())), flush)
    });
    let upkeep = metrics.clone();
    tokio::spawn(async move { upkeep.upkeep().await });
    let store = Store::new(settings.store())?;
    let page_cache = PageCache::new(settings.resources.page_cache_bytes);
    let fetcher = fetcher(&settings)?.with_page_cache(page_cache);
    if let Some(pool) = fetcher.reader().pool().cloned() {
        tokio::spawn(async move { check_isolation(&pool).await });
    }
    let webhook_client = webhook_client(&settings)?;
    let recharger = recharger(&settings, &store)?;
    let mailer = mailer(&settings, &store)?;
    let browser = fetcher.capabilities().browser;
    announce_role(args.role, &settings, listeners.as_ref(), browser);
    // The listeners close after the runs have stopped, so that they answer `/readyz` meanwhile.
    let (stop, close) = (CancellationToken::new(), CancellationToken::new());
    let manager = Arc::new(ServiceManager::from_environment());
    tokio::spawn(report_to(Arc::clone(&manager), stop.clone()));
    tokio::spawn(wait_for_signal(stop.clone()));
    let drained = {
        let (stop, drain) = (stop.clone(), settings.drain);
        tokio::spawn(async move {
            stop.cancelled().await;
            tokio::time::sleep(drain).await;
        })
    };
    let overloaded = Arc::new(AtomicBool::new(false));
    let executor = fetcher.reader().executor().clone();
    tokio::spawn(stop_when_overloaded(executor, Arc::clone(&overloaded), stop.clone()));

    let metrics_listener = match settings.clients.metrics_listen {
        Some(address) => Some(TcpListener::bind(address).await.with_context(|| {
            format!("cannot listen on {address} for the metrics; change TRAWL_METRICS_LISTEN")
        })?),
        None => None,
    };
    let metrics_server = metrics_listener.map(|listener| {
        let router = api::metrics_router(metrics.clone());
        let inbound = settings.api().inbound;
        tokio::spawn(api::serve(listener, router, inbound, close.clone()))
    });
    let node = NodeName::random();
    let is_started = Arc::new(AtomicBool::new(false));
    let crawl::Capabilities { browser, tier: protected_tier } = fetcher.capabilities();
    // Also without a listener: page calls of other nodes are answered by the node that has the host.
    let state = ApiState::new(
        store.clone(),
        ApiSettings { protected_tier, browser, ..settings.api() },
        Arc::new(SystemClock),
        Some(metrics),
        Arc::new(fetcher.clone()),
        fetcher.reader().executor().clone(),
        Arc::clone(webhook_client.resolver()),
    )
    .with_pages(PageService::new(fetcher.clone(), settings.worker().retries))
    .with_node(node.clone())
    .with_start(Arc::clone(&is_started))
    .with_shutdown(stop.clone());
    let mut serving = Vec::new();
    if let Some(listeners) = listeners {
        if let (Some(tls), Some(files)) = (listeners.tls, &settings.listening.tls) {
            tokio::spawn(tls_files::reload_on_change(tls, files.clone(), close.clone()));
        }
        let limits = ConnectionLimits::from(settings.api().inbound);
        let router = match has_api {
            true => {
                let shown = layers.shown().map(|(name, value, origin)| ShownSetting {
                    name: name.to_owned(),
                    value,
                    origin: origin.to_string(),
                });
                let shown = shown.collect();
                let others = other_routes(state.clone(), &store, (&settings, shown), &stop);
                api::router_with(state.clone(), others)
            }
            false => api::health_router(state.clone()),
        };
        serving.extend(listeners.sockets.into_iter().map(|socket| {
            tokio::spawn(api::serve(socket, router.clone(), limits.clone(), close.clone()))
        }));
    }
    // The API responds with 503 until the database is prepared.
    let prepared = tokio::select! {
        prepared = prepare(&store, &settings, &manager) => prepared,
        () = stop.cancelled() => Ok(()),
    };
    if prepared.is_ok() && !stop.is_cancelled() {
        is_started.store(true, Ordering::Release);
        manager.ready(&match args.role {
            ServeRole::All | ServeRole::Api => format!("listening on {}", settings.listening),
            ServeRole::Worker => "running jobs".to_owned(),
            ServeRole::Notify => "sending webhooks".to_owned(),
        });
        tokio::spawn(api::report_queue(store.clone(), stop.clone()));
        if settings.is_embedded() {
            tokio::spawn(preconditions::report_free_space(settings.data.clone(), stop.clone()));
        }
    }
    // Only nodes that lease hosts read pages for others.
    let reads_pages = args.role != ServeRole::Notify;
    let forwarding = (prepared.is_ok() && !stop.is_cancelled() && reads_pages).then(|| {
        // Workers listen for wake-ups themselves.
        let listens = args.role == ServeRole::Api;
        tokio::spawn(api::answer_forwarded_pages(state, listens, stop.clone()))
    });
    if prepared.is_ok() && !stop.is_cancelled() && args.role.notifies() {
        let clock = Arc::new(SystemClock);
        let scheduler =
            Scheduler::new(store.clone(), Arc::clone(&clock) as _, settings.scheduler());
        let notifier = Notifier::new(store.clone(), webhook_client, clock, settings.notifier())
            .with_firecrawl(Arc::new(FirecrawlDeliveries));
        let workers = Workers::new(store.clone(), fetcher, settings.worker()).with_node(node);
        let working = async {
            if args.role.runs_jobs() {
                workers.run(stop.clone()).await;
            }
        };
        let recharging = async {
            if let Some(recharger) = recharger {
                recharger.run(stop.clone()).await;
            }
        };
        let mailing = async {
            if let Some(mailer) = mailer {
                mailer.run(stop.clone()).await;
            }
        };
        tokio::join!(
            working,
            notifier.run(stop.clone()),
            scheduler.run(stop.clone()),
            recharging,
            mailing
        );
    }
    match &prepared {
        Ok(()) => drained.await.context("the task that waits for the shutdown panicked")?,
        Err(_) => stop.cancel(),
    }
    close.cancel();
    for serving in serving.into_iter().chain(metrics_server) {
        serving.await.context("the API server panicked")?;
    }
    if let Some(forwarding) = forwarding {
        forwarding.await.context("the task that answers page calls of other nodes panicked")?;
    }
    store.close().await;
    // After all spans have ended.
    if let Some((exporting, flush)) = exporting {
        flush.cancel();
        exporting.await.context("the task that sends traces panicked")?;
    }
    prepared?;
    outcome(&overloaded)
}

/// Starts logging; returns the exporter of traces if they are on.
fn start_logging(settings: &Settings) -> anyhow::Result<Option<TraceExporter>> {
    let invalid = "the setting log is not a valid log filter";
    let Some(traces) = &settings.traces else {
        logging::start(&settings.log, settings.log_json).context(invalid)?;
        return Ok(None);
    };
    let (layer, exporter) = TraceExporter::new(traces.clone())?;
    logging::start_with_traces(&settings.log, settings.log_json, layer).context(invalid)?;
    Ok(Some(exporter))
}

/// The result of a stopped service: an error after an overload, so that a supervisor restarts it.
fn outcome(overloaded: &AtomicBool) -> anyhow::Result<Exit> {
    if overloaded.load(Ordering::Acquire) {
        bail!(
            "page reads that do not end use too many threads or too much memory; restart the service"
        );
    }
    Ok(Exit::Done)
}

/// Stops the service when page reads that do not end use too many threads or too much memory. Only
/// the end of the process frees them.
async fn stop_when_overloaded(
    executor: ReadExecutor,
    overloaded: Arc<AtomicBool>,
    stop: CancellationToken,
) {
    executor.overloaded().await;
    tracing::error!(
        overdue = executor.overdue(),
        "page reads do not end and use too many threads or too much memory; stopping, \
         so that the service is restarted"
    );
    // Set before the stop, so that the stop is seen together with its cause.
    overloaded.store(true, Ordering::Release);
    stop.cancel();
}

/// Warns at the start if isolated readers cannot be started on this machine.
async fn check_isolation(pool: &ReaderPool) {
    if let Err(error) = pool.check().await {
        tracing::warn!(
            %error,
            "cannot start isolated readers; pages of runs that crash will be skipped"
        );
    }
}

/// The routes of console, MCP and Firecrawl. All are clients of the API in this process.
fn other_routes(
    state: ApiState,
    store: &Store,
    (settings, shown): (&Settings, Vec<ShownSetting>),
    stop: &CancellationToken,
) -> Router {
    let api = api::router(state);
    let ApiSettings { limits, inbound, .. } = settings.api();
    let assistants = McpSettings {
        public_url: settings.public_url.clone(),
        body_bytes: inbound.body_bytes,
        body_timeout: inbound.body_timeout,
        closing: stop.clone(),
    };
    let mcp = mcp::router(Client::in_process(api.clone(), CallOrigin::Mcp), assistants);
    let compatible = FirecrawlSettings {
        public_url: settings.public_url.clone(),
        body_bytes: inbound.body_bytes,
        body_timeout: inbound.body_timeout,
        protected_rate: settings.rates.protected(Mode::PAGE_DEFAULT),
        results_days: limits.results_days,
    };
    let client = Client::in_process(api.clone(), CallOrigin::Firecrawl);
    let compatible = firecrawl::router(&client, &compatible);
    let console = ConsoleState::new(
        Client::in_process(api, CallOrigin::Console),
        store.clone(),
        Arc::new(SystemClock),
        ConsoleSettings {
            public_url: settings.public_url.clone(),
            sources: settings.api().sources,
            trust_forwarded_for: settings.behind_proxy,
            page_size_max: u64::from(limits.page_size_max),
            sells_credits: settings.payments.stripe.is_some(),
            sends_mail: settings.smtp.is_some(),
            blocked_domains: settings.blocked_domains.names().map(str::to_owned).collect(),
            shown,
        },
        stop.clone(),
    );
    // These requests carry their credential in a header, which pages of other sites cannot send.
    console::router(console).merge(api::compressed(mcp.merge(compatible)))
}

/// Reports to the service manager that this process works, and that it stops.
async fn report_to(manager: Arc<ServiceManager>, stop: CancellationToken) {
    let stopping = async {
        stop.cancelled().await;
        manager.stopping();
    };
    tokio::join!(manager.run_watchdog(), stopping);
}

/// Migrates the database; retries while it is unavailable.
async fn prepare(
    store: &Store,
    settings: &Settings,
    manager: &ServiceManager,
) -> anyhow::Result<()> {
    let mut warned = false;
    loop {
        match manager.while_starting(prepare_once(store, settings)).await {
            Ok(()) => return Ok(()),
            Err(error) if error.downcast_ref().is_some_and(store::StoreError::is_transient) => {
                if !warned {
                    tracing::warn!(%error, "database or object storage unavailable, retrying");
                    manager.status("waiting for the database or object storage");
                }
                warned = true;
                tokio::time::sleep(DATABASE_RETRY).await;
            }
            Err(error) => return Err(error),
        }
    }
}

async fn prepare_once(store: &Store, settings: &Settings) -> anyhow::Result<()> {
    store.prepare().await?;
    store.verify_secret_key().await?;
    if store.dialect() == Dialect::Sqlite {
        store.release_all_leases().await?;
    }
    warn_of_clock_difference(store).await?;
    store.open_storage().await?;
    first_start::create_operator_account(store, settings).await
}

/// Warns if the clock of this machine differs from that of the database.
async fn warn_of_clock_difference(store: &Store) -> anyhow::Result<()> {
    let difference = store.clock_difference(&SystemClock).await?;
    if difference.is_excessive() {
        tracing::warn!(
            ahead_ms = difference.0,
            "the clock of this node differs from that of the database; synchronize both with NTP"
        );
    }
    Ok(())
}

/// Warns if other users of the machine can read the data folder.
fn warn_of_readable_folder(settings: &Settings) {
    if let Some(mode) = private_files::mode_if_readable_by_others(&settings.data) {
        let folder = settings.data.display();
        tracing::warn!(
            %folder,
            mode = format!("{mode:04o}"),
            "the data folder can be read by other users of this machine; run `chmod 700 {folder}`"
        );
    }
}

/// On SQLite only one server may use the data folder: it releases all leases at its start. Commands
/// that a server must not see half done take the same lock.
pub fn lock_data_folder(settings: &Settings) -> anyhow::Result<Option<File>> {
    if !settings.is_embedded() {
        return Ok(None);
    }
    let path = settings.data.join("serve.lock");
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => bail!(
            "another `trawl serve` uses the data folder {}; stop it, or choose another folder \
             with --data or TRAWL_DATA",
            settings.data.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

async fn wait_for_signal(stop: CancellationToken) {
    let signals = signal(SignalKind::terminate()).and_then(|terminate| {
        let interrupt = signal(SignalKind::interrupt())?;
        Ok((terminate, interrupt))
    });
    let (mut terminate, mut interrupt) = match signals {
        Ok(signals) => signals,
        Err(error) => {
            tracing::error!(%error, "cannot listen for signals");
            return;
        }
    };
    let mut next_signal = async || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    next_signal().await;
    tracing::info!("stopping");
    stop.cancel();
    // A second signal ends the process at once.
    next_signal().await;
    std::process::exit(130);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use reader::{ReadFailure, ReadSettings};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn endless_page_reads_stop_the_service_with_an_error() {
        let settings = ReadSettings { at_a_time: 1, cpu: Duration::ZERO, memory: 1 << 20 };
        let executor = ReadExecutor::new(settings);
        let overloaded = Arc::new(AtomicBool::new(false));
        let stop = CancellationToken::new();
        tokio::spawn(stop_when_overloaded(executor.clone(), Arc::clone(&overloaded), stop.clone()));
        assert!(matches!(outcome(&overloaded), Ok(Exit::Done)));
        assert_eq!(executor.run(1, || 7).await, Ok(7));
        assert!(!stop.is_cancelled(), "a read that ends does not stop the service");

        let (release, released) = mpsc::channel::<()>();
        let read = executor.run(1, move || released.recv().is_ok()).await;
        assert_eq!(read, Err(ReadFailure::Overdue));
        let stopping = timeout(Duration::from_secs(60), stop.cancelled()).await;
        assert!(stopping.is_ok(), "the service is stopped");
        let error = outcome(&overloaded).expect_err("an error");
        assert!(error.to_string().contains("restart the service"), "{error}");
        release.send(()).expect("the thread waits");
    }
}
