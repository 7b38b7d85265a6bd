//! The settings for protected sites and for JavaScript.

use std::path::PathBuf;
use std::time::Duration;

use browser::RenderSettings;
use net::{HttpSettings, Proxy, TierLimits, Unlocker};
use urls::AllowedNetworks;

use super::layers::Layers;
use super::{SettingError, Settings};

/// With less memory Chromium shows no page.
const LEAST_BROWSER_MEMORY: u64 = 256 << 20;

/// The way past bot protection that the operator has chosen.
#[derive(Debug, Clone)]
pub enum TierChoice {
    /// The browser when there is one.
    Auto,
    /// The browser.
    Browser,
    Proxy(Proxy),
    Unlocker(Unlocker),
    None,
}

/// Which browser runs JavaScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrowserChoice {
    /// Whichever is found.
    Found,
    /// This one.
    At(PathBuf),
    /// None.
    None,
}

/// All of it.
#[derive(Debug, Clone)]
pub struct ProtectionSettings {
    pub tier: TierChoice,
    /// Whether the proxy is asked for names instead of judged addresses.
    pub proxy_names: bool,
    pub limits: TierLimits,
    pub browser: BrowserChoice,
    pub tabs: usize,
    pub page_life: Duration,
    /// The user of the browser when this process is root.
    pub browser_user: String,
    pub no_sandbox: bool,
    /// Where the operator wants the browser's profiles.
    pub profiles: Option<PathBuf>,
    /// Bytes of memory of all browsers together.
    pub browser_memory: u64,
    /// Processor cores of all browsers together.
    pub browser_cpus: u32,
}

impl ProtectionSettings {
    /// Checks the values of all layers.
    ///
    /// # Errors
    /// The first [`SettingError`] there is.
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
                1..LEAST_BROWSER_MEMORY => {
                    let problem = format!("it must be 0 or at least {LEAST_BROWSER_MEMORY}");
                    return Err(layers.wrong("browser_memory", problem));
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
    /// How sites behind bot protection are fetched.
    #[must_use]
    pub fn tier_http(&self) -> HttpSettings {
        let whole = self.protection.limits.whole;
        HttpSettings { whole, first_byte: whole, ..self.http() }
    }

    /// How the endpoint of a provider is spoken to. It is the operator's own choice, wherever it
    /// is, except in a network that the operator denies.
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
            let problem = "it is auto, browser, proxy, unlocker or none";
            return Err(layers.wrong("protected_tier", problem));
        }
    })
}
