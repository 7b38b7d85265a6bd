//! The layers of settings as text, each value with its origin.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use super::{SettingError, variables};

const DEFAULTS: &str = include_str!("../../settings.toml");
const PREFIX: &str = "TRAWL_";

/// Settings whose values are never shown.
const SECRET: &[&str] = &[
    "secret_key",
    "next_secret_key",
    "egress_proxy",
    "protected_proxy",
    "protected_unlocker",
    "stripe_key",
    "smtp_password",
    "otlp_headers",
    "metrics_token",
    "oauth_registration_token",
];

/// Origin of the value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The default settings file.
    Default,
    /// The settings file of the operator.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
    /// A command-line flag, with its dashes.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the defaults"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// All settings as text, each with its origin.
#[derive(Debug, Clone)]
pub struct Layers {
    values: BTreeMap<String, (String, Origin)>,
    /// Variables of the environment that look like settings and are none.
    unknown_variables: Vec<String>,
}

impl Layers {
    /// Merges defaults, file, environment and flags; later layers override earlier ones.
    ///
    /// # Errors
    /// [`SettingError`] when the file cannot be read or names an unknown setting.
    pub fn gather(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
        flags: &[(&'static str, &'static str, Option<String>)],
    ) -> Result<Self, SettingError> {
        let mut layers = Self { values: BTreeMap::new(), unknown_variables: Vec::new() };
        for (key, value) in table(DEFAULTS).map_err(|cause| file_error("(defaults)", cause))? {
            layers.values.insert(key, (value, Origin::Default));
        }
        if let Some(path) = file {
            let shown = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(|error| file_error(&shown, error))?;
            for (key, value) in table(&text).map_err(|cause| file_error(&shown, cause))? {
                let origin = Origin::File(path.to_owned());
                let Some(slot) = layers.values.get_mut(&key) else {
                    return Err(layers.unknown(key, origin));
                };
                *slot = (value, origin);
            }
        }
        for (name, value) in environment {
            let Some(key) = name.strip_prefix(PREFIX).map(str::to_lowercase) else { continue };
            if let Some(slot) = layers.values.get_mut(&key) {
                *slot = (value, Origin::Environment(name));
            } else if !variables::is_known(&name) {
                layers.unknown_variables.push(name);
            }
        }
        layers.unknown_variables.sort_unstable();
        for (key, flag, value) in flags {
            if let (Some(value), Some(slot)) = (value, layers.values.get_mut(*key)) {
                *slot = (value.clone(), Origin::Flag(flag));
            }
        }
        Ok(layers)
    }

    /// Every setting with its value, secrets hidden, and its origin.
    pub fn shown(&self) -> impl Iterator<Item = (&str, String, &Origin)> {
        self.values.iter().map(|(key, (value, origin))| {
            let shown = match key.as_str() {
                key if SECRET.contains(&key) && !value.is_empty() => "(set)".to_owned(),
                "database" | "storage_endpoint" => store::without_password(value),
                "storage" | "storage_also" if value.contains('@') => "(set)".to_owned(),
                _ => value.clone(),
            };
            (key.as_str(), shown, origin)
        })
    }

    /// A warning for each environment variable with the prefix of settings that is no known setting.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.unknown_variables.iter().take(variables::MAX_WARNINGS).map(move |name| {
            let settings = self.values.keys().map(|key| format!("{PREFIX}{}", key.to_uppercase()));
            variables::warning(name, settings)
        })
    }

    /// The default settings file with its comments.
    #[must_use]
    pub fn default_file() -> &'static str {
        DEFAULTS
    }

    /// Replaces a value that is known only at run time, such as the port; keeps its origin.
    pub fn replace(&mut self, key: &'static str, value: String) {
        if let Some((slot, _)) = self.values.get_mut(key) {
            *slot = value;
        }
    }

    /// The value of a setting as text.
    #[must_use]
    pub fn value(&self, key: &'static str) -> &str {
        self.text(key)
    }

    pub(super) fn text(&self, key: &'static str) -> &str {
        self.values.get(key).map_or("", |(value, _)| value.trim())
    }

    pub(super) fn list(&self, key: &'static str) -> impl Iterator<Item = &str> {
        self.text(key).split(',').map(str::trim).filter(|entry| !entry.is_empty())
    }

    pub(super) fn invalid(&self, key: &'static str, problem: impl fmt::Display) -> SettingError {
        let origin = self.values.get(key).map_or(Origin::Default, |(_, origin)| origin.clone());
        let shown = self.shown().find(|(name, ..)| *name == key).map(|(_, value, _)| value);
        let value = shown.unwrap_or_default();
        SettingError::Value { key, value, origin, problem: problem.to_string() }
    }

    pub(super) fn parse<T: FromStr>(
        &self,
        key: &'static str,
        expected: &str,
    ) -> Result<T, SettingError> {
        self.text(key).parse().map_err(|_| self.invalid(key, format!("it must be {expected}")))
    }

    pub(super) fn optional<T: FromStr>(
        &self,
        key: &'static str,
        expected: &str,
    ) -> Result<Option<T>, SettingError> {
        if self.text(key).is_empty() { Ok(None) } else { self.parse(key, expected).map(Some) }
    }

    /// A boolean: `true` or `1`, `false` or `0`.
    pub(super) fn switch(&self, key: &'static str) -> Result<bool, SettingError> {
        match self.text(key) {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(self.invalid(key, "it must be true or false")),
        }
    }

    pub(super) fn checked<T, E: fmt::Display>(
        &self,
        key: &'static str,
        check: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, SettingError> {
        check(self.text(key)).map_err(|problem| self.invalid(key, problem))
    }

    pub(super) fn number<T: FromStr + PartialOrd + fmt::Display>(
        &self,
        key: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<T, SettingError> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        let number: T = self.parse(key, &expected)?;
        if range.contains(&number) {
            Ok(number)
        } else {
            Err(self.invalid(key, format!("it must be {expected}")))
        }
    }

    pub(super) fn millis(&self, key: &'static str, least: u64) -> Result<Duration, SettingError> {
        // At most one year.
        self.number(key, least..=31_536_000_000).map(Duration::from_millis)
    }

    pub(super) fn readable_file(&self, key: &'static str) -> Result<Option<PathBuf>, SettingError> {
        if self.text(key).is_empty() {
            return Ok(None);
        }
        let path = PathBuf::from(self.text(key));
        match std::fs::File::open(&path) {
            Ok(_) => Ok(Some(path)),
            Err(error) => Err(self.invalid(key, format!("cannot read the file: {error}"))),
        }
    }

    fn unknown(&self, key: String, origin: Origin) -> SettingError {
        let nearest = self
            .values
            .keys()
            .map(|known| (strsim::damerau_levenshtein(known, &key), known))
            .min()
            .filter(|(distance, _)| *distance <= 3);
        let hint =
            nearest.map_or_else(String::new, |(_, known)| format!("; did you mean {known}?"));
        SettingError::Unknown { key, origin, hint }
    }
}

fn table(text: &str) -> Result<Vec<(String, String)>, String> {
    let table: toml::Table =
        text.parse().map_err(|error: toml::de::Error| syntax_error(text, &error))?;
    table
        .into_iter()
        .map(|(key, value)| match value {
            toml::Value::String(text) => Ok((key, text)),
            toml::Value::Integer(number) => Ok((key, number.to_string())),
            toml::Value::Boolean(truth) => Ok((key, truth.to_string())),
            toml::Value::Float(_)
            | toml::Value::Datetime(_)
            | toml::Value::Array(_)
            | toml::Value::Table(_) => Err(format!("{key} must be a text or a whole number")),
        })
        .collect()
}

/// The syntax error with its line number. The line is not quoted: it may contain a secret.
fn syntax_error(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            format!("line {line}: {}", error.message())
        }
        None => error.message().to_owned(),
    }
}

fn file_error(path: &str, cause: impl fmt::Display) -> SettingError {
    SettingError::File { path: path.to_owned(), cause: cause.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::{Settings, TierChoice};
    use super::*;

    fn gather(environment: &[(&str, &str)]) -> Layers {
        let pairs = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Layers::gather(None, pairs, &[]).expect("no file to go wrong")
    }

    #[test]
    fn default_file_is_valid_and_complete() {
        let settings = Settings::of(&gather(&[])).expect("the defaults are good");
        assert_eq!(settings.public_url, "http://127.0.0.1:8080");
        assert_eq!(settings.sources, ["direct", "mcp", "zapier", "make", "n8n"]);
        assert_eq!(settings.limits.batch_size, 10_000);
        assert!(settings.user_agent.ends_with("(+http://127.0.0.1:8080/bot)"));
    }

    #[test]
    fn registration_accepts_closed() {
        assert!(Settings::of(&gather(&[("TRAWL_REGISTRATION", "closed")])).is_ok());
    }

    #[test]
    fn account_listeners_default_to_a_quarter_of_all_streams() {
        let listeners = |environment: &[(&str, &str)]| {
            let settings = Settings::of(&gather(environment)).expect("good").api();
            (settings.limits.listeners, settings.listeners)
        };
        let (account, service) = listeners(&[]);
        assert_eq!(usize::try_from(account).expect("a number"), service / 4);
        assert!(account > 0);
        assert_eq!(listeners(&[("TRAWL_LISTENERS", "40")]), (10, 40));
        assert_eq!(listeners(&[("TRAWL_LISTENERS", "3")]), (1, 3), "at least one");
        let set = [("TRAWL_LISTENERS", "3"), ("TRAWL_ACCOUNT_LISTENERS", "3")];
        assert_eq!(listeners(&set), (3, 3));
    }

    #[test]
    fn browser_memory_and_cpus_default_to_a_share_of_the_machine() {
        let browsers = |environment: &[(&str, &str)]| {
            let protection = Settings::of(&gather(environment)).expect("good").protection;
            (protection.browser_memory, protection.browser_cpus)
        };
        let (memory, cpus) = browsers(&[]);
        assert!((512 << 20..=2 << 30).contains(&memory) && cpus >= 1, "{memory} {cpus}");
        let set = [("TRAWL_BROWSER_MEMORY", "8589934592"), ("TRAWL_BROWSER_CPUS", "12")];
        assert_eq!(browsers(&set), (8 << 30, 12));
    }

    #[test]
    fn booleans_accept_words_and_digits() {
        let sandboxless = |value| {
            let layers = gather(&[("TRAWL_CHROMIUM_NO_SANDBOX", value)]);
            Settings::of(&layers).expect("good").protection.no_sandbox
        };
        assert!(sandboxless("1") && sandboxless("true"));
        assert!(!sandboxless("0") && !sandboxless("false"));
    }

    #[test]
    fn flags_override_environment_overrides_file_overrides_defaults() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("trawl.toml");
        std::fs::write(&file, "runs = 3\nrate_burst = 5\nbatch_size = 7\n").expect("written");
        let environment = [("TRAWL_RATE_BURST", "6"), ("TRAWL_BATCH_SIZE", "8"), ("OTHER", "1")];
        let environment =
            environment.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let flags = [("batch_size", "--batch-size", Some("9".to_owned()))];
        let layers = Layers::gather(Some(&file), environment, &flags).expect("all good");
        let settings = Settings::of(&layers).expect("all good");
        assert_eq!((settings.runs, settings.limits.request_burst), (3, 6));
        assert_eq!(settings.limits.batch_size, 9);
        let origins: Vec<_> = layers
            .shown()
            .filter(|(key, ..)| ["runs", "rate_burst", "batch_size", "keys"].contains(key))
            .map(|(_, _, origin)| origin.to_string())
            .collect();
        let file = file.display().to_string();
        assert_eq!(origins, ["--batch-size", "the defaults", "TRAWL_RATE_BURST", file.as_str()]);
    }

    #[test]
    fn invalid_settings_are_reported_with_key_and_origin() {
        for (name, value, said) in [
            (
                "TRAWL_LISTEN",
                "8080",
                "listen (from TRAWL_LISTEN) is \"8080\": it must be an address",
            ),
            ("TRAWL_RATE_BURST", "many", "it must be a whole number from 1 to"),
            ("TRAWL_LEASE_MS", "0", "lease_ms (from TRAWL_LEASE_MS)"),
            ("TRAWL_DATABASE", "mysql://x", "it must begin with sqlite: or postgres://"),
            ("TRAWL_ALLOW_NETWORKS", "10.0.0.0/99", "allow_networks"),
            ("TRAWL_ALLOW_WEBHOOK_NETWORKS", "nonsense", "allow_webhook_networks"),
            ("TRAWL_REGISTRATION", "open", "it must be closed: this version has no sign-up"),
            ("TRAWL_DENY_NETWORKS", "10.0.0.1:80", "`10.0.0.1:80` is not a network"),
            ("TRAWL_EGRESS_PROXY", "proxy:3128", "invalid proxy URL"),
            ("TRAWL_PROTECTED_PROXY_NAMES", "maybe", "it must be true or false"),
            ("TRAWL_CHROMIUM_NO_SANDBOX", "yes", "it must be true or false"),
            ("TRAWL_BROWSER_MEMORY", "1", "browser_memory (from TRAWL_BROWSER_MEMORY)"),
            ("TRAWL_WEBHOOK_RETRIES", "5,soon", "`soon` is not a number of seconds"),
            ("TRAWL_WEBHOOK_TIMEOUT_MS", "0", "webhook_timeout_ms"),
            ("TRAWL_SCHEDULE_TOLERANCE", "an hour", "schedule_tolerance"),
            ("TRAWL_SCHEDULE_MINUTES", "0", "it must be a whole number from 1 to 1440"),
            ("TRAWL_RESOLVE", "a=b=c", "resolve"),
            ("TRAWL_DNS", "nowhere", "dns"),
            ("TRAWL_EXTRA_CA", "/does/not/exist.pem", "cannot read the file"),
            ("TRAWL_PUBLIC_URL", "example.com", "it must begin with http://"),
            ("TRAWL_LOG_FORMAT", "xml", "it must be text or json"),
            ("TRAWL_PAYMENT_PROVIDER", "cash", "it must be none or stripe"),
            ("TRAWL_PAYMENT_PROVIDER", "stripe", "stripe_key (from the defaults)"),
        ] {
            let error = Settings::of(&gather(&[(name, value)])).expect_err(name).to_string();
            assert!(error.contains(said), "{name}: {error}");
        }
    }

    #[test]
    fn unknown_keys_in_the_settings_file_are_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("trawl.toml");
        std::fs::write(&file, "rate_brust = 5\n").expect("written");
        let error = Layers::gather(Some(&file), std::iter::empty(), &[]).expect_err("a typo");
        assert!(
            error.to_string().ends_with("no setting rate_brust; did you mean rate_burst?"),
            "{error}"
        );
        std::fs::write(&file, "runs = [1]\n").expect("written");
        let error = Layers::gather(Some(&file), std::iter::empty(), &[]).expect_err("a list");
        assert!(error.to_string().contains("runs must be"), "{error}");
    }

    #[test]
    fn setting_errors_do_not_contain_secrets() {
        for database in ["host=db user=me password=hush", "postgres:/me:hush@db/trawl"] {
            let error = Settings::of(&gather(&[("TRAWL_DATABASE", database)]));
            let error = error.expect_err("no URL").to_string();
            assert!(error.contains("it must begin with") && !error.contains("hush"), "{error}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("trawl.toml");
        std::fs::write(&file, "runs = 3\nstripe_key = sk_live_hush\n").expect("written");
        let error = Layers::gather(Some(&file), std::iter::empty(), &[]).expect_err("no quotes");
        let error = error.to_string();
        assert!(error.contains("line 2") && !error.contains("hush"), "{error}");
    }

    #[test]
    fn all_outbound_clients_use_the_egress_proxy() {
        let settings = Settings::of(&gather(&[
            ("TRAWL_EGRESS_PROXY", "http://proxy.internal:3128"),
            ("TRAWL_PROTECTED_TIER", "unlocker"),
            ("TRAWL_PROTECTED_UNLOCKER", "https://unlocker.example/?url={url}"),
            ("TRAWL_PAYMENT_PROVIDER", "stripe"),
            ("TRAWL_STRIPE_KEY", "sk_test_x"),
            ("TRAWL_CREDIT_PRICE", "100"),
        ]))
        .expect("good settings");
        let TierChoice::Unlocker(unlocker) = &settings.protection.tier else { panic!("no tier") };
        let stripe = settings.payments.stripe.as_ref().expect("a provider");
        let ways = [
            settings.http(),
            settings.tier_http(),
            settings.unlocker_http(unlocker),
            settings.webhook_http(),
            settings.payment_http(stripe),
        ];
        assert!(ways.iter().all(|http| http.egress == settings.egress_proxy));
        assert!(settings.egress_proxy.is_some());
    }

    /// Hosts that the operator configures may be in any network, on the configured port, except in
    /// a denied network.
    #[test]
    fn denied_networks_apply_to_unlocker_and_payment_provider() {
        let settings = Settings::of(&gather(&[
            ("TRAWL_DENY_NETWORKS", "10.0.0.0/8"),
            ("TRAWL_PROTECTED_TIER", "unlocker"),
            ("TRAWL_PROTECTED_UNLOCKER", "http://unlocker.internal:8200/?url={url}"),
            ("TRAWL_PAYMENT_PROVIDER", "stripe"),
            ("TRAWL_STRIPE_KEY", "sk_test_x"),
            ("TRAWL_STRIPE_URL", "https://payments.internal:9200"),
            ("TRAWL_CREDIT_PRICE", "100"),
        ]))
        .expect("good settings");
        let TierChoice::Unlocker(unlocker) = &settings.protection.tier else { panic!("no tier") };
        let stripe = settings.payments.stripe.as_ref().expect("a provider");
        for (http, port) in
            [(settings.unlocker_http(unlocker), 8200), (settings.payment_http(stripe), 9200)]
        {
            let permits = |ip: [u8; 4], port| http.resolver.allowed.permits((ip, port).into());
            assert!(permits([192, 168, 1, 1], port) && permits([93, 184, 216, 34], port));
            assert!(!permits([10, 0, 0, 1], port), "it is denied");
            assert!(!permits([192, 168, 1, 1], 6379), "the operator named another port");
        }
    }

    #[test]
    fn secrets_are_hidden_in_config_and_debug_output() {
        let layers = gather(&[
            ("TRAWL_SECRET_KEY", "hush, this is longer than 32 characters"),
            ("TRAWL_STRIPE_KEY", "sk_hush"),
            ("TRAWL_EGRESS_PROXY", "http://me:hush@proxy:3128"),
            ("TRAWL_DATABASE", "postgres://me:hush@db/trawl"),
        ]);
        let shown: Vec<_> = layers.shown().map(|(_, value, _)| value).collect();
        assert!(!shown.iter().any(|value| value.contains("hush")), "{shown:?}");
        assert!(shown.contains(&"postgres://me:…@db/trawl".to_owned()));
        let settings = Settings::of(&layers).expect("good settings");
        assert!(!format!("{settings:?}").contains("hush"), "{settings:?}");
        assert!(!format!("{:?}", settings.store()).contains("hush"));
    }

    #[test]
    fn short_secret_keys_are_rejected() {
        let short = "a".repeat(31);
        let error = Settings::of(&gather(&[("TRAWL_SECRET_KEY", &short)])).expect_err("too short");
        let error = error.to_string();
        assert!(error.contains("secret_key (from TRAWL_SECRET_KEY) is \"(set)\""), "{error}");
        assert!(error.contains("has 31 characters and needs at least 32"), "{error}");
        assert!(error.contains("openssl rand -hex 32") && !error.contains(&short), "{error}");
        let long = "a".repeat(32);
        Settings::of(&gather(&[("TRAWL_SECRET_KEY", &long)])).expect("long enough");
    }
}
