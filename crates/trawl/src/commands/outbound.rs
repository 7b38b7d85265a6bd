//! Outbound clients: fetcher of runs, webhooks, payment provider. All use the address guard.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use billing::{Recharger, Stripe};
use browser::{RenderFetch, RenderSettings};
use mail::{Mailer, SmtpServer};
use net::{Fetch, HttpFetch, HttpPost, HttpSettings, SetupError, TierFetch, UnlockerFetch};
use reader::ReadExecutor;
use runner::{Fetcher, HostGate, PageReader, ReaderPool};
use runtime::SystemClock;
use samples::SampleFetch;
use store::Store;

use crate::settings::{BrowserChoice, Settings, TierChoice};

/// The fetcher of runs: plain HTTP, browser, protected tier, page readers.
///
/// # Errors
/// [`SetupError`] when one of the clients cannot be created.
pub fn fetcher(settings: &Settings) -> Result<Fetcher, SetupError> {
    let clock = Arc::new(SystemClock);
    let gate = HostGate::new(settings.gate(), clock.clone());
    let http = HttpFetch::new(settings.http())?;
    let browser = browser(settings, &http);
    let tier = tier(settings, &http, browser.as_ref())?;
    let pool = settings.resources.pool().map(ReaderPool::new);
    let reader = PageReader::new(ReadExecutor::new(settings.resources.reading()), pool);
    // Sample sites are served by all backends without a request to the network.
    let samples = SampleFetch::new(Arc::new(http));
    let mut fetcher = Fetcher::new(Arc::new(samples.clone()), gate, clock).with_reader(reader);
    if let Some(browser) = browser {
        fetcher = fetcher.with_browser(Arc::new(samples.for_backend(browser)));
    }
    if let Some(tier) = tier {
        let tier = Arc::new(TierFetch::new(tier, settings.protection.limits));
        fetcher = fetcher.with_tier(Arc::new(samples.tier(tier)));
    }
    Ok(fetcher)
}

/// The HTTP client for webhook endpoints.
///
/// # Errors
/// [`SetupError`] when the client cannot be created.
pub fn webhook_client(settings: &Settings) -> Result<HttpPost, SetupError> {
    HttpPost::new(settings.webhook_http())
}

/// The automatic top-up with its payment provider, if one is configured.
///
/// # Errors
/// [`SetupError`] when the client cannot be created.
pub fn recharger(settings: &Settings, store: &Store) -> Result<Option<Recharger>, SetupError> {
    let Some(stripe) = &settings.payments.stripe else { return Ok(None) };
    let http = HttpPost::new(settings.payment_http(stripe))?;
    let provider = Stripe::new(http, stripe.key.clone(), &stripe.url);
    let recharger = settings.recharger(stripe);
    Ok(Some(Recharger::new(store.clone(), provider, Arc::new(SystemClock), recharger)))
}

/// The browser backend, if Chromium is installed. It starts with the first page that needs it.
pub fn browser(settings: &Settings, http: &HttpFetch) -> Option<Arc<dyn Fetch>> {
    let chromium = match &settings.protection.browser {
        BrowserChoice::Found => RenderFetch::find(None)?,
        BrowserChoice::At(path) => RenderFetch::find(Some(path))?,
        BrowserChoice::None => return None,
    };
    let protection = &settings.protection;
    let render = RenderSettings {
        tabs: protection.tabs,
        page_life: protection.page_life,
        scratch: profiles(settings),
        user: protection.browser_user.clone(),
        no_sandbox: protection.no_sandbox,
        page_memory: RenderSettings::page_memory_of(protection.browser_memory),
        browser_memory: protection.browser_memory,
        browser_cores: f64::from(protection.browser_cpus),
        browser_cpu_burst: RenderSettings::burst_of(protection.browser_cpus),
        ..RenderSettings::default()
    };
    Some(Arc::new(RenderFetch::new(chromium, render, http.clone())))
}

/// Sends queued e-mails; `None` without a mail server.
pub fn mailer(settings: &Settings, store: &Store) -> anyhow::Result<Option<Mailer>> {
    let Some(smtp) = &settings.smtp else { return Ok(None) };
    let server = SmtpServer::new(smtp).context("cannot use the mail server of smtp_server")?;
    let url = settings.public_url.clone();
    Ok(Some(Mailer::new(store.clone(), server, url, Arc::new(SystemClock))))
}

/// The folder for browser profiles: the configured one, else the data folder if the browser's user
/// can enter it, else the system's temporary folder.
fn profiles(settings: &Settings) -> Option<PathBuf> {
    let root = rustix::process::geteuid().is_root();
    let data = settings.data.join("chromium");
    let own = settings.protection.profiles.clone();
    own.or_else(|| (!root && settings.data.is_dir()).then_some(data))
}

/// The protected tier that the settings choose.
fn tier(
    settings: &Settings,
    http: &HttpFetch,
    browser: Option<&Arc<dyn Fetch>>,
) -> Result<Option<Arc<dyn Fetch>>, SetupError> {
    Ok(match &settings.protection.tier {
        TierChoice::Auto | TierChoice::Browser => browser.cloned(),
        TierChoice::None => None,
        TierChoice::Proxy(proxy) => {
            let (proxy, proxy_names) = (Some(proxy.clone()), settings.protection.proxy_names);
            if proxy_names {
                tracing::warn!(
                    "protected_proxy_names is on: the proxy of the protected tier resolves host \
                     names again, so that DNS rebinding can lead it into its own network"
                );
            }
            let http = HttpSettings { proxy, proxy_names, ..settings.tier_http() };
            Some(Arc::new(HttpFetch::new(http)?))
        }
        TierChoice::Unlocker(unlocker) => {
            let own = HttpFetch::new(settings.unlocker_http(unlocker))?;
            let guard = Arc::clone(http.resolver());
            Some(Arc::new(UnlockerFetch::new(unlocker.clone(), own, guard)))
        }
    })
}
