//! Settings in layers: default file, settings file, environment, flags. Each value keeps its
//! origin for error messages.

mod clients;
mod layers;
mod listening;
mod mail;
mod payments;
mod protection;
mod resources;
mod retention;
mod schedules;
mod storage;
mod traces;
mod variables;
mod webhooks;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ::mail::SmtpSettings;
use api::{ApiSettings, Inbound};
use contract::{Credits, Limits};
use crawl::Retries;
use job::RateCard;
use net::{HttpSettings, NameTable, Proxy, ResolverSettings};
use privacy::{BlockedDomains, Denylist, LiveOptOuts, OptOut, OptOuts};
use runner::HostGateSettings;
use store::{RetentionPolicy, StorageSettings, StoreSettings};
use telemetry::TraceSettings;
use thiserror::Error;
use urls::{AllowedNetworks, DeniedNetworks};
use worker::WorkerSettings;

use crate::open_files::OpenFiles;

pub use clients::ClientSettings;
pub use layers::{Layers, Origin};
pub use listening::{ListenAddress, ListenSettings, TlsFiles, joined};
pub use payments::PaymentSettings;
pub use protection::{BrowserChoice, ProtectionSettings, TierChoice};
pub use resources::ResourceSettings;
pub use schedules::ScheduleSettings;
pub use webhooks::{SHORTEST_KEY, WebhookSettings};

/// An invalid setting or settings file.
#[derive(Debug, Error)]
pub enum SettingError {
    /// The settings file cannot be read or parsed.
    #[error("cannot use the settings file {path}: {cause}")]
    File { path: String, cause: String },
    /// The settings file has an unknown key.
    #[error("{origin}: there is no setting {key}{hint}")]
    Unknown {
        key: String,
        origin: Origin,
        /// A suggestion of the nearest key, or empty.
        hint: String,
    },
    /// The value of a setting is invalid.
    #[error("the setting {key} (from {origin}) is {value:?}: {problem}")]
    Value { key: &'static str, value: String, origin: Origin, problem: String },
}

/// The file of the embedded database in the data folder.
pub const DATABASE_FILE: &str = "trawl.db";

/// The URL of the database, which may contain a password. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The URL with its password.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&store::without_password(&self.0))
    }
}

/// All settings, validated.
#[derive(Debug, Clone)]
pub struct Settings {
    pub listening: ListenSettings,
    /// `None` if no e-mail is sent.
    pub smtp: Option<SmtpSettings>,
    /// `None` without traces.
    pub traces: Option<TraceSettings>,
    pub data: PathBuf,
    /// Empty for SQLite in the data folder.
    pub database: DatabaseUrl,
    /// Connections of this node to PostgreSQL.
    pub database_connections: u32,
    pub database_statements: u32,
    pub pgbouncer: bool,
    pub public_url: String,
    /// Allowed networks without the denied ones.
    pub allow_networks: AllowedNetworks,
    pub denied: DeniedNetworks,
    pub egress_proxy: Option<Proxy>,
    pub names: NameTable,
    pub dns: Option<SocketAddr>,
    pub extra_ca: Option<PathBuf>,
    pub blocked_domains: BlockedDomains,
    pub objections: Vec<OptOut>,
    pub user_agent: String,
    pub host_concurrency: usize,
    pub host_delay: Duration,
    pub connect: Duration,
    pub first_byte: Duration,
    pub page: Duration,
    pub page_bytes: usize,
    pub retries: Retries,
    pub protection: ProtectionSettings,
    pub webhooks: WebhookSettings,
    pub payments: PaymentSettings,
    pub schedules: ScheduleSettings,
    pub resources: ResourceSettings,
    pub clients: ClientSettings,
    pub runs: usize,
    pub visit_shards: usize,
    pub visits: usize,
    pub lease: Duration,
    /// Time between `/readyz` with 503 and the end of the listener at a shutdown.
    pub drain: Duration,
    pub snapshot_bytes: u64,
    pub keep_audit: Duration,
    pub retention: RetentionPolicy,
    pub storage: StorageSettings,
    pub limits: Limits,
    pub rates: RateCard,
    pub first_credits: Credits,
    pub sources: Vec<String>,
    pub listeners: usize,
    pub behind_proxy: bool,
    pub log: String,
    pub log_json: bool,
}

impl Settings {
    /// Validates the values of all layers.
    ///
    /// # Errors
    /// The first [`SettingError`].
    pub fn of(layers: &Layers) -> Result<Self, SettingError> {
        let listening = ListenSettings::of(layers)?;
        let public_url = match layers.text("public_url").trim_end_matches('/') {
            "" => listening.default_url(),
            url if url.starts_with("http://") || url.starts_with("https://") => url.to_owned(),
            _ => return Err(layers.invalid("public_url", "it must begin with http:// or https://")),
        };
        let database = layers.text("database").to_owned();
        if !["", "sqlite:", "postgres://", "postgresql://"].iter().any(|start| {
            if start.is_empty() { database.is_empty() } else { database.starts_with(start) }
        }) {
            let problem = "it must begin with sqlite: or postgres://, or be empty";
            return Err(layers.invalid("database", problem));
        }
        let user_agent = match layers.text("user_agent") {
            "" => format!("Trawl/{} (+{public_url}/bot)", env!("CARGO_PKG_VERSION")),
            name => name.to_owned(),
        };
        let denied = layers.checked("deny_networks", DeniedNetworks::parse)?;
        let egress_proxy = match layers.text("egress_proxy") {
            "" => None,
            _ => Some(layers.checked("egress_proxy", str::parse)?),
        };
        Ok(Self {
            allow_networks: layers
                .checked("allow_networks", AllowedNetworks::parse)?
                .denying(denied.clone()),
            denied,
            egress_proxy,
            names: layers.checked("resolve", NameTable::parse)?,
            dns: layers.optional("dns", "an address with a port, as 9.9.9.9:53")?,
            extra_ca: layers.readable_file("extra_ca")?,
            blocked_domains: BlockedDomains::new(layers.list("blocked_domains")),
            objections: layers.checked("objections", OptOut::list)?,
            data: PathBuf::from(layers.text("data")),
            database_connections: layers.number("database_connections", 4..=10_000)?,
            database_statements: layers.number("database_statements", 1..=10_000)?,
            pgbouncer: layers.switch("pgbouncer")?,
            host_concurrency: layers.number("host_concurrency", 1..=256)?,
            host_delay: layers.millis("host_delay_ms", 0)?,
            connect: layers.millis("connect_ms", 1)?,
            first_byte: layers.millis("first_byte_ms", 1)?,
            page: layers.millis("page_ms", 1)?,
            page_bytes: layers.number("page_bytes", 1_024..=1_073_741_824)?,
            retries: Retries {
                back_off: layers.millis("retry_ms", 0)?,
                robots_every: layers.millis("robots_retry_ms", 0)?,
                rate_limit_patience: layers.millis("rate_limit_ms", 0)?,
                ..Retries::default()
            },
            protection: ProtectionSettings::of(layers)?,
            webhooks: WebhookSettings::of(layers)?,
            payments: PaymentSettings::of(layers)?,
            schedules: ScheduleSettings::of(layers)?,
            resources: ResourceSettings::of(layers)?,
            clients: ClientSettings::of(layers)?,
            runs: layers.number("runs", 1..=10_000)?,
            visit_shards: layers.number("visit_shards", 1..=1_000)?,
            visits: layers.number("visits", 1..=10_000)?,
            lease: layers.millis("lease_ms", 100)?,
            drain: layers.millis("drain_ms", 0)?,
            snapshot_bytes: layers.number("snapshot_bytes", 1..=u64::MAX)?,
            keep_audit: Duration::from_secs(
                layers.number::<u64>("audit_days", 1..=36_500)? * 24 * 60 * 60,
            ),
            retention: retention::policy(layers)?,
            storage: storage::places(layers)?,
            limits: Limits {
                requests_per_minute: layers.number("rate_per_minute", 1..=1_000_000_000)?,
                request_burst: layers.number("rate_burst", 1..=1_000_000_000)?,
                account_requests_per_minute: layers
                    .number("account_rate_per_minute", 1..=1_000_000_000)?,
                running_jobs: layers.number("running_jobs", 1..=1_000_000)?,
                queued_jobs: layers.number("queued_jobs", 0..=10_000_000)?,
                batch_size: layers.number("batch_size", 1..=u64::MAX)?,
                domains_per_job: layers.number("domains_per_job", 1..=1_000_000)?,
                page_size_max: layers.number("page_size_max", 1..=100_000)?,
                webhooks: layers.number("webhooks", 0..=100_000)?,
                keys: layers.number("keys", 1..=100_000)?,
                export_url_seconds: layers.number("export_url_seconds", 1..=31_536_000)?,
                results_days: layers.number("results_days", 1..=36_500)?,
                listeners: layers.number("account_listeners", 0..=1_000_000)?,
                job_file_bytes: layers.number("job_file_bytes", 0..=1 << 50)?,
            },
            rates: RateCard {
                links: Credits(layers.number("credits_links", 1..=1_000_000)?),
                sitemap: Credits(layers.number("credits_sitemap", 1..=1_000_000)?),
                markdown: Credits(layers.number("credits_markdown", 1..=1_000_000)?),
                products: Credits(layers.number("credits_products", 1..=1_000_000)?),
                contacts: Credits(layers.number("credits_contacts", 1..=1_000_000)?),
                protected_factor: layers.number("protected_factor", 1..=1_000)?,
            },
            first_credits: Credits(layers.number("first_credits", 0..=1_000_000_000_000)?),
            sources: ["direct".to_owned(), "mcp".to_owned()]
                .into_iter()
                .chain(layers.list("sources").map(str::to_owned))
                .collect(),
            listeners: layers.number("listeners", 0..=1_000_000)?,
            behind_proxy: layers.parse("behind_proxy", "true or false")?,
            log: layers.text("log").to_owned(),
            log_json: match layers.text("log_format") {
                "text" => false,
                "json" => true,
                _ => return Err(layers.invalid("log_format", "it must be text or json")),
            },
            smtp: mail::server(layers, &public_url)?,
            traces: traces::settings(layers)?,
            listening,
            database: DatabaseUrl(database),
            public_url,
            user_agent,
        })
    }

    /// `database`, or the SQLite file in the data folder, which is made if it is missing.
    #[must_use]
    pub fn database_url(&self) -> String {
        if self.is_embedded() {
            format!("sqlite:{}?mode=rwc", self.data.join(DATABASE_FILE).display())
        } else {
            self.database.reveal().to_owned()
        }
    }

    /// Whether the database is SQLite in the data folder.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        self.database.reveal().is_empty()
    }

    /// Whether the database is PostgreSQL.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        self.database.reveal().starts_with("postgres")
    }

    /// Denylist of a run without a database: blocked domains and opt-outs of the settings.
    #[must_use]
    pub fn denylist(&self) -> Denylist {
        let marks = self.objections.iter().map(|one| (one.kind(), one.mark().to_owned()));
        Denylist {
            blocked_domains: self.blocked_domains.clone(),
            opt_outs: LiveOptOuts::new(OptOuts::new(marks)),
        }
    }

    #[must_use]
    pub fn store(&self) -> StoreSettings {
        let defaults = StoreSettings::new(self.database_url());
        StoreSettings {
            connections: match defaults.is_postgres() {
                true => self.database_connections,
                false => defaults.connections,
            },
            statements: self.database_statements,
            pgbouncer: self.pgbouncer,
            rates: self.rates,
            running_jobs: self.limits.running_jobs,
            queued_jobs: self.limits.queued_jobs,
            keys: self.limits.keys,
            webhooks: self.limits.webhooks,
            schedules: self.schedules.of_account,
            unapproved_applications: self.clients.unapproved_applications,
            secret_key: self.webhooks.secret_key.clone(),
            next_secret_key: self.webhooks.next_secret_key.clone(),
            opt_outs: self.objections.clone(),
            keep_audit: self.keep_audit,
            retention: self.retention,
            job_file_bytes: self.limits.job_file_bytes,
            sends_mail: self.smtp.is_some(),
            storage: self.storage.clone(),
            ..defaults
        }
    }

    /// HTTP settings for crawling.
    #[must_use]
    pub fn http(&self) -> HttpSettings {
        let (files, defaults) = (OpenFiles::allowed(), HttpSettings::default());
        HttpSettings {
            user_agent: self.user_agent.clone(),
            resolver: ResolverSettings {
                names: self.names.clone(),
                allowed: self.allow_networks.clone(),
                dns_server: self.dns,
                ..ResolverSettings::default()
            },
            extra_authorities: self.extra_ca.clone(),
            connect: self.connect,
            first_byte: self.first_byte,
            whole: self.page,
            body_bytes: self.page_bytes,
            // One account may use a quarter of it, which must fit the largest page.
            large_body_bytes: defaults.large_body_bytes.max(self.page_bytes.saturating_mul(4)),
            pool_idle_per_host: self.host_concurrency.max(8),
            max_idle_connections: defaults.max_idle_connections.min(files.for_idle_connections()),
            requests: defaults.requests.min(files.for_requests()),
            egress: self.egress_proxy.clone(),
            ..defaults
        }
    }

    #[must_use]
    pub fn gate(&self) -> HostGateSettings {
        HostGateSettings { concurrency: self.host_concurrency, delay: self.host_delay }
    }

    /// Settings of the API with limits for this machine.
    #[must_use]
    pub fn api(&self) -> ApiSettings {
        let inbound = self.clients.api.inbound;
        let connections = inbound.connections.min(OpenFiles::allowed().for_clients());
        // Streams may use at most three quarters of the connections.
        let listeners = self.listeners.min(connections - connections / 4);
        let mut limits = self.limits;
        if limits.listeners == 0 {
            limits.listeners = u32::try_from(listeners / 4).unwrap_or(u32::MAX).max(1);
        }
        ApiSettings {
            public_url: self.public_url.clone(),
            limits,
            sources: self.sources.clone(),
            modes: registry::MODES.to_vec(),
            allowed_networks: self.allow_networks.clone(),
            webhook_networks: self.webhooks.networks.clone(),
            known_names: self.names.clone(),
            blocked_domains: self.blocked_domains.clone(),
            payments: self.payments.stripe.as_ref().map(|stripe| stripe.price.clone()),
            schedules: self.schedules.of_account,
            schedule_every: self.schedules.every,
            listeners,
            trust_forwarded_for: self.behind_proxy,
            inbound: Inbound {
                connections,
                // Behind a proxy, all connections come from its address.
                address_connections: match self.behind_proxy {
                    true => 0,
                    false => inbound.address_connections,
                },
                ..inbound
            },
            ..self.clients.api.clone()
        }
    }

    #[must_use]
    pub fn worker(&self) -> WorkerSettings {
        let defaults = WorkerSettings::default();
        WorkerSettings {
            shards: self.runs,
            visit_shards: self.visit_shards,
            visits: self.visits,
            host_concurrency: self.host_concurrency,
            concurrency: defaults.concurrency.max(self.host_concurrency),
            lease: self.lease,
            control_every: defaults.control_every.min(self.lease / 2),
            retries: self.retries,
            snapshot_bytes: self.snapshot_bytes,
            blocked_domains: self.blocked_domains.clone(),
            ceilings: self.resources.ceilings,
            frontier_memory: self.resources.frontier_bytes,
            keep_results: Duration::from_secs(u64::from(self.limits.results_days) * 24 * 60 * 60),
            ..defaults
        }
    }
}
