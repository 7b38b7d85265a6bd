//! Settings of the protected tier and the browser.

use std::path::PathBuf;
use std::time::Duration;

use browser::RenderSettings;
use net::{HttpSettings, Proxy, TierLimits, Unlocker};
use urls::AllowedNetworks;

use super::layers::Layers;
use super::{SettingError, Settings};

/// Minimum memory of Chromium; with less it renders no page.
const MIN_BROWSER_MEMORY: u64 = 256 << 20;

/// The configured protected tier.
#[derive(Debug, Clone)]
pub enum TierChoice {
    /// The browser if one is installed.
    Auto,
    /// The browser; required.
    Browser,
    Proxy(Proxy),
    Unlocker(Unlocker),
    None,
}

/// The browser that renders pages with JavaScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrowserChoice {
    /// The first browser found on this machine.
    Found,
    At(PathBuf),
    /// JavaScript is not rendered.
    None,
}

/// Settings of the protected tier and the browser.
#[derive(Debug, Clone)]
pub struct ProtectionSettings {
    pub tier: TierChoice,
    /// Whether the proxy gets host names instead of checked addresses.
    pub proxy_names: bool,
    pub limits: TierLimits,
    pub browser: BrowserChoice,
    pub tabs: usize,
    pub page_life: Duration,
    /// The user of the browser when this process is root.
    pub browser_user: String,
    pub no_sandbox: bool,
    /// The configured folder for browser profiles.
    pub profiles: Option<PathBuf>,
    /// Bytes of memory of all browsers together.
    pub browser_memory: u64,
    /// Processor cores of all browsers together.
    pub browser_cpus: u32,
}

impl ProtectionSettings {
    /// Validates the values of all layers.
    ///
    /// # Errors
    /// The first [`SettingError`].
    pub fn of(layers: &Layers) -> Result<Self, SettingError> {
        let browser = match layers.text("chromium") {
            "" => BrowserChoice::Found,
            "none" => BrowserChoice::None,
            _ => match layers.readable_file("chromium")? {
                Some(path) => BrowserChoice::At(path),
                None => BrowserChoice::Found,
            },
        };
        Ok(Self {
            tier: tier(layers)?,
            proxy_names: layers.switch("protected_proxy_names")?,
            limits: TierLimits {
                concurrency: layers.number("protected_concurrency", 1..=10_000)?,
                whole: layers.millis("protected_ms", 1)?,
            },
            browser,
            tabs: layers.number("browser_tabs", 1..=64)?,
            page_life: layers.millis("browser_page_ms", 1)?,
            browser_user: layers.text("chromium_user").to_owned(),
            no_sandbox: layers.switch("chromium_no_sandbox")?,
            profiles: match layers.text("chromium_profiles") {
                "" => None,
                folder => Some(PathBuf::from(folder)),
            },
            browser_memory: match layers.number("browser_memory", 0..=1_099_511_627_776)? {
                0 => RenderSettings::default_memory(),
                1..MIN_BROWSER_MEMORY => {
                    let problem = format!("it must be 0 or at least {MIN_BROWSER_MEMORY}");
                    return Err(layers.invalid("browser_memory", problem));
                }
                bytes => bytes,
            },
            browser_cpus: match layers.number("browser_cpus", 0..=1_024)? {
                0 => RenderSettings::default_cores(),
                cores => cores,
            },
        })
    }
}

impl Settings {
    /// HTTP settings for sites behind bot protection.
    #[must_use]
    pub fn tier_http(&self) -> HttpSettings {
        let whole = self.protection.limits.whole;
        HttpSettings { whole, first_byte: whole, ..self.http() }
    }

    /// HTTP settings for the endpoint of an unlocker. The operator chose the host: it may be in
    /// any network except a denied one.
    #[must_use]
    pub fn unlocker_http(&self, unlocker: &Unlocker) -> HttpSettings {
        let mut http = self.tier_http();
        let allowed = AllowedNetworks::everywhere(unlocker.port());
        http.resolver.allowed = allowed.denying(self.denied.clone());
        http
    }
}

fn tier(layers: &Layers) -> Result<TierChoice, SettingError> {
    Ok(match layers.text("protected_tier") {
        "auto" => TierChoice::Auto,
        "browser" => TierChoice::Browser,
        "proxy" => TierChoice::Proxy(layers.checked("protected_proxy", str::parse)?),
        "unlocker" => TierChoice::Unlocker(layers.checked("protected_unlocker", str::parse)?),
        "none" => TierChoice::None,
        _ => {
            let problem = "it must be auto, browser, proxy, unlocker or none";
            return Err(layers.invalid("protected_tier", problem));
        }
    })
}
