//! The ways out of this process: plain requests, and whatever the operator has set up for
//! protected sites. Every one of them goes through the guard.

use std::path::PathBuf;
use std::sync::Arc;

use billing::{Recharger, Stripe};
use browser::RenderFetch;
use browser::RenderSettings;
use net::{Fetch, HttpFetch, HttpPost, HttpSettings, SetupError, TierFetch, UnlockerFetch};
use reader::ReadExecutor;
use runner::Fetcher;
use runner::HostGate;
use runner::PageReader;
use runner::ReaderPool;
use runtime::SystemClock;
use samples::SampleFetch;
use store::Store;

use crate::settings::{BrowserChoice, Settings, TierChoice};

/// Everything that runs fetch by.
///
/// # Errors
/// [`SetupError`] when one of the ways cannot be set up.
pub fn fetcher(settings: &Settings) -> Result<Fetcher, SetupError> {
    let clock = Arc::new(SystemClock);
    let gate = HostGate::new(settings.gate(), clock.clone());
    let http = HttpFetch::new(settings.http())?;
    let browser = browser(settings, &http);
    let tier = tier(settings, &http, browser.as_ref())?;
    let pool = settings.resources.pool().map(ReaderPool::new);
    let reader = PageReader::new(ReadExecutor::new(settings.resources.reading()), pool);
    // Sample sites are answered here, by whatever way they are asked for.
    let samples = SampleFetch::new(Arc::new(http));
    let mut fetcher = Fetcher::new(Arc::new(samples.clone()), gate, clock).with_reader(reader);
    if let Some(browser) = browser {
        fetcher = fetcher.with_browser(Arc::new(samples.also(browser)));
    }
    if let Some(tier) = tier {
        let tier = Arc::new(TierFetch::new(tier, settings.protection.limits));
        fetcher = fetcher.with_tier(Arc::new(samples.tier(tier)));
    }
    Ok(fetcher)
}

/// The way to webhook endpoints.
///
/// # Errors
/// [`SetupError`] when it cannot be set up.
pub fn receivers(settings: &Settings) -> Result<HttpPost, SetupError> {
    HttpPost::new(settings.receivers())
}

/// The way to the payment provider, where there is one, and how it is used.
///
/// # Errors
/// [`SetupError`] when it cannot be set up.
pub fn recharger(settings: &Settings, store: &Store) -> Result<Option<Recharger>, SetupError> {
    let Some(stripe) = &settings.payments.stripe else { return Ok(None) };
    let http = HttpPost::new(settings.payment_http(stripe))?;
    let provider = Stripe::new(http, stripe.key.clone(), &stripe.url);
    let recharger = settings.recharger(stripe);
    Ok(Some(Recharger::new(store.clone(), provider, Arc::new(SystemClock), recharger)))
}

/// Chromium, where there is one. It starts with the first page that needs it.
fn browser(settings: &Settings, http: &HttpFetch) -> Option<Arc<dyn Fetch>> {
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

/// Where the browser's profiles are while it runs: in the data folder where there is one that
/// the browser's user can enter, else among the system's temporary files.
fn profiles(settings: &Settings) -> Option<PathBuf> {
    let root = rustix::process::geteuid().is_root();
    let data = settings.data.join("chromium");
    let own = settings.protection.profiles.clone();
    own.or_else(|| (!root && settings.data.is_dir()).then_some(data))
}

/// The way past bot protection.
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
